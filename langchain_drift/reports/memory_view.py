"""What the page of a mistake memory says, in words and numbers."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.guard import DriftGuard
from langchain_drift.mistakes.scope import Scope
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.reports.budget import html_size, longest_fitting
from langchain_drift.shown import in_lines, on_a_line

# Bytes of markup, measured, with a little to spare.
_PAGE: Final = 20_000
_ACTION: Final = 820
_EVENT: Final = 112
_TICK: Final = 10
_LONGEST: Final = 4_000
_FEWEST: Final = 200
_NAME: Final = 90
_MOST_EVENTS: Final = 20
_WORST: Final = 10
_OPEN: Final = 2
_TICKS: Final = 40


@dataclass(frozen=True)
class EventView:
    """An event as it is shown."""

    kind: str
    when: str
    feedback: str
    outcome: str
    source: str


@dataclass(frozen=True)
class ActionView:
    """An action with what it led to; `failures` and `successes` are paths of ticks."""

    number: int
    name: str
    action: str
    scope: str
    mistakes: int
    works: int
    last_seen: str
    came_back: str
    failures: str
    successes: str
    events: list[EventView]
    earlier: int


@dataclass(frozen=True)
class MemoryView:
    """A memory and what it amounts to."""

    actions: list[ActionView]
    worst: list[ActionView]
    total: int
    mistakes: int
    successes: int
    hidden: int
    scopes: list[tuple[str, int]]
    longest: int | None
    is_open: bool


def memory_of(guard: DriftGuard, max_bytes: int) -> MemoryView:
    """Return what a page of about so many bytes says of a memory, of all its scopes.

    Raises:
        InvalidInputError: If nothing visible is in it.
        StoreError: If it cannot be read.
    """
    store = guard.runtime.store
    memories = _memories(store.read())
    if not memories:
        message = "The memory holds no visible event; record one, or show hidden ones again."
        raise InvalidInputError(message)
    shown = _shown(memories, max_bytes)
    longest = _longest(shown, max_bytes)
    views = [_view(number, records, longest) for number, records in enumerate(shown, start=1)]
    is_cut = any(len(text) > longest for records in shown for text in _texts(records))
    scopes = {str(Scope.from_key(key)): count for key, count in store.scopes().items()}
    return MemoryView(
        actions=views,
        worst=[each for each in views[:_WORST] if each.mistakes],
        total=len(memories),
        mistakes=sum(record.kind == "mistake" for records in memories for record in records),
        successes=sum(record.kind == "success" for records in memories for record in records),
        hidden=sum(1 for _ in store.read(hidden=True)),
        scopes=[(on_a_line(name, _NAME), count) for name, count in scopes.items()],
        longest=longest if is_cut else None,
        is_open=len(views) <= _OPEN,
    )


def _memories(records: Iterator[Record]) -> list[list[Record]]:
    """Return the events of each action, those that failed most and last first."""
    found: defaultdict[tuple[str, str], list[Record]] = defaultdict(list)
    for record in records:
        found[record.scope, record.key].append(record)
    return sorted(found.values(), key=lambda each: (-_failed(each), -each[-1].at))


def _failed(records: Sequence[Record]) -> int:
    return sum(record.kind == "mistake" for record in records)


def _shown(memories: Sequence[list[Record]], max_bytes: int) -> list[list[Record]]:
    """Return as many memories as fit with a little of each text."""
    room, shown = max_bytes - _PAGE, list[list[Record]]()
    for records in memories:
        texts = "".join(text[:_FEWEST] for text in _texts(records))
        room -= html_size(texts) + _markup(records)
        if room < 0:
            break
        shown.append(records)
    return shown or list(memories[:1])


def _longest(memories: Sequence[list[Record]], max_bytes: int) -> int:
    room = max_bytes - _PAGE - sum(map(_markup, memories))
    texts = (text for records in memories for text in _texts(records))
    return longest_fitting(texts, room, most=_LONGEST)


def _markup(records: Sequence[Record]) -> int:
    events, ticks = min(len(records), _MOST_EVENTS), min(len(records), _TICKS)
    name = html_size(records[-1].action[:_NAME])
    return _ACTION + name + _EVENT * events + _TICK * ticks


def _texts(records: Sequence[Record]) -> Iterator[str]:
    yield records[-1].action
    for record in records[-_MOST_EVENTS:]:
        yield record.feedback
        yield record.outcome
        yield record.source


def _view(number: int, records: Sequence[Record], longest: int) -> ActionView:
    last = records[-1]
    mistakes = [record for record in records if record.kind == "mistake"]
    said = mistakes[-1] if mistakes else last
    recent = records[-_TICKS:]
    return ActionView(
        number=number,
        name=on_a_line(last.action, _NAME) or "(a step without input)",
        action=in_lines(last.action, longest),
        scope=on_a_line(str(Scope.from_key(last.scope)), _NAME) if last.scope else "",
        mistakes=len(mistakes),
        works=len(records) - len(mistakes),
        last_seen=_moment(last.at)[:10],
        came_back=on_a_line(said.feedback, _NAME),
        failures=_ticks(recent, "mistake"),
        successes=_ticks(recent, "success"),
        events=[_event(record, longest) for record in reversed(records[-_MOST_EVENTS:])],
        earlier=max(0, len(records) - _MOST_EVENTS),
    )


def _event(record: Record, longest: int) -> EventView:
    what = "failed" if record.kind == "mistake" else "worked"
    return EventView(
        kind=f"{what} (a guess)" if record.hypothesis else what,
        when=_moment(record.at),
        feedback=in_lines(record.feedback, longest),
        outcome=in_lines(record.outcome, longest),
        source=on_a_line(record.source, max(1, min(longest, _NAME))),
    )


def _ticks(records: Sequence[Record], kind: str) -> str:
    """Return the path of a tick for each event of a kind: failures hang, successes stand."""
    way = "v42" if kind == "mistake" else "v-42"
    step = 100 / _TICKS
    return "".join(
        f"M{place * step + step / 2:.1f} 50{way}"
        for place, record in enumerate(records)
        if record.kind == kind
    )


def _moment(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")
