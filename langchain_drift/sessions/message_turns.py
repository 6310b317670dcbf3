"""Messages as turns: a history may be cut only where a human begins to speak."""

from collections.abc import Sequence

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

from langchain_drift.sessions.exchange import Exchange

MessageTurn = tuple[BaseMessage, ...]
"""The messages of one turn: what the human said and all that follows up to the next human."""

_TOOL_CHARACTERS = 500


def is_summary(message: BaseMessage) -> bool:
    """Return whether a message is a summary that stands for earlier ones."""
    return message.additional_kwargs.get("lc_source") == "summarization"


def is_human(message: BaseMessage) -> bool:
    """Return whether a human said a message; a summary that stands for earlier ones is none."""
    if isinstance(message, HumanMessage):
        return not is_summary(message)
    return isinstance(message, ChatMessage) and message.role in ("user", "human")


def split_turns(messages: Sequence[BaseMessage]) -> list[MessageTurn]:
    """Return messages as turns, each message in one of them.

    Human messages that follow one another begin one turn. What stands before the first human
    message is a turn of its own. A result of a tool is always in the turn of the call it answers.
    """
    turns: list[list[BaseMessage]] = []
    asked: dict[str, int] = {}
    for before, message in zip([None, *messages], messages, strict=False):
        if isinstance(message, ToolMessage) and message.tool_call_id in asked:
            turns[asked[message.tool_call_id]].append(message)
            continue
        begins = is_human(message) and not (before is not None and is_human(before))
        if begins or is_summary(message) or not turns:
            turns.append([])
        turns[-1].append(message)
        asked |= dict.fromkeys(_calls(message), len(turns) - 1)
    return [tuple(turn) for turn in turns]


def is_waiting(turn: MessageTurn) -> bool:
    """Return whether a tool was called in a turn and has not answered."""
    answered = {message.tool_call_id for message in turn if isinstance(message, ToolMessage)}
    return any(call not in answered for message in turn for call in _calls(message))


def reply_of(turn: MessageTurn) -> str:
    """Return the assistant's final text in a turn; empty while it is not there.

    A message that calls tools is no final one.
    """
    for message in reversed(turn):
        if is_human(message):
            break
        if _is_assistant(message) and not _calls(message) and str(message.text).strip():
            return str(message.text)
    return ""


def words_of(turn: MessageTurn) -> str:
    """Return what the human said in a turn; empty if nobody did."""
    return "\n".join(str(message.text) for message in turn if is_human(message))


def turn_id(turn: MessageTurn) -> str | None:
    """Return the id of a turn: that of its last human message; None if it has none."""
    return next((message.id for message in reversed(turn) if is_human(message)), None)


def exchange_of(turn: MessageTurn) -> Exchange:
    """Return what was said in a turn; summaries of earlier messages are left out.

    Results of tools are among what the assistant said, shortened, so that no fact is lost where
    it did not repeat them.
    """
    said = [_said(message) for message in turn if not is_human(message) and not is_summary(message)]
    return Exchange(words_of(turn), "\n".join(filter(None, said)))


def _said(message: BaseMessage) -> str:
    if isinstance(message, SystemMessage):
        return ""
    text = str(message.text).strip()
    if isinstance(message, ToolMessage) and text:
        return f"[{message.name or 'tool'}: {text[:_TOOL_CHARACTERS]}]"
    return text


def _calls(message: BaseMessage) -> list[str]:
    if not isinstance(message, AIMessage):
        return []
    return [call["id"] for call in message.tool_calls if call["id"]]


def _is_assistant(message: BaseMessage) -> bool:
    if isinstance(message, ChatMessage):
        return message.role in ("assistant", "ai")
    return isinstance(message, AIMessage)
