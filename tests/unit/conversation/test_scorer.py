import asyncio
import copy
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_drift import Abstention, DriftScorer, FewShotExample, InvalidInputError
from langchain_drift.conversation.strategy import Judgement, Strategy

BANK = "You are an assistant for Harbour Bank. Help with accounts, cards and loans."
TURNS = [
    ("What is my balance?", "Your account holds 12 euros."),
    ("And my card?", None),
    ("Block my card.", "The card is blocked; a new card is on its way."),
    ("How do I bake bread?", "Mix flour, water and yeast and bake the dough for an hour."),
    ("Which flour is best?", "Rye flour gives a dark, dense loaf of sourdough bread."),
    ("Thanks", "You're welcome!"),
    ("Who won the match?", "I can't help with football, only with your accounts."),
    (["a", {"type": "text", "text": " transfer"}], [{"type": "text", "text": "It is free."}]),
    ("转账要多久？", "转账需要一天。"),
    ("What does a loan cost?", "A loan of our bank costs five percent a year."),
]
HOSTILE = [
    "a\x00b card \x00",
    "\u202eyour card is frozen\u202c \u200f\u061c",
    "e\u0301" * 50 + " card " + "\u0336" * 500,
    "\ud800 card \udfff",
    "card \ud83d",
    "\ufeff\ufffe\uffff card loan",
    "🙂" * 2_000,
    "\r\n\t\v\f card \u2028\u2029 account",
]


class Switch(Strategy):
    """Scores 20 where the reply says off, else 95; abstains without a reply."""

    name = "switch"

    def start(self):
        return {"score": 100.0, "log": []}

    def step(self, purpose, state, turn):
        if not turn.assistant:
            return state, Judgement(score=state["score"], abstained=Abstention.NO_REPLY)
        score = 20.0 if "off" in turn.assistant else 95.0
        return {"score": score, "log": [*state["log"], turn.user]}, Judgement(score=score)


@pytest.fixture(scope="module")
def scorer():
    """Return one scorer of the bank for all tests: it holds no conversation."""
    return DriftScorer(BANK)


def run(scorer, turns=TURNS):
    """Return the state and the result after each turn."""
    state, found = scorer.start(), []
    for turn in turns:
        state, result = scorer.step(state, *turn)
        found.append((state, result))
    return found


def test_the_state_is_plain_json(scorer):
    """The state is the same after a trip through JSON, before the first turn and after each."""
    for state in [scorer.start(), *(state for state, _ in run(scorer))]:
        assert json.loads(json.dumps(state, allow_nan=False)) == state


def test_a_conversation_goes_on_from_json(scorer):
    """A conversation stored after each turn is scored like one that is not."""
    state = scorer.start()
    for turn, expected in zip(TURNS, run(scorer), strict=True):
        state, result = scorer.step(json.loads(json.dumps(state)), *turn)
        assert (state, result) == expected


def test_results_are_plain_json(scorer):
    """Every result can be written as JSON and names its verdict."""
    for _, result in run(scorer):
        found = json.loads(json.dumps(result.to_dict(), allow_nan=False))
        assert found["drift"]["verdict"] == result.drift.verdict


async def test_a_step_leaves_its_state_alone(scorer):
    """Neither a sync nor an async step changes the state it was given."""
    state = scorer.start()
    for turn in TURNS:
        before = copy.deepcopy(state)
        await scorer.astep(state, *turn)
        after, _ = scorer.step(state, *turn)
        assert state == before
        state = after


async def test_sync_and_async_agree(scorer):
    """Both ways give the same states and results."""
    state = scorer.start()
    for turn, expected in zip(TURNS, run(scorer), strict=True):
        state, result = await scorer.astep(state, *turn)
        assert (state, result) == expected


async def test_conversations_at_once_agree_with_one(scorer):
    """Ten conversations on one event loop are each scored like one alone."""

    async def one():
        state, found = scorer.start(), []
        for turn in TURNS:
            state, result = await scorer.astep(state, *turn)
            found.append((state, result))
        return found

    expected = run(scorer)
    assert all(found == expected for found in await asyncio.gather(*(one() for _ in range(10))))


