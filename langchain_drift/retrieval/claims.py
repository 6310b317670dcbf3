"""Claims: what an answer asserts, without hedges, courtesies and words about its own ignorance."""

import re
from collections.abc import Sequence
from typing import Final

from langchain_drift.retrieval.abstention import abstains
from langchain_drift.retrieval.reading import Sentence
from langchain_drift.text.hedges import without_hedge
from langchain_drift.text.words import words

# A whole sentence of the kind that opens and closes service talk.
_COURTESY: Final = re.compile(
    r"""\W*(?:
      (?:hi|hello|hey|good\ (?:morning|afternoon|evening))\b(?:\W+\w+){0,4}
    | (?:sure(?:\ thing)?|certainly|of\ course|absolutely|great|thanks|thank\ you|you're\ welcome
        |no\ problem|my\ pleasure|got\ it|okay|ok)\b
      (?:\W+(?:for\b.{0,60}|so\ much|very\ much|(?:i'm\ |i\ am\ |i'd\ be\ )?
        (?:happy|glad|pleased)\ to\ (?:help|assist)\b.{0,30}))?
    | (?:that's\ )?(?:a\ )?(?:great|good|excellent)\ question
    | (?:i'm|i\ am|i'd\ be|i\ would\ be)?\ ?(?:always\ )?(?:happy|glad|pleased)\ to
      \ (?:help|assist)\b.{0,40}
    | i\ hope\ (?:this|that|it)\ (?:helps|answers|clarifies)\b.{0,40}
    | (?:please\ )?(?:just\ )?
      (?:let\ me\ know|feel\ free\ to|(?:don't|do\ not)\ hesitate\ to)\b.{0,80}
    | if\ you\ (?:have|need|want|would\ like)\ (?:any\ |some\ )?(?:other|more|further|additional)
      \b.{0,90}
    | (?:is\ there\ )?anything\ else\b.{0,60}
    | (?:how\ )?(?:can|may)\ i\ (?:help|assist)\b.{0,60}
    | do\ you\ (?:have|need)\ any(?:thing)?\ (?:other|more|further|else)\b.{0,40}
    | (?:have\ a\ (?:great|good|nice|lovely)\ \w+)
    )\W*""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_ADDRESS: Final = re.compile(
    r",\s*(?:Mr|Mrs|Ms|Miss|Dr|Sir|Madam)\b\.?((?:\s+[^\W\d_][\w-]+){0,2})([.!?]*)$"
)


def claims(said: Sequence[Sentence], mentioned: frozenset[str] = frozenset()) -> list[Sentence]:
    """Return what an answer asserts.

    Hedges ("I'm not sure, but") and addresses (", Mr Brown") are taken off; courtesies ("Happy to
    help!") and sentences that only say what is not known are left out. An answer without any
    claim is returned as it is.

    Args:
        said: The sentences of the answer.
        mentioned: The words of question and history: only who named himself is addressed.
    """
    found = [each for each in said if not _is_courtesy(each) and not abstains(each)]
    return [_bare(each, mentioned) for each in found] or list(said)


def _bare(sentence: Sentence, mentioned: frozenset[str]) -> Sentence:
    text = without_hedge(sentence.text)
    address = _ADDRESS.search(text)
    if address and mentioned.issuperset(words(address[1])):
        text = f"{text[: address.start()]}{address[2]}"
    return sentence if text == sentence.text else Sentence(text)


def _is_courtesy(sentence: Sentence) -> bool:
    text = sentence.text.replace("\u2019", "'")
    return not any(map(str.isdigit, text)) and bool(_COURTESY.fullmatch(text))
