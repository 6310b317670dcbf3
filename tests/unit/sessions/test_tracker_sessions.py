import json

import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from langchain_drift import (
    DriftTracker,
    EmbeddingError,
    FewShotExample,
    InvalidInputError,
    KeywordStrategy,
)
from langchain_drift.conversation.strategy import Judgement
from langchain_drift.errors import BudgetError, FrozenContextError, SummaryError

PROMPT = (
    "You are a banking assistant.\n\nIf a user asks something unrelated, say: This is off-topic."
)
SHOTS = [FewShotExample(user="What is APY?", assistant="The yearly yield.")]


class Fails(KeywordStrategy):
    """Fails where the reply says so."""

    fails = True

    def step(self, purpose, state, turn):
        if self.fails and "fail" in turn.assistant:
            message = "the embedder failed"
            raise EmbeddingError(message)
        new, judgement = super().step(purpose, state, turn)
        return new, Judgement(score=judgement.score)


@pytest.fixture(params=["memory", "file"])
def track(request, tmp_path):
    """Return a function that makes a tracker, in memory or on one file."""
    path = tmp_path / "memory"

    def make(prompt=PROMPT, **given):
        given.setdefault("strategies", [KeywordStrategy()])
        if request.param == "file":
            given |= {"persist": True, "persist_path": path}
        return DriftTracker(prompt, **given)

    make.is_file = request.param == "file"
    return make


def talk(tracker, turns=2):
    for number in range(turns):
        tracker.record_turn(f"What of loan {number}?", f"Loan {number} costs {number}00 euros.")


def test_a_session_ends_with_a_summary_and_the_next_begins(track):
    """The report is of the session that ended; the context then has its summary."""
    tracker = track(few_shot_examples=SHOTS)
    talk(tracker)
    before = tracker.check()
    report = tracker.end_session()
    assert (report.session_number, report.total_turns, report.drift) == (1, 2, before.drift)
    assert "100 euros" in report.summary
    assert (tracker.session_number, tracker.turn_count) == (2, 0)
    original = f"{PROMPT}\nUser: What is APY?\nAssistant: The yearly yield."
    context = tracker.get_managed_context()
    assert context.startswith(original)
    assert f"[Session 1 | 2 exchanges | drift: {report.drift.score:.0f}/100]" in context
    assert (report.managed_context, report.context_token_estimate > 0) == (context, True)
    assert tracker.check().drift.score == 100
    assert tracker.record_turn("a", "b").managed_context == context


def test_a_session_without_turns_does_not_end(track):
    """Ending what has not begun gives None and changes nothing."""
    tracker = track()
    assert tracker.end_session() is None
    assert tracker.session_number == 1


def test_the_newest_summaries_are_kept(track):
    """`max_summary_sessions` holds while running and after a restart."""
    tracker = track(max_summary_sessions=2)
    for _ in range(4):
        talk(tracker, 1)
        tracker.end_session()
    numbers = [each.session_number for each in tracker.context_manager.summaries]
    assert numbers == [3, 4]
    if track.is_file:
        again = track(max_summary_sessions=2)
        assert again.context_manager.summaries == tracker.context_manager.summaries
        assert again.session_number == 5


def test_cleared_history_stays_cleared(track):
    """`clear_history` forgets the summaries, after a restart too; the session goes on."""
    tracker = track()
    talk(tracker)
    tracker.end_session()
    talk(tracker, 1)
    tracker.clear_history()
    tracker = track() if track.is_file else tracker
    assert tracker.get_managed_context() == PROMPT
    assert (tracker.session_number, tracker.turn_count) == (2, 1)


def test_a_frozen_session_ends_without_a_summary(track):
    """Frozen, a session ends and no summary, its own or another's, is stored for it."""
    tracker = track(summarize_fn=lambda text: pytest.fail("nobody is asked"))
    tracker.freeze_context()
    talk(tracker)
    report = tracker.end_session()
    assert (report.summary, tracker.session_number) == (None, 2)
    assert tracker.get_managed_context() == PROMPT
    if track.is_file:
        assert track().is_frozen


