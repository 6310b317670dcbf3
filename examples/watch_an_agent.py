"""Watch an agent: two tool calls and an answer are one turn, told to a function as it ends.

Needs the extra `langchain`: `pip install 'langchain-drift[langchain]'`.
"""

from fake_model import FakeModel
from langchain.agents import create_agent
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from langchain_drift import DriftCallbackHandler, TurnRecord


@tool
def balance(account: str) -> str:
    """Return the balance of an account."""
    return f"The {account} account holds 1,200 euros."


def call(account: str, number: int) -> AIMessage:
    """Return what a model says when it calls the tool."""
    request = {"name": "balance", "args": {"account": account}, "id": f"call-{number}"}
    return AIMessage("", tool_calls=[request])


model = FakeModel(
    call("savings", 1),
    call("current", 2),
    "Your savings account and your current account hold 1,200 euros each.",
    "The Beatles wrote it in 1965, and Paul McCartney sang it.",
)
# A hosted one by one line: model = ChatOpenAI(model="gpt-5-mini"), from langchain_openai.


def alert(turn: TurnRecord) -> None:
    """Tell of a turn at which the conversation left its purpose."""
    if turn.departed:
        print(f"ALERT {turn.thread_id}: {turn.explanation}")


agent = create_agent(
    model,
    [balance],
    system_prompt="You are a banking assistant. Help with savings accounts, cards and loans.",
    checkpointer=InMemorySaver(),
)
# Without a system prompt each conversation is held against its own system message.
handler = DriftCallbackHandler(on_turn=alert)
for question in ["How much is in my savings and current accounts?", "Who wrote Yesterday?"]:
    agent.invoke(
        {"messages": [("user", question)]},
        {"callbacks": [handler], "configurable": {"thread_id": "ann"}},
    )

print(handler)
