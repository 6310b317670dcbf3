import json

import pytest

from langchain_drift.errors import BudgetError, FrozenContextError, InvalidInputError, SummaryError
from langchain_drift.sessions.context_manager import ContextManager
from langchain_drift.sessions.exchange import Exchange

PROMPT = "You help\nwith cards."


def manager(**given):
    """Return a manager whose summary is the text in capitals."""
    return ContextManager(PROMPT, summarize_fn=str.upper, **given)


def test_the_newest_summaries_are_kept():
    """Of more sessions than are to be kept the oldest summaries go."""
    held = manager(max_summary_sessions=2)
    for number in (1, 2, 3):
        held.add_session_summary(f"about {number}", number, 4, 90.0)
    assert [each.session_number for each in held.summaries] == [2, 3]
    assert held.build_managed_context().startswith(PROMPT)
    assert "Q1: ABOUT 3" in held.build_managed_context()
    assert held.estimate_token_count() > 10


def test_a_frozen_context_is_not_changed():
    """Frozen, adding and clearing are errors that change nothing; unfrozen they work."""
    held = manager()
    held.add_session_summary([Exchange("a", "b")], 1, 1)
    held.freeze()
    before = held.export_summaries()
    with pytest.raises(FrozenContextError, match="add a summary"):
        held.add_session_summary("x", 2, 1)
    with pytest.raises(RuntimeError, match="clear the history"):
        held.clear_history()
    assert (held.frozen, held.export_summaries()) == (True, before)
    held.unfreeze()
    held.clear_history()
    assert held.build_managed_context() == PROMPT
    assert manager(frozen=True).frozen


def test_exported_summaries_load():
    """What is exported is plain JSON; loaded, as many are kept as are to be kept."""
    held = manager()
    for number in (1, 2, 3):
        held.add_session_summary("x", number, 1)
    stored = json.loads(json.dumps(held.export_summaries()))
    other = manager(max_summary_sessions=1)
    other.load_summaries(stored)
    assert other.summaries == held.summaries[-1:]


def test_an_empty_summary_changes_nothing():
    """A summarizer that gives nothing is an error, and the summaries are as before."""
    held = ContextManager(PROMPT, summarize_fn=lambda text: "")
    with pytest.raises(SummaryError):
        held.add_session_summary("x", 1, 1)
    assert held.summaries == []


def test_the_budget_holds():
    """Within a budget summaries are left out; a prompt beyond it is an error."""
    held = manager(max_tokens=30, counter=lambda messages: sum(len(m.text) for m in messages))
    held.add_session_summary("x" * 100, 1, 1)
    assert held.build_managed_context() == PROMPT
    with pytest.raises(BudgetError):
        ContextManager("word " * 100, max_tokens=10).build_managed_context()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"max_summary_sessions": -1}, "max_summary_sessions is -1"),
        ({"max_summary_sessions": "3"}, "'3'"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"counter": 5}, "5"),
        ({"summarize_fn": "gpt"}, "'gpt'"),
    ],
)
def test_a_wrong_parameter_is_named(given, named):
    """A parameter with a value it cannot take is an error that names the value."""
    with pytest.raises(InvalidInputError, match=named):
        ContextManager(PROMPT, **given)
