"""A LangGraph graph that answers again when its answer does not stand on the documents."""

from typing import Any

from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langgraph.graph import END, START, StateGraph

from langchain_drift import (
    RetrieverDriftState,
    make_retriever_drift_node,
    make_retriever_drift_route,
)


class State(RetrieverDriftState):
    """The state of the graph; the node writes `retriever_drift`."""

    question: str
    documents: list[Document]
    answer: str


model = FakeListChatModel(responses=["The limit is 5000 euros.", "The limit is 500 euros."])


def retrieve(_: State) -> dict[str, Any]:
    """Return what a retriever would."""
    return {"documents": [Document("The daily limit of the account is 500 euros.")]}


def generate(state: State) -> dict[str, Any]:
    """Answer the question."""
    answer = model.invoke(state["question"]).text
    print(f"The model says: {answer}")
    return {"answer": answer}


def caution(state: State) -> dict[str, Any]:
    """Answer with caution."""
    return {"answer": f"I am not sure: {state['answer']}"}


graph = StateGraph(State)
graph.add_node("retrieve", retrieve)
graph.add_node("generate", generate)
graph.add_node("judge", make_retriever_drift_node())
graph.add_node("caution", caution)
graph.add_edge(START, "retrieve")
graph.add_edge("retrieve", "generate")
graph.add_edge("generate", "judge")
graph.add_conditional_edges(
    "judge",
    make_retriever_drift_route(attempts=2),
    {"accept": END, "regenerate": "generate", "retrieve": "retrieve", "caution": "caution"},
)
graph.add_edge("caution", END)

state = graph.compile().invoke({"question": "What is the daily limit?"})
print(f"Accepted after {state['retriever_drift']['attempts']} answers: {state['answer']}")
