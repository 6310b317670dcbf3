"""From a tree of runs to a turn: which words of the user and which reply belong together."""

from collections.abc import Mapping
from typing import NamedTuple

from langchain_core.messages import BaseMessage

from langchain_drift.callbacks.exchange import Exchange
from langchain_drift.callbacks.messages import (
    Words,
    final_reply,
    messages_in,
    newest_human,
    reply_text,
)
from langchain_drift.callbacks.tree import Call, Source, Tree


class Reading(NamedTuple):
    """How to read trees.

    Attributes:
        output_key: The key of the output that holds the reply; None for the usual ones.
        only_included: Whether only replies of chosen runs count, whatever the root gives out.
    """

    output_key: str | None = None
    only_included: bool = False


def pair(  # noqa: PLR0913 - what a turn depends on
    tree: Tree,
    outputs: object = None,
    *,
    closed: bool = False,
    reading: Reading = Reading(),  # noqa: B008 - immutable
    pending: Words | None = None,
    known: Mapping[str, int] | None = None,
) -> Exchange | None:
    """Return the turn of a tree; None if the assistant said nothing, or nothing new.

    Args:
        tree: The tree as its root ends.
        outputs: What the root gave out.
        closed: Whether the root was closed before it ended.
        reading: How to read it.
        pending: What the user said before the graph paused.
        known: Hashes of the words of earlier human messages by message id.
    """
    messages = messages_in(outputs, reading.output_key)
    found = final_reply(messages) or reply_text(outputs, reading.output_key, tree.given.keys)
    reply, call = _reply(tree, found, closed=closed, only_included=reading.only_included)
    asked = _edited(tree.given.humans, known or {}) or tree.given.user or pending
    if reply is None or not (asked or tree.calls):
        return None
    user = asked or newest_human(messages) or (call and call.user) or Words("")
    return Exchange(
        user=_with_id(user, messages),
        reply=reply,
        system=(call and call.system) or tree.given.system,
        complete=not closed and tree.speaking == 0,
    )


def _reply(
    tree: Tree, found: Words | None, *, closed: bool, only_included: bool
) -> tuple[Words | None, Call | None]:
    """Return the reply and the call it came from."""
    if found:
        sources = _sources(tree, found)
        if any(call.chosen for call in sources) or not (sources or only_included):
            return found, _told(sources)
    last = next((call for call in reversed(tree.calls) if _counts(tree, call, closed)), None)
    return (last.reply, _told(_sources(tree, last.reply))) if last else (None, None)


def _sources(tree: Tree, reply: Words) -> list[Call]:
    """Return the calls a reply came from: the models that said it, else the nodes that did."""
    same = [call for call in tree.calls if call.reply.text.strip() == reply.text.strip()]
    return [call for call in same if call.source is not Source.NODE] or same


def _counts(tree: Tree, call: Call, closed: bool) -> bool:  # noqa: FBT001 - private
    """Return whether a text is a reply to the user.

    Of a graph that was closed early only what a node wrote, or a model was just saying, is one:
    a model's text may be a classification, and what would have followed is not known.
    """
    if call.in_tool or not any(one.chosen for one in _sources(tree, call.reply)):
        return False
    return not (closed and tree.is_graph and call.source is Source.MODEL)


def _told(sources: list[Call]) -> Call | None:
    """Return the last chosen call that knows what it answered, if any does."""
    told = (call for call in reversed(sources) if call.chosen and call.source is not Source.NODE)
    return next(told, None)


def _edited(humans: tuple[Words, ...], known: Mapping[str, int]) -> Words | None:
    """Return the newest human message whose words have changed since it was last seen."""
    for words in reversed(humans):
        if known.get(words.message_id or "", hash(words.text)) != hash(words.text):
            return words
    return None


def _with_id(user: Words, messages: list[BaseMessage]) -> Words:
    """Return the words with the id that the graph gave them."""
    newest = newest_human(messages)
    if user.message_id is None and newest is not None and newest.text == user.text:
        return newest
    return user
