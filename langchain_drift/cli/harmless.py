"""Harmless text: what people wrote, without power over a terminal or a spreadsheet."""

import re

from langchain_drift.shown import STEERING

_CONTROL = re.compile(rf"[\x00-\x1f{STEERING}]")
_CONTROL_IN_LINES = re.compile(rf"[\x00-\x08\x0b-\x1f{STEERING}]")
_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # noqa: RUF001 - spreadsheets read the wide ones too


def clean(text: str) -> str:
    """Return a text on one line, without characters that steer a terminal."""
    return " ".join(_CONTROL.sub(" ", text).split())


def cell(text: str) -> str:
    """Return a text for a spreadsheet cell: never a formula; lines are kept."""
    text = _CONTROL_IN_LINES.sub(" ", text)
    is_formula = text.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA)
    return f"'{text}" if is_formula else text
