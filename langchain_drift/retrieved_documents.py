"""The documents that were really retrieved, as a callback sees them."""

import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import RunnableConfig

_MOST_ROOTS = 256


class RetrievedDocuments(BaseCallbackHandler):
    """Remembers which documents the retrievers of each run returned; safe to share.

    Pass it as a callback; afterwards `of(run_id)` has the documents of a root run and `latest`
    those of the run that retrieved last. The 256 roots used last are remembered.

    Example:
        ```python
        seen = RetrievedDocuments()
        answer = chain.invoke(question, {"callbacks": [seen]})
        detect(question, seen.latest, answer)
        ```
    """

    run_inline = True

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._root_of: dict[UUID, UUID] = {}
        self._found: OrderedDict[UUID, list[Document]] = OrderedDict()

    @property
    def latest(self) -> list[Document]:
        """The documents of the root run that retrieved last; empty if none did."""
        with self._lock:
            return list(next(reversed(self._found.values()), ()))

    def of(self, run_id: UUID) -> list[Document]:
        """Return the documents retrieved under a run: those of its root."""
        with self._lock:
            return list(self._found.get(self._root_of.get(run_id, run_id), ()))

    def on_chain_start(
        self,
        serialized: dict[str, Any],  # noqa: ARG002 - the signature is LangChain's
        inputs: dict[str, Any],  # noqa: ARG002 - the signature is LangChain's
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,  # noqa: ANN401, ARG002 - the signature is LangChain's
    ) -> None:
        """Remember below which root a run stands."""
        self._enter(run_id, parent_run_id)

    def on_tool_start(
        self,
        serialized: dict[str, Any],  # noqa: ARG002 - the signature is LangChain's
        input_str: str,  # noqa: ARG002 - the signature is LangChain's
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,  # noqa: ANN401, ARG002 - the signature is LangChain's
    ) -> None:
        """Remember below which root a tool runs: it may be a retriever's."""
        self._enter(run_id, parent_run_id)

    def on_retriever_end(
        self,
        documents: Sequence[Document],
        *,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        **kwargs: Any,  # noqa: ANN401, ARG002 - the signature is LangChain's
    ) -> None:
        """Remember the documents under their root."""
        with self._lock:
            above = run_id if parent_run_id is None else parent_run_id
            root = self._root_of.get(above, above)
            self._found[root] = [*self._found.get(root, ()), *documents]
            self._found.move_to_end(root)
            while len(self._found) > _MOST_ROOTS:
                self._found.popitem(last=False)

    def on_chain_end(self, outputs: dict[str, Any], *, run_id: UUID, **kwargs: Any) -> None:  # noqa: ANN401, ARG002 - the signature is LangChain's
        """Forget a run that ended."""
        self._leave(run_id)

    def on_chain_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:  # noqa: ANN401, ARG002 - the signature is LangChain's
        """Forget a run that failed."""
        self._leave(run_id)

    def on_tool_end(self, output: Any, *, run_id: UUID, **kwargs: Any) -> None:  # noqa: ANN401, ARG002 - the signature is LangChain's
        """Forget a tool that ended."""
        self._leave(run_id)

    def on_tool_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:  # noqa: ANN401, ARG002 - the signature is LangChain's
        """Forget a tool that failed."""
        self._leave(run_id)

    def _enter(self, run_id: UUID, parent_run_id: UUID | None) -> None:
        with self._lock:
            above = run_id if parent_run_id is None else parent_run_id
            self._root_of[run_id] = self._root_of.get(above, above)

    def _leave(self, run_id: UUID) -> None:
        with self._lock:
            self._root_of.pop(run_id, None)


def seen_documents(config: RunnableConfig) -> list[Document] | None:
    """Return what a `RetrievedDocuments` among the callbacks has seen in this run."""
    manager = config.get("callbacks")
    handlers = manager if isinstance(manager, list) else getattr(manager, "handlers", ())
    for handler in handlers:
        if isinstance(handler, RetrievedDocuments):
            above = getattr(manager, "parent_run_id", None)
            return (handler.of(above) if above else handler.latest) or None
    return None
