"""Summaries in a LangGraph store, so that a new thread of the same user finds them."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.runtime import get_runtime
from langgraph.store.base import BaseStore, SearchItem

from langchain_drift.counts import check_count
from langchain_drift.errors import InvalidInputError
from langchain_drift.session_nodes.boundary import quietly
from langchain_drift.session_nodes.state import DriftSummary
from langchain_drift.sessions.summary import SessionSummary

Namespace = tuple[str, ...] | Callable[[RunnableConfig], tuple[str, ...]]
"""Where a user's summaries are; a function finds it for each run, by the user in the config."""

_SCANNED = 1000
_PAGE = 100


def namespace_in(namespace: Namespace, config: RunnableConfig) -> tuple[str, ...]:
    """Return the namespace of a run.

    Raises:
        InvalidInputError: If it is no tuple of texts, or empty, or a text is empty or has a dot.
    """
    found = namespace(config) if callable(namespace) else namespace
    is_tuple = isinstance(found, tuple) and bool(found)
    if is_tuple and all(isinstance(part, str) and part and "." not in part for part in found):
        return found
    message = (
        f"The namespace is {found!r:.80}; it must be a tuple of texts, none of them empty or with "
        'a dot, such as ("drift", "sessions", user_id).'
    )
    raise InvalidInputError(message)


def keep(namespace: Namespace | None, config: RunnableConfig, summary: DriftSummary) -> None:
    """Keep a summary in the store of the running graph, where there is one."""
    with quietly("keep the summary in the store"):
        store = get_runtime().store if namespace else None
        if namespace and store:
            mirror(store, namespace_in(namespace, config), thread_of(config), summary)


async def akeep(namespace: Namespace | None, config: RunnableConfig, summary: DriftSummary) -> None:
    """Keep a summary without blocking the event loop; see `keep`."""
    with quietly("keep the summary in the store"):
        store = get_runtime().store if namespace else None
        if namespace and store:
            await amirror(store, namespace_in(namespace, config), thread_of(config), summary)


def recall(namespace: Namespace | None, config: RunnableConfig, limit: int) -> list[SessionSummary]:
    """Return the user's summaries of other threads from the store of the running graph."""
    with quietly("read the summaries of other threads"):
        store = get_runtime().store if namespace else None
        if namespace and store:
            place, thread = namespace_in(namespace, config), thread_of(config)
            return read_summaries(store, place, limit, except_thread=thread)
    return []


async def arecall(
    namespace: Namespace | None, config: RunnableConfig, limit: int
) -> list[SessionSummary]:
    """Return summaries of other threads without blocking the event loop; see `recall`."""
    with quietly("read the summaries of other threads"):
        store = get_runtime().store if namespace else None
        if namespace and store:
            place, thread = namespace_in(namespace, config), thread_of(config)
            return await aread_summaries(store, place, limit, except_thread=thread)
    return []


def thread_of(config: RunnableConfig) -> str:
    """Return the thread of a run; empty if it has none."""
    return str(config.get("configurable", {}).get("thread_id") or "")


def mirror(store: BaseStore, namespace: tuple[str, ...], thread: str, each: DriftSummary) -> None:
    """Put a session's summary into a store; it does not follow forks of the thread."""
    store.put(namespace, _key(thread, each), _value(thread, each), index=["summary"])


async def amirror(
    store: BaseStore, namespace: tuple[str, ...], thread: str, each: DriftSummary
) -> None:
    """Put a summary without blocking the event loop; see `mirror`."""
    await store.aput(namespace, _key(thread, each), _value(thread, each), index=["summary"])


def read_summaries(
    store: BaseStore, namespace: tuple[str, ...], limit: int = 3, *, except_thread: str = ""
) -> list[SessionSummary]:
    """Return the newest summaries of a user, oldest first, with the number 0.

    Args:
        store: A LangGraph store.
        namespace: The user's.
        limit: How many at most.
        except_thread: A thread whose own summaries are left out.

    Raises:
        InvalidInputError: If `limit` is no whole number from 0 on.
    """
    place = tuple(namespace)
    check_count("limit", limit, least=0)
    items = []
    for offset in range(0, _SCANNED, _PAGE):
        page = store.search(place, limit=_PAGE, offset=offset)
        items += page
        if len(page) < _PAGE:
            break
    return _newest(items, place, limit, except_thread)


async def aread_summaries(
    store: BaseStore, namespace: tuple[str, ...], limit: int = 3, *, except_thread: str = ""
) -> list[SessionSummary]:
    """Return a user's summaries without blocking the event loop; see `read_summaries`."""
    place = tuple(namespace)
    check_count("limit", limit, least=0)
    items = []
    for offset in range(0, _SCANNED, _PAGE):
        page = await store.asearch(place, limit=_PAGE, offset=offset)
        items += page
        if len(page) < _PAGE:
            break
    return await asyncio.to_thread(_newest, items, place, limit, except_thread)


def _key(thread: str, each: DriftSummary) -> str:
    return f"{thread}:{each['session']}"


def _value(thread: str, each: DriftSummary) -> dict[str, Any]:
    return {**each, "thread_id": thread, "at": datetime.now(UTC).isoformat()}


def _is_summary(value: dict[str, Any]) -> bool:
    return all(isinstance(value.get(name), str) and value[name] for name in ("summary", "at"))


def _newest(
    items: Iterable[SearchItem], namespace: tuple[str, ...], limit: int, except_thread: str
) -> list[SessionSummary]:
    # A search goes into namespaces below, which may be other users'; and others may write here.
    own = [
        item.value
        for item in items
        if tuple(item.namespace) == namespace
        and _is_summary(item.value)
        and item.value.get("thread_id") != except_thread
    ]
    own.sort(key=lambda value: value["at"])
    return [
        SessionSummary(
            session_number=0,
            summary=value["summary"],
            turn_count=value.get("turns", 0),
            final_drift_score=value.get("final_score"),
        )
        for value in (own[-limit:] if limit else [])
    ]
