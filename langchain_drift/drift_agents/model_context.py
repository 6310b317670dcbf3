"""What a model sees in one call: its prompt byte for byte, then summaries and a reminder."""

from collections.abc import Sequence
from typing import NamedTuple, cast

from langchain_core.messages import AnyMessage, BaseMessage, SystemMessage

from langchain_drift.sessions.managed import manage
from langchain_drift.sessions.summary import SessionSummary, newest, system_text
from langchain_drift.sessions.tokens import TokenCounter


class Seen(NamedTuple):
    """What a model is to see.

    Attributes:
        system: The system message; None if there is none.
        messages: The others.
    """

    system: SystemMessage | None
    messages: list[AnyMessage]


class Notes(NamedTuple):
    """What is put behind the prompt for one call.

    Attributes:
        summaries: Of earlier sessions.
        reminder: What the model is told about drift; empty for nothing.
    """

    summaries: Sequence[SessionSummary]
    reminder: str = ""


class Frame(NamedTuple):
    """How contexts are put together for one agent.

    Attributes:
        original: The purpose's prompt with its examples.
        prompt: The prompt alone.
        max_tokens: The budget; None for no limit.
        max_summaries: How many summaries to show.
        count: Counts tokens.
    """

    original: str
    prompt: str
    max_tokens: int | None
    max_summaries: int
    count: TokenCounter

    def see(self, seen: Seen, notes: Notes) -> Seen:
        """Return what the model is to see; the prompt is left as it is, byte for byte.

        An agent without a system prompt gets the one of the purpose. Where the agent's prompt is
        another one, a reminder brings the purpose along.

        Raises:
            BudgetError: If what must be in it is more than the budget.
        """
        base = self._base(seen)
        reminder = self._reminder(seen, base, notes.reminder)
        if self.max_tokens is None:
            text = system_text(base, newest(notes.summaries, self.max_summaries), reminder)
            return Seen(_system(seen.system, base, text), seen.messages)
        made = manage(
            base,
            seen.messages,
            notes.summaries,
            max_tokens=self.max_tokens,
            max_summaries=self.max_summaries,
            note=reminder,
            count=self.count,
        )
        live = made.messages[1:] if made.text else made.messages
        return Seen(_system(seen.system, base, made.text), cast("list[AnyMessage]", list(live)))

    def _base(self, seen: Seen) -> str:
        if seen.system is not None and seen.system.text:
            return str(seen.system.text)
        return "" if _system_messages(seen.messages) else self.original

    def _reminder(self, seen: Seen, base: str, reminder: str) -> str:
        prompt = self.prompt.strip()
        told = [base, *(str(message.text) for message in _system_messages(seen.messages))]
        if not reminder or any(prompt in text for text in told):
            return reminder
        return f"{prompt}\n\n{reminder}"


def _system_messages(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    return [message for message in messages if isinstance(message, SystemMessage)]


def _system(before: SystemMessage | None, base: str, text: str) -> SystemMessage | None:
    """Return the system message with what was put behind its text."""
    if before is None or not before.text:
        return SystemMessage(text.lstrip("\n") if not base else text) if text else before
    if text == base:
        return before
    if isinstance(before.content, str):
        return before.model_copy(update={"content": text})
    block = {"type": "text", "text": text[len(base) :].lstrip("\n")}
    return before.model_copy(update={"content": [*before.content, block]})
