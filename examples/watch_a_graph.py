"""Watch a LangGraph workflow: a classifier, an answer, a pause; results on its own stream."""

from fake_model import FakeModel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from langchain_drift import DriftCallbackHandler

model = FakeModel(
    "loans",
    "A home loan needs proof of income, tax returns and a down payment.",
)
# A hosted one by one line: model = ChatOpenAI(model="gpt-5-mini"), from langchain_openai.


def classify(state: MessagesState) -> None:
    """Ask the model for itself: no turn."""
    model.invoke(f"Which department is this for? {state['messages'][-1].text}")


def approve(state: MessagesState) -> None:  # noqa: ARG001 - a node takes the state
    """Wait for a person: the run ends here, the turn does not."""
    interrupt("May the assistant answer?")


def answer(state: MessagesState) -> dict[str, list[object]]:
    """Answer the user."""
    return {"messages": [model.invoke(state["messages"])]}


graph = (
    StateGraph(MessagesState)
    .add_node(classify)
    .add_node(approve)
    .add_node(answer)
    .add_edge(START, "classify")
    .add_edge("classify", "approve")
    .add_edge("approve", "answer")
    .compile(checkpointer=InMemorySaver())
)
handler = DriftCallbackHandler(
    system_prompt="You are a banking assistant. Help with savings accounts, cards and loans."
)
config = {"callbacks": [handler], "configurable": {"thread_id": "7"}}

graph.invoke({"messages": [("user", "What do I need for a home loan?")]}, config)
print(f"paused: {len(handler.turns)} turns")
for piece in graph.stream(Command(resume="yes"), config, stream_mode="custom"):
    print(f"on the stream: {piece['drift']['verdict']}: {piece['drift']['explanation']}")
print(handler)
