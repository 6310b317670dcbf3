"""A memory: all events of one action, and what they amount to."""

from dataclasses import dataclass, field

from langchain_drift.mistakes.action import MEANING, tool_of
from langchain_drift.mistakes.culprits import says_absent
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.terms import holds, words_of
from langchain_drift.text.terms import CriticalTerms, critical_terms

_LEFT_AFTER_SUCCESS = 0.25
_LEFT_AFTER_MISTAKE = 0.5


@dataclass(slots=True, eq=False)
class Memory:
    """All events of the actions that are the same but for spelling; a view, never stored.

    Attributes:
        number: Its place in its index.
        first: Its first event; its key, terms and vector are those of the memory.
        mistakes: Its mistakes, in the order they were recorded.
        successes: Its successes, likewise.
        failing: How much its mistakes still weigh: each counts 1, and every success since leaves a
            quarter of it.
        working: How much its successes still weigh: each counts 1, and every mistake since leaves
            half of it.
        last_mistake: When the last of its mistakes happened, in seconds since 1970; 0 for none.
        earlier_mistakes: How many mistakes came before those, where a store gives the newest only.
        earlier_successes: How many successes did.
    """

    number: int
    first: Record
    mistakes: list[Record] = field(default_factory=list)
    successes: list[Record] = field(default_factory=list)
    failing: float = 0.0
    working: float = 0.0
    last_mistake: float = 0.0
    earlier_mistakes: int = 0
    earlier_successes: int = 0
    _terms: frozenset[str] | None = None
    _words: frozenset[str] | None = None
    _critical: CriticalTerms | None = None
    _blames: dict[tuple[str, ...], list[int]] = field(default_factory=dict)

    def begin_with(self, mistakes: int, successes: int) -> None:
        """Begin after events that are only counted; in which order they came is not known."""
        self.earlier_mistakes, self.earlier_successes = mistakes, successes
        self.failing = mistakes * _LEFT_AFTER_SUCCESS**successes
        self.working = successes * _LEFT_AFTER_MISTAKE**mistakes

    def add(self, record: Record) -> None:
        """Take one more event in."""
        if record.kind == "mistake":
            self.mistakes.append(record)
            self.failing += 1.0
            self.working *= _LEFT_AFTER_MISTAKE
            self.last_mistake = max(self.last_mistake, record.at)
            blames = self._blames.setdefault(record.culprits, [0, 0])
            blames[0] += 1
            blames[1] += bool(record.culprits) and says_absent(record.feedback)
        else:
            self.successes.append(record)
            self.working += 1.0
            self.failing *= _LEFT_AFTER_SUCCESS

    @property
    def is_code(self) -> bool:
        """Whether the action is code-like: such records have no vector."""
        return self.first.vector is None

    @property
    def tool(self) -> str:
        """The name of the tool the action calls, empty for none."""
        return tool_of(self.first.action) if self.is_code else ""

    @property
    def terms(self) -> frozenset[str]:
        """The terms of the action."""
        if self._terms is None:
            self._terms = frozenset(self.first.terms)
        return self._terms

    @property
    def words(self) -> frozenset[str]:
        """The simple terms of the action."""
        if self._words is None:
            self._words = words_of(self.terms)
        return self._words

    @property
    def critical(self) -> CriticalTerms:
        """What another action may not differ in and still mean the same."""
        if self._critical is None:
            self._critical = critical_terms(self.first.action[:MEANING])
        return self._critical

    def blaming(self, culprits: tuple[str, ...]) -> tuple[float, float]:
        """Return how much the mistakes that blame some culprits weigh.

        Returns:
            The weight of all of them, and of those whose feedback says that it does not exist.
        """
        every, absent = self._blames.get(culprits, (0, 0))
        each = self.failing / len(self.mistakes) if self.mistakes else 0.0
        return every * each, absent * each

    def blames_only(self, terms: frozenset[str]) -> bool:
        """Tell whether some mistake blames nothing, or only what an action holds."""
        return any(all(holds(terms, c) for c in culprits) for culprits in self._blames)
