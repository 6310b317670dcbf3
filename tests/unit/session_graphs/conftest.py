"""Real savers, a strategy that counts words, and runs in both manners."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from langchain_core.messages import AIMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from langchain_drift import DriftScorer
from langchain_drift.conversation.strategy import Judgement, Strategy
from langchain_drift.session_nodes.state import DriftState

BANK = "Help customers of Acme Bank with savings accounts, credit cards and loans."


class Loans(Strategy):
    """Scores by the share of turns that mention a loan, and remembers what it was shown."""

    name = "loans"

    def __init__(self):
        self.seen = []

    def start(self):
        return {"said": []}

    def step(self, purpose, state, turn):
        self.seen.append(turn.user)
        said = [*state["said"], "loan" in f"{turn.user} {turn.assistant}".lower()]
        return {"said": said}, Judgement(score=100.0 * sum(said) / len(said))


class Savers:
    """Opens checkpointers on one database, again and again."""

    def __init__(self, kind, place):
        self.kind = kind
        self.place = place
        self._memory = InMemorySaver()

    @contextmanager
    def open(self):
        if self.kind == "memory":
            yield self._memory
            return
        saver = _saver(self.kind, "")
        with saver.from_conn_string(self.place) as opened:
            opened.setup()
            yield opened

    async def aopen(self, stack):
        if self.kind == "memory":
            return self._memory
        saver = _saver(self.kind, "Async")
        opened = await stack.enter_async_context(saver.from_conn_string(self.place))
        await opened.setup()
        return opened


def _saver(kind, prefix):
    if kind == "sqlite":
        from langgraph.checkpoint import sqlite  # noqa: PLC0415 - an extra
        from langgraph.checkpoint.sqlite import aio  # noqa: PLC0415 - an extra

        return aio.AsyncSqliteSaver if prefix else sqlite.SqliteSaver
    from langgraph.checkpoint import postgres  # noqa: PLC0415 - an extra
    from langgraph.checkpoint.postgres import aio as postgres_aio  # noqa: PLC0415 - an extra

    return postgres_aio.AsyncPostgresSaver if prefix else postgres.PostgresSaver


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def savers(request, tmp_path):
    """Return savers of each kind; in strict mode, where only plain data is held."""
    place = None
    if request.param == "sqlite":
        place = str(tmp_path / "checkpoints.sqlite")
    elif request.param == "postgres":
        place = request.getfixturevalue("postgres_uri")
    return Savers(request.param, place)


def echo(state):
    """Answer what was said last."""
    return {"messages": [AIMessage(f"About {state['messages'][-1].text}")]}


def chat(score, *, reply=echo, end=None, route=None, schema=DriftState, **compiled):
    """Return a graph that replies, scores and, if asked, ends the session."""
    builder = StateGraph(schema)
    builder.add_node("reply", reply)
    builder.add_node("score", score)
    builder.add_edge(START, "reply")
    builder.add_edge("reply", "score")
    if end is None:
        builder.add_edge("score", END)
    else:
        builder.add_node("end", end)
        builder.add_conditional_edges("score", route, {"end_session": "end", "continue": END})
        builder.add_edge("end", END)
    return builder.compile(**compiled)


def thread(name):
    return {"configurable": {"thread_id": str(name)}}


def scores(values):
    """Return the id and the score of each turn."""
    return [(turn["turn_id"], turn["score"]) for turn in values["drift_turns"]]


@pytest.fixture
def kit(request):
    """Return the fakes and helpers."""
    strategy = Loans()
    return SimpleNamespace(
        BANK=BANK,
        Loans=Loans,
        strategy=strategy,
        scorer=DriftScorer(BANK, strategy=strategy),
        chat=chat,
        echo=echo,
        scores=scores,
        thread=lambda: thread(request.node.nodeid),
    )
