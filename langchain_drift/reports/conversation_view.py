"""What the page of conversations says, in words and numbers."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.verdict import DriftVerdict
from langchain_drift.reports.budget import html_size, longest_fitting
from langchain_drift.reports.conversation import Conversation
from langchain_drift.reports.sparkline import MOST_POINTS, dots_path, line_path
from langchain_drift.shown import in_lines, on_a_line

# Bytes of markup, measured, with a little to spare.
_PAGE: Final = 20_000
_CONVERSATION: Final = 890
_POINT: Final = 8
_TURN: Final = 72
_EVENTFUL: Final = 50
_LONGEST: Final = 20_000
_FEWEST: Final = 60
"""Characters below which no text is cut: turns are left out then."""
_NAME: Final = 80
_ABOUT: Final = 80
_LOWEST: Final = 10
_OPEN: Final = 2
_CALM: Final = (DriftVerdict.FRESH, DriftVerdict.MILD)


@dataclass(frozen=True)
class TurnView:
    """A turn as it is shown."""

    number: int
    score: str
    verdict: str
    mark: str
    user: str
    assistant: str
    why: str


@dataclass(frozen=True)
class ConversationView:
    """A conversation as it is shown; `turns` is None where they are left out."""

    number: int
    name: str
    about: str
    left: bool
    ended_off: bool
    lowest: str
    lowest_at: int
    verdict: str
    last: str
    first_left: int | None
    story: str
    line: str
    left_dots: str
    back_dots: str
    first_number: int
    last_number: int
    purpose: str
    turns: list[TurnView] | None


@dataclass(frozen=True)
class Overview:
    """All conversations and what they amount to."""

    conversations: list[ConversationView]
    lowest: list[ConversationView]
    turns: int
    alarms: int
    verdicts: list[tuple[str, str, int]]
    purpose: str
    longest: int | None
    are_calm_whys_left_out: bool
    without_turns: int
    is_open: bool

    @property
    def note(self) -> str:
        """What is left out to keep the page small, in a sentence; empty for nothing."""
        found = [
            f"texts are cut at {self.longest:,} characters" if self.longest else "",
            "turns on purpose are not explained" if self.are_calm_whys_left_out else "",
            f"the turns of {self.without_turns:,} conversations, those with the highest scores, "
            "are left out"
            if self.without_turns
            else "",
        ]
        *said, last = [each for each in found if each] or [""]
        listed = f"{', '.join(said)} and {last}" if said else last
        return f"To keep this page small, {listed}." if listed else ""

    @property
    def left(self) -> int:
        """How many conversations left their purpose."""
        return sum(each.left for each in self.conversations)

    @property
    def ended_off(self) -> int:
        """How many were off purpose at their end."""
        return sum(each.ended_off for each in self.conversations)


@dataclass(frozen=True)
class _Fit:
    """What fits: characters of a text, whether calm turns are explained, whose turns are told."""

    longest: int
    calm_whys: bool
    told: frozenset[int]


def overview_of(conversations: Sequence[Conversation], max_bytes: int) -> Overview:
    """Return what a page of about so many bytes says of conversations."""
    purposes = {each.purpose or "" for each in conversations}
    shared = purposes.pop() if len(purposes) == 1 else ""
    fit = _fit(conversations, max_bytes)
    views = [
        _view(n, each, fit, is_purpose_told=bool(shared)) for n, each in enumerate(conversations)
    ]
    order = sorted(range(len(views)), key=lambda place: _height(conversations[place]))
    is_cut = any(len(text) > fit.longest for each in conversations for text in _texts(each, fit))
    return Overview(
        conversations=views,
        lowest=[views[place] for place in order[:_LOWEST] if conversations[place].scored],
        turns=sum(len(each.turns) for each in conversations),
        alarms=sum(each.alarms for each in conversations),
        verdicts=_verdicts(conversations),
        purpose=in_lines(shared, fit.longest),
        longest=fit.longest if is_cut else None,
        are_calm_whys_left_out=not fit.calm_whys,
        without_turns=len(conversations) - len(fit.told),
        is_open=len(conversations) <= _OPEN,
    )


def _height(conversation: Conversation) -> float:
    """Return what the worst conversations have least of."""
    return float("inf") if conversation.lowest is None else conversation.lowest


def _verdicts(conversations: Sequence[Conversation]) -> list[tuple[str, str, int]]:
    """Return each band with what it means and how many turns are in it."""
    found = Counter(
        turn.drift.verdict if turn.drift else None for each in conversations for turn in each.turns
    )
    rows = [(verdict.value, _range(verdict), found[verdict]) for verdict in DriftVerdict]
    return [*rows, ("not scored", "", found[None])] if found[None] else rows


def _range(verdict: DriftVerdict) -> str:
    above = [each.lower_bound for each in DriftVerdict if each.lower_bound > verdict.lower_bound]
    return f"{verdict.lower_bound:.0f} to {min(above, default=100):.0f}"


def _fit(conversations: Sequence[Conversation], max_bytes: int) -> _Fit:
    """Tell what fits: everything, else less of each text, else fewer conversations' turns."""
    room = max_bytes - _PAGE - sum(map(_head, conversations))
    order = sorted(range(len(conversations)), key=lambda place: _height(conversations[place]))
    whole = _Fit(_LONGEST, calm_whys=True, told=frozenset(order))
    shorter = _Fit(_LONGEST, calm_whys=False, told=frozenset(order))
    for fit in (whole, shorter):
        longest = _longest(conversations, fit, room)
        if longest == _LONGEST or (longest >= _FEWEST and not fit.calm_whys):
            return _Fit(longest, fit.calm_whys, fit.told)
    fewest = _Fit(_FEWEST, calm_whys=False, told=frozenset(order))
    told: list[int] = []
    for place in order:
        room -= _size(conversations[place], fewest)
        if room < 0:
            break
        told.append(place)
    return _Fit(_FEWEST, calm_whys=False, told=frozenset(told))


