"""A chat model that answers from a short list, in the place of a hosted one."""

from collections.abc import Iterable
from typing import Any

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage


class FakeModel(GenericFakeChatModel):
    """Answers with the given texts or messages, one after another."""

    def __init__(self, *answers: str | AIMessage) -> None:
        texts = (AIMessage(one) if isinstance(one, str) else one for one in answers)
        super().__init__(messages=texts)

    def bind_tools(self, tools: Iterable[object], **kwargs: Any) -> "FakeModel":  # noqa: ANN401, ARG002 - LangChain's signature
        """Take tools as a real model does; the answers are given anyway."""
        return self
