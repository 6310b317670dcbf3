import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.mistakes.action import read_action
from langchain_drift.mistakes.culprits import find_culprits, is_weak, says_absent
from langchain_drift.mistakes.terms import MENTION, find_terms, holds, words_of


def culprits(action, feedback):
    """Return what feedback blames in an action."""
    read = read_action(action)
    return find_culprits(read.terms, feedback, read.values)


@pytest.mark.parametrize(
    ("action", "feedback", "blamed"),
    [
        ("SELECT nam FROM users", "Unknown column 'nam' in 'field list'", {"nam"}),
        ("SELECT u.nam FROM users u", "Unknown column 'db.u.nam' in 'where clause'", {"u.nam"}),
        ("SELECT a FROM usrs", "Table 'shop.usrs' doesn't exist", {"usrs"}),
        ("SELECT a FROM usrs", 'relation "usrs" does not exist', {"usrs"}),
        ("SELECT a FROM usrs", "no such table: usrs", {"usrs"}),
        ("wget -q x.org/a", "/bin/sh: 1: wget: not found", {"wget"}),
        ("ls /srv/data", "ls: cannot access '/srv/data': No such file", {"ls", "/srv/data"}),
        (
            "Search[Los Angeles]",
            "Could not find [Los Angeles]. Similar: ['LA']",
            {"los", "angeles"},
        ),
        ("x = foo + 1", "NameError: name 'foo' is not defined", {"foo"}),
        ("python -c 'import nmpy'", "ModuleNotFoundError: No module named nmpy", {"nmpy"}),
        ("git push --forze", "error: unknown option `forze'", set()),
        ("git push --forze", "error: unknown option --forze", {"--forze"}),
        ({"name": "refund", "args": {"order": "A7"}}, "order A7 was refunded already", {"a7"}),
        ({"name": "pay", "args": {"id": 7}}, "payment 7 is closed", {"7"}),
        ("SELECT a FROM users", "You have an error in your syntax", set()),
        ("SELECT a FROM users", "", set()),
        ("delete the cache", "Unknown column 'the'", set()),
    ],
)
def test_what_feedback_blames(action, feedback, blamed):
    """Feedback blames what it quotes, calls missing or names, as far as the action holds it."""
    assert {term.removeprefix(MENTION) for term in culprits(action, feedback)} == blamed


@given(st.text(max_size=60), st.text(max_size=60))
def test_only_what_the_action_holds_is_blamed(action, feedback):
    """Culprits are terms of the action, whatever the texts."""
    terms = find_terms(action)
    found = find_culprits(terms, feedback)
    assert set(found) <= terms
    assert list(found) == sorted(found, key=lambda term: (-len(term), term))


def test_weak_culprits_accuse_nobody():
    """Flags, numbers and single characters explain a mistake but are no accusation."""
    assert is_weak(("--force", "7", "x"))
    assert is_weak(())
    assert not is_weak(("--force", "users"))


@pytest.mark.parametrize(
    ("feedback", "absent"),
    [
        ("Table 'a' doesn't exist", True),
        ("no such file or directory", True),
        ("wget: command not found", True),
        ("Unknown column 'a'", True),
        ("Could not find [a]", True),
        ("Invalid column name 'a'", True),
        ("flight HAT030 not available on 2024-05-13", True),
        ("cannot delete 'a': device busy", False),
        ("invalid option -- 'z'", False),
        ("duplicate key 'a'", False),
        ("", False),
    ],
)
def test_what_does_not_exist(feedback, absent):
    """Feedback says that a thing is missing, or that something else is wrong with it."""
    assert says_absent(feedback) == absent


def test_a_mention_is_no_use():
    """A name inside quotes is mentioned; in a path or outside of quotes it is used."""
    used = find_terms("SELECT a FROM users")
    mentioned = find_terms("SELECT a FROM tables WHERE name = 'users'")
    assert holds(used, "users")
    assert not holds(mentioned, "users")
    assert holds(mentioned, MENTION + "users")
    assert holds(used, MENTION + "users")
    assert holds(find_terms("ls '/srv/data'"), "/srv/data")


def test_prose_in_an_argument_mentions():
    """What a long text in an argument talks about is not what the call uses."""
    summary = "The user wants to change flight HAT030 but it is not available"
    told = read_action({"name": "transfer", "args": {"summary": summary}}).terms
    used = read_action({"name": "book", "args": {"flight": "HAT030"}}).terms
    assert holds(used, "hat030")
    assert not holds(told, "hat030")


def test_a_path_lies_in_its_folders():
    """A path holds each of the folders above it, and its parts."""
    terms = find_terms("cat /srv/data/a.txt")
    assert {"/srv/data/a.txt", "/srv/data", "/srv", "data", "a", "txt", "cat"} <= terms
    assert "/srv/da" not in terms
    assert words_of(terms) == {"cat", "srv", "data", "a", "txt"}