def test_threads_agree_with_one():
    """Eight threads on one fresh scorer give the same as one thread."""
    scorer = DriftScorer(BANK)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: run(scorer), range(8)))
    expected = run(DriftScorer(BANK))
    assert all(one == expected for one in found)


def test_forks_do_not_touch_each_other(scorer):
    """Two branches of one state are each scored as if the other were not."""
    state = run(scorer, TURNS[:3])[-1][0]
    on, off = TURNS[9], TURNS[3]
    alone = scorer.step(scorer.step(state, *on)[0], *on)
    scorer.step(scorer.step(state, *off)[0], *off)
    assert scorer.step(scorer.step(state, *on)[0], *on) == alone


def test_turns_that_are_not_judged_leave_the_score(scorer):
    """Where a turn is not judged or is refused, the score and the alarm are those before."""
    score, judged = 100.0, set()
    for state, result in run(scorer):
        judged.add(result.abstained)
        if result.abstained or result.refused:
            assert result.drift.score == score
            assert not result.departed
            assert not result.returned
        score = state["score"]
        assert score == result.drift.score
    assert {None, Abstention.NO_REPLY, Abstention.NOTHING_TO_JUDGE} <= judged


def test_turns_are_numbered(scorer):
    """Every turn counts, judged or not."""
    assert [r.drift.turn_number for _, r in run(scorer)] == list(range(1, len(TURNS) + 1))


@settings(deadline=None, max_examples=100)
@given(st.lists(st.sampled_from(["on", "off", ""]), max_size=40))
def test_departures_and_returns_match_the_alarms(replies):
    """A departure is where the alarm begins, a return where it ends, and they alternate."""
    scorer = DriftScorer("x", strategy=Switch())
    state, alarmed, departures, returns = scorer.start(), False, [], []
    for number, reply in enumerate(replies, 1):
        state, result = scorer.step(state, "u", reply)
        now = result.drift.is_alarm()
        assert result.departed == (now and not alarmed)
        assert result.returned == (alarmed and not now)
        departures += [number] * result.departed
        returns += [number] * result.returned
        alarmed = now
    assert (state["departures"], state["returns"]) == (departures, returns)
    assert state["alarmed"] == alarmed
    assert len(departures) - len(returns) == alarmed


def test_departures_kept_are_bounded():
    """The state keeps the last hundred departures and returns."""
    scorer = DriftScorer("x", strategy=Switch())
    state = scorer.start()
    for number in range(500):
        state, _ = scorer.step(state, "u", "off" if number % 2 else "on")
    assert len(state["departures"]) == 100
    assert state["departures"][-1] == 500


def test_an_own_explanation_is_used():
    """`explain_fn` makes the explanation, of the whole result and the purpose."""

    def explain(result, purpose):
        return f"{result.drift.verdict} in {purpose.prompt} at {result.drift.turn_number}"

    scorer = DriftScorer("the bank", strategy=Switch(), explain_fn=explain)
    assert run(scorer, [("u", "off")])[0][1].explanation == "critical in the bank at 1"


def test_markdown_is_stripped_unless_told_otherwise():
    """The strategy sees prose, or the texts as given with `strip_md=False`; the result both."""
    for strip, seen in [(True, "freeze"), (False, "**freeze**")]:
        scorer = DriftScorer("x", strategy=Switch(), strip_md=strip)
        state, result = scorer.step(scorer.start(), "**freeze**", "on")
        assert state["strategy"]["log"] == [seen]
        assert result.user_message == "**freeze**"


@pytest.mark.parametrize("path", [(), ("strategy",), ("strategy", "memory")])
def test_a_state_that_lacks_something_is_refused_by_name(scorer, path):
    """A state of which a key was lost, however deep, is refused with the key's name."""
    state, _ = scorer.step(scorer.start(), *TURNS[0])
    inner = state = copy.deepcopy(state)
    for key in path:
        inner = inner[key]
    lost = [key for key in inner if key != "schema"][-1]
    del inner[lost]
    with pytest.raises(InvalidInputError, match=f"lacks {lost}"):
        scorer.step(state, *TURNS[2])


