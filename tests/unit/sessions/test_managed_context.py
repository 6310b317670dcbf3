import os
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

from langchain_drift.errors import BudgetError, InvalidInputError
from langchain_drift.sessions.managed import manage
from langchain_drift.sessions.message_turns import exchange_of, is_waiting, split_turns
from langchain_drift.sessions.summary import SessionSummary, newest, system_text
from langchain_drift.sessions.tokens import approximate_tokens, token_counter

PROMPT = "  You help with\tcards.\n\n1. Never guess.\r\n2. Say: This is off-topic. "


def by_words(messages):
    """Count words, and three tokens a message."""
    return sum(len(str(message.text).split()) + 3 for message in messages)


def summary(number, text="The card limit is 500."):
    return SessionSummary(session_number=number, summary=text, turn_count=2)


def said(*texts):
    """Return messages of human and assistant in turn."""
    kinds = (HumanMessage, AIMessage)
    return [kinds[index % 2](text) for index, text in enumerate(texts)]


def tools(*ids):
    return AIMessage("", tool_calls=[{"name": "look", "args": {}, "id": name} for name in ids])


def history(source):
    """Return a random history: turns with and without tools, some of them very long."""
    messages = []
    for number in range(source.randrange(12)):
        length = source.choice([0, 3, 40, 400, 9000])
        messages.append(HumanMessage("ab c" * length, id=f"h{number}"))
        if source.random() < 0.3:
            messages.append(tools(f"{number}a", f"{number}b"))
            messages += [
                ToolMessage("x y" * source.choice([1, 3000]), tool_call_id=f"{number}{name}")
                for name in "ab"
            ]
        if source.random() < 0.9:
            messages.append(AIMessage("d e\n" * source.choice([1, 30, 2500]), id=f"a{number}"))
    return messages


@settings(max_examples=10_000 if os.environ.get("CI") else 500, deadline=None)
@given(
    prompt=st.text(max_size=200),
    seed=st.integers(0, 2**32),
    budget=st.integers(60, 9240),
    notes=st.lists(st.text(min_size=1, max_size=300), max_size=5),
)
def test_the_prompt_is_in_every_context_byte_for_byte_and_the_budget_is_kept(
    prompt, seed, budget, notes
):
    """Whatever was said, a context begins with the prompt's bytes and is within its budget."""
    summaries = [summary(number, note) for number, note in enumerate(notes, start=1)]
    live = history(random.Random(seed))  # noqa: S311 - no secrets
    before = [message.model_copy(deep=True) for message in live]
    try:
        made = manage(prompt, live, summaries, max_tokens=budget)
    except BudgetError:
        newest_turn = split_turns(live)[-1] if live else ()
        marks = [one.model_copy(update={"content": "." * 50}) for one in newest_turn]
        assert approximate_tokens([SystemMessage(prompt), *marks]) > budget
        return
    assert made.text.encode().startswith(prompt.encode())
    if made.text:
        assert made.messages[0].content == made.text
    assert made.tokens == approximate_tokens(made.messages) <= budget
    assert live == before
    answered = {one.tool_call_id for one in made.messages if isinstance(one, ToolMessage)}
    asked = {call["id"] for one in made.messages for call in getattr(one, "tool_calls", ())}
    assert asked == answered


def test_what_fits_is_whole():
    """Within the budget a context is the prompt, all kept summaries, and every live message."""
    live = said("a", "b", "c", "d")
    made = manage(PROMPT, live, [summary(1), summary(2)], max_tokens=500)
    assert list(made.messages[1:]) == live
    assert made.text == system_text(PROMPT, [summary(1), summary(2)])
    assert (made.dropped_summaries, made.dropped_turns, made.shortened) == (0, 0, 0)


def test_only_the_newest_summaries_are_shown():
    """At most `max_summaries` are shown: those of the newest sessions, oldest first."""
    made = manage(PROMPT, (), map(summary, [4, 1, 3, 2]), max_summaries=2)
    assert [each.session_number for each in made.summaries] == [3, 4]
    assert manage(PROMPT, (), [summary(1)], max_summaries=0).text == PROMPT


def test_a_session_has_one_summary():
    """Of two summaries of one session the last one counts."""
    assert newest([summary(1, "old"), summary(1, "new")], 3) == (summary(1, "new"),)


