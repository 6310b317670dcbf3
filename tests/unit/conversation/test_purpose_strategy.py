"""What the purpose strategy hears before it judges, and what it asks of an embedder."""

import hashlib

import pytest
from langchain_core.embeddings import Embeddings

from langchain_drift import Abstention, DriftScorer, EmbeddingError, PurposeStrategy

BANK = "You are a banking assistant. Help with accounts, cards and loans."
STYLE = "You are a helpful assistant. Be polite and brief."
FOREIGN = "Du bist der Assistent einer Bank und hilfst bei Konten und Krediten."
ASKED, ANSWERED = "How do I open an account?", "You can open an account in the app."
GERMAN = "Wie kann ich denn ein Konto bei euch eröffnen?", "Das geht ganz einfach in der App."


class Hashed(Embeddings):
    """A text's vector is its digest, cut to the dimension that the call has."""

    def __init__(self, dimensions):
        self.dimensions = dimensions
        self.calls = 0

    def embed_documents(self, texts):
        size = self.dimensions(self.calls)
        self.calls += 1
        digests = [hashlib.sha256(text.encode()).digest()[:size] for text in texts]
        return [[byte - 127.5 for byte in digest] for digest in digests]

    def embed_query(self, text):
        return self.embed_documents([text])[0]


@pytest.mark.parametrize(
    ("prompt", "user", "assistant", "reason"),
    [
        (BANK, ASKED, ANSWERED, None),
        (BANK, ASKED, "", Abstention.NO_REPLY),
        (BANK, ASKED, " \n", Abstention.NO_REPLY),
        (STYLE, ASKED, "", Abstention.NO_REPLY),
        (STYLE, ASKED, ANSWERED, Abstention.NO_TOPIC),
        (STYLE, *GERMAN, Abstention.NO_TOPIC),
        (BANK, "Yes.", "OK.", Abstention.NOTHING_TO_JUDGE),
        (FOREIGN, "Yes.", "OK.", Abstention.NOTHING_TO_JUDGE),
        (BANK, *GERMAN, Abstention.UNSUPPORTED_LANGUAGE),
        (FOREIGN, *GERMAN, Abstention.UNSUPPORTED_LANGUAGE),
        (FOREIGN, ASKED, ANSWERED, Abstention.UNSUPPORTED_LANGUAGE),
        (
            "你是银行助手，帮助客户处理账户和贷款。",
            ASKED,
            ANSWERED,
            Abstention.UNSUPPORTED_LANGUAGE,
        ),
    ],
)
def test_each_reason_not_to_judge(prompt, user, assistant, reason):
    """No reply comes before no topic, that before no substance, and that before the language."""
    scorer = DriftScorer(prompt)
    start = scorer.start()
    state, result = scorer.step(start, user, assistant)
    assert result.abstained == reason
    if reason:
        assert (result.drift.score, result.evidence) == (100, None)
        assert state["strategy"]["memory"] == start["strategy"]["memory"]


def test_a_turn_without_a_language_changes_nothing_that_was_told():
    """What the turns told of their language stays until another one tells."""
    scorer = DriftScorer(BANK)
    heard, state = [], scorer.start()
    for turn in [("42", "Konto 42"), GERMAN, ("Yes.", "OK."), ("Anna", "Weber"), (ASKED, ANSWERED)]:
        state, _ = scorer.step(state, *turn)
        heard.append(state["strategy"]["reads"])
    assert heard == [None, False, False, False, True]


@pytest.mark.parametrize("turn", [GERMAN, (ASKED, ANSWERED)])
@pytest.mark.parametrize("prompt", [BANK, FOREIGN, "你是银行助手，帮助客户处理账户和贷款。"])
def test_an_embedder_that_names_no_language_is_asked_about_every_one(prompt, turn):
    """Embeddings without `languages` judge any prompt and any turn."""
    scorer = DriftScorer(prompt, strategy=PurposeStrategy(Hashed(lambda _: 16)))
    _, result = scorer.step(scorer.start(), *turn)
    assert result.abstained is None
    assert result.evidence.nearest


@pytest.mark.parametrize("good_calls", [1, 2, 3, 4])
def test_a_dimension_that_changes_is_an_error_that_names_the_embedder(good_calls):
    """Whichever call gives another dimension, the turn is refused."""
    changing = PurposeStrategy(Hashed(lambda call: 16 if call < good_calls else 8))
    scorer = DriftScorer(f"{BANK} {good_calls}", strategy=changing)
    state = scorer.start()
    with pytest.raises(EmbeddingError, match="Hashed gave"):  # noqa: PT012 - whichever turn
        for _ in range(3):
            state, _ = scorer.step(state, ASKED, ANSWERED)


def test_a_refusal_leaves_the_memory_as_it_is():
    """A declined request is neither remembered as talk on purpose nor as talk off it."""
    scorer = DriftScorer(BANK)
    state, first = scorer.step(scorer.start(), ASKED, ANSWERED)
    after, result = scorer.step(
        state, "What's a good pasta recipe?", "I can't help with recipes, only with your bank."
    )
    assert result.refused
    assert result.drift.score == first.drift.score
    assert after["strategy"] == state["strategy"]
