"""Question 1: is this chat still doing what its system prompt is for?"""