def test_the_oldest_summaries_go_first_then_the_oldest_turns():
    """As the budget shrinks first summaries go, oldest first, then whole turns, oldest first."""
    live = said(*["one two three"] * 6)
    notes = [summary(number, "word " * 20) for number in (1, 2, 3)]
    seen = []
    for budget in range(160, 20, -1):
        made = manage("p", live, notes, max_tokens=budget, count=by_words)
        seen.append((len(made.summaries), len(made.messages) // 2))
        assert made.summaries == tuple(notes[3 - len(made.summaries) :])
        assert list(made.messages[1:]) == live[len(live) - len(made.messages) + 1 :]
    assert seen == sorted(seen, reverse=True)
    assert list(dict.fromkeys(seen)) == [(3, 3), (2, 3), (1, 3), (0, 3), (0, 2), (0, 1)]


def test_a_prompt_larger_than_the_budget_is_an_error_that_names_both():
    """The prompt is never cut: the error says what it counts and what the budget is."""
    with pytest.raises(BudgetError, match=r"counts 103 tokens.*budget is 50"):
        manage("word " * 100, said("a"), max_tokens=50, count=by_words)


def test_a_message_larger_than_the_budget_is_shortened_in_the_context_only():
    """A long message is cut in its middle with a mark; the original is as it was."""
    long = HumanMessage("first " + "word " * 12_000 + "last", id="h")
    made = manage(PROMPT, [long], [summary(1)], max_tokens=9240, count=by_words)
    shown = made.messages[1]
    assert (made.shortened, shown.id) == (1, "h")
    assert shown.content.startswith("first word")
    assert shown.content.endswith("word last")
    assert "characters left out" in shown.content
    assert made.tokens <= 9240
    assert made.summaries == (summary(1),)
    assert long.content.count("word") == 12_000


def test_blocks_are_shortened_and_pictures_are_kept():
    """Of content blocks the texts are shortened; what is no text stays."""
    picture = {"type": "image_url", "image_url": {"url": "data:,"}}
    message = HumanMessage([{"type": "text", "text": "word " * 5000}, picture, "word " * 5000])
    made = manage("p", [message], max_tokens=1000, count=by_words)
    assert made.messages[1].content[1] == picture
    assert len(message.content[0]["text"]) == 25_000
    assert made.tokens <= 1000


def test_what_cannot_be_shortened_is_an_error():
    """A newest turn that does not fit even when shortened is an error, not an empty context."""
    with pytest.raises(BudgetError, match="newest turn"):
        manage("p", [HumanMessage("a")] * 30, max_tokens=60, count=by_words)


@pytest.mark.parametrize("kept", range(1, 5))
def test_a_call_and_its_results_stay_or_go_together(kept):
    """Field case ctx-04: no result of a tool is without its call, and no call without results."""
    turn = [HumanMessage("go"), tools("1", "2")]
    turn += [ToolMessage("r", tool_call_id=name) for name in "12"] + [AIMessage("done")]
    live = [*turn, *said("next", "yes")] * kept
    for budget in range(12, 120):
        try:
            shown = manage("p", live, max_tokens=budget, count=by_words).messages
        except BudgetError:
            continue
        asked = [call["id"] for one in shown for call in getattr(one, "tool_calls", ())]
        assert asked == [one.tool_call_id for one in shown if isinstance(one, ToolMessage)]


def test_a_repeated_prompt_is_shown_once():
    """A system message of the history that is the prompt is not shown a second time."""
    live = [SystemMessage(PROMPT), *said("a", "b")]
    assert [one.type for one in manage(PROMPT, live).messages] == ["system", "human", "ai"]


def test_other_system_messages_stay():
    """A system message that says something else stays where it is."""
    live = [*said("a", "b"), SystemMessage("Be brief."), *said("c", "d")]
    assert [one.text for one in manage(PROMPT, live).messages[1:]] == [one.text for one in live]


def test_turns_begin_where_a_human_begins():
    """Human messages in a row begin one turn; a late result goes to the turn of its call."""
    late = ToolMessage("r", tool_call_id="1")
    messages = [AIMessage("hi"), *said("a"), *said("b"), tools("1"), *said("c"), late]
    turns = split_turns(messages)
    assert [[one.type for one in turn] for turn in turns] == [
        ["ai"],
        ["human", "human", "ai", "tool"],
        ["human"],
    ]
    assert not any(map(is_waiting, turns))
    assert is_waiting(split_turns(messages[:-1])[1])


def test_a_summary_in_the_history_is_nobodys_words():
    """What another middleware summarised is neither a human's turn nor summarised again."""
    note = HumanMessage("Summary so far", additional_kwargs={"lc_source": "summarization"})
    turns = split_turns([note, *said("a", "b")])
    assert exchange_of(turns[0]) == ("", "")
    assert exchange_of(turns[1]) == ("a", "b")


def test_results_of_tools_are_told():
    """What a tool answered is among what was said, so that facts in it are not lost."""
    turn = [HumanMessage("q"), tools("1"), ToolMessage("7 items", tool_call_id="1", name="look")]
    assert exchange_of(tuple(turn)) == ("q", "[look: 7 items]")


def test_no_budget_is_no_limit_and_zero_is_an_error():
    """None means no limit; a budget of 0 is refused."""
    assert manage("p", said("word " * 9000)).dropped_turns == 0
    with pytest.raises(InvalidInputError, match="max_tokens is 0"):
        manage("p", max_tokens=0)


def test_the_models_own_counter_counts():
    """A chat model counts with its own counter, a function as it is; anything else is refused."""

    class Model(FakeListChatModel):
        def get_num_tokens_from_messages(self, messages, tools=None):
            return 7 * len(messages)

    assert token_counter(Model(responses=["a"]))(said("a", "b")) == 14
    assert token_counter(by_words)(said("a", "b")) == by_words(said("a", "b"))
    assert token_counter() is approximate_tokens
    with pytest.raises(InvalidInputError, match="gpt"):
        token_counter("gpt")


@pytest.mark.parametrize("counted", ["7", None, True, -1, float("nan"), float("inf")])
def test_a_counter_that_counts_nothing_is_told(counted):
    """What a token counter returns must be a number of tokens; a fraction is rounded up."""
    with pytest.raises(InvalidInputError, match="The token counter returned"):
        token_counter(lambda _: counted)(said("a"))
    assert token_counter(lambda _: 2.5)(said("a")) == 3
