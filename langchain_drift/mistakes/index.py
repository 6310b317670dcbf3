"""The memories of one scope, laid out so that those that matter for an action are found fast."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from math import ceil

from langchain_drift.mistakes.approximate import ApproximateIndex
from langchain_drift.mistakes.culprits import is_weak
from langchain_drift.mistakes.event import Kind
from langchain_drift.mistakes.memory import Memory
from langchain_drift.mistakes.near import NearMemories
from langchain_drift.mistakes.nodes import NodeCount
from langchain_drift.mistakes.reach import MOST_FOR_A_WORD, MOST_HOLDING, MOST_READ
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.terms import MENTION, holds

INSTEAD = "/instead"
"""Ends the id of a success that is what worked instead of the mistake whose id stands before."""


@dataclass(slots=True)
class Tool:
    """What is known of a tool as a whole.

    Attributes:
        working: Number of its successes.
        failing: Feedback that blames nothing in the call, to the memories it came to.
    """

    working: int = 0
    failing: dict[str, dict[int, None]] = field(default_factory=lambda: defaultdict(dict))


@dataclass(slots=True)
class Shelf:
    """The memories of one kind of text; prose and code are never compared with one another."""

    postings: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    blamed: dict[str, dict[tuple[str, ...], dict[int, None]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(dict))
    )


class ScopeIndex:
    """A view of the events of one scope; events are added one by one, never taken out.

    Args:
        records: The events.
        approximate: What finds the nearest memories where there are many; it may hold others.
    """

    def __init__(
        self, records: Iterable[Record] = (), *, approximate: ApproximateIndex | None = None
    ) -> None:
        self.memories: list[Memory] = []
        self.vectors = NearMemories(self._vector_of, approximate)
        self.nodes = NodeCount()
        self.tools: dict[str, Tool] = defaultdict(Tool)
        self.instead: dict[str, Memory] = {}
        self._by_key: dict[str, Memory] = {}
        self._prose, self._code = Shelf(), Shelf()
        for record in records:
            self.add(record)

    def add(self, record: Record) -> Memory:
        """Take an event in and return its memory."""
        memory = self._by_key.get(record.key)
        if memory is None:
            memory = self._new(record)
        memory.add(record)
        self.nodes.add(record)
        if record.kind == "success" and record.event_id.endswith(INSTEAD):
            self.instead[record.event_id.removesuffix(INSTEAD)] = memory
        shelf = self._shelf(is_code=memory.is_code)
        if record.culprits and not is_weak(record.culprits):
            shelf.blamed[record.culprits[0]][record.culprits][memory.number] = None
        if tool := memory.tool:
            known = self.tools[tool]
            if record.kind == "success":
                known.working += 1
            elif not record.culprits:
                known.failing[_flat(record.feedback)][memory.number] = None
        return memory

    def records(self, kind: Kind) -> Iterator[Record]:
        """Yield all mistakes or all successes, by memory."""
        for memory in self.memories:
            yield from memory.mistakes if kind == "mistake" else memory.successes

    def same(self, key: str) -> Memory | None:
        """Return the memory of the same action, if there is one."""
        return self._by_key.get(key)

    def worked_instead(self, event_ids: Sequence[str]) -> Iterator[Memory]:
        """Yield the memories of what worked instead of some mistakes."""
        for event_id in event_ids:
            if memory := self.instead.get(event_id):
                yield memory

    def blamed(
        self, terms: frozenset[str], *, is_code: bool
    ) -> Iterator[tuple[tuple[str, ...], list[Memory]]]:
        """Yield each culprit that an action holds, with the memories whose feedback blames it."""
        shelf = self._shelf(is_code=is_code)
        for term in terms:
            for form in (term,) if term.startswith(MENTION) else (term, MENTION + term):
                for culprits, numbers in shelf.blamed.get(form, {}).items():
                    if all(holds(terms, culprit) for culprit in culprits):
                        yield culprits, [self.memories[number] for number in numbers]

    def holding(self, culprits: Sequence[str], *, is_code: bool) -> list[Memory]:
        """Return memories that worked and hold some terms: at most 256 of the newest 4,096."""
        postings = self._shelf(is_code=is_code).postings
        rarest = min((postings.get(c.removeprefix(MENTION), []) for c in culprits), key=len)
        found: list[Memory] = []
        for number in reversed(rarest[-MOST_READ:]):
            memory = self.memories[number]
            terms = memory.terms
            if memory.successes and all(holds(terms, culprit) for culprit in culprits):
                found.append(memory)
                if len(found) == MOST_HOLDING:
                    break
        return found

    def alike(self, words: frozenset[str], least: float) -> Iterator[tuple[Memory, float]]:
        """Yield the code memories that share at least a share of their words with an action.

        The share is of the words that either has. A memory that shares that many holds one of the
        action's rarest words, so only these are looked up, each in its 128 newest memories.
        """
        postings = self._code.postings
        by_rarity = sorted(words, key=lambda word: (len(postings.get(word, ())), word))
        needed = len(words) - ceil(least * len(words)) + 1
        candidates = {
            n for word in by_rarity[:needed] for n in postings.get(word, ())[-MOST_FOR_A_WORD:]
        }
        for number in candidates:
            other = self.memories[number].words
            shared = len(words & other)
            similarity = shared / (len(words) + len(other) - shared) if shared else 0.0
            if similarity >= least:
                yield self.memories[number], similarity

    def _new(self, record: Record) -> Memory:
        memory = Memory(len(self.memories), record)
        self.memories.append(memory)
        self._by_key[record.key] = memory
        shelf = self._shelf(is_code=memory.is_code)
        postings, number = shelf.postings, memory.number
        for term in record.terms:
            postings[term.removeprefix(MENTION)].append(number)
        if record.vector is not None:
            self.vectors.add(memory.number, record.key, record.vector)
        return memory

    def _vector_of(self, number: int) -> bytes:
        return self.memories[number].first.vector or b""

    def _shelf(self, *, is_code: bool) -> Shelf:
        return self._code if is_code else self._prose


def _flat(feedback: str) -> str:
    return " ".join(feedback[:300].casefold().split())
