"""An agent that is kept on purpose and from repeating its mistakes, by two middlewares.

Needs the extra `langchain`: `pip install 'langchain-drift[langchain]'`.
"""

from fake_model import FakeModel
from langchain.agents import create_agent
from langchain.agents.middleware import ToolErrorMiddleware
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from langchain_drift import DriftGuard, DriftMiddleware, MemoryStore, MistakeGuardMiddleware

PROMPT = "You are a banking assistant. Help with savings accounts, credit cards and loans."


@tool
def block_card(number: str) -> str:
    """Block a lost credit card."""
    if " " in number:
        message = "write the number without spaces"
        raise ValueError(message)
    return f"Card {number} is blocked."


def block(number: str) -> AIMessage:
    """Return what a model says when it calls the tool."""
    return AIMessage(
        "", tool_calls=[{"name": "block_card", "args": {"number": number}, "id": number}]
    )


model = FakeModel(
    block("4000 1234"),
    block("40001234"),
    "Your credit card is blocked. A new one takes three days.",
    block("4000 1234"),
    block("40001234"),
    "Your credit card is blocked, and a new one is on its way.",
    "Boil the spaghetti for nine minutes, and stir in eggs, cheese and pepper.",
)
# A hosted one by one line: model = ChatOpenAI(model="gpt-5-mini"), from langchain_openai.

guard = DriftGuard(store=MemoryStore())  # DriftGuard() keeps its memory in a file
agent = create_agent(
    model,
    [block_card],
    system_prompt=PROMPT,
    middleware=[
        DriftMiddleware(PROMPT, on_drift="remind"),
        ToolErrorMiddleware(lambda error, _: str(error)),
        # Last, so that it sees each call as it is run. One sighting is enough to block here.
        MistakeGuardMiddleware(guard, policy="block", min_confidence=0.6),
    ],
    checkpointer=InMemorySaver(),
)
for customer, question in [
    ("ann", "My credit card is lost. Please block it: 4000 1234."),
    ("bob", "Please block my credit card: 4000 1234."),
    ("bob", "How do I make carbonara?"),
]:
    state = agent.invoke(
        {"messages": [("human", question)]}, {"configurable": {"thread_id": customer}}
    )
    asked = max(n for n, message in enumerate(state["messages"]) if message.type == "human")
    print(f"{customer}: {question}")
    for message in state["messages"][asked:]:
        if message.type == "tool":
            print(f"  tool, {message.status}: {message.text.splitlines()[0]}")
    print(f"  {state['messages'][-1].text}")
    print(f"  drift {state['drift']['score']:.0f}: {state['drift']['explanation']}")
