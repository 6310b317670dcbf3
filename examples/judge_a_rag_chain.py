"""Judge a RAG chain by the documents that it really retrieved; its last answer is invented."""

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_drift import MiniLMEmbeddings, RetrieverDriftEvaluator

store = InMemoryVectorStore.from_texts(
    [
        "The library opens at nine in the morning and closes at six in the evening.",
        "Members may borrow ten books for three weeks. Renewals are possible twice.",
        "Guests pay two euros a day at the desk near the stairs.",
    ],
    MiniLMEmbeddings(),
)
model = FakeListChatModel(
    responses=[
        "It opens at nine in the morning.",
        "The documents do not say.",
        "Members may borrow 50 books for three weeks.",
    ]
)
chain = (
    {"context": store.as_retriever(search_kwargs={"k": 2}), "question": RunnablePassthrough()}
    | ChatPromptTemplate.from_template("Answer from this only:\n{context}\n\n{question}")
    | model
    | StrOutputParser()
)

judged = RetrieverDriftEvaluator().follow(chain)
for question in [
    "When does the library open?",
    "Who is the director?",
    "How many books may members borrow?",
]:
    found = judged.invoke(question)
    report = found["report"]
    print(f"{question} {found['output']}")
    print(f"  {report.status}, drift {report.drift_score:.2f}: {report.reason}")