def test_a_frozen_context_refuses_to_be_cleared_or_reset(track):
    """Frozen, clearing and resetting are errors that change nothing; turns are recorded."""
    tracker = track()
    talk(tracker)
    tracker.end_session()
    tracker.freeze_context()
    talk(tracker, 1)
    before = tracker.get_managed_context()
    for change in (tracker.clear_history, tracker.reset):
        with pytest.raises(FrozenContextError, match="unfreeze_context"):
            change()
    assert (tracker.get_managed_context(), tracker.turn_count) == (before, 1)
    tracker.unfreeze_context()
    tracker.reset()
    assert (tracker.session_number, tracker.turn_count) == (1, 0)
    assert tracker.get_managed_context() == PROMPT


def test_a_tracker_can_begin_frozen(track):
    """`frozen=True` freezes from the start; the flag holds after a restart until lifted."""
    assert track(frozen=True).is_frozen
    if track.is_file:
        tracker = track()
        assert tracker.is_frozen
        tracker.unfreeze_context()
        assert not track().is_frozen


@pytest.mark.parametrize("given", ["", "fails"])
async def test_a_failing_summary_changes_nothing(track, given):
    """With an empty summary, or a summarizer that fails, the session goes on as it was."""

    def summarize(text):
        return text[:0] if not given else 1 / 0

    tracker = track(summarize_fn=summarize)
    talk(tracker)
    before = (tracker.state, tracker.get_managed_context(), tracker.turn_count)
    with pytest.raises((SummaryError, ZeroDivisionError)):
        tracker.end_session()
    with pytest.raises((SummaryError, ZeroDivisionError)):
        await tracker.aend_session()
    assert (tracker.state, tracker.get_managed_context(), tracker.turn_count) == before


def test_whole_answers_are_summarised(track):
    """The summarizer gets answers whole, also where the file keeps their beginning."""
    seen = []
    tracker = track(summarize_fn=lambda text: seen.append(text) or "s")
    tracker.record_turn("Tell me.", "x" * 900 + " The code is 7731.")
    tracker.end_session()
    assert "7731" in seen[0]
    assert "Session 1" not in seen[0]


def test_summaries_are_not_summarised(track):
    """What is summarised of the second session holds nothing of the first one's summary."""
    seen = []
    tracker = track(summarize_fn=lambda text: seen.append(text) or f"note {len(seen)}")
    for _ in range(2):
        talk(tracker)
        tracker.end_session()
    assert "note 1" not in seen[1]


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_on_demand_turns_are_kept_and_scored_after_a_restart(track, how):
    """In mode `ondemand` turns and the summary are kept; `check` scores them, restarted too."""
    tracker, always = track(mode="ondemand"), DriftTracker(PROMPT, strategies=[KeywordStrategy()])
    talk(tracker, 3)
    talk(always, 3)
    tracker = track(mode="ondemand") if track.is_file else tracker
    assert tracker.turn_count == 3
    report = await tracker.acheck() if how == "async" else tracker.check()
    assert report.drift.score == always.check().drift.score
    assert tracker.state == always.state
    tracker.record_turn("And loan 4?", "It has no early fee.")
    report = await tracker.aend_session() if how == "async" else tracker.end_session()
    assert report.total_turns == 4
    tracker = track(mode="ondemand") if track.is_file else tracker
    assert "no early fee" in tracker.get_managed_context()


def test_what_a_failing_check_has_scored_stays_scored(track):
    """A check that fails keeps what it scored; asked again it scores the rest."""
    strategy = Fails()
    tracker = track(mode="ondemand", strategies=[strategy])
    for reply in ["loan", "fail", "bank"]:
        tracker.record_turn("u", reply)
    with pytest.raises(EmbeddingError):
        tracker.check()
    assert (tracker.turn_count, tracker.state["turns"]) == (3, 1)
    strategy.fails = False
    assert tracker.check().total_turns == 3


