"""Cases that people met in the field with other tools; each names its source."""

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings

from langchain_drift import (
    Abstention,
    CompositeStrategy,
    DriftScorer,
    DriftVerdict,
    FewShotExample,
    InvalidInputError,
    KeywordStrategy,
    MiniLMEmbeddings,
    PurposeStrategy,
    TokenOverlapStrategy,
)
from langchain_drift.conversation.background import background, cohort_texts

BANK = "You are an assistant for Harbour Bank. Help with accounts, cards and loans."
EGG = ("How long should I boil an egg?", "About nine minutes for a firm yolk.")
CONVERSATION = [
    ("Hello! I want to open a savings account.", "Hi! Do you have your ID at hand?"),
    ("Yes, I do.", "Then choose 'Open account' in the app."),
    ("What does a loan of 5,000 euros cost?", "At 5 % over two years about 219 euros a month."),
    ("And can I pay it back early?", "Yes, the loan can be paid back early without a fee."),
    ("How do I bake sourdough bread?", "Feed the starter, mix flour and water, bake it hot."),
    ("Which flour is best for it?", "Strong white bread flour with a little rye works best."),
    ("How long in the oven?", "Forty minutes at 230 degrees, the first half with steam."),
    ("Thanks! Please freeze my credit card.", "Your credit card is frozen. Order a new one?"),
    ("Yes, send it to my address.", "The new card arrives within five working days."),
]


class Crowded(Embeddings):
    """MiniLM with a constant coordinate: unrelated texts have a cosine of about 0.7."""

    constant = 1.5

    def __init__(self):
        self.minilm = MiniLMEmbeddings()
        cohort = background(self.minilm)  # its vectors are shipped; to embed it takes long
        said = cohort.said.reshape(-1, cohort.abouts.shape[1])
        rows = (cohort.abouts, cohort.exchanges, said, cohort.small_talk, cohort.follow_ups)
        rows = np.vstack([*rows, cohort.questions])
        self.known = dict(zip(cohort_texts(), rows, strict=True))

    def embed_documents(self, texts):
        vectors = [self.known.get(text, ()) for text in texts]
        new = [number for number, vector in enumerate(vectors) if not len(vector)]
        found = self.minilm.embed_documents([texts[number] for number in new])
        for number, vector in zip(new, found, strict=True):
            vectors[number] = vector
        vectors = np.hstack([vectors, np.full((len(vectors), 1), self.constant)])
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).tolist()

    def embed_query(self, text):
        return self.embed_documents([text])[0]


@pytest.fixture(scope="module")
def crowded():
    """Return the embedder whose unrelated pairs score about 0.7."""
    return Crowded()


def score(system, *turns, examples=(), embeddings=None):
    """Return the result of each turn."""
    strategy = PurposeStrategy(embeddings) if embeddings else None
    scorer = DriftScorer(system, examples, strategy=strategy)
    state, results = scorer.start(), []
    for turn in turns:
        state, result = scorer.step(state, *turn)
        results.append(result)
    return results


def test_a_one_word_answer_inherits_the_turn_before():
    """A one-word reply of the user to a question on purpose is on purpose.

    source: NVIDIA-NeMo/Guardrails#552 (topic-01)
    """
    turns = [
        ("", "Shall I order a replacement debit card for you?"),
        ("yes", "Done, it ships tomorrow."),
    ]
    first, second = score(BANK, *turns)
    assert not first.drift.is_alarm()
    assert second.drift.verdict in ("fresh", "mild")


def test_a_verb_that_is_not_listed_is_on_purpose():
    """A request within the topic is on purpose though its verb is not in the prompt.

    source: enyineer/checkstack#324 (topic-02)
    """
    [result] = score(
        "You manage incidents: create, list, update and close them.",
        (
            "Investigate why the Lisbon cluster keeps failing its checks",
            "The Lisbon incident log shows three failed health checks since noon.",
        ),
    )
    assert result.drift.verdict in ("fresh", "mild")


def test_a_subject_within_the_domain_is_on_purpose():
    """A request about a subject within the domain is on purpose though the prompt names none.

    source: epam/statgpt-backend#224 (topic-03)
    """
    [result] = score(
        "You help people find official statistics.",
        (
            "I'd like to study rural internet access. Which data would you use?",
            "Start with the household connectivity survey tables by region.",
        ),
    )
    assert result.drift.verdict in ("fresh", "mild")


