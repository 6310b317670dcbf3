"""Stored and judged text on its way to a model: short, in JSON strings, without markup."""

import json
from typing import Annotated, Any, Final

from pydantic import AfterValidator

LONGEST_QUOTE: Final = 300
"""Most characters of a text in an answer."""


def shorten(text: str) -> str:
    """Return the start of a text."""
    return text if len(text) <= LONGEST_QUOTE else f"{text[: LONGEST_QUOTE - 1]}…"


Quoted = Annotated[str, AfterValidator(shorten)]
"""A text that is cut where it gets long."""


def as_quoted_json(value: dict[str, Any]) -> str:
    """Return a value as JSON that holds no tag and no invisible character.

    A stored text can neither close a block around it nor hide anything: `<` and all characters
    outside ASCII that do not print are escaped.
    """
    text = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)
