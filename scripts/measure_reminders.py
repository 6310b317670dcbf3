"""Measures what `DriftMiddleware` does about drift, with a model that drifts unless it is reminded.

The model is scripted: it answers each message of a labelled chat as the chat's assistant did, and
where that left the purpose (label "off") it declines if it was reminded. So this measures when
reminders and second questions come, not whether a real model heeds them. Run it with labelled
chats that nothing was learned from:

    python scripts/measure_reminders.py tests/data/conversations_{c,f}.jsonl
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any, get_args

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, SystemMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langgraph.checkpoint.memory import InMemorySaver

from langchain_drift import DriftScorer, FewShotExample
from langchain_drift.drift_agents.middleware import DriftMiddleware
from langchain_drift.drift_agents.options import STOPPED, OnDrift

DECLINING = "I'm sorry, I can't help with that here. Is there anything else on our topic?"
REMINDED = ("Reminder: this conversation", "the answer was not sent")


class ScriptedModel(BaseChatModel):
    """Answers as a chat's assistant did, and declines what is off purpose if it was reminded."""

    turn: dict[str, Any]
    reminders: int = 0
    calls: int = 0

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - LangChain's signature
        run_manager: object = None,  # noqa: ARG002 - LangChain's signature
        **kwargs: object,  # noqa: ARG002 - LangChain's signature
    ) -> ChatResult:
        system = " ".join(str(one.text) for one in messages if isinstance(one, SystemMessage))
        is_reminded = any(words in system for words in REMINDED)
        self.calls += 1
        self.reminders += is_reminded
        declines = is_reminded and self.turn["label"] == "off"
        text = DECLINING if declines else self.turn["assistant"]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


def run_chat(chat: dict[str, Any], on_drift: OnDrift) -> Counter[str]:
    """Run one chat through an agent; return what happened in its turns."""
    examples = [FewShotExample(**one) for one in chat.get("examples", [])]
    scorer = DriftScorer(chat["purpose"], examples)
    model = ScriptedModel(turn={})
    agent = create_agent(
        model,
        [],
        system_prompt=chat["purpose"],
        middleware=[DriftMiddleware(scorer, on_drift=on_drift)],
        checkpointer=InMemorySaver(),
    )
    counts = Counter[str]()
    for turn in chat["turns"]:
        model.turn, before = turn, model.reminders
        config = {"configurable": {"thread_id": "1"}}
        state = agent.invoke({"messages": [("human", turn["user"])]}, config)
        reply = state["messages"][-1].text
        side = "off" if turn["label"] == "off" else "on"
        counts[side] += 1
        counts[f"{side} reminded"] += model.reminders > before
        counts[f"{side} stopped"] += reply == STOPPED
        counts[f"{side} given"] += reply == turn["assistant"]
    counts["calls"] += model.calls
    return counts


def main(paths: list[str]) -> None:
    """Print one line for each way of acting on drift."""
    lines = [line for path in paths for line in Path(path).read_text("utf-8").splitlines()]
    chats = [json.loads(line) for line in lines]
    print("on_drift  off-purpose answers given   other turns reminded   stopped   calls a turn")
    for on_drift in get_args(OnDrift):
        total = sum((run_chat(chat, on_drift) for chat in chats), Counter[str]())
        turns, off, on = total["off"] + total["on"], total["off"], total["on"]
        given, reminded = total["off given"], total["on reminded"]
        print(
            f"{on_drift:<8}  {given:>4} of {off} ({given / off:>4.0%})          "
            f"{reminded:>4} of {on} ({reminded / on:>4.0%})   {total['on stopped']:>4}      "
            f"{total['calls'] / turns:.2f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