def test_a_turn_that_fails_is_not_recorded(track):
    """A turn whose scoring fails is in neither the state nor the file."""
    tracker = track(strategies=[Fails()])
    with pytest.raises(EmbeddingError):
        tracker.record_turn("u", "fail")
    assert tracker.turn_count == 0


def test_live_turns_are_in_the_managed_messages(track):
    """The messages are the managed context and the running session's turns."""
    tracker = track()
    talk(tracker, 1)
    tracker.end_session()
    tracker.record_turn("What of loan 7?", "It costs 70 euros.")
    tracker.record_turn("Look it up.", None)
    assert tracker.get_managed_messages() == [
        SystemMessage(tracker.get_managed_context()),
        HumanMessage("What of loan 7?"),
        AIMessage("It costs 70 euros."),
        HumanMessage("Look it up."),
    ]


def test_the_budget_holds_for_the_context_and_the_messages(track):
    """Within `max_tokens` summaries and old turns are left out; the prompt never is."""

    def count(messages):
        return sum(len(message.text.split()) for message in messages)

    tracker = track(max_tokens=40, token_counter=count)
    for _ in range(3):
        talk(tracker, 3)
        tracker.end_session()
    talk(tracker, 9)
    assert count([SystemMessage(tracker.get_managed_context())]) <= 40
    messages = tracker.get_managed_messages()
    assert count(messages) <= 40
    assert messages[0].text.startswith(PROMPT)
    assert messages[-1].text == "Loan 8 costs 800 euros."
    with pytest.raises(BudgetError, match="never cut"):
        track("word " * 99, max_tokens=40, token_counter=count)


def test_another_prompt_goes_on_with_the_file(track):
    """A prompt that was edited is the one used; sessions and turns stay."""
    if not track.is_file:
        pytest.skip("about the file")
    tracker = track()
    talk(tracker)
    tracker.end_session()
    talk(tracker, 1)
    edited = track(f"{PROMPT} Be brief.")
    assert edited.get_managed_context().startswith(f"{PROMPT} Be brief.\n")
    assert (edited.session_number, edited.turn_count) == (2, 1)


@pytest.mark.parametrize("manner", ["sync", "async"])
async def test_a_session_that_never_stands_still_is_not_summarised_for_ever(track, manner):
    """Where others record during each attempt, the summarizer is asked five times and no more."""
    asked = []

    def summarizer(text):
        asked.append(text)
        tracker.record_turn("One more?", "Yes, the bank.")
        return "never"

    tracker = track(summarize_fn=summarizer)
    tracker.record_turn("The bank?", "The bank.")
    with pytest.raises(SummaryError, match="session goes on"):
        await tracker.aend_session() if manner == "async" else tracker.end_session()
    assert len(asked) == 5
    assert (tracker.session_number, tracker.turn_count) == (1, 6)


def test_another_strategy_scores_the_session_again(track):
    """A state of another strategy is not used: its last turns are scored anew."""
    if not track.is_file:
        pytest.skip("about the file")
    talk(track())
    other = track(strategies=None)
    assert other.state["strategy_name"] == "purpose"
    assert other.state["turns"] == other.turn_count == 2
    assert other.record_turn("Which loan?", "A home loan.").drift.turn_number == 3


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"max_summary_sessions": -1}, "max_summary_sessions is -1"),
        ({"summarize_fn": "gpt"}, "'gpt'"),
        ({"max_tokens": -5}, "max_tokens is -5"),
        ({"token_counter": "cl100k"}, "cl100k"),
    ],
)
def test_a_wrong_session_parameter_is_named(track, given, named):
    """A parameter with a value it cannot take is an error that names the value."""
    with pytest.raises(InvalidInputError, match=named):
        track(**given)


def test_results_are_plain_json(track):
    """A turn's dict has no managed context, the report's has; both are JSON."""
    tracker = track()
    talk(tracker, 1)
    turn = tracker.record_turn("a", "b").to_dict()
    assert "managed_context" not in json.loads(json.dumps(turn))
    assert json.loads(json.dumps(tracker.end_session().to_dict()))["managed_context"]
