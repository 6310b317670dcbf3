"""Question 2: have we failed at this before?"""
