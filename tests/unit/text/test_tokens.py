import pytest

from langchain_drift.text.names import find_names
from langchain_drift.text.tokens import find_tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("flash board ZX1603", {"zx1603"}),
        ("delete user_1 and __init__", {"user_1", "__init__"}),
        ("call getUserName on UserTable", {"getusername", "usertable"}),
        ("upgrade @lib/test-native", {"@lib/test-native"}),
        ("mail jane.doe@example.com", {"jane.doe@example.com"}),
        ("pin v1.2.3 or 2.0.1-rc1", {"v1.2.3", "2.0.1-rc1"}),
        ("use --force and -v with $HOME", {"--force", "-v", "$home"}),
        ("commit 3f2a9bc1", {"3f2a9bc1"}),
        ("enable TLS over TCP/IP", {"tls", "tcp", "ip"}),
        ("os.path and std::vector", {"os.path", "std::vector"}),
        ("the `order_id`, (user_id): x=item_id;", {"order_id", "user_id", "item_id"}),
        ("order A-1042 of COVID-19", {"a-1042", "covid-19"}),
    ],
)
def test_identifiers(text, expected):
    """Names in code, acronyms, part numbers, packages, flags, hashes and versions are found."""
    assert find_tokens(text).identifiers == expected


@pytest.mark.parametrize(
    "text",
    [
        "Plain words only.",
        "OK, I do NOT know",
        "HELP ME PLEASE NOW",
        "5pm 10k 1st 5GB 5-year covid-19",
        "and/or he/she 24/7",
        "e.g. the end.Then",
        "rows FROM t JOIN u AND b LIMIT 5",
        "5:30 3.5",
    ],
)
def test_prose_holds_no_identifier(text):
    """Words, shouting, quantities and SQL keywords are no identifiers."""
    assert find_tokens(text).identifiers == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("rm -rf /tmp/build/", {"/tmp/build"}),  # noqa: S108 - a name
        ("clear /tmp.", {"/tmp"}),  # noqa: S108 - a name
        ("edit ./a, ../b and ~/c", {"./a", "../b", "~/c"}),
        ("open dist/app.js and README.md", {"dist/app.js", "readme.md"}),
        ("in C:\\Temp\\x", {"c:\\temp\\x"}),
        ("see https://Example.com/a?b=c.", {"https://example.com/a?b=c"}),
        ("merge a/b/c into build/", {"a/b/c", "build"}),
        ("the temp directory and/or 12/05/2024", set()),
    ],
)
def test_paths(text, expected):
    """Paths, file names and URLs are found without the punctuation around them."""
    assert find_tokens(text).paths == expected


def test_the_rest_holds_what_is_no_token():
    """Numbers inside identifiers and paths do not count as numbers later."""
    assert find_tokens("put 3 in user_1 at /tmp/2").rest.split() == ["put", "3", "in", "at"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yesterday I met Angela Merkel in New York.", ["Angela Merkel", "New York"]),
        ("The Eiffel Tower is in Paris. It is old.", ["Eiffel Tower", "Paris"]),
        ("Please call me. Cancel it.", []),
        ("We saw Tom, Ana and José.", ["Tom", "Ana", "José"]),
        ("", []),
    ],
)
def test_names(text, expected):
    """Capitalised runs are names, but for a single word that opens a sentence."""
    assert find_names(text) == expected
