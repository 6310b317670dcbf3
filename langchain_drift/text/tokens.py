"""Identifiers and paths: the tokens of a text that mean exactly what they say."""

# ruff: noqa: RUF001 - typographic quotes are meant

import re
from dataclasses import dataclass

from langchain_drift.text.function_words import FUNCTION_WORDS
from langchain_drift.text.quantities import UNITS

_URL = re.compile(r"\b(?:(?:https?|ftp|file|s3|git|ssh)://|www\.)[^\s<>\"'`)\]}]+")
_TOKEN = re.compile(r"[^\s()\[\]{},;=<>|\"'`“”„‘’«»*!?…。，！？、]+")
# Longer runs are data, not names; the bound also keeps each expression below cheap.
_MAX_TOKEN = 300
_FILE = re.compile(
    r"[\w@~.+/\\:-]*\w\.(?:bat|bin|bz2|c|cfg|conf|cpp|cs|css|csv|db|dll|docx?|env|exe|gif|go|gz|h"
    r"|html?|ini|ipynb|java|jpe?g|js|json|jsonl|jsx|kt|lock|log|md|mjs|mp[34]|parquet|pdf|php|pkl"
    r"|png|ps1|py|rb|rs|rst|sh|so|sql|sqlite|svg|swift|tar|tmp|toml|tsx?|txt|wav|whl|xlsx?|xml"
    r"|ya?ml|zip)",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"""
    (?:~|\.{1,2})?/[\w.@+-][\w./@+~-]*               # /tmp, ~/x, ./a, ../a
    |[A-Za-z]:[\\/].*|\\\\\w.*                       # C:\\x, \\\\host\\share
    |(?=[^/]*[A-Za-z_])[\w.@-]+(?:/[\w.@-]+){2,}/?   # a/b/c
    |(?=[^/]*[A-Za-z_])[\w.-]+/                      # build/
    """,
    re.VERBOSE,
)
_IDENTIFIER = re.compile(
    r"""
    _*[^\W_]+(?:_+[^\W_]+)+_*|__[^\W_]+__            # snake_case, user_1, __init__
    |[a-z]+[0-9]*[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*     # camelCase, PascalCase
    |\$[A-Za-z_]\w*|--?[A-Za-z][\w-]*                # $HOME, --flag
    |@[\w.-]+(?:/[\w.-]+)*                           # @scope/package, @user
    |[\w.+-]+@[\w-]+(?:\.[\w-]+)+                    # mail address
    |v?\d+(?:\.\d+){2,}(?:[.-]?[a-z]+\d*)?           # 1.2.3, v1.2.3-rc1, 10.0.0.1
    |v\d+(?:\.\d+)?                                  # v2
    |[a-z_]\w+(?:(?:\.|::)[a-z_]\w+)+                # os.path, std::vector
    """,
    re.VERBOSE | re.ASCII,
)
_CODE = re.compile(r"(?=[A-Za-z-]*\d)(?=[\d-]*[A-Za-z])[A-Za-z\d]+(?:-[A-Za-z\d]+)*", re.ASCII)
_QUANTITY = re.compile(r"\d+[A-Za-z]{1,4}|\d+(?:-[A-Za-z]+)+|[a-z]+-\d+", re.ASCII)
_ACRONYM = re.compile(r"[A-Z]{2,5}s?", re.ASCII)
_SHOUTS = """
    ok okay am pm asap fyi btw lol omg imo idk pls error
    asc avg count desc drop group inner join left like limit max min order outer right sum table
    union
"""
_NOT_ACRONYMS = FUNCTION_WORDS["en"].union(UNITS, _SHOUTS.split())


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of a text that mean exactly what they say, casefolded.

    Attributes:
        identifiers: Names in code, acronyms, part numbers, packages, flags, hashes, versions.
        paths: Paths, file names and URLs.
        rest: The text without them.
    """

    identifiers: frozenset[str]
    paths: frozenset[str]
    rest: str


def find_tokens(text: str) -> Tokens:
    """Find the identifiers and paths of a text."""
    identifiers: set[str] = set()
    paths: set[str] = set()
    is_shouted = _is_shouted(text)

    def take_url(match: re.Match[str]) -> str:
        paths.add(match.group().rstrip(".,;:!?/").casefold())
        return " "

    def take(match: re.Match[str]) -> str:
        whole = match.group()
        if (whole.isalpha() and (whole.islower() or whole.istitle())) or len(whole) > _MAX_TOKEN:
            return whole
        token = whole.rstrip(".:").lstrip("#")
        if _is_path(token):
            paths.add((token.rstrip("/\\") or token).casefold())
            return " "
        parts = [token] if token.startswith("@") else token.split("/")
        named = [part for part in parts if _is_identifier(part, is_shouted=is_shouted)]
        identifiers.update(map(str.casefold, named))
        return " " if named else whole

    rest = _TOKEN.sub(take, _URL.sub(take_url, text))
    return Tokens(frozenset(identifiers), frozenset(paths), rest)


def _is_shouted(text: str) -> bool:
    """Tell a text in capitals, whose words are no acronyms."""
    return sum(map(str.isupper, text)) > sum(map(str.islower, text))


def _is_path(token: str) -> bool:
    if "/" not in token and "\\" not in token and "." not in token:
        return False
    return bool(_PATH.fullmatch(token) or _FILE.fullmatch(token))


def _is_identifier(token: str, *, is_shouted: bool) -> bool:
    if _IDENTIFIER.fullmatch(token):
        return True
    if _ACRONYM.fullmatch(token):
        return not is_shouted and token.casefold() not in _NOT_ACRONYMS
    return bool(_CODE.fullmatch(token) and not _QUANTITY.fullmatch(token))