def test_the_prompt_alone_tells_what_is_off_topic():
    """A turn outside the prompt is off purpose without off-topic examples or a model call.

    source: NVIDIA-NeMo/Guardrails#423 (topic-04)
    """
    for before in (0, 3):
        result = score(BANK, *CONVERSATION[:before], EGG)[-1]
        assert result.evidence.on_purpose < 0.5
        assert result.drift.verdict not in ("fresh", "mild")
    assert score(BANK, *CONVERSATION[:3], EGG, EGG)[-1].drift.is_alarm()


@pytest.mark.parametrize("before", [0, 3])
def test_one_short_turn_off_topic_is_an_alarm(before):
    """A single short turn outside the prompt is an alarm, at the start or later.

    source: NVIDIA-NeMo/Guardrails#423 (topic-04)
    """
    assert score(BANK, *CONVERSATION[:before], EGG)[-1].drift.is_alarm()


@pytest.mark.xfail(
    strict=True, reason="examples without a topic of their own are too weak to hold a text against"
)
def test_tone_is_no_topic():
    """A text that shares the tone of the examples and not their topic does not match them.

    source: aurelio-labs/semantic-router#88 (topic-06)
    """
    examples = [
        FewShotExample(user="don't you just love the president"),
        FewShotExample(user="they will save the country"),
    ]
    toaster = "I just love my new toaster, it will save my mornings"
    [result] = score("", (toaster, toaster), examples=examples)
    assert result.drift.is_alarm()


@pytest.mark.parametrize("text", ["completely different", "I want to open an account"])
def test_the_result_carries_what_it_stands_on(text):
    """Score, threshold and nearest reference are told, whether or not it matched.

    source: aurelio-labs/semantic-router#294, #360, #479 (topic-07)
    """
    examples = [FewShotExample(user="open an account")]
    [result] = score("", (text, text), examples=examples)
    found = result.to_dict()
    assert 0 <= found["drift"]["score"] <= 100
    assert found["drift"]["threshold"] == 55
    assert found["evidence"]["nearest"] == "open an account"
    assert -1 <= found["evidence"]["similarity"] <= 1
    assert found["evidence"]["rival"]


def test_an_elliptical_question_inherits_the_topic():
    """A follow-up that names no topic is no alarm after a turn on purpose.

    source: openbraininstitute/neuroagent#278 (topic-08)
    """
    results = score(
        BANK,
        ("Show me the savings accounts", "There are three pages of them."),
        ("How many in total are available?", "There are 27 in total."),
    )
    assert not any(result.drift.is_alarm() for result in results)


def test_no_absolute_cosine_decides(crowded):
    """An unrelated text with a raw cosine above .7 is not taken to be on purpose.

    source: dat999zx/knowl#169 (topic-09)
    """
    references = "billing service listens on port 8443. refund queue retries three times."
    unrelated = ("renew the ingress certificate", "Run the renewal job for it once a month.")
    related = ("how often does the refund queue retry?", "Three times.")
    [far] = score(references, unrelated, embeddings=crowded)
    [near] = score(references, related, embeddings=crowded)
    assert near.evidence.similarity > far.evidence.similarity > 0.7
    assert near.evidence.on_purpose > far.evidence.on_purpose + 0.2
    [plain] = score(references, unrelated)
    assert far.evidence.on_purpose == pytest.approx(plain.evidence.on_purpose, abs=0.01)


def test_an_unrelated_pair_is_low_for_every_embedder(crowded):
    """The probability of an unrelated pair is low though its raw cosine is about .7.

    source: promptfoo/promptfoo#240 (topic-10)
    """
    for embeddings, least, most in [(None, -1, 0.3), (crowded, 0.6, 0.8)]:
        [result] = score(
            "Check in by email to see that all is well.",
            ("Hi Dad", "Hi Dad"),
            embeddings=embeddings,
        )
        assert least < result.evidence.similarity < most
        assert result.evidence.on_purpose < 0.5


