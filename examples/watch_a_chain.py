"""Watch an LCEL chain: one handler, any number of conversations, every turn scored."""

from fake_model import FakeModel
from langchain_core.output_parsers import StrOutputParser
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder

from langchain_drift import DriftCallbackHandler

BANK = "You are a banking assistant. Help with savings accounts, credit cards and loans."

model = FakeModel(
    "Proof of income, two tax returns and a down payment for the home loan.",
    "Try carbonara: eggs, parmesan, pancetta and black pepper.",
    "Loan approval takes five to ten days.",
)
# A hosted one by one line: model = ChatOpenAI(model="gpt-5-mini"), from langchain_openai.

prompt = ChatPromptTemplate.from_messages(
    [("system", BANK), MessagesPlaceholder("history"), ("human", "{question}")]
)
chain = prompt | model | StrOutputParser()
handler = DriftCallbackHandler(system_prompt=BANK)
config = {"callbacks": [handler], "metadata": {"thread_id": "42"}}

history: list[tuple[str, str]] = []
for question in [
    "What do I need for a home loan?",
    "What's a good pasta recipe?",
    "Back to the loan: how long does approval take?",
]:
    reply = chain.invoke({"question": question, "history": history}, config)
    history += [("human", question), ("ai", reply)]

print(handler)
report = handler.thread("42")
print(f"left at turns {report.departures}, came back at turns {report.returns}")
