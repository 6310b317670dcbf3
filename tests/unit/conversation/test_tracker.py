import asyncio
import copy
import hashlib
import json
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.embeddings import Embeddings

from langchain_drift import (
    Abstention,
    CompositeStrategy,
    DriftTracker,
    EmbeddingError,
    InvalidInputError,
    KeywordStrategy,
    PublishedFormulaStrategy,
    PurposeStrategy,
    TokenOverlapStrategy,
)
from langchain_drift.conversation.strategy import Judgement, Strategy

BANK = "You are an assistant for Harbour Bank. Help with accounts, cards and loans."
TURNS = [
    ("What is my balance?", "Your account holds 12 euros."),
    ("And my card?", None),
    ("Block my card.", "The card is blocked; a new card is on its way."),
    ("How do I bake bread?", "Mix flour, water and yeast and bake the dough for an hour."),
    ("Which flour is best?", "Rye flour gives a dark, dense loaf of sourdough bread."),
]


class Switch(Strategy):
    """Scores 20 where the reply says off, else 95; fails where it says fail."""

    name = "switch"

    def __init__(self):
        self.fails = True

    def start(self):
        return {"score": 100.0, "seen": []}

    def step(self, purpose, state, turn):
        if not turn.assistant:
            return state, Judgement(score=state["score"], abstained=Abstention.NO_REPLY)
        if self.fails and "fail" in turn.assistant:
            message = "the embedder failed"
            raise EmbeddingError(message)
        score = 20.0 if "off" in turn.assistant else 95.0
        return {"score": score, "seen": [*state["seen"], turn.user]}, Judgement(score=score)

    async def astep(self, purpose, state, turn):
        await asyncio.sleep(0)
        return self.step(purpose, state, turn)


class Counting(Embeddings):
    """Counts its calls; a text's vector is its digest."""

    def __init__(self):
        self.calls = 0

    def embed_documents(self, texts):
        self.calls += 1
        return [[byte - 127.5 for byte in hashlib.sha256(one.encode()).digest()] for one in texts]

    def embed_query(self, text):
        return self.embed_documents([text])[0]

    async def aembed_documents(self, texts):
        await asyncio.sleep(0.001)
        return self.embed_documents(texts)


def track(**given):
    """Return a tracker with the fake strategy."""
    return DriftTracker("x", strategies=[Switch()], **given)


def test_a_tracker_is_a_scorer_with_a_state():
    """Recording turns gives what the scorer gives, under the tracker's session."""
    tracker = DriftTracker(BANK, session_id="mine")
    state = tracker.scorer.start()
    for turn in TURNS:
        state, expected = tracker.scorer.step(state, *turn)
        result = tracker.record_turn(*turn)
        assert tracker.state == state
        assert result.drift.score == expected.drift.score
        assert result.drift.session_id == "mine"
        assert result.explanation == expected.explanation
    assert tracker.turn_count == len(TURNS)


def test_before_the_first_turn_nothing_is_said():
    """A report of no turns has the best score and says that there is none."""
    report = DriftTracker(BANK).check()
    assert (report.drift.score, report.total_turns, report.drift.turn_number) == (100, 0, 0)
    assert "No turn" in report.explanation


def test_the_report_is_that_of_the_last_turn():
    """`check` gives the running score, all departures and all returns, as plain JSON."""
    tracker = track()
    for reply in ["on", "off", "", "on", "off"]:
        tracker.record_turn("u", reply)
    report = tracker.check()
    assert (report.drift.score, report.total_turns) == (20, 5)
    assert (report.departures, report.returns) == ((2, 5), (4,))
    assert json.loads(json.dumps(report.to_dict()))["verdict"] == "critical"


async def test_sync_and_async_record_alike():
    """`arecord_turn` and `acheck` give the same as their sync twins."""
    one, other = DriftTracker(BANK, session_id="s"), DriftTracker(BANK, session_id="s")
    for turn in TURNS:
        assert one.record_turn(*turn) == await other.arecord_turn(*turn)
    assert one.state == other.state
    assert one.check() == await other.acheck()


