"""Payloads: question, documents and answer, wherever LangChain and LangSmith put them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.documents import Document
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    ToolMessage,
    convert_to_messages,
)

from langchain_drift.errors import InvalidInputError
from langchain_drift.retrieval.detector import RagCase

QUESTION_KEYS = ("question", "query", "input", "intent", "user_input")
"""Where a question is looked for, in order; then the last human message of `messages`."""

ANSWER_KEYS = ("answer", "output", "response", "result", "generation")
"""Where an answer is looked for, in order; then the last AI message of `messages`."""

DOCUMENT_KEYS = (
    "documents",
    "context",
    "contexts",
    "context_chunks",
    "source_documents",
    "chunks",
    "retrieved_contexts",
)
"""Where documents are looked for, in order; then the artifacts of tool messages."""

_MESSAGES = "messages"


class RagKeys(NamedTuple):
    """The keys of question, answer and documents; None looks under the usual ones."""

    question: str | None = None
    answer: str | None = None
    documents: str | None = None


def rag_case(
    keys: RagKeys,
    inputs: object,
    outputs: object,
    documents: object = None,
) -> RagCase:
    """Find question, documents and answer in what went in and came out.

    Args:
        keys: Where to look.
        inputs: What went in: a mapping, a text, or messages.
        outputs: What came out, likewise.
        documents: The documents, if they are known from elsewhere.

    Raises:
        InvalidInputError: If no answer is found.
    """
    asked, said = _as_mapping(inputs, "question"), _as_mapping(outputs, "answer")
    messages = _messages(said) or _messages(asked)
    answer = _find(said, keys.answer, ANSWER_KEYS)
    if answer is None:
        answer = _last_text(_messages(said), AIMessage)
    if answer is None:
        message = (
            f"No answer was found in {_names(said)}; name its key with answer_key, or put it under "
            f"{', '.join(ANSWER_KEYS)} or messages."
        )
        raise InvalidInputError(message)
    question = _find({**said, **asked}, keys.question, QUESTION_KEYS)
    if question is None:
        question = _last_text(_messages(asked) or messages, HumanMessage)
    if documents is None:
        documents = _find({**asked, **said}, keys.documents, DOCUMENT_KEYS)
    if documents is None:
        documents = documents_from_messages(messages)
    return RagCase(_as_text(question), _as_chunks(documents), _as_text(answer), _history(messages))


def documents_from_run(run: object) -> list[Document]:
    """Return the documents that the retrievers and tools below a traced run returned, in order.

    Args:
        run: A run of LangSmith or of a tracer, with `child_runs`.
    """
    found: list[Document] = []
    for child in sorted(getattr(run, "child_runs", None) or (), key=_started):
        if getattr(child, "run_type", None) == "retriever":
            found += map(as_document, (child.outputs or {}).get("documents") or ())
        elif getattr(child, "run_type", None) == "tool":
            found += _artifacts([(child.outputs or {}).get("output")])
        found += documents_from_run(child)
    return found


def documents_from_messages(messages: Iterable[object]) -> list[Document]:
    """Return the documents in the artifacts of the tool messages since the last human message."""
    found: list[object] = []
    for message in messages:
        found = [] if isinstance(message, HumanMessage) else [*found, message]
    return _artifacts(found)


def as_document(value: object) -> Document:
    """Return a document for a document, a text, or a mapping with `page_content`.

    Raises:
        InvalidInputError: If it is none of these.
    """
    if isinstance(value, Document):
        return value
    if isinstance(value, str):
        return Document(value)
    if isinstance(value, Mapping):
        for inner in (value, value.get("kwargs") or {}):
            for key in ("page_content", "content", "text"):
                if isinstance(inner.get(key), str):
                    return Document(inner[key], metadata=dict(inner.get("metadata") or {}))
    message = (
        f"{value!r:.80} is no document; pass LangChain documents, texts, or mappings with "
        "page_content."
    )
    raise InvalidInputError(message)


def _artifacts(messages: Iterable[object]) -> list[Document]:
    artifacts = (
        message.artifact
        for value in messages
        for message in _as_message(value)
        if isinstance(message, ToolMessage)
    )
    return [
        as_document(each)
        for artifact in artifacts
        if isinstance(artifact, list | tuple)
        for each in artifact
        if isinstance(each, Document) or _is_document(each)
    ]


def _is_document(value: object) -> bool:
    inner = value.get("kwargs", value) if isinstance(value, Mapping) else None
    return isinstance(inner, Mapping) and isinstance(inner.get("page_content"), str)


def _as_mapping(value: object, name: str) -> dict[str, Any]:
    if value is None:
        return {}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return {_MESSAGES: list(value)}
    return {name: value}


def _find(values: Mapping[str, Any], key: str | None, usual: Sequence[str]) -> Any:  # noqa: ANN401 - any payload
    if key is not None:
        return values.get(key)
    return next((values[name] for name in usual if values.get(name) is not None), None)


def _messages(values: Mapping[str, Any]) -> list[BaseMessage]:
    """Return the messages of a payload; those that are none are left out."""
    listed = values.get(_MESSAGES)
    if not isinstance(listed, Sequence) or isinstance(listed, str):
        return []
    return [message for each in listed for message in _as_message(each)]


def _as_message(value: Any) -> list[BaseMessage]:  # noqa: ANN401 - any payload
    """Return a message for an object, a pair, or the mapping of a trace or a data set."""
    if isinstance(value, Mapping) and isinstance(value.get("kwargs"), Mapping):
        value = value["kwargs"]
    try:
        (message,) = convert_to_messages([value])
    except (NotImplementedError, ValueError, TypeError, KeyError):
        return []
    if isinstance(message, ToolMessage) and isinstance(value, Mapping):
        message.artifact = value.get("artifact")
    return [message]


def _last_text(messages: Iterable[BaseMessage], kind: type[BaseMessage]) -> str | None:
    found = [each for each in messages if isinstance(each, kind)]
    return str(found[-1].text) if found else None


def _as_text(value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, BaseMessage):
        return str(value.text)
    message = f"{value!r:.80} is no text; name the keys of question and answer, or pass texts."
    raise InvalidInputError(message)


def _as_chunks(documents: object) -> list[str | Document]:
    if documents is None:
        return []
    if isinstance(documents, str | Document):
        return [documents]
    if isinstance(documents, Mapping):
        inner = _find(documents, None, DOCUMENT_KEYS)
        return [as_document(documents)] if inner is None else _as_chunks(inner)
    if not isinstance(documents, Iterable):
        return [as_document(documents)]
    return [as_document(each) for each in documents]


def _history(messages: Sequence[BaseMessage]) -> list[BaseMessage] | None:
    """Return the messages before the last human one."""
    last = max((i for i, each in enumerate(messages) if isinstance(each, HumanMessage)), default=0)
    return [each for each in messages[:last] if each.text] or None


def _names(values: Mapping[str, Any]) -> str:
    return ", ".join(map(repr, values)) or "an empty output"


def _started(run: object) -> Any:  # noqa: ANN401 - times of one tracer compare
    return getattr(run, "start_time", None) or 0
