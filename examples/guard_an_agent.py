"""An agent that fails in one run, and is kept from the same mistake in the next.

Needs the extra `langchain`: `pip install 'langchain-drift[langchain]'`.
"""

from fake_model import FakeModel
from langchain.agents import create_agent
from langchain.agents.middleware import ToolErrorMiddleware
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from langchain_drift import DriftGuard, MemoryStore, MistakeGuardMiddleware


@tool
def sql(query: str) -> str:
    """Run a query on the shop's database."""
    if "total" in query:
        message = "no such column: total"
        raise ValueError(message)
    return "12,400 euros"


def ask(query: str) -> AIMessage:
    """Return what a model says when it calls the tool."""
    return AIMessage("", tool_calls=[{"name": "sql", "args": {"query": query}, "id": query}])


guard = DriftGuard(store=MemoryStore())  # DriftGuard() keeps its memory in a file
runs = [
    [ask("SELECT sum(total) FROM orders"), ask("SELECT sum(amount) FROM orders")],
    [ask("SELECT max(total), id FROM orders"), ask("SELECT max(amount), id FROM orders")],
]
for number, replies in enumerate(runs, 1):
    agent = create_agent(
        FakeModel(*replies, "The answer is 12,400 euros."),
        [sql],
        middleware=[
            ToolErrorMiddleware(lambda error, _: str(error)),
            # One sighting is enough to block here; by default two of the same are.
            MistakeGuardMiddleware(guard, policy="block", min_confidence=0.6),
        ],
    )
    state = agent.invoke({"messages": [("user", "What did we sell?")]})
    print(f"-- run {number}")
    for message in state["messages"]:
        if message.type == "tool":
            print(f"{message.status}: {message.text}")
