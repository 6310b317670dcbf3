"""Checks of what callers hand to an embedder."""

from collections.abc import Iterable

from langchain_drift.errors import InvalidInputError


def check_count(name: str, value: object) -> int:
    """Return the value of a parameter if it is a whole number of at least 1.

    Args:
        name: Name of the parameter, for the message.
        value: What was passed for it.

    Raises:
        InvalidInputError: If it is anything else.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        message = f"`{name}` is {value!r}, but must be a whole number of at least 1."
        raise InvalidInputError(message)
    return value


def check_texts(texts: Iterable[object]) -> list[str]:
    """Return the texts as a list if each of them is a string.

    Args:
        texts: Any number of texts.

    Raises:
        InvalidInputError: If `texts` is itself a string, or a text is not one.
    """
    if isinstance(texts, str):
        message = f"`texts` is the string {texts[:40]!r}; pass a list of strings: [text]."
        raise InvalidInputError(message)
    checked: list[str] = []
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            message = (
                f"Text {index} is {text!r:.40} of type {type(text).__name__}, but only strings "
                "can be embedded. Convert it, or leave it out."
            )
            raise InvalidInputError(message)
        checked.append(text)
    return checked
