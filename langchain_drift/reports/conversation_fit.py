"""What of conversations fits on a page: all of it, less of each text, or fewer turns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.verdict import DriftVerdict
from langchain_drift.reports.budget import html_size, longest_fitting
from langchain_drift.reports.conversation import Conversation
from langchain_drift.reports.sparkline import MOST_POINTS

NAME: Final = 80
"""Characters of a name, and of the first words of a conversation, that are shown."""

# Bytes of markup, measured, with a little to spare.
_PAGE: Final = 20_000
_CONVERSATION: Final = 890
_POINT: Final = 8
_TURN: Final = 72
_EVENTFUL: Final = 50

_LONGEST: Final = 20_000
_FEWEST: Final = 60
_CALM: Final = (DriftVerdict.FRESH, DriftVerdict.MILD)


@dataclass(frozen=True)
class Fit:
    """What fits on a page.

    Attributes:
        longest: Characters of a text that are shown at most.
        calm_whys: Whether turns on purpose are explained.
        told: The places of the conversations whose turns are shown.
        is_cut: Whether a text is longer.
    """

    longest: int
    calm_whys: bool
    told: frozenset[int]
    is_cut: bool


def fit_of(conversations: Sequence[Conversation], max_bytes: int, shared: str | None) -> Fit:
    """Tell what fits on a page of so many bytes.

    Explanations of turns on purpose go first, then the ends of long texts, then the turns of the
    conversations with the highest scores.

    Args:
        conversations: The conversations.
        max_bytes: Bytes of the page.
        shared: The purpose that all of them have, which is shown once.
    """
    room = max_bytes - _PAGE - sum(map(_head, conversations))
    everyone = frozenset(range(len(conversations)))
    marked_up = room - sum(map(_markup, conversations))
    for calm_whys in (True, False):
        texts = [shared or "", *_all_texts(conversations, shared, calm_whys=calm_whys)]
        longest = longest_fitting(texts, marked_up, most=_LONGEST)
        if longest == _LONGEST or (longest >= _FEWEST and not calm_whys):
            is_cut = any(len(text) > longest for text in texts)
            return Fit(longest, calm_whys, everyone, is_cut)
    return Fit(_FEWEST, calm_whys=False, told=_worst(conversations, room, shared), is_cut=True)


def by_lowest(conversations: Sequence[Conversation]) -> list[int]:
    """Return the places of conversations, those with the lowest scores first."""
    lowest = [conversation.lowest for conversation in conversations]
    return sorted(range(len(lowest)), key=lambda n: (lowest[n] is None, lowest[n] or 0.0))


def why_of(turn: TurnResult, *, calm_whys: bool) -> str:
    """Return the explanation of a turn; empty where calm turns are not explained."""
    is_calm = turn.drift is not None and turn.drift.verdict in _CALM
    is_eventful = turn.returned or turn.refused or turn.abstained is not None
    return (turn.explanation or "") if calm_whys or is_eventful or not is_calm else ""


def _worst(conversations: Sequence[Conversation], room: int, shared: str | None) -> frozenset[int]:
    told: list[int] = []
    for place in by_lowest(conversations):
        one = conversations[place : place + 1]
        texts = (text[:_FEWEST] for text in _all_texts(one, shared, calm_whys=False))
        room -= html_size("".join(texts)) + _markup(conversations[place])
        if room < 0:
            break
        told.append(place)
    return frozenset(told)


def _all_texts(
    conversations: Sequence[Conversation], shared: str | None, *, calm_whys: bool
) -> Iterator[str]:
    for conversation in conversations:
        if shared is None:
            yield conversation.purpose or ""
        for turn in conversation.turns:
            yield turn.user_message
            yield turn.assistant_response
            yield why_of(turn, calm_whys=calm_whys)


def _head(conversation: Conversation) -> int:
    points = min(len(conversation.turns), MOST_POINTS)
    return _CONVERSATION + html_size(conversation.name[:NAME]) + _POINT * points


def _markup(conversation: Conversation) -> int:
    eventful = sum(
        turn.departed or turn.returned or turn.refused or turn.abstained is not None
        for turn in conversation.turns
    )
    return _TURN * len(conversation.turns) + _EVENTFUL * eventful
