"""What the page of conversations says, in words and numbers."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.verdict import DriftVerdict
from langchain_drift.reports.conversation import Conversation
from langchain_drift.reports.conversation_fit import NAME, Fit, by_lowest, fit_of, why_of
from langchain_drift.reports.sparkline import dots_path, line_path
from langchain_drift.shown import in_lines, on_a_line

_LOWEST: Final = 10
_OPEN: Final = 2


@dataclass(frozen=True)
class TurnView:
    """A turn as it is shown; `anchor` is what links to it lead to, empty for none."""

    anchor: str
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
    first_left_anchor: str
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
    fit: Fit
    is_open: bool

    @property
    def note(self) -> str:
        """What is left out to keep the page small, in a sentence; empty for nothing."""
        fit, untold = self.fit, len(self.conversations) - len(self.fit.told)
        of_whom = f"{untold:,} conversations" if untold > 1 else "one conversation"
        found = [
            f"texts are cut at {fit.longest:,} characters" if fit.is_cut else "",
            "" if fit.calm_whys else "turns on purpose are not explained",
            f"the turns of {of_whom} with the highest scores are left out" if untold else "",
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


def overview_of(conversations: Sequence[Conversation], max_bytes: int) -> Overview:
    """Return what a page of so many bytes says of conversations."""
    purposes = {each.purpose or "" for each in conversations}
    shared = purposes.pop() if len(purposes) == 1 else None
    fit = fit_of(conversations, max_bytes, shared)
    views = [
        _view(place, each, fit, is_purpose_told=shared is not None)
        for place, each in enumerate(conversations)
    ]
    return Overview(
        conversations=views,
        lowest=[views[n] for n in by_lowest(conversations)[:_LOWEST] if conversations[n].scored],
        turns=sum(len(each.turns) for each in conversations),
        alarms=sum(each.alarms for each in conversations),
        verdicts=_verdicts(conversations),
        purpose=in_lines(shared or "", fit.longest),
        fit=fit,
        is_open=len(conversations) <= _OPEN,
    )


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


def _view(
    place: int, conversation: Conversation, fit: Fit, *, is_purpose_told: bool
) -> ConversationView:
    departed = [turn.departed for turn in conversation.turns]
    returned = [turn.returned for turn in conversation.turns]
    lowest, last, verdict = conversation.lowest, conversation.last, conversation.verdict
    left = conversation.departures
    return ConversationView(
        number=place + 1,
        name=on_a_line(conversation.name, NAME) or str(place + 1),
        about=on_a_line(_first_words(conversation), NAME),
        left=conversation.left,
        ended_off=conversation.ended_off,
        lowest=_points(lowest),
        lowest_at=conversation.lowest_at or 0,
        verdict=verdict.value if verdict else "",
        last=_points(last),
        first_left=left[0] if left else None,
        first_left_anchor=_anchor(place, departed.index(True)) if left else "",
        story=_story(conversation),
        line=line_path(conversation.scores),
        left_dots=dots_path(conversation.scores, departed),
        back_dots=dots_path(conversation.scores, returned),
        first_number=conversation.numbers[0],
        last_number=conversation.numbers[-1],
        purpose="" if is_purpose_told else in_lines(conversation.purpose or "", fit.longest),
        turns=_turns(place, conversation, fit) if place in fit.told else None,
    )


def _first_words(conversation: Conversation) -> str:
    return next((turn.user_message for turn in conversation.turns if turn.user_message), "")


def _points(score: float | None) -> str:
    return "–" if score is None else f"{score:.0f}"  # noqa: RUF001 - a dash for nothing


def _turns(place: int, conversation: Conversation, fit: Fit) -> list[TurnView]:
    return [
        TurnView(
            anchor=_anchor(place, at) if turn.departed else "",
            number=number,
            score=_points(turn.drift.score if turn.drift else None),
            verdict=turn.drift.verdict.value if turn.drift else "",
            mark=_mark(turn),
            user=in_lines(turn.user_message, fit.longest),
            assistant=in_lines(turn.assistant_response, fit.longest),
            why=in_lines(why_of(turn, calm_whys=fit.calm_whys), fit.longest),
        )
        for at, (number, turn) in enumerate(
            zip(conversation.numbers, conversation.turns, strict=True)
        )
    ]


def _anchor(place: int, at: int) -> str:
    """Name a turn by its place; numbers come twice where a turn was answered again."""
    return f"t{place + 1}-{at + 1}"


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
        off = (
            f"off purpose at first, came back at turn {back[0]}"
            if back
            else "off purpose all along"
        )
        return off if conversation.left else "stayed on purpose"
    once = f"left at turn {left[0]}"
    if len(left) > 1:
        once = f"left {len(left)} times, first at turn {left[0]}"
    if conversation.ended_off:
        return f"{once}, did not come back" if len(left) == 1 else f"{once}, ended off purpose"
    return f"{once}, came back at turn {back[-1]}" if back else once
