"""What the guard costs a tool call: `pytest tests/benchmarks/bench_guard_doors.py -s` prints it.

Tool calls are compared by their words, so nothing is embedded. Set `MEMORIES` for another size.
"""

import asyncio
import os
import random
import statistics
import time

import pytest
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph
from langgraph.prebuilt import ToolRuntime
from langgraph.prebuilt.tool_node import ToolCallRequest

from langchain_drift import (
    DriftGuard,
    DriftGuardSettings,
    GuardState,
    guard_tool_call,
    make_guard_node,
)

SIZE = int(os.environ.get("MEMORIES", "10000"))
TABLES = ("orders", "users", "invoices", "carts", "payments", "shops", "reviews", "refunds")
BUDGET_MS = 5.0
# Machines differ: the budget is missed only by this factor.
TOLERANCE = 3


def query(number, choose):
    """Return a query; one in ten of a later run names a column that failed before."""
    table = f"{choose.choice(TABLES)}_{number % 501}"
    return f"SELECT c{number % 977}, {choose.choice(TABLES)}_id FROM {table} WHERE id = {number}"  # noqa: S608 - only an example


@pytest.fixture(scope="module")
def records():
    """Return that many records, every fourth a success."""
    settings = DriftGuardSettings(storage_backend="memory")
    made = DriftGuard(settings=settings)
    choose = random.Random(0)  # noqa: S311 - example data
    for number in range(SIZE):
        action = {"name": "sql", "args": {"query": query(number, choose)}}
        if number % 4:
            made.record(action, f"no such column: c{number % 977}")
        else:
            made.record_success(action)
    return list(made.runtime.store.read())


@pytest.fixture(scope="module", params=["memory", "sqlite"])
def guard(request, records, tmp_path_factory):
    """Yield a guard with these memories."""
    path = tmp_path_factory.mktemp("guard") / "memory.sqlite3"
    settings = DriftGuardSettings(storage_backend=request.param, sqlite_filepath=path)
    made = DriftGuard(settings=settings)
    made.runtime.store.append(records, made.runtime.fingerprint())
    print(f"-- {request.param}")  # noqa: T201 - what a benchmark is for
    yield made
    made.close()


def request(number, choose, past):
    """Return a request as a `ToolNode` makes it, after some calls of the same run."""
    args = {"query": query(number, choose)}
    call = {"name": "sql", "args": args, "id": f"call-{number}", "type": "tool_call"}
    messages = [HumanMessage("q")]
    for n in range(past):
        asked = {"name": "sql", "args": {"query": query(n, choose)}, "id": f"past-{n}"}
        messages += [
            AIMessage("", tool_calls=[asked], id=f"m-{n}"),
            ToolMessage("42 rows " * 50, tool_call_id=f"past-{n}"),
        ]
    messages.append(AIMessage("", tool_calls=[call], id=f"message-{number}"))
    state = {"messages": messages}
    config = {"configurable": {"thread_id": "1"}}
    runtime = ToolRuntime(state, None, config, lambda _: None, call["id"], None)
    return ToolCallRequest(call, None, state, runtime)


def answer(asked):
    """Return what the tool gives at once."""
    return ToolMessage("42", tool_call_id=asked.tool_call["id"])


async def aanswer(asked):
    """Return the same on the event loop."""
    return answer(asked)


@pytest.mark.parametrize("past", [0, 30])
def test_a_guarded_call_costs_little(guard, past, times):
    """Review and record of a call take at most 5 ms at the median, sync and async."""
    choose = random.Random(1)  # noqa: S311 - example data
    wrapper = guard_tool_call(guard, successes="all")
    asked = [request(SIZE + n, choose, past) for n in range(300)]
    taken = times(lambda number: wrapper(asked[number], answer), 150)
    ataken = []

    async def run():
        for one in asked[150:]:
            start = time.perf_counter()
            await wrapper.acall(one, aanswer)
            ataken.append(1000 * (time.perf_counter() - start))

    asyncio.run(run())
    assert wrapper.errors == {}
    shown = {"sync": statistics.median(taken), "async": statistics.median(ataken)}
    print(  # noqa: T201 - what a benchmark is for
        f"{SIZE} memories, {past} earlier calls: a guarded call "
        + ", ".join(f"{name} {ms:.2f} ms" for name, ms in shown.items())
        + f" (p95 {statistics.quantiles(taken, n=20)[-1]:.2f} ms)",
    )
    assert max(shown.values()) < BUDGET_MS * TOLERANCE


def test_a_guarded_agent_costs_little(guard):
    """An agent with the middleware takes at most 5 ms longer a tool call than one without."""
    agents = pytest.importorskip("langchain.agents")
    from langchain_drift import MistakeGuardMiddleware  # noqa: PLC0415 - needs the extra

    class Model(GenericFakeChatModel):
        """Takes tools as a real model does."""

        def bind_tools(self, tools, **kwargs):
            return self

    @tool
    def sql(query: str) -> str:
        """Run a query."""
        return f"42 {query}"

    def once(middleware, seed):
        choose = random.Random(seed)  # noqa: S311 - example data
        replies = [
            AIMessage(
                "",
                tool_calls=[
                    {"name": "sql", "args": {"query": query(SIZE + n, choose)}, "id": f"{seed}-{n}"}
                ],
            )
            for n in range(10)
        ]
        model = Model(messages=iter([*replies, AIMessage("done")]))
        agent = agents.create_agent(model, [sql], middleware=middleware)
        start = time.perf_counter()
        agent.invoke({"messages": [("user", "q")]}, {"recursion_limit": 100})
        return 100 * (time.perf_counter() - start)

    pairs = [
        (once([], seed), once([MistakeGuardMiddleware(guard)], 1000 + seed)) for seed in range(20)
    ]
    plain, guarded = (statistics.median(side) for side in zip(*pairs, strict=True))
    print(f"agent, a tool call: {plain:.2f} ms without, {guarded:.2f} ms with the middleware")  # noqa: T201 - what a benchmark is for
    assert guarded - plain < BUDGET_MS * TOLERANCE


def test_a_guard_node_costs_little(guard, times):
    """The guard node takes at most 5 ms more than a node that does nothing."""
    choose = random.Random(2)  # noqa: S311 - example data
    asked = [{"name": "sql", "args": {"query": query(SIZE + n, choose)}} for n in range(100)]

    def median(node):
        builder = StateGraph(GuardState).add_node("guard", node).add_edge(START, "guard")
        graph = builder.compile()
        once = lambda number: graph.invoke({"candidate_action": asked[number]})  # noqa: E731 - short
        return statistics.median(times(once, len(asked)))

    plain, guarded = median(lambda state: {}), median(make_guard_node(guard))
    print(f"graph of one node: {plain:.2f} ms empty, {guarded:.2f} ms with the guard")  # noqa: T201 - what a benchmark is for
    assert guarded - plain < BUDGET_MS * TOLERANCE
