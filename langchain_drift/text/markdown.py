"""Markdown to plain prose, in linear time and without losing plain text."""

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_MARKER = re.compile(r"[*_`\[\\~|<&]|^[ \t]*(?:[-+#>=]|\d+[.)])", re.MULTILINE)
_HTML_TAG = re.compile(
    r"</?(?:a|b|br|code|div|em|h[1-6]|hr|i|img|li|ol|p|pre|span|strong|sub|sup"
    r"|table|tbody|td|th|thead|tr|u|ul)(?:\s[^<>]{0,500})?/?>",
    re.IGNORECASE,
)
_NAME = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
# A marker or a line costs the parser up to 20 microseconds: this many keep a call below a second.
_MAX_LENGTH = 300_000
_MAX_MARKERS = 10_000
_MAX_LINES = 20_000
_MAX_LEVEL = 20


def to_prose(text: str) -> str:
    """Return the words a reader of rendered markdown would see.

    Text, code, link texts, image descriptions, headings, list items and table rows stay, one a
    line; markers, fences, link targets and common HTML tags go. Plain text stays as it is. Text
    with so many markers that parsing would be slow, or nested beyond the parser's limit, is
    returned as it came.

    Args:
        text: Any text, markdown or not.

    Returns:
        The prose, stripped.
    """
    if not _MARKER.search(text) or _is_costly(text):
        return text.strip()
    tokens = _parser().parse(text)
    # The parser silently drops what is nested deeper than it is allowed to go.
    if any(token.level >= _MAX_LEVEL - 1 for token in tokens):
        return text.strip()
    lines = (line.strip() for line in _lines(tokens))
    return "\n".join(line for line in lines if line)


def _is_costly(text: str) -> bool:
    return (
        len(text) > _MAX_LENGTH
        or text.count("\n") > _MAX_LINES
        or sum(map(text.count, "*_`[]~|<&\\")) > _MAX_MARKERS
    )


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt  # noqa: PLC0415 - loaded with the first marker only

    # Indented text, `<name>` and `[note]: text` are far more often meant literally in a chat.
    literal = ["code", "html_block", "html_inline", "reference"]
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_LEVEL})
    return parser.enable(["table", "strikethrough"]).disable(literal)


def _lines(tokens: "list[Token]") -> Iterator[str]:
    numbering = _Numbering()
    row: list[str] | None = None
    for token in tokens:
        if token.type == "inline":
            content = _inline(token.children or [])
            if row is None:
                yield numbering.apply(content)
            else:
                row.append(content)
        elif token.type == "fence":
            yield token.content
        elif token.type == "tr_open":
            row = []
        elif token.type == "tr_close":
            yield ", ".join(row or [])
            row = None
        else:
            yield numbering.follow(token)


class _Numbering:
    """Keeps the numbers of lists that are none.

    `1985. What a year` opens a list that starts at 1985 and `42.` one with an empty item: there
    the number is part of the text.
    """

    def __init__(self) -> None:
        self._is_literal: list[bool] = []
        self._number = ""

    def follow(self, token: "Token") -> str:
        """Keep track of lists; return the number of an item that ends without content."""
        if token.type == "ordered_list_open":
            self._is_literal.append(token.attrGet("start") not in (None, 0))
        elif token.type == "ordered_list_close":
            self._is_literal.pop()
        elif token.type == "list_item_open":
            self._number = f"{token.info}{token.markup} " if token.info else ""
        elif token.type == "list_item_close":
            number, self._number = self._number, ""
            return number
        return ""

    def apply(self, content: str) -> str:
        """Return the content with its number, if that is part of the text."""
        number, self._number = self._number, ""
        return number + content if self._is_literal and self._is_literal[-1] else content


def _inline(tokens: "list[Token]") -> str:
    parts: list[str] = []
    markers: list[str] = []
    for position, token in enumerate(tokens):
        kind = token.type
        if kind == "text":
            parts.append(_HTML_TAG.sub(" ", token.content))
        elif kind == "code_inline":
            parts.append(token.content)
        elif kind in {"softbreak", "hardbreak"}:
            parts.append("\n")
        elif kind == "image":
            parts.append(_inline(token.children or []))
        elif kind in {"em_open", "strong_open"}:
            markers.append(token.markup if _is_literal(tokens, position) else "")
            parts.append(markers[-1])
        elif kind in {"em_close", "strong_close"}:
            parts.append(markers.pop())
    return "".join(parts)


def _is_literal(tokens: "list[Token]", position: int) -> bool:
    """Tell `2*3*4`, `*.py` and `__init__` from emphasis."""
    marker = tokens[position].markup
    after = tokens[position + 1].content
    if marker == "__":
        return _NAME.fullmatch(after) is not None
    if after[:1] in {".", "/"}:
        return True
    before = tokens[position - 1].content[-1:] if position else ""
    return _is_ascii_word(before) and _is_ascii_word(after[:1])


def _is_ascii_word(character: str) -> bool:
    return character.isascii() and character.isalnum()
