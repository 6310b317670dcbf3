"""Events from a graph of driftguard-ai."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime

from pydantic import ValidationError

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.event import Event, Kind
from langchain_drift.mistakes.published_graph import Node, PublishedGraph
from langchain_drift.mistakes.scope import Scope

SOURCE = "driftguard-ai"
_MOST = 1_000_000


def events_of(graph: PublishedGraph, kind: Kind, scope: Scope) -> Iterator[Event]:
    """Yield the events that a graph was made of, as far as it still tells.

    A graph counts how often a feedback followed an action and an outcome a feedback, but not which
    outcome belonged to which action: the most frequent outcomes go to the actions seen first.
    Times are spread evenly between the first and the last sighting. Texts are as the file has
    them, without the stop words and endings that driftguard-ai took away.

    The same file gives the same event ids, so importing it twice counts once; importing it again
    after it has grown adds what is new.

    Args:
        graph: What a file told.
        kind: What the file is about; it does not say so itself.
        scope: Whose memory the events shall belong to.

    Raises:
        InvalidInputError: If it tells of more than 1,000,000 events or of an unusable text.
    """
    chains = _edges(graph, "action", "feedback")
    outcomes: dict[str, dict[str, int]] = defaultdict(dict)
    for (feedback, outcome), frequency in _edges(graph, "feedback", "outcome").items():
        outcomes[feedback][outcome] = frequency
    if sum(chains.values()) > _MOST:
        message = (
            f"The file tells of {sum(chains.values())} events, more than {_MOST}: it is damaged, "
            "or should be pruned before it is imported."
        )
        raise InvalidInputError(message)
    left = {feedback: _one_by_one(outcomes[feedback]) for _, feedback in chains}
    for (action, feedback), frequency in sorted(chains.items(), key=lambda c: _age(graph, c[0])):
        first, last = _span(graph.nodes[action], graph.nodes[feedback])
        for number in range(frequency):
            try:
                yield Event(
                    event_id=_event_id(kind, action, feedback, number),
                    kind=kind,
                    scope=scope,
                    action=action,
                    feedback=feedback,
                    outcome=next(left[feedback]),
                    at=first + (last - first) * (number / max(frequency - 1, 1)),
                    source=SOURCE,
                )
            except ValidationError as error:
                message = (
                    f"The file holds an action that cannot be kept: {error.errors()[0]['msg']}."
                )
                raise InvalidInputError(message) from error


def _edges(graph: PublishedGraph, role: str, next_role: str) -> dict[tuple[str, str], int]:
    """Return the edges that lead from texts of one role to texts of the next."""
    return {
        (source, target): frequency
        for (source, target), frequency in graph.edges.items()
        if role in _roles(graph, source) and next_role in _roles(graph, target)
    }


def _roles(graph: PublishedGraph, text: str) -> frozenset[str]:
    node = graph.nodes.get(text)
    return node.roles if node else frozenset()


def _one_by_one(outcomes: dict[str, int]) -> Iterator[str]:
    """Yield outcomes as often as they were seen, the most frequent first and also at the end."""
    by_frequency = sorted(outcomes, key=lambda outcome: (-outcomes[outcome], outcome))
    for outcome in by_frequency:
        for _ in range(outcomes[outcome]):
            yield outcome
    while True:
        yield by_frequency[0] if by_frequency else ""


def _age(graph: PublishedGraph, chain: tuple[str, str]) -> tuple[datetime, tuple[str, str]]:
    return _span(*(graph.nodes[text] for text in chain))[0], chain


def _span(action: Node, feedback: Node) -> tuple[datetime, datetime]:
    """Return when a chain can have been seen first and last; 1970 if the file does not say."""
    unknown = datetime.fromtimestamp(0, UTC)
    first = max(node.first_seen or unknown for node in (action, feedback))
    last = min(node.last_seen or unknown for node in (action, feedback))
    return first, max(first, last)


def _event_id(kind: Kind, action: str, feedback: str, number: int) -> str:
    chain = json.dumps([kind, action, feedback]).encode()
    return f"{SOURCE}-{hashlib.sha256(chain).hexdigest()[:32]}-{number}"