@pytest.mark.parametrize("mode", ["always", "ondemand"])
async def test_concurrent_turns_are_all_recorded(mode):
    """Twenty turns recorded at once on one tracker are each scored, and once."""
    tracker = track(mode=mode)
    await asyncio.gather(*(tracker.arecord_turn(f"u{i}", "on") for i in range(20)))
    await asyncio.gather(*(tracker.acheck() for _ in range(5)))
    assert tracker.turn_count == tracker.check().total_turns == 20
    assert sorted(tracker.state["strategy"]["seen"]) == sorted(f"u{i}" for i in range(20))


async def test_concurrent_turns_of_the_default_are_all_recorded():
    """The same with the bundled embedder."""
    tracker = DriftTracker(BANK)
    results = await asyncio.gather(*(tracker.arecord_turn(*TURNS[0]) for _ in range(20)))
    assert tracker.turn_count == 20
    assert sorted(result.drift.turn_number for result in results) == list(range(1, 21))


async def test_a_turn_is_embedded_once_however_many_come_at_once():
    """Turns that are recorded at once wait for each other instead of being embedded again."""
    embedder = Counting()
    tracker = DriftTracker(BANK, strategies=[PurposeStrategy(embedder)])
    await tracker.arecord_turn(*TURNS[0])
    before = embedder.calls
    await asyncio.gather(*(tracker.arecord_turn(f"Open account {i}?", "Yes") for i in range(10)))
    assert embedder.calls == before + 10
    assert tracker.turn_count == 11


def test_a_tracker_serves_one_event_loop_after_another():
    """Nothing of a loop that has ended is kept."""
    tracker = DriftTracker(BANK)

    async def record():
        await asyncio.gather(*(tracker.arecord_turn(*TURNS[0]) for _ in range(3)))

    asyncio.run(record())
    asyncio.run(record())
    assert tracker.turn_count == 6


def pickled(tracker):
    return pickle.loads(pickle.dumps(tracker))  # noqa: S301 - our own


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
async def test_a_copy_goes_on_alone(copied):
    """A copied or unpickled tracker has the turns so far and leaves the original as it is."""
    tracker = DriftTracker(BANK)
    await tracker.arecord_turn(*TURNS[0])
    other = copied(tracker)
    assert other.state == tracker.state
    assert other.record_turn(*TURNS[1]) == tracker.record_turn(*TURNS[1])
    other.record_turn(*TURNS[0])
    assert (tracker.turn_count, other.turn_count) == (2, 3)
    assert "2 turns" in repr(tracker)


def test_threads_lose_no_turn():
    """Eight threads that record on one tracker lose and double none."""
    tracker = track()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda i: tracker.record_turn(f"u{i}", "on"), range(200)))
    assert sorted(r.drift.turn_number for r in results) == list(range(1, 201))
    assert len(set(tracker.state["strategy"]["seen"])) == 200


def test_on_demand_scores_at_check():
    """In mode `ondemand` nothing is scored until `check`, which gives what `always` gives."""
    always, ondemand = DriftTracker(BANK), DriftTracker(BANK, mode="ondemand")
    for turn in TURNS:
        always.record_turn(*turn)
        result = ondemand.record_turn(*turn)
        assert (result.drift, result.explanation) == (None, None)
        assert result.to_dict()["drift"] is None
    assert ondemand.turn_count == len(TURNS)
    assert ondemand.state["turns"] == 0
    assert ondemand.check().drift.score == always.check().drift.score
    assert ondemand.state == always.state


@pytest.mark.parametrize("mode", ["always", "ondemand"])
def test_a_turn_that_cannot_be_read_is_not_recorded(mode):
    """A message of the wrong kind is an error and leaves the tracker as it was."""
    tracker = track(mode=mode)
    with pytest.raises(InvalidInputError, match="int"):
        tracker.record_turn("u", 3)
    assert tracker.turn_count == 0


def test_a_failing_embedder_records_nothing():
    """A turn whose embedding fails is not recorded; the next one is."""
    tracker = track()
    with pytest.raises(EmbeddingError):
        tracker.record_turn("u", "fail")
    assert tracker.turn_count == 0
    assert tracker.record_turn("u", "on").drift.turn_number == 1


