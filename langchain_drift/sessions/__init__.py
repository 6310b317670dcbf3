"""What outlives a session: summaries, the token budget, the managed context, the memory file."""
