"""The five kinds of evidence that an action will fail, each found in its own way."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from langchain_drift.mistakes.action import MEANING, Action
from langchain_drift.mistakes.confidence import confidence, recency
from langchain_drift.mistakes.index import ScopeIndex
from langchain_drift.mistakes.memory import Memory
from langchain_drift.mistakes.reach import LEAST_ALIKE, MOST_BLAMING, MOST_NEAREST
from langchain_drift.mistakes.terms import words_of
from langchain_drift.mistakes.vectors import Vector, unpack
from langchain_drift.mistakes.veto import find_conflicts
from langchain_drift.text.terms import CriticalTerms, critical_terms

Evidence = Literal["same", "paraphrase", "culprit", "similar", "tool"]
HINTS: Final = frozenset({"similar", "tool"})
"""Evidence from other actions, which warns but never blocks."""

Likely = tuple[Memory, float]
"""A memory and how alike it is, 0 to 1."""

# How fast likeness loses weight. Learned on four kinds of agent logs; none of the results hangs on
# a neighbouring value.
NEAR = 8
_MEANING = 12
_SHARING_A_CULPRIT = 2
_BLAMED_ELSEWHERE = 4
# That another action worked, however like this one, is half as good a sign as that this one did.
_ANOTHER = 0.5


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason to expect that an action fails.

    Attributes:
        evidence: `same` action, a `paraphrase`, a `culprit` that it holds, a `similar` command or
            a `tool` that never worked.
        memories: The memories that speak, with their likeness, the most alike first.
        confidence: How likely the action fails by this evidence alone, 0 to 1.
        culprits: What is blamed, for `culprit`.
    """

    evidence: Evidence
    memories: tuple[Likely, ...]
    confidence: float
    culprits: tuple[str, ...] = ()

    @property
    def similarity(self) -> float:
        """The likeness of the memory that is most alike."""
        return self.memories[0][1]


@dataclass(frozen=True, slots=True)
class Question:
    """An action, asked of the memories of a scope.

    Attributes:
        action: The action.
        vector: Its vector; None for code.
        index: The memories.
        now: The present, in seconds since 1970.
        least_similarity: The lowest cosine of a paraphrase.
        recency_weight: What age can take from a mistake, 0 to 0.5.
    """

    action: Action
    vector: Vector | None
    index: ScopeIndex
    now: float
    least_similarity: float
    recency_weight: float

    def weight(self, memory: Memory) -> float:
        """Return how much the mistakes of a memory weigh."""
        if not memory.failing:
            return 0.0
        return memory.failing * recency(memory.last_mistake, self.now, self.recency_weight)

    def find(self, near: Sequence[Likely]) -> list[Finding]:
        """Return all findings; see the functions of this module.

        Args:
            near: What `nearest` returns.
        """
        found = [*find_same(self), *find_culprits(self)]
        if self.action.is_code:
            return [*found, *find_similar(self, near), *find_tool(self)]
        return [*found, *find_paraphrases(self, near)]

    def nearest(self) -> list[Likely]:
        """Return the memories most like the action in their own way: by words or by meaning."""
        if self.action.is_code:
            alike = self.index.alike(words_of(self.action.terms), LEAST_ALIKE)
            return sorted(alike, key=lambda likely: (-likely[1], -likely[0].number))
        if self.vector is None:
            return []
        found = self.index.vectors.nearest(self.vector, self.least_similarity, MOST_NEAREST)
        return [(self.index.memories[number], cosine) for number, cosine in found]


def find_same(question: Question) -> Iterator[Finding]:
    """Yield the memory of the very same action, if it failed."""
    memory = question.index.same(question.action.key)
    if memory and memory.mistakes:
        weight = question.weight(memory)
        yield Finding("same", ((memory, 1.0),), confidence(weight, weight, memory.working))


def find_paraphrases(question: Question, near: Sequence[Likely]) -> Iterator[Finding]:
    """Yield groups of prose memories that mean the same as the action.

    A memory whose critical terms contradict the action's does not count as a mistake. Memories
    that mean the same as the nearest of a group belong to it. However often it failed, a warning
    is no surer than its likeness allows: `0.1 + 0.9 · cosine`.
    """
    critical = critical_terms(question.action.text[:MEANING])
    working = _ANOTHER * sum(m.working * cosine**_MEANING for m, cosine in near)
    failing = [
        (memory, cosine)
        for memory, cosine in near
        if memory.mistakes and not is_vetoed(question.action, critical, memory)
    ]
    for group in _group(failing, question.least_similarity):
        strength = sum(question.weight(memory) * cosine for memory, cosine in group)
        weight = sum(question.weight(memory) * cosine**_MEANING for memory, cosine in group)
        sure = min(confidence(strength, weight, working), _most_for(group[0][1]))
        yield Finding("paraphrase", tuple(group), sure)


