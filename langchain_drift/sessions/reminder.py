"""What a model is told when a conversation leaves its purpose."""

REMINDER = (
    "Reminder: this conversation is leaving what you are here for (drift score {score:.0f} of "
    "100). Keep to the purpose stated above. If the user asks for something else, decline in a "
    "sentence and say what you can help with."
)
"""`{score}` is the running score."""


def reminder(score: float, text: str = REMINDER) -> str:
    """Return the reminder for a score from 0 to 100."""
    return text.replace("{score:.0f}", f"{score:.0f}").replace("{score}", f"{score:.0f}")
