"""Counts: whole numbers that callers pass, checked in one place."""

from numbers import Integral

from langchain_drift.errors import InvalidInputError


def check_count(name: str, value: object, *, least: int = 1, hint: str = "") -> int:
    """Return the value of a parameter if it is a whole number that is large enough.

    Args:
        name: Name of the parameter, for the message.
        value: What was passed for it; numpy's whole numbers are fine, booleans are not.
        least: The smallest it may be.
        hint: A further half sentence for the message, for example what 0 means.

    Raises:
        InvalidInputError: If it is anything else.
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        rest = f"; {hint}." if hint else "."
        message = f"{name} is {value!r:.80}, but must be a whole number of at least {least}{rest}"
        raise InvalidInputError(message)
    return int(value)
