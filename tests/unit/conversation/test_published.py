import asyncio
import hashlib
import json
import math
from pathlib import Path

import numpy as np
import pytest

from langchain_drift.conversation.lexical import KeywordStrategy, TokenOverlapStrategy
from langchain_drift.conversation.published import PublishedFormulaStrategy
from langchain_drift.conversation.purpose import Purpose
from langchain_drift.conversation.result import Abstention
from langchain_drift.conversation.turn import FewShotExample, Turn
from langchain_drift.conversation.zoned_cosine import ZonedCosine
from langchain_drift.errors import InvalidInputError

PUBLISHED = json.loads(Path(__file__).with_name("published_scores.json").read_text("utf-8"))


class Fixed:
    """Gives the scores it was made with, one after the other, then the last again."""

    def __init__(self, *scores):
        self.scores = list(scores)
        self.seen = []

    def score(self, system_prompt, assistant_responses):
        self.seen.append((system_prompt, list(assistant_responses)))
        score = self.scores.pop(0) if len(self.scores) > 1 else self.scores[0]
        return score, {"fixed": score}


def hashed(text):
    """Return the sum of the 64 signs of each word's hash, as the published package was run with."""
    digests = [
        hashlib.sha256(word.strip(".,!?;:").encode()).digest() for word in text.lower().split()
    ]
    signs = [[1 if d[i // 8] >> (i % 8) & 1 else -1 for i in range(64)] for d in digests]
    return [sum(column) for column in zip(*signs, strict=True)]


def run(strategy, replies, purpose=None):
    """Return the judgements of replies and the last state."""
    state, judgements = strategy.start(), []
    for reply in replies:
        turn = Turn(user="q", assistant=reply)
        state, judgement = strategy.step(purpose or Purpose("Bank"), state, turn)
        judgements.append(judgement)
    return judgements, state


@pytest.mark.parametrize("session", PUBLISHED["sessions"], ids=lambda session: session["kind"])
def test_sessions_as_published(session):
    """Turn by turn a session has the score and the numbers of the published package."""
    kinds = {
        "embedding": ZonedCosine(hashed),
        "token_overlap": TokenOverlapStrategy(include_stopwords=True),
    }
    decay, window = session["decay_rate"], session["window_size"]
    strategy = PublishedFormulaStrategy(
        kinds[session["kind"]], decay_rate=decay, window_size=window
    )
    shots = [FewShotExample(user=user, assistant=reply) for user, reply in session["shots"]]
    judgements, _ = run(strategy, PUBLISHED["replies"], Purpose.of(PUBLISHED["prompt"], shots))
    for judgement, (score, raw, factor, evaluated) in zip(
        judgements, session["turns"], strict=True
    ):
        assert judgement.score == pytest.approx(score, abs=1e-3)
        assert judgement.metadata == {
            "raw_score": pytest.approx(raw, abs=0.011),
            "decay_factor": factor,
            "decay_rate": decay,
            "window_size": window,
            "turns_evaluated": evaluated,
        }


@pytest.mark.parametrize(("bound", "turn"), [(90, 5), (75, 12), (55, 24), (35, 41)])
def test_a_perfect_session_decays(bound, turn):
    """The published decay takes a perfect session below each band at a known turn."""
    scores = [j.score for j in run(PublishedFormulaStrategy(Fixed(100.0)), ["x"] * 60)[0]]
    assert turn == next(number for number, score in enumerate(scores, 1) if score < bound)
    assert scores[-1] == pytest.approx(100 * 0.95**30)


def test_the_floor_never_lifts():
    """One bad turn holds every later score down, without decay too."""
    strategy = PublishedFormulaStrategy(Fixed(80.0, 15.0, 100.0, 10.0, 100.0), decay_rate=1.0)
    assert [j.score for j in run(strategy, ["x"] * 5)[0]] == [80, 15, 15, 10, 10]


def test_scores_are_clamped():
    """What a scorer gives beyond 0 to 100 is clamped; the raw score tells it."""
    strategy = PublishedFormulaStrategy(Fixed(250, -5), decay_rate=1.0)
    judgements, _ = run(strategy, ["x", "x"])
    assert [j.score for j in judgements] == [100, 0]
    assert [j.metadata["raw_score"] for j in judgements] == [250, -5]


@pytest.mark.parametrize(
    ("window", "expected"), [(1, ["c"]), (2, ["b", "c"]), (0, ["a", "b", "c"])]
)
def test_the_window(window, expected):
    """The last replies of the window are scored together, 0 means all, against the context."""
    scorer = Fixed(50.0)
    purpose = Purpose("Bank", (FewShotExample(user="u", assistant="a"),))
    _, state = run(PublishedFormulaStrategy(scorer, window_size=window), "abc", purpose)
    assert scorer.seen[-1] == ("Bank\nUser: u\nAssistant: a", expected)
    assert state["replies"] == expected


@pytest.mark.parametrize("window", [0, 10**9])
def test_the_state_is_bounded(window):
    """The state keeps at most the last 200 replies, whatever the window."""
    strategy = PublishedFormulaStrategy(Fixed(50.0), window_size=window)
    judgements, state = run(strategy, map(str, range(205)))
    assert state["replies"] == [str(number) for number in range(5, 205)]
    assert judgements[-1].metadata["turns_evaluated"] == 200


def test_an_empty_reply_is_no_turn():
    """An empty reply changes nothing: a session with tool calls has the score of one without."""
    with_calls, state = run(PublishedFormulaStrategy(), ["The bank.", "", "  ", "A bank."])
    without, same = run(PublishedFormulaStrategy(), ["The bank.", "A bank."])
    assert with_calls[1].abstained is Abstention.NO_REPLY
    assert with_calls[0].score == with_calls[1].score == with_calls[2].score
    assert with_calls[-1] == without[-1]
    assert state == same


def test_the_default_mix():
    """By default keywords and token overlap weigh the same, and each is told."""
    purpose = Purpose("bank card loan")
    (judgement,), _ = run(PublishedFormulaStrategy(decay_rate=1.0), ["bank"], purpose)
    assert judgement.score == pytest.approx((100 / 3 + 100 / 3**0.5) / 2)
    assert judgement.parts == {"keyword": 33.33, "token_overlap": 57.74, "composite": 45.53}


def test_with_parameters():
    """A copy has the given parameters replaced and the rest kept; the original stays."""
    scorer = Fixed(1.0)
    strategy = PublishedFormulaStrategy(scorer, decay_rate=0.9, window_size=3)
    copy = strategy.with_parameters(window_size=0)
    assert (copy.scorer, copy.decay_rate, copy.window_size) == (scorer, 0.9, 0)
    assert strategy.with_parameters(0.5).decay_rate == 0.5
    assert (strategy.decay_rate, strategy.window_size) == (0.9, 3)
    with pytest.raises(InvalidInputError, match="decay_rate is 2"):
        strategy.with_parameters(decay_rate=2)


@pytest.mark.parametrize("decay", [math.nan, 0, -0.1, 1.01, math.inf, True, None, "0.9"])
def test_the_decay_rate_is_checked(decay):
    """A decay that is no number above 0 and at most 1 is refused."""
    with pytest.raises(InvalidInputError, match="must be a number above 0 and at most 1"):
        PublishedFormulaStrategy(decay_rate=decay)


@pytest.mark.parametrize("window", [-1, 2.5, math.nan, True, None])
def test_the_window_size_is_checked(window):
    """A window that is no whole number of at least 0 is refused."""
    with pytest.raises(InvalidInputError, match="must be a whole number of at least 0"):
        PublishedFormulaStrategy(window_size=window)


@pytest.mark.parametrize("scorer", [object(), KeywordStrategy, hashed, 0])
def test_the_scorer_is_checked(scorer):
    """What has no `score` of the published contract is refused, and a class is no object."""
    with pytest.raises(InvalidInputError, match=r"Pass KeywordStrategy\(\)"):
        PublishedFormulaStrategy(scorer)


@pytest.mark.parametrize("given", [(math.nan, {}), (math.inf, {}), 50.0, (50.0,), ("a", {}), None])
def test_what_the_scorer_gives_is_checked(given):
    """A score that is NaN or of another form is refused, not counted."""
    scorer = Fixed(0)
    scorer.score = lambda prompt, replies: given
    with pytest.raises(InvalidInputError, match=r"Fixed\.score gave"):
        run(PublishedFormulaStrategy(scorer), ["x"])


def test_numpy_scores():
    """A scorer may give numbers of numpy; the state is plain JSON all the same."""
    scorer = Fixed(0)
    scorer.score = lambda prompt, replies: (np.float32(50), {"mine": np.float32(50)})
    judgements, state = run(PublishedFormulaStrategy(scorer, decay_rate=1), ["x"])
    assert json.loads(json.dumps(state)) == {"floor": 50.0, "turn": 1, "replies": ["x"]}
    assert json.loads(json.dumps(judgements[0].model_dump()))["parts"] == {"mine": 50.0}


async def test_a_sync_scorer_does_not_block():
    """The async method runs a scorer without `ascore` in a thread."""

    def score(prompt, replies):
        with pytest.raises(RuntimeError, match="no running event loop"):
            asyncio.get_running_loop()
        return 50.0, {}

    scorer = Fixed(0)
    scorer.score = score
    strategy = PublishedFormulaStrategy(scorer, decay_rate=1.0)
    turn = Turn(assistant="x")
    assert (await strategy.astep(Purpose("Bank"), strategy.start(), turn))[1].score == 50
