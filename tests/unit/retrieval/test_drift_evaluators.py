import datetime as dt
import json
import uuid

import pytest
from langchain_core.documents import Document
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore
from langsmith import schemas

from langchain_drift import (
    InvalidInputError,
    MiniLMEmbeddings,
    RetrievedDocuments,
    RetrieverDriftEvaluator,
    assert_no_retriever_drift,
    create_async_retriever_drift_evaluator,
    create_async_retriever_faithfulness_evaluator,
    create_retriever_drift_evaluator,
    create_retriever_faithfulness_evaluator,
)
from langchain_drift.rag_payload import as_document, documents_from_messages

TEXTS = ["The daily limit is 500 euros.", "Cards cost 12 euros.", "The branch opens at nine."]
QUESTION = "What is the daily limit?"
GOOD, BAD = "The daily limit is 500 euros.", "The daily limit is 5000 euros."


@pytest.fixture(autouse=True)
def _offline(monkeypatch):
    monkeypatch.setenv("LANGSMITH_TRACING", "false")


@pytest.fixture(scope="module")
def retriever():
    store = InMemoryVectorStore.from_texts(TEXTS, MiniLMEmbeddings())
    return store.as_retriever(search_kwargs={"k": 2})


def chain_of(retriever, *answers):
    prompt = ChatPromptTemplate.from_template("{context}\n{question}")
    model = FakeListChatModel(responses=list(answers))
    parts = {"context": retriever, "question": RunnablePassthrough()}
    return parts | prompt | model | StrOutputParser()


PAYLOADS = [
    {"inputs": QUESTION, "outputs": BAD, "context": TEXTS},
    {"inputs": {"question": QUESTION}, "outputs": {"answer": BAD, "documents": TEXTS}},
    {"inputs": {"query": QUESTION, "context": TEXTS}, "outputs": {"result": BAD}},
    {
        "outputs": {
            "input": QUESTION,
            "answer": AIMessage(BAD),
            "context": list(map(Document, TEXTS)),
        }
    },
    {
        "inputs": {"messages": [HumanMessage(QUESTION)]},
        "outputs": {
            "messages": [
                HumanMessage(QUESTION),
                AIMessage("", tool_calls=[{"name": "search", "args": {}, "id": "1"}]),
                ToolMessage("…", tool_call_id="1", artifact=list(map(Document, TEXTS))),
                AIMessage(BAD),
            ]
        },
    },
    {"inputs": QUESTION, "outputs": BAD, "context": [{"page_content": each} for each in TEXTS]},
    {"inputs": QUESTION, "outputs": BAD, "context": {"documents": TEXTS}},
    {
        "inputs": {"messages": [{"role": "user", "content": QUESTION}]},
        "outputs": {"messages": [("user", QUESTION), ("ai", BAD)]},
        "context": TEXTS,
    },
    {
        "inputs": {"messages": [{"type": "human", "content": QUESTION}]},
        "outputs": {
            "messages": [
                {
                    "kwargs": {
                        "type": "tool",
                        "content": "…",
                        "tool_call_id": "1",
                        "artifact": [{"kwargs": {"page_content": each}} for each in TEXTS],
                    }
                },
                {"role": "assistant", "content": BAD},
                {"no": "message"},
            ]
        },
    },
]


@pytest.mark.parametrize("payload", PAYLOADS)
def test_question_documents_and_answer_are_found_wherever_they_are(payload):
    """Texts, mappings, documents, messages and artifacts all give the same score."""
    expected = create_retriever_drift_evaluator()(**PAYLOADS[0])
    found = create_retriever_drift_evaluator()(**payload)
    assert found["score"] == pytest.approx(expected["score"])
    assert "5000" in found["comment"]


def test_the_result_has_the_shape_of_openevals():
    """Key, score, comment and metadata, the last plain JSON."""
    found = create_retriever_drift_evaluator()(**PAYLOADS[0], reference_outputs={"x": 1}, more=2)
    assert set(found) == {"key", "score", "comment", "metadata"}
    assert found["key"] == "retriever_drift"
    assert json.loads(json.dumps(found["metadata"]))["unsupported"] == ["5000"]