def _longest(conversations: Sequence[Conversation], fit: _Fit, room: int) -> int:
    texts = [text for each in conversations for text in _texts(each, fit)]
    return longest_fitting(texts, room - sum(map(_markup, conversations)), most=_LONGEST)


def _size(conversation: Conversation, fit: _Fit) -> int:
    texts = (text[: fit.longest] for text in _texts(conversation, fit))
    return html_size("".join(texts)) + _markup(conversation)


def _head(conversation: Conversation) -> int:
    points = min(len(conversation.turns), MOST_POINTS)
    return _CONVERSATION + html_size(conversation.name[:_NAME]) + _POINT * points


def _markup(conversation: Conversation) -> int:
    eventful = sum(
        turn.departed or turn.returned or turn.refused or turn.abstained is not None
        for turn in conversation.turns
    )
    return _TURN * len(conversation.turns) + _EVENTFUL * eventful


def _texts(conversation: Conversation, fit: _Fit) -> Iterator[str]:
    yield conversation.purpose or ""
    for turn in conversation.turns:
        yield turn.user_message
        yield turn.assistant_response
        yield _why(turn, fit)


def _why(turn: TurnResult, fit: _Fit) -> str:
    is_calm = turn.drift is not None and turn.drift.verdict in _CALM
    is_eventful = turn.returned or turn.refused or turn.abstained is not None
    return (turn.explanation or "") if fit.calm_whys or is_eventful or not is_calm else ""


def _view(
    place: int, conversation: Conversation, fit: _Fit, *, is_purpose_told: bool
) -> ConversationView:
    departed = [turn.departed for turn in conversation.turns]
    returned = [turn.returned for turn in conversation.turns]
    lowest, last, verdict = conversation.lowest, conversation.last, conversation.verdict
    left = conversation.departures
    return ConversationView(
        number=place + 1,
        name=on_a_line(conversation.name, _NAME) or str(place + 1),
        about=on_a_line(_first_words(conversation), _ABOUT),
        left=conversation.left,
        ended_off=conversation.ended_off,
        lowest=_points(lowest),
        lowest_at=conversation.lowest_at or 0,
        verdict=verdict.value if verdict else "",
        last=_points(last),
        first_left=left[0] if left else None,
        story=_story(conversation),
        line=line_path(conversation.scores),
        left_dots=dots_path(conversation.scores, departed),
        back_dots=dots_path(conversation.scores, returned),
        first_number=conversation.numbers[0],
        last_number=conversation.numbers[-1],
        purpose="" if is_purpose_told else in_lines(conversation.purpose or "", fit.longest),
        turns=_turns(conversation, fit) if place in fit.told else None,
    )


def _first_words(conversation: Conversation) -> str:
    return next((turn.user_message for turn in conversation.turns if turn.user_message), "")


def _points(score: float | None) -> str:
    return "–" if score is None else f"{score:.0f}"  # noqa: RUF001 - a dash for nothing


def _turns(conversation: Conversation, fit: _Fit) -> list[TurnView]:
    return [
        TurnView(
            number=number,
            score=_points(turn.drift.score if turn.drift else None),
            verdict=turn.drift.verdict.value if turn.drift else "",
            mark=_mark(turn),
            user=in_lines(turn.user_message, fit.longest),
            assistant=in_lines(turn.assistant_response, fit.longest),
            why=in_lines(_why(turn, fit), fit.longest),
        )
        for number, turn in zip(conversation.numbers, conversation.turns, strict=True)
    ]


def _mark(turn: TurnResult) -> str:
    if turn.departed:
        return "left its purpose"
    if turn.returned:
        return "came back"
    if turn.abstained:
        return "not judged"
    return "declined" if turn.refused else ""


def _story(conversation: Conversation) -> str:
    """Return in a few words what happened."""
    left, back = conversation.departures, conversation.returns
    if not conversation.scored:
        return "not scored"
    if not left:
        return "was off its purpose all along" if conversation.left else "stayed on purpose"
    once = f"left at turn {left[0]}"
    if len(left) > 1:
        once = f"left {len(left)} times, first at turn {left[0]}"
    if conversation.ended_off:
        return f"{once}, did not come back" if len(left) == 1 else f"{once}, ended off purpose"
    return f"{once}, came back at turn {back[-1]}" if back else once
