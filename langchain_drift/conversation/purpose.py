"""What a conversation is for, read from its system prompt and examples."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from langchain_drift.characters import whole_characters
from langchain_drift.conversation.style_words import STYLE_WORDS
from langchain_drift.conversation.turn import FewShotExample
from langchain_drift.errors import InvalidInputError
from langchain_drift.text import content_words, sentences, to_prose, words

_MAX_UNITS = 64
_MAX_CHARACTERS = 1200
_CLAUSE_ENDS = re.compile(
    r"[;:；：]|\(\d\)|\s[-–—]\s"  # noqa: RUF001 - full-width marks and dashes
    r"|\b(?:speciali[sz](?:ing|ed) in|helps?(?: (?:the )?\w+)? (?:with|to)|such as|including"
    r"|related to|regarding|focus(?:ed|ing)? on|questions (?:about|on))\b",
    re.IGNORECASE,
)
_ITEM_ENDS = re.compile(r"[,，、]|\band\b|\bor\b")  # noqa: RUF001 - full-width marks
_FORBIDS = re.compile(
    r"\b(never|don'?t|do not|must not|mustn'?t|may not|should not|shouldn'?t|cannot|can'?t|avoid"
    r"|refuse|decline|forbidden|off[- ]limits|out of scope|not allowed|no advice|nicht|niemals"
    r"|nunca|jamais|mai|nooit)\b",
    re.IGNORECASE,
)
_WHO_CANNOT = re.compile(
    r"\b(?:who|that|which|they|customers|users|people|clients|if|when)\s+"
    r"(?:can'?t|cannot|don'?t|do not)\b",
    re.IGNORECASE,
)
_TAGS = re.compile(r"</?[A-Za-z][\w-]*>")
_FEWEST_ITEMS = 3
_LONGEST_ITEM = 4


@dataclass(frozen=True)
class Purpose:
    """The purpose of a conversation.

    Attributes:
        prompt: The system prompt, untouched but for halves of characters.
        examples: Example exchanges.
    """

    prompt: str
    examples: tuple[FewShotExample, ...] = ()

    @classmethod
    def of(cls, prompt: str, examples: Iterable[FewShotExample] = ()) -> "Purpose":
        """Check the parts and make a purpose of them.

        Raises:
            InvalidInputError: If the prompt is not a string or an example is no `FewShotExample`.
        """
        if not isinstance(prompt, str):
            message = f"system_prompt must be a string, not {type(prompt).__name__}."
            raise InvalidInputError(message)
        if not isinstance(examples, Iterable):
            message = (
                f"few_shot_examples must be a list of FewShotExample(…), not {examples!r:.80}."
            )
            raise InvalidInputError(message)
        examples = tuple(examples)
        for example in examples:
            if not isinstance(example, FewShotExample):
                message = (
                    f"few_shot_examples must hold FewShotExample(user=…, assistant=…) objects, "
                    f"not {type(example).__name__}."
                )
                raise InvalidInputError(message)
        return cls(whole_characters(prompt), examples)

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """What the prompt is about and allows: itself, its sentences, clauses and list items."""
        allowed = [part for part in self._sentences if part not in self.forbidden]
        allowed = allowed or list(self._sentences)
        whole = " ".join(allowed)[:_MAX_CHARACTERS]
        parts = [whole, *allowed, *(piece for part in allowed for piece in _pieces(part))]
        shots = [f"{shot.user}\n{shot.assistant}".strip() for shot in self.examples]
        return tuple(_spread(_unique(parts), _MAX_UNITS)) + tuple(_unique(shots)[:_MAX_UNITS])

    @cached_property
    def forbidden(self) -> tuple[str, ...]:
        """The sentences that say what must not be done."""
        found = [part for part in self._sentences if _forbids(part)]
        return tuple(found[:_MAX_UNITS])

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """The stemmed content words of the allowed statements and examples."""
        return frozenset(word for text in self.statements for word in content_words(text))

    @cached_property
    def names_topic(self) -> bool:
        """Whether the prompt or the examples name a topic, not only a manner of answering."""
        return any(
            word not in STYLE_WORDS and any(map(str.isalpha, word)) for word in self.vocabulary
        )

    @cached_property
    def _sentences(self) -> tuple[str, ...]:
        prose = to_prose(_TAGS.sub("\n", self.prompt))
        return tuple(part for part in sentences(prose) if words(part))


def _forbids(sentence: str) -> bool:
    """Return whether a sentence forbids, rather than tell what somebody else cannot do."""
    return bool(_FORBIDS.search(_WHO_CANNOT.sub("", sentence)))


def _pieces(sentence: str) -> Iterator[str]:
    """Yield the clauses of a sentence and the items of its lists."""
    clauses = [clause.strip() for clause in _CLAUSE_ENDS.split(sentence)]
    clauses = [clause for clause in clauses if words(clause)]
    if len(clauses) > 1:
        yield from (clause for clause in clauses if len(words(clause)) > 1)
    for clause in clauses or [sentence]:
        items = [item.strip(" .。") for item in _ITEM_ENDS.split(clause)]
        items = [item for item in items if item]
        short = sum(len(words(item)) <= _LONGEST_ITEM for item in items)
        if len(items) >= _FEWEST_ITEMS and short >= 0.75 * len(items):
            yield from items


def _unique(texts: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(text.strip() for text in texts) if text]


def _spread(texts: list[str], limit: int) -> list[str]:
    """Keep at most `limit` texts, the first and the rest evenly spread."""
    if len(texts) <= limit:
        return texts
    step = (len(texts) - 1) / (limit - 1)
    return [texts[round(position * step)] for position in range(limit)]
