"""One HTML page, whole in itself: no script, nothing fetched, texts shown as they were said."""

import base64
import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from langchain_drift._version import __version__
from langchain_drift.counts import check_count
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.reports.conversation import Conversation, DriftSource, conversations_of
from langchain_drift.reports.conversation_view import overview_of
from langchain_drift.reports.memory_view import memory_of
from langchain_drift.shown import on_a_line

LARGEST: Final = 5_000_000
"""Bytes that a page takes at most unless another size is asked for."""

_SMALLEST: Final = 50_000
_TITLE: Final = 120


def report_html(
    source: DriftSource | DriftGuard,
    *,
    title: str | None = None,
    max_bytes: int = LARGEST,
    made_at: datetime | None = None,
) -> str:
    """Return a report as one HTML page for people who were not there.

    The page fetches nothing and runs no script; a strict content security policy says so to the
    browser, and whatever was said in a conversation stays text.

    Args:
        source: A tracker (the last turns it keeps), a handler, a thread of it, a list of results,
            a dict of such lists by the name of the conversation, or a guard with its memory.
        title: The heading; by default what it is a report of.
        max_bytes: Size of the page. Long texts are cut to keep it, then the turns of the
            conversations with the highest scores are left out; the page says so. At least 50,000;
            more than about 4,000 conversations take more than 5,000,000 even so.
        made_at: When it was made; by default nothing is said of it.

    Raises:
        InvalidInputError: If there is nothing to show, or a parameter has a value it cannot take.
        StoreError: If the memory cannot be read.

    Example:
        ```python
        Path("report.html").write_text(report_html(handler), encoding="utf-8")
        ```
    """
    if isinstance(source, DriftGuard):
        view = memory_of(source, _checked(max_bytes))
        return _render("memory", title or "Mistake memory", made_at, view)
    found = conversations_of(source)
    return conversations_page(found, title=title, max_bytes=max_bytes, made_at=made_at)


def conversations_page(
    conversations: Sequence[Conversation],
    *,
    title: str | None = None,
    max_bytes: int = LARGEST,
    made_at: datetime | None = None,
) -> str:
    """Return the page of conversations that have turns; see `report_html`."""
    view = overview_of(conversations, _checked(max_bytes))
    return _render("conversations", title or "Conversation drift", made_at, view)


def _checked(max_bytes: int) -> int:
    return check_count("max_bytes", max_bytes, least=_SMALLEST)


def _render(template: str, title: str, made_at: datetime | None, view: object) -> str:
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    found: Any = _environment().get_template(f"{template}.html.jinja")
    page: str = found.render(
        title=on_a_line(title, _TITLE),
        style=Markup(style),  # noqa: S704 - our own file
        digest=digest,
        made_at=made_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC") if made_at else "",
        version=__version__,
        view=view,
    )
    return page


@cache
def _environment() -> Environment:
    return Environment(
        autoescape=True,
        loader=PackageLoader("langchain_drift.reports"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )


@cache
def _style() -> str:
    loader = _environment().loader
    return loader.get_source(_environment(), "style.css")[0] if loader else ""
