"""The managed context: what a model is to see of a conversation, within a token budget."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import BaseMessage, SystemMessage

from langchain_drift.errors import BudgetError
from langchain_drift.sessions.message_turns import MessageTurn, split_turns
from langchain_drift.sessions.shorten import shorten
from langchain_drift.sessions.summary import SessionSummary, newest, system_text
from langchain_drift.sessions.tokens import TokenCounter, approximate_tokens, check_budget

_OVERSIZE_SHARE = 0.75
"""A message larger than all the room beside the prompt is shortened to this share of it."""


@dataclass(frozen=True)
class ManagedContext:
    """What a model is to see of a conversation.

    Attributes:
        text: The system message: the original context, byte for byte, then the summaries.
        messages: That message, then the live ones, oldest first.
        tokens: How many tokens they count.
        summaries: The summaries shown, oldest first.
        dropped_summaries: How many older ones there was no room for.
        dropped_turns: How many older live turns there was no room for.
        shortened: How many live messages were shortened; the originals are not touched.
    """

    text: str
    messages: tuple[BaseMessage, ...] = field(repr=False)
    tokens: int
    summaries: tuple[SessionSummary, ...] = ()
    dropped_summaries: int = 0
    dropped_turns: int = 0
    shortened: int = 0


def manage(  # noqa: PLR0913 - what a context is made of
    original: str,
    live: Sequence[BaseMessage] = (),
    summaries: Iterable[SessionSummary] = (),
    *,
    max_tokens: int | None = None,
    max_summaries: int = 3,
    note: str = "",
    count: TokenCounter = approximate_tokens,
) -> ManagedContext:
    """Put a context together.

    Within the budget come first the original context and the newest turn, then older live turns,
    then summaries, the newest first. A live message larger than all the room beside the original
    context is shortened in its middle, with a mark; so is what is too long in the newest turn if
    nothing else is left to drop. Turns are dropped whole, with their tool calls and results.

    Args:
        original: The system prompt, with its examples.
        live: The messages of the running session; a system message that repeats the prompt is
            left out.
        summaries: Of earlier sessions.
        max_tokens: The budget for all of it; None for no limit.
        max_summaries: How many summaries to show at most.
        note: What stands at the end of the system message; it is never left out either.
        count: Counts tokens.

    Raises:
        BudgetError: If the original context alone, or with the least of the newest turn, is more
            than the budget.
    """
    repeated = original.strip()
    turns = split_turns([message for message in live if not _repeats(message, repeated)])
    kept = newest(summaries, max_summaries)
    budget = check_budget(max_tokens)
    draft = _Draft(original, note, kept, turns, count)
    if budget is not None:
        draft.fit(budget)
    return draft.context(len(kept) - len(draft.summaries), len(turns) - len(draft.turns))


class _Draft:
    """A context on its way into a budget."""

    def __init__(
        self,
        original: str,
        note: str,
        summaries: Sequence[SessionSummary],
        turns: Sequence[MessageTurn],
        count: TokenCounter,
    ) -> None:
        self.original = original
        self.note = note
        self.summaries = list(summaries)
        self.turns = list(turns)
        self.count = count
        self.shortened = 0

    def context(self, dropped_summaries: int, dropped_turns: int) -> ManagedContext:
        messages = self.messages()
        return ManagedContext(
            text=system_text(self.original, self.summaries, self.note),
            messages=tuple(messages),
            tokens=self.count(messages),
            summaries=tuple(self.summaries),
            dropped_summaries=dropped_summaries,
            dropped_turns=dropped_turns,
            shortened=self.shortened,
        )

    def system(self) -> list[BaseMessage]:
        text = system_text(self.original, self.summaries, self.note)
        return [SystemMessage(text)] if text else []

    def messages(self) -> list[BaseMessage]:
        return [*self.system(), *(message for turn in self.turns for message in turn)]

    def fit(self, budget: int) -> None:
        least = system_text(self.original, (), self.note)
        base = self.count([SystemMessage(least)]) if least else 0
        if base > budget:
            message = (
                f"The system prompt with its examples counts {base} tokens and the budget is "
                f"{budget}; the prompt is never cut. Raise max_tokens, or shorten the prompt."
            )
            raise BudgetError(message)
        self._shorten_oversize(budget - base)
        self._drop_by_parts(budget)
        # Tokens of messages together may be more than the sum of their parts.
        while self.count(self.messages()) > budget:
            if self.summaries:
                self.summaries.pop(0)
            elif len(self.turns) > 1:
                self.turns.pop(0)
            else:
                self._shorten_newest(budget)
                return

    def _shorten_oversize(self, room: int) -> None:
        """Shorten each message that alone is larger than the room beside the prompt."""
        for index, turn in enumerate(self.turns):
            self.turns[index] = tuple(
                self._shorten_to(message, int(room * _OVERSIZE_SHARE))
                if self.count([message]) > room
                else message
                for message in turn
            )

    def _shorten_to(self, message: BaseMessage, tokens: int) -> BaseMessage:
        length = _largest(
            len(str(message.text)), lambda kept: self.count([_cut(message, kept)]) <= tokens
        )
        self.shortened += 1
        return _cut(message, length or 0)

    def _drop_by_parts(self, budget: int) -> None:
        """Drop what surely has no room, counting each part once."""
        sizes = [self.count(turn) for turn in self.turns]
        total = sum(sizes)
        while self.summaries and total + self.count(self.system()) > budget:
            self.summaries.pop(0)
        total += self.count(self.system())
        first = 0
        while first < len(sizes) - 1 and total > budget:
            total -= sizes[first]
            first += 1
        del self.turns[:first]

    def _shorten_newest(self, budget: int) -> None:
        """Cut the texts of the only turn left to one length at which it fits."""
        turn = self.turns.pop() if self.turns else ()
        system = self.system()
        length = _largest(
            max((len(str(message.text)) for message in turn), default=0),
            lambda kept: self.count([*system, *(_cut(one, kept) for one in turn)]) <= budget,
        )
        if length is None:
            needed = self.count([*system, *(_cut(one, 0) for one in turn)])
            message = (
                f"The system prompt and the newest turn, shortened to its marks, count {needed} "
                f"tokens and the budget is {budget}. Raise max_tokens."
            )
            raise BudgetError(message)
        cut = tuple(_cut(one, length) for one in turn)
        self.shortened += sum(new is not old for new, old in zip(cut, turn, strict=True))
        self.turns.append(cut)


def _largest(most: int, fits: Callable[[int], bool]) -> int | None:
    """Return the largest number up to `most` that was found to fit; None if 0 does not."""
    if not fits(0):
        return None
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _cut(message: BaseMessage, length: int) -> BaseMessage:
    """Return a copy of a message with its texts shortened; the message if they are short."""
    content = message.content
    new = (
        shorten(content, length)
        if isinstance(content, str)
        else [_cut_block(block, length) for block in content]
    )
    return message if new == content else message.model_copy(update={"content": new})


def _cut_block(block: Any, length: int) -> Any:  # noqa: ANN401 - whatever a provider sends
    if isinstance(block, str):
        return shorten(block, length)
    text = block.get("text")
    return {**block, "text": shorten(text, length)} if isinstance(text, str) else block


def _repeats(message: BaseMessage, prompt: str) -> bool:
    return isinstance(message, SystemMessage) and str(message.text).strip() == prompt
