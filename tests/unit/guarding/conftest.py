"""Guards on a store in memory, fake models, and runs in both manners."""

import asyncio
from types import SimpleNamespace

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

import langchain_drift
from langchain_drift import DriftGuard, DriftGuardSettings, MemoryStore

THREAD = {"configurable": {"thread_id": "1"}}


class FakeModel(GenericFakeChatModel):
    """Says the given texts or messages one after another; takes tools as a real one does."""

    def __init__(self, *replies, **kwargs):
        given = (AIMessage(reply) if isinstance(reply, str) else reply for reply in replies)
        super().__init__(messages=given, **kwargs)

    def bind_tools(self, tools, **kwargs):
        return self


def sql(query):
    """Return a call of the tool `sql` as an action."""
    return {"name": "sql", "args": {"query": query}}


def make_sql(ran=None, *, fails=None):
    """Return the tool `sql`; it notes what it ran, and fails where a column is named."""

    @tool("sql")
    def run(query: str) -> str:
        """Run a query."""
        if ran is not None:
            ran.append(query)
        if fails and fails in query:
            message = f"no such column: {fails}"
            raise ValueError(message)
        return "42"

    return run


def calls(*queries, start=1, name="sql", key="query"):
    """Return a message that calls a tool once for each query, with ids `call-1`, `call-2`, …."""
    made = [
        {"name": name, "args": {key: query}, "id": f"call-{number}"}
        for number, query in enumerate(queries, start)
    ]
    return AIMessage("", tool_calls=made)


def results(state):
    """Return the tool messages of a state: id, status and text of each, in order of ids."""
    found = [m for m in state["messages"] if isinstance(m, ToolMessage)]
    return sorted((m.tool_call_id, m.status, str(m.text)) for m in found)


def paired(messages):
    """Tell whether every call has one result, right behind the message that asks for it."""
    waiting = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in waiting:
                return False
            waiting.remove(message.tool_call_id)
        elif waiting:
            return False
        elif isinstance(message, AIMessage):
            waiting = [call["id"] for call in message.tool_calls]
    return not waiting


class Manner:
    """Runs a graph synchronously or on an event loop."""

    def __init__(self, name):
        self.name = name

    def invoke(self, graph, value, config=None, **kwargs):
        if self.name == "async":
            return asyncio.run(graph.ainvoke(value, config, **kwargs))
        return graph.invoke(value, config, **kwargs)

    def stream(self, graph, value, config=None, **kwargs):
        if self.name == "sync":
            return list(graph.stream(value, config, **kwargs))

        async def collect():
            return [piece async for piece in graph.astream(value, config, **kwargs)]

        return asyncio.run(collect())


class Agent:
    """An agent that runs queries, and what it has run."""

    def __init__(self, agents, guard, *replies, saver=None, others=(), first=False, **options):
        self.ran = []
        sql = make_sql(self.ran, fails="total")
        self.middleware = agents.MistakeGuardMiddleware(guard, **options)
        errors = agents.middleware.ToolErrorMiddleware(lambda error, request: str(error))
        self.graph = agents.create_agent(
            FakeModel(*replies, "done"),
            [sql],
            middleware=[*others, errors, self.middleware]
            if first
            else [errors, self.middleware, *others],
            checkpointer=saver or InMemorySaver(),
        )

    def run(self, manner, value="q", config=THREAD, **kwargs):
        if isinstance(value, str):
            value = {"messages": [("user", value)]}
        state = manner.invoke(self.graph, value, config, **kwargs)
        assert self.middleware.errors == {}
        return state


@pytest.fixture(params=["sync", "async"])
def manner(request):
    return Manner(request.param)


@pytest.fixture
def make_guard():
    """Return a function that makes a guard on a new store in memory; settings by name."""

    def make(**settings):
        settings = DriftGuardSettings(storage_backend="memory", **settings)
        return DriftGuard(settings=settings, store=MemoryStore())

    return make


@pytest.fixture
def guard(make_guard):
    return make_guard()


@pytest.fixture
def burnt(guard):
    """Return a guard that has seen the column `total` missing twice, enough to block."""
    for _ in range(2):
        guard.record(sql("SELECT total FROM orders"), "no such column: total")
    return guard


@pytest.fixture
def prose(guard):
    """Return a guard that has seen an action in words fail three times."""
    for _ in range(3):
        guard.record("clear out the temp folder", "it wiped the build cache")
    return guard


@pytest.fixture
def agents(optional_package):
    """Return what makes agents, or skip: it needs an extra."""
    module = optional_package("langchain.agents")
    return SimpleNamespace(
        create_agent=module.create_agent,
        middleware=module.middleware,
        MistakeGuardMiddleware=langchain_drift.MistakeGuardMiddleware,
    )


@pytest.fixture
def make_agent(agents):
    """Return a function that makes an agent."""

    def make(guard, *replies, **options):
        return Agent(agents, guard, *replies, **options)

    return make


@pytest.fixture
def kit():
    """Return the fakes and helpers."""
    return SimpleNamespace(
        FakeModel=FakeModel, sql=sql, make_sql=make_sql, calls=calls, results=results, paired=paired
    )
