"""Texts that callers hand to an embedder, checked."""

from collections.abc import Iterable

from langchain_drift.errors import InvalidInputError


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
