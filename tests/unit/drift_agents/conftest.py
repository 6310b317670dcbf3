"""Agents of scripted models, in both manners; a strategy that counts words."""

import asyncio
from types import SimpleNamespace

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from langchain_drift import DriftScorer
from langchain_drift.conversation.strategy import Judgement, Strategy

BANK = "Help customers of Acme Bank with savings accounts, credit cards and loans."


class Scripted(BaseChatModel):
    """Says what it is told to, and remembers what it saw; an error in its script is raised."""

    script: list
    seen: list

    @property
    def _llm_type(self):
        return "scripted"

    def bind_tools(self, tools, **kwargs):
        return self

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        self.seen.append(list(messages))
        said = self.script.pop(0) if self.script else "About loans."
        if isinstance(said, Exception):
            raise said
        if callable(said):
            said = said(messages)
        message = AIMessage(said) if isinstance(said, str) else said
        return ChatResult(generations=[ChatGeneration(message=message)])


class Loans(Strategy):
    """On purpose while the last turn mentions a loan; a reply that begins with "Sorry" declines."""

    name = "loans"

    def __init__(self):
        self.seen = []

    def start(self):
        return {"score": 100.0}

    def step(self, purpose, state, turn):
        self.seen.append((turn.user, turn.assistant))
        if turn.assistant.startswith("Sorry"):
            return state, Judgement(score=state["score"], refused=True)
        score = 100.0 if "loan" in f"{turn.user} {turn.assistant}" else 0.0
        return {"score": score}, Judgement(score=score)


class Manner:
    """Runs an agent synchronously or on an event loop."""

    def __init__(self, name):
        self.name = name

    def invoke(self, agent, said, config=None):
        value = {"messages": [("human", said)]} if isinstance(said, str) else said
        if self.name == "async":
            return asyncio.run(agent.ainvoke(value, config))
        return agent.invoke(value, config)


@pytest.fixture(params=["sync", "async"])
def manner(request):
    return Manner(request.param)


@pytest.fixture
def kit(optional_package):
    """Return the fakes and what needs the extra `langchain`."""
    agents = optional_package("langchain.agents")
    door = optional_package("langchain_drift.drift_agents.middleware")
    strategy = Loans()

    def agent(
        script, *, tools=(), others=(), prompt=BANK, checkpointer=None, store=None, **options
    ):
        model = Scripted(script=list(script), seen=[])
        middleware = door.DriftMiddleware(DriftScorer(BANK, strategy=strategy), **options)
        made = agents.create_agent(
            model,
            list(tools),
            system_prompt=prompt,
            middleware=[*others, middleware],
            checkpointer=checkpointer,
            store=store,
        )
        return made, model

    return SimpleNamespace(
        BANK=BANK,
        Scripted=Scripted,
        agent=agent,
        strategy=strategy,
        thread={"configurable": {"thread_id": "1"}},
        DriftMiddleware=door.DriftMiddleware,
        create_agent=agents.create_agent,
    )
