"""From findings to the review that people and programs read."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from langchain_drift.mistakes.action import MEANING, read_action
from langchain_drift.mistakes.confidence import (
    SUCCESS_WEIGHT,
    confidence,
    published_confidence,
)
from langchain_drift.mistakes.evidence import HINTS, Finding, Likely, Question, is_vetoed
from langchain_drift.mistakes.index import ScopeIndex
from langchain_drift.mistakes.review import GuardReview, MistakeWarning, Reinforcement
from langchain_drift.mistakes.settings import DriftGuardSettings
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.text.terms import critical_terms

_MOST_WORDINGS, _MOST_RISKS, _MOST_IDS = 10, 5, 100
_SECONDS_PER_DAY = 86_400
_WHOLE_CHAIN = 3


@dataclass(frozen=True, slots=True)
class _Spoken:
    """A warning and the mistakes it stands on."""

    warning: MistakeWarning
    records: list[Record]


def make_review(question: Question, settings: DriftGuardSettings) -> GuardReview:
    """Answer a question by what is remembered."""
    near = question.nearest()
    findings = choose(question.find(near), settings)
    spoken = [_speak(finding, question, settings) for finding in findings]
    spoken.sort(key=lambda one: -one.warning.confidence)
    return GuardReview(
        query=question.action.text,
        warnings=tuple(one.warning for one in spoken),
        reinforcements=tuple(_reinforce(question, near, spoken, settings)),
        chains=tuple(_chains(spoken, question.index, settings)),
        confidence=spoken[0].warning.confidence if spoken else 0.0,
        timestamp=datetime.fromtimestamp(question.now, UTC),
    )


def choose(findings: Iterable[Finding], settings: DriftGuardSettings) -> list[Finding]:
    """Return the findings to show: sure enough, and none whose memories others show already.

    Findings that can block come before hints, then the surest, so that no hint hides a mistake.
    """
    sure = [f for f in findings if f.confidence >= settings.retrieval_min_confidence]
    sure.sort(key=lambda f: (f.evidence in HINTS, -round(f.confidence, 6), -f.similarity))
    chosen: list[Finding] = []
    shown: set[int] = set()
    for finding in sure:
        numbers = {memory.number for memory, _ in finding.memories}
        if not numbers <= shown:
            chosen.append(finding)
            shown |= numbers
    return chosen[: settings.retrieval_top_k]


def _speak(finding: Finding, question: Question, settings: DriftGuardSettings) -> _Spoken:
    records = list(_records(finding))
    risks = _by_frequency(record.feedback for record in records)
    last = max((r for r in records if r.feedback == risks[0]), key=lambda record: record.at)
    nearest = finding.memories[0][0]
    wordings = [record.action for memory, _ in finding.memories for record in memory.mistakes]
    sure = finding.confidence
    if settings.confidence_formula == "published":
        same_risk = sum(record.feedback == risks[0] for record in records)
        days = (question.now - max(record.at for record in records)) / _SECONDS_PER_DAY
        weight = settings.retrieval_recency_weight
        sure = published_confidence(len(records), same_risk, finding.similarity, days, weight)
    warning = MistakeWarning(
        trigger=nearest.mistakes[-1].action,
        risk=risks[0],
        outcome=last.outcome,
        frequency=len(records) + _earlier(finding),
        confidence=sure,
        evidence=finding.evidence,
        similarity=finding.similarity,
        wordings=tuple(dict.fromkeys(wordings))[:_MOST_WORDINGS],
        risks=tuple(risks[:_MOST_RISKS]),
        culprits=tuple(culprit.strip('"') for culprit in finding.culprits),
        successes=sum(m.earlier_successes + len(m.successes) for m, _ in finding.memories),
        hypothesis=all(record.hypothesis for record in records),
        last_seen=datetime.fromtimestamp(max(record.at for record in records), UTC),
        event_ids=tuple(record.event_id for record in records[-_MOST_IDS:]),
    )
    return _Spoken(warning, records)


def _records(finding: Finding) -> Iterator[Record]:
    """Yield the mistakes a finding stands on."""
    for memory, _ in finding.memories:
        for record in memory.mistakes:
            if finding.evidence in ("culprit", "tool") and record.culprits != finding.culprits:
                continue
            yield record


def _earlier(finding: Finding) -> int:
    """Return how many mistakes speak that a store has only counted."""
    if finding.evidence in ("culprit", "tool"):
        return 0  # what those blamed is not known
    return sum(memory.earlier_mistakes for memory, _ in finding.memories)


def _by_frequency(texts: Iterable[str]) -> list[str]:
    """Return the different texts, the most frequent first, of equally frequent ones the newest."""
    ordered = list(texts)
    newest = {text: place for place, text in enumerate(ordered)}
    counts = Counter(ordered)
    return sorted(counts, key=lambda text: (-counts[text], -newest[text]))


def _reinforce(
    question: Question,
    near: Sequence[Likely],
    spoken: Sequence[_Spoken],
    settings: DriftGuardSettings,
) -> list[Reinforcement]:
    found = []
    likely = {m.number: (m, x) for m, x in _worked_instead(question.index, spoken)}
    likely |= {m.number: (m, x) for m, x in _worked(question, near)}
    for memory, likeness in likely.values():
        # The other way round than for warnings: a mistake weighs as much as a success.
        against = question.weight(memory) / SUCCESS_WEIGHT
        sure = confidence(memory.working * likeness, memory.working, against)
        if sure < settings.retrieval_min_confidence:
            continue
        last = memory.successes[-1]
        one = Reinforcement(
            trigger=last.action,
            recommendation=last.feedback,
            outcome=last.outcome,
            frequency=memory.earlier_successes + len(memory.successes),
            confidence=sure,
            similarity=likeness,
            last_seen=datetime.fromtimestamp(last.at, UTC),
        )
        found.append(one)
    found.sort(key=lambda one: (-one.confidence, -one.similarity))
    return found[: settings.retrieval_top_k]


def _worked_instead(index: ScopeIndex, spoken: Sequence[_Spoken]) -> Iterator[Likely]:
    """Yield what worked instead of the mistakes of the warnings, as like as their warning."""
    for one in reversed(spoken):
        for memory in index.worked_instead(one.warning.event_ids):
            yield memory, one.warning.confidence


def _worked(question: Question, near: Sequence[Likely]) -> Iterator[Likely]:
    """Yield what is like the action and worked, but for what contradicts it."""
    action = question.action
    same = question.index.same(action.key)
    if same and same.successes:
        yield same, 1.0
    critical = None if action.is_code else critical_terms(action.text[:MEANING])
    for memory, likeness in near:
        if memory is same or not memory.successes:
            continue
        if critical is None or not is_vetoed(action, critical, memory):
            yield memory, likeness


def _chains(
    spoken: Sequence[_Spoken], index: ScopeIndex, settings: DriftGuardSettings
) -> list[tuple[str, ...]]:
    """Return the chains of the warnings, the most frequent first, within the set bounds."""
    found: dict[tuple[str, ...], None] = {}
    for one in spoken:
        for chain in _strongest(one.records, settings):
            found.setdefault(_walk_on(chain, index, settings)[: settings.traversal_max_depth])
    return list(found)[: settings.traversal_max_paths]


def _strongest(records: Sequence[Record], settings: DriftGuardSettings) -> list[tuple[str, ...]]:
    counts = Counter((record.action, record.feedback, record.outcome) for record in records)
    return [chain for chain, _ in counts.most_common(settings.traversal_max_branching)]


def _walk_on(
    chain: tuple[str, ...], index: ScopeIndex, settings: DriftGuardSettings
) -> tuple[str, ...]:
    """Follow an outcome that is itself an action which failed, as far as the depth allows."""
    seen = {chain[0]}
    while len(chain) < settings.traversal_max_depth and len(chain) >= _WHOLE_CHAIN:
        step = chain[-1]
        memory = index.same(read_action(step).key) if step.strip() and step not in seen else None
        if not memory or not memory.mistakes:
            break
        seen.add(step)
        chain = (*chain, *_strongest(memory.mistakes, settings)[0][1:])
    return chain
