"""A real RAG graph whose model sometimes invents: all doors agree on every answer."""

from dataclasses import dataclass
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.vectorstores import InMemoryVectorStore
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from langchain_drift import (
    InvalidInputError,
    MiniLMEmbeddings,
    RetrievedDocuments,
    RetrieverDriftState,
    create_retriever_drift_evaluator,
    detect,
    make_retriever_drift_node,
    make_retriever_drift_route,
)

TEXTS = [
    "The library opens at nine in the morning and closes at six in the evening.",
    "Members may borrow ten books for three weeks.",
    "Guests pay two euros a day at the desk near the stairs.",
    "The reading room is on the second floor.",
]
GOOD = {
    "When does the library open?": "The library opens at nine in the morning.",
    "How many books may members borrow?": "Members may borrow ten books for three weeks.",
    "What do guests pay?": "Guests pay two euros a day.",
}
INVENTED = {
    "When does the library open?": "The library opens at seven, and breakfast is served.",
    "How many books may members borrow?": "Members may borrow 50 books for a whole year.",
    "What do guests pay?": "Guests get in free and receive a voucher for the cinema.",
}


class RagState(RetrieverDriftState):
    """The state of the graph."""

    question: str
    documents: list[Document]
    answer: str
    caution: bool


@pytest.fixture(scope="module")
def store():
    return InMemoryVectorStore.from_texts(TEXTS, MiniLMEmbeddings())


def graph_of(store, answers, *, keep_documents=True, attempts=2):
    """Return a graph that retrieves, answers, judges, and answers again or with caution."""
    model = FakeListChatModel(responses=answers)
    retriever = store.as_retriever(search_kwargs={"k": 2})

    def retrieve(state: RagState) -> dict[str, Any]:
        found = retriever.invoke(state["question"])
        return {"documents": found if keep_documents else []}

    def generate(state: RagState) -> dict[str, Any]:
        return {"answer": model.invoke(state["question"]).text}

    graph = StateGraph(RagState)
    graph.add_node("retrieve", retrieve)
    graph.add_node("generate", generate)
    graph.add_node("judge", make_retriever_drift_node())
    graph.add_node("caution", lambda _: {"caution": True})
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "generate")
    graph.add_edge("generate", "judge")
    graph.add_conditional_edges(
        "judge",
        make_retriever_drift_route(attempts=attempts),
        {
            "accept": END,
            "regenerate": "generate",
            "retrieve": "retrieve",
            "caution": "caution",
        },
    )
    graph.add_edge("caution", END)
    return graph.compile(checkpointer=InMemorySaver())


@pytest.mark.parametrize("question", GOOD)
@pytest.mark.parametrize("answers", [GOOD, INVENTED])
def test_evaluator_node_and_callback_agree_on_every_answer(store, question, answers):
    """The three doors and `detect` give the same score, and it tells invented answers."""
    graph, seen = graph_of(store, [answers[question]], attempts=1), RetrievedDocuments()
    config = {"callbacks": [seen], "configurable": {"thread_id": question}}
    state = graph.invoke({"question": question}, config)
    node = state["retriever_drift"]
    evaluated = create_retriever_drift_evaluator()(inputs={"question": question}, outputs=state)
    by_callback = detect(question, seen.latest, state["answer"])
    assert [each.page_content for each in seen.latest] == [
        each.page_content for each in state["documents"]
    ]
    assert node["drift_score"] == evaluated["score"] == by_callback.drift_score
    assert node["drift"] == by_callback.drift == (answers is INVENTED)
    assert state.get("caution", False) == (answers is INVENTED)


def test_the_node_finds_documents_that_the_state_does_not_keep(store):
    """A `RetrievedDocuments` among the callbacks is enough."""
    question = "What do guests pay?"
    graph = graph_of(store, [INVENTED[question]], keep_documents=False, attempts=1)
    config = {"callbacks": [RetrievedDocuments()], "configurable": {"thread_id": "1"}}
    state = graph.invoke({"question": question}, config)
    assert state["retriever_drift"]["status"] == "scored"
    assert state["retriever_drift"]["drift"]


async def test_the_graph_works_asynchronously(store):
    """The node does not block the event loop and judges the same."""
    question = "When does the library open?"
    graph = graph_of(store, [INVENTED[question], GOOD[question]])
    config = {"configurable": {"thread_id": "1"}}
    state = await graph.ainvoke({"question": question}, config)
    assert not state["retriever_drift"]["drift"]


def test_an_invented_answer_is_given_again(store):
    """The route goes back to the model, and the second answer is accepted."""
    question = "How many books may members borrow?"
    graph = graph_of(store, [INVENTED[question], GOOD[question]])
    state = graph.invoke({"question": question}, {"configurable": {"thread_id": "1"}})
    assert state["answer"] == GOOD[question]
    assert state["retriever_drift"]["attempts"] == 2
    assert "caution" not in state


def test_after_the_last_attempt_the_answer_is_given_with_caution(store):
    """A model that keeps inventing does not loop for ever; the next question starts afresh."""
    question = "How many books may members borrow?"
    graph = graph_of(store, [INVENTED[question]])
    config = {"configurable": {"thread_id": "1"}}
    state = graph.invoke({"question": question}, config)
    assert state["caution"]
    assert state["retriever_drift"]["attempts"] == 2
    state = graph.invoke({"question": "When does the library open?"}, config)
    assert state["retriever_drift"]["question"] == "When does the library open?"


@pytest.mark.parametrize(
    ("found", "route"),
    [
        ({"drift": False, "status": "scored"}, "accept"),
        ({"drift": False, "status": "abstained"}, "accept"),
        ({"drift": True, "status": "scored", "context_answers": True}, "regenerate"),
        ({"drift": True, "status": "scored", "context_answers": False}, "retrieve"),
        ({"drift": True, "status": "no_context", "context_answers": None}, "retrieve"),
        ({"drift": True, "status": "scored", "context_answers": True, "attempts": 2}, "caution"),
        ({"drift": False, "status": "unsupported_language"}, "caution"),
    ],
)
def test_the_route_says_what_helps(found, route):
    """Answer again where the chunks fit, retrieve again where not, and do not loop."""
    record = {"attempts": 1, "context_answers": None, **found}
    assert make_retriever_drift_route()({"retriever_drift": record}) == route


@pytest.mark.parametrize("attempts", [0, -1, True, 1.5, "2", None])
def test_a_route_without_attempts_is_refused(attempts):
    """At least one answer has to be judged."""
    with pytest.raises(InvalidInputError, match="attempts"):
        make_retriever_drift_route(attempts=attempts)


def test_a_route_without_its_node_says_what_is_missing():
    """A state without the record names the key and the node that writes it."""
    with pytest.raises(InvalidInputError, match="make_retriever_drift_node"):
        make_retriever_drift_route()({"answer": "x"})


def test_a_state_may_be_a_dataclass():
    """LangGraph takes dataclasses as states, and so does the node."""

    @dataclass
    class State:
        question: str
        documents: list[str]
        answer: str
        retriever_drift: dict[str, Any] | None = None

    state = State("What is the limit?", ["The limit is 500 euros."], "It is 700 euros.")
    record = make_retriever_drift_node().invoke(state)["retriever_drift"]
    assert record["unsupported"] == ["700"]
    state.retriever_drift = record
    assert make_retriever_drift_route()(state) in ("regenerate", "retrieve")
