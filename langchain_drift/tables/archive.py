"""The turns of an archive in the order they were spoken, embedded many at a time and scored."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from langchain_core.embeddings import Embeddings

from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.reading import Reading
from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.scorer import DriftScorer, ScorerState
from langchain_drift.conversation.turn import FewShotExample, Turn
from langchain_drift.embeddings.vectors import embed
from langchain_drift.errors import InvalidInputError

_AT_ONCE: Final = 256
"""Turns whose texts are embedded in one call; at most twelve texts each, which the caches hold."""


@dataclass(frozen=True, slots=True)
class Row:
    """A turn of an archive.

    Attributes:
        place: Its row in the table, from 0.
        prompt: The system prompt of its conversation.
        conversation: The number of its conversation within the table.
        turn: What was said.
    """

    place: int
    prompt: str
    conversation: int
    turn: Turn


def in_order(
    conversations: Sequence[Any],
    numbers: Sequence[Any],
    prompts: Sequence[str | None],
    turns: Sequence[Turn],
) -> list[list[Row]]:
    """Return the conversations of a table, each in the order of its turns.

    Those of one prompt stand together. A row without a conversation is one of its own. A
    conversation has the first prompt that any of its turns gives.

    Raises:
        InvalidInputError: If turns of a conversation cannot be ordered.
    """
    groups: dict[Any, list[int]] = {}
    for place, name in enumerate(conversations):
        groups.setdefault(("", place) if name is None else _key(name, place), []).append(place)
    found = []
    for number, (key, places) in enumerate(groups.items()):
        ordered = _sorted(places, numbers, key[1])
        prompt = next((prompts[place] for place in ordered if prompts[place]), None) or ""
        found.append([Row(place, prompt, number, turns[place]) for place in ordered])
    return sorted(found, key=lambda rows: rows[0].prompt)


def score_rows(
    conversations: Iterable[Sequence[Row]],
    embeddings: Embeddings,
    examples: Sequence[FewShotExample],
) -> Iterator[tuple[int, TurnResult]]:
    """Yield the place and the result of every turn.

    Args:
        conversations: As `in_order` gives them.
        embeddings: An embedder that remembers at least 4,096 texts.
        examples: Few-shot examples of every prompt.
    """
    strategy = PurposeStrategy(embeddings)
    scorer: DriftScorer | None = None
    state: ScorerState | None = None
    conversation, prompt = -1, ""
    rows = (row for conversation in conversations for row in conversation)
    while step := list(islice(rows, _AT_ONCE)):
        embed(embeddings, _texts(step))
        for row in step:
            if scorer is None or row.prompt != prompt:
                scorer, prompt = DriftScorer(row.prompt, examples, strategy=strategy), row.prompt
            if state is None or row.conversation != conversation:
                state, conversation = scorer.start(), row.conversation
            state, result = scorer.step(state, row.turn.user, row.turn.assistant)
            yield row.place, result


def _texts(step: Iterable[Row]) -> list[str]:
    """Return what the strategy is going to have embedded; a turn without a reply is not judged."""
    said = (row.turn.to_prose() for row in step if row.turn.assistant.strip() and row.prompt)
    return [text for turn in said for text in Reading.of(turn).texts]


def _key(name: object, place: int) -> tuple[str, object]:
    try:
        hash(name)
    except TypeError as error:
        message = f"Row {place} has the conversation {name!r:.60}; give a text or a number."
        raise InvalidInputError(message) from error
    return "named", name


def _sorted(places: Sequence[int], numbers: Sequence[Any], name: object) -> list[int]:
    empty = next((place for place in places if numbers[place] is None), None)
    if empty is not None and len(places) > 1:
        message = f"Row {empty} of conversation {name!r:.60} has no turn number; give it one."
        raise InvalidInputError(message)
    try:
        return sorted(places, key=numbers.__getitem__)
    except TypeError as error:
        message = f"The turns of conversation {name!r:.60} cannot be ordered: {error}."
        raise InvalidInputError(message) from error
