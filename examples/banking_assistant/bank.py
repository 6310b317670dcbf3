"""The bank: its pages, what can be done there, and a model that needs no network."""

from collections.abc import Callable, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import BaseTool, tool
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_drift import MiniLMEmbeddings

PAGES = [
    "The Acme Rewards credit card costs 49 euros a year and pays back 2 % of every purchase.",
    "A home loan needs proof of income, two tax returns and a down payment of 10 %.",
    "The savings account yields 2.1 % a year. Interest is paid on 31 December.",
    "The daily limit of a current account is 500 euros. A lost card is blocked within a minute.",
]
_store = InMemoryVectorStore(MiniLMEmbeddings())
_store.add_documents([Document(page) for page in PAGES])


@tool(response_format="content_and_artifact")
def look_up(question: str) -> tuple[str, list[Document]]:
    """Find the pages of the bank that answer a question."""
    found = _store.similarity_search(question, k=2)
    return "\n".join(page.page_content for page in found), found


@tool
def set_daily_limit(euros: int) -> str:
    """Change the daily limit of the customer's account."""
    return f"The daily limit is {euros} euros."


TOOLS: list[BaseTool] = [look_up, set_daily_limit]


def _call(name: str, **args: str | int) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": uuid4().hex}])


class BankModel(BaseChatModel):
    """Answers a few questions as a model would, and invents a fee the first time it is asked."""

    @property
    def _llm_type(self) -> str:
        return "bank"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],  # noqa: ARG002 - it knows them
        **kwargs: Any,  # noqa: ANN401, ARG002 - LangChain's signature
    ) -> "BankModel":
        """Take tools as a real model does."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002 - LangChain's signature
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002 - likewise
        **kwargs: Any,  # noqa: ANN401, ARG002 - likewise
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=_answer(messages))])


def _answer(messages: list[BaseMessage]) -> AIMessage:
    asked = max(n for n, message in enumerate(messages) if message.type == "human")
    question, since = messages[asked].text, messages[asked + 1 :]
    if "limit" in question.lower() and not since:
        return _call("set_daily_limit", euros=int("".join(filter(str.isdigit, question)) or 500))
    if "pasta" in question.lower():
        return AIMessage("Boil the pasta for nine minutes, then stir in eggs, cheese and pepper.")
    if not since:
        return _call("look_up", question=question)
    told = next(message for message in reversed(since) if isinstance(message, ToolMessage))
    if told.status == "error":
        return AIMessage("I may not change the daily limit of your account now.")
    if "cost" in question.lower() and since[-1] is told:
        return AIMessage("The Acme Rewards credit card costs 19 euros a year.")
    return AIMessage(told.text.splitlines()[0])