@pytest.mark.parametrize("state", [None, "x", []])
def test_what_is_no_state_is_refused(scorer, state):
    """Something else in the place of a state is named."""
    with pytest.raises(InvalidInputError, match="what start"):
        scorer.step(state, *TURNS[0])


@pytest.mark.parametrize("schema", [0, 2, "1", None])
def test_a_state_of_another_schema_is_refused_by_name(scorer, schema):
    """A state of another version is an error that names the version and the way out."""
    with pytest.raises(InvalidInputError, match="start") as caught:
        scorer.step({**scorer.start(), "schema": schema}, "a", "b")
    assert repr(schema) in str(caught.value)


def test_a_state_of_another_embedder_is_refused_by_name(scorer):
    """A state scored with another embedder is an error that names both embedders."""
    state = run(scorer, TURNS[:1])[0][0]
    own = state["strategy"]["fingerprint"]
    state["strategy"]["fingerprint"] = "other-embedder"
    with pytest.raises(InvalidInputError, match="other-embedder") as caught:
        scorer.step(state, *TURNS[0])
    assert own in str(caught.value)


@pytest.mark.parametrize(
    ("make", "named"),
    [
        (lambda: DriftScorer(17), "int"),
        (lambda: DriftScorer(BANK, ["text"]), "str"),
        (lambda: DriftScorer(BANK).step(DriftScorer(BANK).start(), 17, "a"), "int"),
        (lambda: DriftScorer(BANK).step(DriftScorer(BANK).start(), "a", b"a"), "bytes"),
        (lambda: DriftScorer(BANK).step(DriftScorer(BANK).start(), "a", [17]), "int"),
    ],
)
def test_a_wrong_value_is_refused_by_name(make, named):
    """An input of the wrong kind is an error that names the kind."""
    with pytest.raises(InvalidInputError, match=named):
        make()


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("strip_md", [True, False])
async def test_hostile_text_is_scored(text, strip_md):
    """NUL, lone surrogates, marks of direction and the like are scored, on either side."""
    scorer = DriftScorer(BANK, strip_md=strip_md)
    state = scorer.start()
    for turn in [(text, "Your card is frozen."), ("Freeze my card", text), (text, text)]:
        found = await scorer.astep(state, *turn)
        state, result = scorer.step(state, *turn)
        assert (state, result) == found
        assert 0 <= result.drift.score <= 100
        assert json.loads(json.dumps(state)) == state


def test_a_hostile_purpose_is_read():
    """A system prompt and an example with NUL and marks of direction are read."""
    example = FewShotExample(user="card\x00 \u202e", assistant="\x00")
    scorer = DriftScorer(f"{BANK}\x00\u202e", [example])
    assert 0 <= run(scorer, TURNS[:1])[0][1].drift.score <= 100


@pytest.mark.parametrize(
    "reply",
    ["Your card is frozen and the account is safe. " * 22_000, "![" * 20_000, "word " * 200_000],
    ids=["sentences", "brackets", "words"],
)
def test_a_huge_reply_is_scored_in_bounded_time(scorer, reply):
    """A megabyte of text or 40 KB of `![` is scored in seconds, with the share that was read."""
    begun = time.process_time()
    _, result = scorer.step(scorer.start(), "Freeze my card", reply)
    assert time.process_time() - begun < 10
    assert result.evidence.coverage < 1


@settings(deadline=None, max_examples=25)
@given(st.text(max_size=80), st.text(max_size=80))
def test_any_turn_is_scored(user, assistant):
    """Any two texts give a score from 0 to 100 and an explanation."""
    scorer = DriftScorer(BANK)
    _, result = scorer.step(scorer.start(), user, assistant)
    assert 0 <= result.drift.score <= 100
    assert result.explanation
