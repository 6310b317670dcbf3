"""Abstention: an answer that says that it has none."""

# ruff: noqa: RUF001 - typographic apostrophes and other scripts are meant

import re
from collections.abc import Sequence
from typing import Final

from langchain_drift.retrieval.reading import Sentence

_SOURCE: Final = (
    r"(?:context|documents?|passages?|texts?|manual|sources?|chunks?|articles?|information|"
    r"excerpts?|materials?|documentation|page|snippets?|data|results?)"
)
_SAYS: Final = (
    r"(?:say|mention|contain|provide|specify|answer|state|include|cover|give|tell|discuss|describe"
    r"|address|indicate|list|explain)"
)
_ABSTAINS: Final = re.compile(
    rf"""
    \b(?:i|we)(?:\ (?:really|honestly|simply|just|also))?\ ?
      (?:do\ not|don't|dont|cannot|can't|cant|can\ not|could\ not|couldn't
        |am\ (?:unable|not\ able)\ to|'m\ (?:unable|not\ able)\ to)
      \ (?:really\ |actually\ |currently\ )*
      (?:know|answer|find|say|tell|determine|provide|confirm
        |have\ (?:any\ |enough\ |that\ |this\ |the\ |specific\ |sufficient\ )*
          (?:information|details?|data|knowledge|access|answer|idea))
    |\b(?:i|we)(?:\ have|'ve)?\ (?:have\ |found\ |find\ |see\ )?
      no\ (?:idea|information|answer|mention|details?|data|knowledge)
    |\b(?:i'm|i\ am)\ (?:really\ )?(?:not\ (?:\w+\ )?sure|unsure)\b
    |\b{_SOURCE}(?:\ \w+){{0,5}}
      \ (?:does\ not|doesn't|do\ not|don't|did\ not|didn't|never|fails?\ to)\ (?:\w+\ )?{_SAYS}
    |\b(?:there\ (?:is|was|are)|there's|contains?|provides?|includes?)
      \ (?:no|not\ enough|insufficient)\ (?:\w+\ )?
      (?:information|mention|answer|details?|data|indication)
    |\b(?:not|nowhere|isn't|aren't|wasn't)\ (?:\w+\ )?
      (?:mentioned|specified|stated|provided|available|covered|given|included|found|answered
        |discussed|described)
      \ (?:\w+\ ){{0,3}}(?:in|by|from)\ (?:\w+\ ){{0,3}}{_SOURCE}
    |\bno\ (?:\w+\ )?(?:information|mention|details?|data|answer)\ (?:\w+\ ){{0,3}}
      (?:given|provided|available|found|included)\b
    |\b(?:cannot|can't|can\ not|could\ not|couldn't)\ be\ (?:answered|determined|found)
    |\b(?:insufficient|not\ enough)\ (?:information|context|data)|\bunanswerable\b|^\W*no\ idea\b
    |\b(?:i|we)\ (?:cannot|can't|can\ not|(?:am|are)\ unable\ to)\ (?:help|assist)
      \ (?:you\ )?(?:with\ (?:that|this|it)|there)\b
    |\bnothing\ (?:\w+\ ){{0,5}}(?:in|of|from)\ (?:\w+\ ){{0,3}}{_SOURCE}
      (?:\ (?:\w+\ )?(?:answers?|says?|mentions?|covers?|address(?:es)?)\b|\W*$)
    |\b{_SOURCE}\ (?:is|are|remains?)\ silent\b
    |\b(?:isn't|is\ not|not)\ clear\ from\ (?:\w+\ ){{0,3}}{_SOURCE}
    |^\W*(?:n/a|unknown|no\ answer
      |not\ (?:specified|stated|mentioned|available|provided|given|known|applicable))\W*$
    |\b(?:weiß|weiss)\ (?:ich\ )?(?:es\ |das\ )?(?:leider\ )?nicht
    |\bkeine\ (?:angaben?|informationen|auskunft)
    |\bno\ (?:lo\ )?sé\b|\bno\ (?:se\ )?(?:menciona|indica|dice|encuentr\w+)
    |\bno\ (?:hay|tengo)\ información
    |\bje\ ne\ sais\ pas|\bne\ (?:le\ )?(?:dit|mentionne|précise|contient)\ pas
    |\bpas\ d'informations?
    |\bnon\ (?:lo\ )?so\b|\bnão\ sei\b|\bik\ weet\ het\ niet
    |不知道|不清楚|(?:没有|沒有|未)(?:提到|提及|说明|說明|相关信息)|(?:无法|無法|不能)(?:回答|确定|確定)
    |(?:わかり|分かり|知り|存じ)ません|(?:記載|書かれて)(?:されて)?(?:い)?ません
    |不明です|모르겠|알\ 수\ 없
    """,
    re.IGNORECASE | re.VERBOSE,
)
_TURN: Final = re.compile(r"\b(?:but|however|although|though|yet|still)\b", re.IGNORECASE)
_OFFER: Final = re.compile(
    r"^\W*(?:sorry|i'?m sorry|i apologi[sz]e|unfortunately|please|could you|can you|would you"
    r"|do you|feel free|let me know|if you|you (?:may|might|could|can) (?:want to )?"
    r"(?:check|contact|try|consult|ask|look|visit|reach)|i (?:recommend|suggest)|thank)\b",
    re.IGNORECASE,
)
_LITTLE: Final = 0.6
"""A sentence that weighs less says nothing of its own."""


def is_abstention(answer: Sequence[Sentence]) -> bool:
    """Tell whether an answer says that it has none, and claims nothing beside.

    English is recognised well, nine other languages by their most frequent wordings.
    """
    found = [abstains(each) for each in answer]
    return any(found) and all(
        has_none or _says_little(each) or _is_offer(each)
        for each, has_none in zip(answer, found, strict=True)
    )


def abstains(sentence: Sentence) -> bool:
    """Tell whether a sentence says that there is no answer, and little else."""
    text = sentence.text.replace("’", "'")
    match = _ABSTAINS.search(text)
    if match is None:
        return False
    turn = _TURN.search(text, match.end())
    return turn is None or _says_little(Sentence(text[turn.end() :]))


def _says_little(sentence: Sentence) -> bool:
    return sentence.weight < _LITTLE and not any(map(str.isdigit, sentence.text))


def _is_offer(sentence: Sentence) -> bool:
    return sentence.text.endswith(("?", "？")) or bool(_OFFER.match(sentence.text))
