"""Two kinds of text: prose, to be compared by meaning, and code, which means what it spells."""

import re

from langchain_drift.text.function_words import FUNCTION_WORDS
from langchain_drift.text.tokens import Tokens, find_tokens

_READ = 4000
_CALL = re.compile(r"\s*[A-Za-z_][\w.-]*\s*(?:\[.*\]|\(.*\)|\{.*\})\s*;?\s*", re.DOTALL)
_OPERATORS = re.compile(r"[=<>|;{}\[\]()*$&\\~^#+]+|::")
_FLAG = re.compile(r"(?<!\S)--?[A-Za-z][\w-]*")
_CAPITALS = re.compile(r"\b[A-Z]{2,}\b")
_OPENING_CAPITALS = re.compile(r"\W*[A-Z]{2,}\b")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_QUOTED = re.compile(r"(?<!\w)'[^'\n]*'(?!\w)|\"[^\"\n]*\"")
_I = frozenset({"I", "I'm", "I'll", "I'd", "I've"})
# A name in prose ("open README.md") is half a sign of code; an operator or a flag is a whole one.
_NAME_WEIGHT = 0.5
_WORDS_PER_SIGN = 6
_LEAST_SIGNS = 0.5


def is_code(text: str) -> bool:
    """Tell whether a text is code-like: a call, a command, a query, data.

    It is if it has the form of a call (`name(…)`, `name[…]`, `name {…}`), or if its signs of code
    (operators, flags, at half weight identifiers and paths, and if one opens it words in capitals)
    outnumber its lower-case function words plus a sixth of all its words; a lone name is not
    enough. What it quotes is not counted among the words. Only the first 4,000 characters are
    read.
    """
    text = text[:_READ]
    if _CALL.fullmatch(text):
        return True
    tokens = find_tokens(text)
    prose = sum(map(_is_function_word, _WORD.findall(_QUOTED.sub(" ", tokens.rest))))
    words = len(_QUOTED.sub(" ", text).split())
    return _signs(text, tokens) > max(_LEAST_SIGNS, prose + words / _WORDS_PER_SIGN)


def _is_function_word(word: str) -> bool:
    return word in _I or (word.islower() and word in FUNCTION_WORDS["en"])


def _signs(text: str, tokens: Tokens) -> float:
    # "SELECT name FROM users", but not "enable TLS".
    capitals = _CAPITALS.findall(text) if _OPENING_CAPITALS.match(text) else []
    acronyms = set(map(str.casefold, _CAPITALS.findall(text)))
    names = [n for n in tokens.identifiers if not n.startswith("-") and n not in acronyms]
    whole = len(_OPERATORS.findall(text)) + len(_FLAG.findall(text)) + len(capitals)
    return whole + _NAME_WEIGHT * (len(names) + len(tokens.paths))