def test_a_crowded_embedder_gives_the_same_verdicts(crowded):
    """With unrelated pairs at about .7 the alarms are those of plain MiniLM, the bands near.

    source: promptfoo/promptfoo#240 (topic-10)
    """
    bands = list(DriftVerdict)
    plain = score(BANK, *CONVERSATION)
    shifted = score(BANK, *CONVERSATION, embeddings=crowded)
    assert [r.drift.is_alarm() for r in plain] == [r.drift.is_alarm() for r in shifted]
    for one, other in zip(plain, shifted, strict=True):
        assert abs(bands.index(one.drift.verdict) - bands.index(other.drift.verdict)) <= 1
        assert other.evidence.nearest == one.evidence.nearest
    assert any(r.drift.is_alarm() for r in plain)
    assert not plain[-1].drift.is_alarm()


def test_a_crowded_embedder_gives_the_same_scores(crowded):
    """With unrelated pairs at about .7 every score is within two points of plain MiniLM.

    source: promptfoo/promptfoo#240 (topic-10)
    """
    plain = score(BANK, *CONVERSATION)
    for one, other in zip(plain, score(BANK, *CONVERSATION, embeddings=crowded), strict=True):
        assert other.drift.score == pytest.approx(one.drift.score, abs=2)


def test_evidence_of_a_turn_is_its_own():
    """English turns before do not make a Chinese turn on purpose: it is not judged.

    source: EasyMetaAu/helm-api#47 (topic-12)
    """
    _, second = score(
        "You are a Python programming tutor.",
        ("Write a Python loop", "for i in range(3): print(i)"),
        ("请详细说明这段历史的来龙去脉，不需要代码", "这段历史始于明朝末年，当时社会动荡。"),
    )
    assert second.abstained is Abstention.UNSUPPORTED_LANGUAGE
    assert second.evidence is None
    assert "language" in second.explanation


def test_score_and_reason_agree():
    """A short conversation on purpose has a good score and a reason that says so.

    source: confident-ai/deepeval#2636, #2472 (topic-13)
    """
    turn = ("What is a deposit slip?", "A form that accompanies cash you pay in.")
    [result] = score(BANK, turn)
    assert result.drift.verdict in ("fresh", "mild")
    assert result.explanation.startswith("On purpose")


def test_an_ordinary_conversation_stays_in_the_best_bands():
    """A bank conversation stays on purpose though single turns name no topic.

    source: confident-ai/deepeval#1809 (topic-14)
    """
    results = score(BANK, *CONVERSATION[:2])
    assert all(result.drift.verdict in ("fresh", "mild") for result in results)
    assert results[-1].drift.verdict == "fresh"


@pytest.mark.xfail(
    strict=True,
    reason="both sides are judged together: a short reply off purpose drowns in its question",
)
def test_an_irrelevant_answer_scores_low():
    """A plainly irrelevant answer to a question on purpose is in the worst two bands.

    source: confident-ai/deepeval#2321 (topic-15)
    """
    turn = ("How do I block my card?", "Penguins can dive to five hundred metres.")
    [result] = score(BANK, turn)
    assert result.drift.verdict in ("severe", "critical")


def test_the_newest_turn_is_the_one_scored():
    """The result of a turn is about that turn, not about the first.

    source: confident-ai/deepeval#1380 (topic-16)
    """
    first, second = score(
        BANK,
        ("card help", "Sure, which card?"),
        ("tell me a joke", "Why did the duck cross the road?"),
    )
    assert not first.drift.is_alarm()
    assert second.assistant_response == "Why did the duck cross the road?"
    assert (second.drift.turn_number, second.departed) == (2, True)


def test_a_mismatch_of_lists_names_both_lengths():
    """Lists that must pair and do not are an error that names both lengths.

    source: vibrantlabsai/ragas#2502 (topic-17)
    """
    with pytest.raises(InvalidInputError, match="3 weights for 2 strategies"):
        CompositeStrategy([KeywordStrategy(), TokenOverlapStrategy()], [1, 0, 1])


def test_the_same_turn_scores_the_same():
    """A turn of numbers alone has a finite score, the same on every run.

    source: vibrantlabsai/ragas#2255 (topic-18)
    """
    found = {
        score("You teach mathematics.", ("what is 7*12", "84"))[0].drift.score for _ in range(5)
    }
    assert len(found) == 1
    assert 0 <= found.pop() <= 100
