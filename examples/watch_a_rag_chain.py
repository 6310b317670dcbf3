"""Watch a RAG chain: the question and the answer are the turn, not the filled-in template."""

from fake_model import FakeModel
from langchain_core.documents import Document
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_drift import MiniLMEmbeddings, get_drift_callback

PAGES = [
    "Books are lent for four weeks and can be renewed twice under My loans.",
    "The library is open from nine to six, on Saturdays until two.",
    "A library card is free for residents and costs twelve euros a year for others.",
]

model = FakeModel(
    "Books are lent for four weeks; you can renew them twice under My loans.",
    "Stretch before you run, and add one kilometre a week to your marathon training.",
)
# A hosted one by one line: model = ChatOpenAI(model="gpt-5-mini"), from langchain_openai.

store = InMemoryVectorStore(MiniLMEmbeddings())
store.add_documents([Document(page) for page in PAGES])
retriever = store.as_retriever(search_kwargs={"k": 2})
prompt = ChatPromptTemplate.from_template("Answer from {context}\n\nQuestion: {question}")


def find(inputs: dict[str, str]) -> str:
    """Return the pages nearest to the question."""
    return "\n".join(page.page_content for page in retriever.invoke(inputs["question"]))


chain = RunnablePassthrough.assign(context=find).assign(answer=prompt | model | StrOutputParser())

# The context changes with every question, so the purpose is given and not read from the prompt.
purpose = "You are the help desk of a city library: loans, renewals, opening hours, library cards."
with get_drift_callback(purpose, thread_id="desk") as drift:
    for question in ["How long may I keep a book?", "How do I train for a marathon?"]:
        chain.invoke({"question": question})

print(drift)
print(drift.turns[-1].explanation)
