"""A case: question, chunks and answer as they come in, checked and read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from langchain_core.documents import Document
from langchain_core.messages import BaseMessage, convert_to_messages

from langchain_drift.errors import InvalidInputError
from langchain_drift.retrieval.abstention import is_abstention
from langchain_drift.retrieval.claims import claims
from langchain_drift.retrieval.excerpt import (
    MOST_WORDS,
    MOST_WORDS_ASKED,
    MOST_WORDS_SAID,
    excerpt,
)
from langchain_drift.retrieval.known_names import words_of
from langchain_drift.retrieval.reading import Context, Sentence, read
from langchain_drift.text import Language, detect_language

Chunks = str | Sequence[str | Document] | None
"""One chunk, or any number of them."""

History = str | Sequence[str | BaseMessage | tuple[str, str] | Mapping[str, Any]] | None
"""What was said before, in order: texts, or messages as LangChain takes them."""

_LITTLE = 0.6
"""A question that weighs less cannot be understood without the one before it."""

_YES_WORDS = "yes yeah yep yup correct right indeed ja sí si oui sim"
_NO_WORDS = "no nope nein non não nee"
_FILLER_WORDS = "absolutely definitely of course sure it is that's exactly not really"
_YES, _NO = frozenset(_YES_WORDS.split()), frozenset(_NO_WORDS.split())
_FILLER = frozenset(_FILLER_WORDS.split())


@dataclass(frozen=True)
class Case:
    """What is judged.

    Attributes:
        intent: The question, empty if there is none.
        chunks: The texts of the chunks.
        answer: The answer, None if only the chunks are judged.
        history: What was said before.
    """

    intent: str
    chunks: tuple[str, ...]
    answer: str | None
    history: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, intent: str | None, chunks: Chunks, answer: str | None, history: History = None
    ) -> "Case":
        """Check and convert what a caller passed.

        Raises:
            InvalidInputError: If something is of the wrong type, or there is nothing to judge.
        """
        case = cls(
            intent=_text("intent", intent) or "",
            chunks=tuple(_chunk(number, each) for number, each in enumerate(_listed(chunks))),
            answer=_text("answer", answer),
            history=tuple(_said(history)),
        )
        if case.answer is None and not case.intent.strip():
            message = (
                "There is neither a question nor an answer; give an answer, or a question to "
                "judge the chunks by."
            )
            raise InvalidInputError(message)
        return case

    @cached_property
    def context(self) -> Context:
        """The chunks as they are read."""
        return Context.of(self.chunks)

    @cached_property
    def question(self) -> list[Sentence]:
        """The question; one too short to stand alone follows what was said before it."""
        found = _excerpt_of([each for each in read(self.intent) if each.words])
        if self.history and found and sum(each.weight for each in found) < _LITTLE:
            before = [each for each in read(self.history[-1]) if each.words]
            return [*before, *found]
        return found

    @cached_property
    def said(self) -> list[Sentence]:
        """The sentences of the answer that have words."""
        return [each for each in read(self.answer or "") if each.words]

    @cached_property
    def abstains(self) -> bool:
        """Whether the answer is without words, or says that it has none."""
        return not self.said or is_abstention(self.said)

    @cached_property
    def denies(self) -> bool | None:
        """Whether the answer is a bare no (True) or a bare yes (False), and None otherwise."""
        words = [word for each in self.said for word in each.words]
        if not words or not self.question or not {*words} <= _YES | _NO | _FILLER:
            return None
        if words[0] in _NO:
            return True
        return False if words[0] in _YES else None

    @cached_property
    def claims(self) -> list[Sentence]:
        """What the answer claims, see `claims`; for a bare yes or no, the question."""
        return self.question if self.denies is not None else claims(self.said, self.mentioned)

    @cached_property
    def excerpt(self) -> list[int]:
        """The places of the sentences of the chunks that are embedded."""
        wanted = frozenset(
            each.stems[place] for each in (*self.question, *self.claims) for place in each.content
        )
        return excerpt(self.context.sentences, MOST_WORDS, wanted)

    @cached_property
    def to_embed(self) -> list[Sentence]:
        """The sentences of chunks, question and answer that are embedded."""
        answer = list(dict.fromkeys((*self.said, *self.claims)))
        return [
            *(self.context.sentences[place] for place in self.excerpt),
            *self.question,
            *(answer[place] for place in excerpt(answer, MOST_WORDS_SAID)),
        ]

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """The words of the question and of what was said before."""
        return words_of((self.intent, *self.history))

    @cached_property
    def languages(self) -> tuple[Language, Language]:
        """The language of what is held against the chunks, and of the chunks.

        That is the answer, or the question where there is none.
        """
        held = self.intent if self.abstains else self.answer
        return detect_language(held or self.intent), detect_language(self.context.text)


def _excerpt_of(question: list[Sentence]) -> list[Sentence]:
    return [question[place] for place in excerpt(question, MOST_WORDS_ASKED)]


def _text(name: str, value: object) -> str | None:
    if value is None or isinstance(value, str):
        return value
    message = f"{name} is {value!r:.60} of type {type(value).__name__}; pass a text or None."
    raise InvalidInputError(message)


def _listed(chunks: Chunks) -> Sequence[object]:
    if chunks is None:
        return []
    if isinstance(chunks, str | Document):
        return [chunks]
    if isinstance(chunks, Iterable) and not isinstance(chunks, Mapping | bytes | bytearray):
        return list(chunks)
    message = f"context_chunks is {chunks!r:.60}; pass a text, or a list of texts or documents."
    raise InvalidInputError(message)


def _chunk(number: int, value: object) -> str:
    text = value.page_content if isinstance(value, Document) else value
    if isinstance(text, str):
        return text
    message = (
        f"Chunk {number} is {value!r:.60} of type {type(value).__name__}; pass texts or LangChain "
        "documents."
    )
    raise InvalidInputError(message)


def _said(history: History) -> list[str]:
    if history is None:
        return []
    try:
        entries = [history] if isinstance(history, str | Mapping | BaseMessage) else list(history)
        return [str(each.text) for each in convert_to_messages(cast("Any", entries))]
    except (NotImplementedError, ValueError, TypeError) as error:
        message = (
            f"history is {history!r:.80}; pass texts or messages as LangChain takes them, for "
            'example [("user", "Hello.")].'
        )
        raise InvalidInputError(message) from error