def find_culprits(question: Question) -> Iterator[Finding]:
    """Yield what feedback blamed before and the action holds.

    What does not exist is at fault wherever it is used; of anything else only what resembles the
    action counts. Memories that hold the same and worked speak against it, each by its likeness.
    """
    action, index = question.action, question.index
    words = words_of(action.terms)
    critical = None if action.is_code else critical_terms(action.text[:MEANING])
    for culprits, memories in index.blamed(action.terms, is_code=action.is_code):
        blaming = [(m, _overlap(words, m.words)) for m in memories[-MOST_BLAMING:] if m.mistakes]
        if critical:
            blaming = [likely for likely in blaming if not is_vetoed(action, critical, likely[0])]
        strength = failing = 0.0
        for memory, likeness in blaming:
            age = question.weight(memory) / memory.failing
            every, absent = memory.blaming(culprits)
            strength += age * (absent + (every - absent) * likeness**_BLAMED_ELSEWHERE)
            failing += age * every * likeness**_SHARING_A_CULPRIT
        holding = index.holding(culprits, is_code=action.is_code)
        working = sum(m.working * _overlap(words, m.words) ** _SHARING_A_CULPRIT for m in holding)
        if blaming:
            blaming.sort(key=lambda likely: (-likely[1], -likely[0].number))
            sure = confidence(strength, failing, working)
            yield Finding("culprit", tuple(blaming), sure, culprits)


def find_similar(question: Question, near: Sequence[Likely]) -> Iterator[Finding]:
    """Yield the other code memories that are nearly the same command.

    A mistake whose feedback blames what this action does not hold is explained by that, and does
    not count.
    """
    terms = question.action.terms
    same = question.action.key
    failing = [(m, x) for m, x in near if m.first.key != same and m.blames_only(terms)]
    weight = sum(question.weight(memory) * likeness**NEAR for memory, likeness in failing)
    working = _ANOTHER * sum(m.working * likeness**NEAR for m, likeness in near)
    if failing:
        yield Finding("similar", tuple(failing), confidence(weight, weight, working))


def find_tool(question: Question) -> Iterator[Finding]:
    """Yield a tool whose calls all got the same answer, one that blames no argument."""
    tool = question.index.tools.get(question.action.tool) if question.action.tool else None
    if not tool:
        return
    for numbers in tool.failing.values():
        memories = [question.index.memories[number] for number in list(numbers)[-MOST_BLAMING:]]
        weight = sum(min(1.0, question.weight(memory)) for memory in memories)
        words = words_of(question.action.terms)
        likely = sorted(
            ((memory, _overlap(words, memory.words)) for memory in memories if memory.mistakes),
            key=lambda likely: (-likely[1], -likely[0].number),
        )
        if likely:
            yield Finding("tool", tuple(likely), confidence(weight, weight, tool.working))


def is_vetoed(action: Action, critical: CriticalTerms, memory: Memory) -> bool:
    """Tell whether a memory contradicts an action in prose, whose critical terms these are."""
    texts = action.text[:MEANING], memory.first.action[:MEANING]
    return bool(find_conflicts(critical, memory.critical, *texts))


def _most_for(cosine: float) -> float:
    return 0.1 + 0.9 * cosine


def _overlap(words: frozenset[str], others: frozenset[str]) -> float:
    shared = len(words & others)
    return shared / (len(words) + len(others) - shared) if shared else 0.0


def _group(likely: Sequence[Likely], least: float) -> Iterator[list[Likely]]:
    """Group memories, the nearest first, by their cosine with the first of a group."""
    rest = list(likely)
    while rest:
        leader = rest[0][0]
        vector = unpack(leader.first.vector or b"")
        mine = [
            m is leader or float(unpack(m.first.vector or b"") @ vector) >= least for m, _ in rest
        ]
        yield [one for one, is_mine in zip(rest, mine, strict=True) if is_mine]
        rest = [one for one, is_mine in zip(rest, mine, strict=True) if not is_mine]