def test_faithfulness_is_one_minus_drift():
    """Drift is higher for worse answers, faithfulness for better ones."""
    drift = create_retriever_drift_evaluator()(**PAYLOADS[0])
    faith = create_retriever_faithfulness_evaluator()(**PAYLOADS[0])
    assert faith["key"] == "retriever_faithfulness"
    assert faith["score"] == pytest.approx(1 - drift["score"])
    assert drift["score"] > 0.5


async def test_async_evaluators_give_what_sync_ones_give():
    """The two share one body."""
    payload = PAYLOADS[0]
    assert await create_async_retriever_drift_evaluator()(
        **payload
    ) == create_retriever_drift_evaluator()(**payload)
    assert await create_async_retriever_faithfulness_evaluator()(
        **payload
    ) == create_retriever_faithfulness_evaluator()(**payload)


@pytest.mark.parametrize(
    ("option", "score"), [("unscored", None), ("drift", 1.0), ("grounded", 0.0)]
)
def test_an_answer_without_context_scores_what_was_chosen(option, score):
    """By default nothing; the option names the two other ways."""
    evaluate = create_retriever_drift_evaluator(no_context=option)
    found = evaluate(inputs=QUESTION, outputs=BAD, context=[])
    assert found["score"] == score
    assert found["metadata"]["status"] == "no_context"


def test_an_abstention_has_no_score():
    """Neither a pass nor a fail is counted for an honest "I don't know"."""
    found = create_retriever_drift_evaluator()(
        inputs=QUESTION, outputs="I don't know.", context=TEXTS
    )
    assert found["score"] is None
    assert found["metadata"]["status"] == "abstained"


def test_own_keys_are_found_and_a_missing_answer_is_named():
    """Keys can be named; where there is no answer the error says which keys there are."""
    evaluate = create_retriever_drift_evaluator(
        question_key="ask", answer_key="said", documents_key="found"
    )
    outputs = {"said": BAD, "found": TEXTS}
    assert evaluate(inputs={"ask": QUESTION}, outputs=outputs)["score"] > 0.5
    with pytest.raises(InvalidInputError, match="'documents'"):
        create_retriever_drift_evaluator()(inputs=QUESTION, outputs={"documents": TEXTS})


@pytest.mark.filterwarnings("ignore:'upload_runs' parameter is in beta")
def test_langsmith_evaluates_offline_with_the_documents_really_retrieved(retriever):
    """`langsmith.evaluate` takes function and class; documents come from the child runs."""
    import langsmith  # noqa: PLC0415 - reads the environment of this test

    chain = chain_of(retriever, GOOD, BAD)
    data = [
        schemas.Example(
            id=uuid.uuid4(),
            dataset_id=uuid.uuid4(),
            inputs={"question": QUESTION},
            outputs={},
            created_at=dt.datetime.now(dt.UTC),
        )
        for _ in range(2)
    ]
    found = langsmith.evaluate(
        lambda inputs: {"answer": chain.invoke(inputs["question"])},
        data=data,
        evaluators=[create_retriever_drift_evaluator(), RetrieverDriftEvaluator(feedback_key="c")],
        upload_results=False,
        max_concurrency=0,
        client=langsmith.Client(api_key="unused", info={}),
    )
    scores = [[each.score for each in row["evaluation_results"]["results"]] for row in found]
    assert [[score > 0.5 for score in row] for row in scores] == [[False] * 2, [True] * 2]
    assert all(row[0] == row[1] for row in scores)


def test_a_followed_chain_is_judged_by_what_it_retrieved(retriever):
    """`follow` returns the output, the documents and the report."""
    followed = RetrieverDriftEvaluator().follow(chain_of(retriever, GOOD, BAD))
    first, second = followed.invoke(QUESTION), followed.invoke(QUESTION)
    assert first["output"] == GOOD
    assert not first["report"].drift
    assert second["report"].drift
    assert {each.page_content for each in first["documents"]} >= {TEXTS[0]}


async def test_a_followed_chain_works_asynchronously(retriever):
    """The async door sees the same documents."""
    followed = RetrieverDriftEvaluator().follow(chain_of(retriever, BAD))
    found = await followed.ainvoke(QUESTION)
    assert found["report"].drift
    assert found["documents"]


