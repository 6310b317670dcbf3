import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import HumanMessage, SystemMessage

from langchain_drift.errors import InvalidInputError, SummaryError
from langchain_drift.sessions.exchange import Exchange, session_text
from langchain_drift.sessions.extract import CHARACTERS, extract
from langchain_drift.sessions.shorten import shorten
from langchain_drift.sessions.summarize import PROMPT, asummarize, summarize
from langchain_drift.sessions.summary import SessionSummary
from langchain_drift.text import critical_terms
from langchain_drift.text.names import find_names

CHATS = Path(__file__).parents[2] / "data/conversations_c.jsonl"
BANK = [
    Exchange("Hi there!", "Hello! How can I help?"),
    Exchange("What is the fee of the Acme Rewards card?", "It costs 49 euros a year."),
    Exchange("ok", "Great."),
    Exchange("My order is INV-2291, sent to Mira Okafor.", "Noted. It left on 12 May 2026."),
    Exchange("And where is `config/limits.yaml`?", ""),
]


async def both(exchanges, summarizer):
    """Return what the sync and the async way give; they must be the same."""
    found = summarize(exchanges, summarizer)
    assert await asummarize(exchanges, summarizer) == found
    return found


def terms(text):
    found = critical_terms(text)
    return {*map(str.casefold, find_names(text)), *found.numbers, *found.identifiers}


def test_the_extract_keeps_names_numbers_and_open_questions():
    """Facts of the middle of a session are kept; greetings are not; the unanswered is open."""
    made = extract(BANK)
    for kept in ("Acme Rewards", "49 euros", "INV-2291", "Mira Okafor", "12 May 2026"):
        assert kept in made
    assert made.endswith("Open: And where is config/limits.yaml?")
    for dropped in ("Hi there", "Great.", "How can I help"):
        assert dropped not in made


def test_what_the_assistant_asked_last_is_open():
    """A question of the assistant that the session ended with is open."""
    made = extract([Exchange("Book a table.", "For how many people shall it be?")])
    assert made.endswith("Open: For how many people shall it be?")


def test_the_extract_keeps_most_of_what_was_told():
    """Of long chats' names, numbers and identifiers most are kept, in a fifth of the text."""
    kept, all_terms = 0, 0
    for line in CHATS.read_text(encoding="utf-8").splitlines():
        turns = json.loads(line)["turns"]
        exchanges = [Exchange(turn["user"], turn["assistant"]) for turn in turns]
        text = "\n".join(part for exchange in exchanges for part in exchange)
        told = terms(text)
        kept += len(terms(extract(exchanges)) & told)
        all_terms += len(told)
    assert kept / all_terms > 0.6


@given(st.lists(st.builds(Exchange, st.text(max_size=400), st.text(max_size=900)), max_size=8))
def test_the_extract_is_bounded_and_empty_only_for_nothing(exchanges):
    """An extract is short whatever was said, and empty only where nothing was said."""
    made = extract(exchanges)
    assert len(made) <= CHARACTERS + 4 * 280 + 50
    assert bool(made.strip()) == any(exchange.says_something for exchange in exchanges)


def test_a_long_session_is_summarised_quickly_and_shortly():
    """Two thousand turns give a summary that is no longer than that of ten."""
    turn = "The parcel {} left Hall {} with 12 kg."
    made = extract([Exchange(f"Where is {n}?", turn.format(n, n)) for n in range(2000)])
    assert len(made) < CHARACTERS + 100


async def test_a_function_gets_the_sessions_text():
    """A summarizer, plain or async, gets `Q1: …` and `A1: …` and its text is the summary."""
    seen = []

    def plain(text):
        seen.append(text)
        return " A  summary. "

    async def later(text):
        return plain(text)

    assert await both(BANK[:2], plain) == "A summary."
    assert await asummarize(BANK[:2], later) == "A summary."
    assert set(seen) == {session_text(BANK[:2])}
    assert seen[0].splitlines()[0] == "Q1: Hi there!"
    with pytest.raises(SummaryError, match="async"):
        summarize(BANK, later)


async def test_a_chat_model_gets_a_prompt_and_the_session_as_data():
    """A chat model is told what to do, and gets the session between tags."""
    seen = []

    class Model(FakeListChatModel):
        def _call(self, messages, *args, **kwargs):
            seen.append(messages)
            return super()._call(messages, *args, **kwargs)

    assert await both(BANK, Model(responses=["Mira waits."])) == "Mira waits."
    system, human = seen[0]
    assert system == SystemMessage(PROMPT)
    assert isinstance(human, HumanMessage)
    assert human.text == f"<session>\n{session_text(BANK)}\n</session>"


@pytest.mark.parametrize("exchanges", [[], [Exchange("", " \n")]])
async def test_nobody_is_asked_to_summarise_nothing(exchanges):
    """Field case ctx-05: with no text the summarizer is never called."""
    with pytest.raises(SummaryError, match="nothing to summarise"):
        summarize(exchanges, pytest.fail)
    with pytest.raises(SummaryError, match="nothing to summarise"):
        await asummarize(exchanges, pytest.fail)


@pytest.mark.parametrize("given", ["", "  \n", None, 3, ["a"], "\u200b \u200b", "\0"])
async def test_an_empty_summary_is_an_error(given):
    """A summary that is empty or no text is an error and not a summary."""
    with pytest.raises(SummaryError):
        summarize(BANK, lambda text: given)
    with pytest.raises(SummaryError):
        await asummarize(BANK, lambda text: given)


def test_what_the_summarizer_raises_is_passed_on():
    """An error of the summarizer reaches the caller as it is."""
    with pytest.raises(ZeroDivisionError):
        summarize(BANK, lambda text: 1 / 0)


def test_a_huge_session_is_shortened_for_the_summarizer():
    """A message of any length reaches the summarizer shortened, short ones whole."""
    text = session_text([Exchange("x" * 500_000, "The limit is 500."), *BANK])
    assert len(text) < 40_000
    assert "The limit is 500." in text
    assert "characters left out" in text
    assert session_text(BANK).count("left out") == 0


@given(st.text(max_size=300), st.integers(0, 300))
def test_a_text_is_never_made_longer(text, length):
    """A shortened text begins and ends as the whole one and is shorter; a short one is itself."""
    made = shorten(text, length)
    assert len(made) <= len(text)
    if made != text:
        end = length // 3
        assert made.startswith(text[: length - end])
        assert made.endswith(text[len(text) - end :])
        assert f"{len(text) - length:,} characters left out" in made


def test_a_summary_is_checked_as_it_comes_in():
    """Fields of a summary make one; a wrong field is an error that names it."""
    fields = {"session_number": 2, "summary": "s", "turn_count": 3, "final_drift_score": 88.0}
    made = SessionSummary.of(fields)
    assert made.to_dict() == fields
    assert SessionSummary.of(made) is made
    assert made.to_text() == "[Session 2 | 3 exchanges | drift: 88/100]: s"
    with pytest.raises(InvalidInputError, match="final_drift_score"):
        SessionSummary.of({**fields, "final_drift_score": 120})
    with pytest.raises(InvalidInputError, match="session_number"):
        SessionSummary.of(7)