@pytest.mark.parametrize("how", ["sync", "async"])
async def test_a_failing_check_can_be_repeated(how):
    """A check that fails keeps what it has not scored, and scores it when asked again."""
    tracker = track(mode="ondemand")
    for reply in ["on", "fail", "off"]:
        tracker.record_turn("u", reply)
    with pytest.raises(EmbeddingError):
        await tracker.acheck() if how == "async" else tracker.check()
    assert tracker.turn_count == 3
    assert tracker.state["turns"] == 1
    tracker.scorer.strategy.fails = False
    report = await tracker.acheck() if how == "async" else tracker.check()
    assert (report.total_turns, report.drift.score) == (3, 20)


def test_reset_forgets():
    """After a reset the tracker is as new, waiting turns included."""
    for mode in ("always", "ondemand"):
        tracker = track(mode=mode)
        tracker.record_turn("u", "off")
        tracker.reset()
        assert tracker.turn_count == 0
        assert tracker.check().drift.score == 100
        assert tracker.check().departures == ()


def test_the_state_shown_is_no_handle():
    """Whoever changes the state they were shown does not change the conversation."""
    tracker = track()
    tracker.record_turn("u", "on")
    tracker.state["turns"] = 99
    tracker.state["strategy"]["seen"].append("x")
    assert tracker.turn_count == 1
    assert tracker.state["strategy"]["seen"] == ["u"]


def test_sessions_have_names():
    """A tracker has the name it is given, or one of its own."""
    assert DriftTracker(BANK, session_id="a").session_id == "a"
    assert track().session_id != track().session_id


def test_an_own_explanation_reaches_the_report():
    """`explain_fn` makes the explanation of the turn and of the report."""
    tracker = track(explain_fn=lambda result, purpose: f"{result.drift.score} of {purpose.prompt}")
    assert tracker.record_turn("u", "off").explanation == "20.0 of x"
    assert tracker.check().explanation == "20.0 of x"


def test_several_strategies_are_averaged():
    """Several strategies are one composite; a single one is itself; none given is the default."""
    both = DriftTracker(BANK, strategies=[KeywordStrategy(), TokenOverlapStrategy()])
    assert isinstance(both.scorer.strategy, CompositeStrategy)
    parts = both.record_turn(*TURNS[0]).drift.strategy_scores
    assert sum(parts.values()) / 2 == pytest.approx(both.check().drift.score)
    assert isinstance(track().scorer.strategy, Switch)
    assert isinstance(DriftTracker(BANK).scorer.strategy, PurposeStrategy)


@pytest.mark.parametrize("given", [{"decay_rate": 0.9}, {"window_size": 3}])
@pytest.mark.parametrize("strategies", [None, "switch", "two"])
def test_parameters_of_the_published_formula_are_refused_elsewhere(given, strategies):
    """`decay_rate` and `window_size` with another strategy are an error that names them."""
    made = {"switch": [Switch()], "two": [PublishedFormulaStrategy(), Switch()]}.get(strategies)
    with pytest.raises(InvalidInputError, match=next(iter(given))) as caught:
        DriftTracker(BANK, strategies=made, **given)
    assert "PublishedFormulaStrategy" in str(caught.value)


def test_parameters_of_the_published_formula_act_there():
    """With the published formula both parameters change the score."""
    plain = DriftTracker(BANK, strategies=[PublishedFormulaStrategy()])
    fast = DriftTracker(BANK, strategies=[PublishedFormulaStrategy()], decay_rate=0.5)
    for tracker in (plain, fast):
        tracker.record_turn("Help", BANK)
        tracker.record_turn("Help", BANK)
    assert fast.check().drift.score < plain.check().drift.score


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"mode": "sometimes"}, "'sometimes'"),
        ({"mode": None}, "None"),
        ({"strategies": []}, "strategies"),
        ({"strategies": ["keyword"]}, "'keyword'"),
        ({"strategies": [KeywordStrategy(), "keyword"]}, "'keyword'"),
        ({"strategies": KeywordStrategy()}, "strategies"),
        ({"few_shot_examples": ["text"]}, "str"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(given, named):
    """A parameter with a value it cannot take is an error that names the value."""
    with pytest.raises(InvalidInputError, match=named):
        DriftTracker(BANK, **given)


def test_the_marker_is_a_refusal():
    """A reply that says the off-topic marker is a refusal and leaves the score."""
    tracker = DriftTracker(BANK, off_topic_marker="Not my field")
    before = tracker.record_turn(*TURNS[0]).drift.score
    result = tracker.record_turn("Who won the match?", "Not my field.")
    assert result.refused
    assert result.drift.score == before