def test_a_runnable_judges_documents_in_the_output_or_in_the_callback(retriever):
    """`chain | evaluator.as_runnable()` finds documents in both places."""
    judge = RetrieverDriftEvaluator().as_runnable()
    seen = RetrievedDocuments()
    report = (chain_of(retriever, BAD) | judge).invoke(QUESTION, {"callbacks": [seen]})
    assert report.drift
    assert report.status == "scored"
    whole = RunnablePassthrough.assign(context=RunnableLambda(lambda x: x["question"]) | retriever)
    answered = whole | RunnablePassthrough.assign(answer=lambda _: GOOD)
    assert not (answered | judge).invoke({"question": QUESTION}).drift


async def test_a_runnable_judges_asynchronously(retriever):
    """The async door judges the same."""
    judge = RetrieverDriftEvaluator().as_runnable()
    seen = RetrievedDocuments()
    chain = chain_of(retriever, BAD) | judge
    assert (await chain.ainvoke(QUESTION, {"callbacks": [seen]})).drift


def test_runs_on_one_handler_do_not_mix(retriever):
    """Documents are kept by root run; nothing of a run that ended is left behind."""
    seen = RetrievedDocuments()
    retriever.batch([QUESTION, "When does the branch open?"], {"callbacks": [seen]})
    chain_of(retriever, GOOD).invoke(QUESTION, {"callbacks": [seen]})
    assert {each.page_content for each in seen.latest} >= {TEXTS[0]}
    assert len(seen.latest) == 2
    assert seen.of(uuid.uuid4()) == []
    assert seen._root_of == {}


def test_documents_of_an_earlier_question_are_not_those_of_this_one():
    """Artifacts before the last human message belong to another question."""
    messages = [
        HumanMessage("Old?"),
        ToolMessage("…", tool_call_id="1", artifact=[Document("old")]),
        AIMessage("Old."),
        HumanMessage("New?"),
        ToolMessage("…", tool_call_id="2", artifact=[Document("new")]),
    ]
    assert [each.page_content for each in documents_from_messages(messages)] == ["new"]


def test_what_is_no_document_is_named():
    """The error says what a document looks like."""
    serialised = {"kwargs": {"page_content": "text", "metadata": {"a": 1}}}
    assert as_document(serialised) == Document("text", metadata={"a": 1})
    with pytest.raises(InvalidInputError, match="page_content"):
        as_document(3)


def test_the_assertion_says_what_is_wrong():
    """A test that fails names the sentence, what no chunk holds, and the nearest one."""
    assert not assert_no_retriever_drift(QUESTION, TEXTS, GOOD).drift
    with pytest.raises(AssertionError, match=r"(?s)5000.*nearest: 'The daily limit is 500"):
        assert_no_retriever_drift(QUESTION, TEXTS, BAD)
    with pytest.raises(AssertionError, match="abstained"):
        assert_no_retriever_drift(QUESTION, TEXTS, "I don't know.")
    allowed = assert_no_retriever_drift(QUESTION, TEXTS, "I don't know.", allow_abstention=True)
    assert allowed.status == "abstained"


def test_the_string_evaluator_of_classic():
    """Prediction, input and reference are answer, question and chunks."""
    pytest.importorskip("langchain_classic")
    from langchain_drift.evaluators_classic import (  # noqa: PLC0415 - needs an extra
        RetrieverDriftStringEvaluator,
    )

    evaluator = RetrieverDriftStringEvaluator()
    found = evaluator.evaluate_strings(prediction=BAD, input=QUESTION, reference=TEXTS[0])
    assert found["value"] == "drift"
    assert found["score"] > 0.5
    assert "5000" in found["reasoning"]
    assert evaluator.requires_input
    assert evaluator.requires_reference
    assert evaluator.evaluation_name == "retriever_drift"


async def test_the_string_evaluator_of_classic_is_async_too():
    """The async door gives the same."""
    pytest.importorskip("langchain_classic")
    from langchain_drift.evaluators_classic import (  # noqa: PLC0415 - needs an extra
        RetrieverDriftStringEvaluator,
    )

    arguments = {"prediction": GOOD, "input": QUESTION, "reference": TEXTS[0]}
    evaluator = RetrieverDriftStringEvaluator()
    found = await evaluator.aevaluate_strings(**arguments)
    assert found == evaluator.evaluate_strings(**arguments)
    assert found["value"] == "scored"
