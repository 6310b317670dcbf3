import asyncio
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.messages import AIMessage, HumanMessage

from langchain_drift import (
    EmbeddingError,
    InvalidInputError,
    RagCase,
    RetrieverDriftDetector,
    RetrieverDriftReport,
    adetect,
    detect,
)
from langchain_drift.embeddings.engine import Engine

CHUNKS = ["The shop is open on Sunday from 10 to 16.", "Parking costs 2 euros an hour."]
CASES = [
    RagCase("Is the shop open on Sunday?", CHUNKS, "Yes, from 10 to 16."),
    RagCase("What does parking cost?", CHUNKS, "Parking is free of charge."),
    RagCase("Who owns it?", CHUNKS, "I don't know."),
    RagCase("Who owns it?", [], "Ana Reis owns it."),
    RagCase("When is it open?", CHUNKS, None),
]


class Hashed(Embeddings):
    """A tiny embedder of words: equal words, equal parts of the vector; it reads any language."""

    def embed_documents(self, texts):
        found = np.zeros((len(texts), 64)) + 0.01
        for row, text in enumerate(texts):
            for word in text.lower().split():
                found[row, sum(word.encode()) % 64] += 1
        return found.tolist()

    def embed_query(self, text):
        return self.embed_documents([text])[0]


@pytest.mark.parametrize("answer", ["Paris", "Paris.", "42", "It is 42."])
def test_short_correct_answers_are_carried(answer):
    """A name or a number is enough of an answer."""
    chunks = ["Paris is the capital of France. The answer to the riddle is 42."]
    assert not detect("What is the capital, and the answer?", chunks, answer).drift


@pytest.mark.parametrize(
    ("chunk", "answer", "drift"),
    [
        ("The shop is open on Sunday.", "Yes.", False),
        ("The shop is open on Sunday.", "No.", True),
        ("The shop is not open on Sunday.", "Yes", True),
        ("The shop is not open on Sunday.", "No, it is not.", False),
    ],
)
@pytest.mark.parametrize("method", [None, "lexical"])
def test_a_bare_yes_or_no_is_judged_with_the_question(chunk, answer, drift, method):
    """A yes claims what the question asks, a no the opposite."""
    report = detect("Is the shop open on Sunday?", [chunk], answer, method=method)
    assert report.drift == drift
    assert [each.text for each in report.sentences] == [answer]


def test_a_wrong_short_answer_is_named():
    """A name that no chunk holds is drift and named."""
    report = detect("What is the capital?", ["Paris is the capital of France."], "Lyon")
    assert report.drift
    assert report.unsupported == ("lyon",)


def test_without_an_answer_only_the_chunks_are_judged():
    """`answer=None` scores how badly the chunks fit the question."""
    chunks = ["Lima is the capital of Peru.", "Red paint dries fast."]
    fits = detect("What is the capital of Peru?", chunks[:1], None)
    fails = detect("What is the capital of Peru?", chunks[1:], None)
    assert not fits.drift
    assert fails.drift
    assert fits.drift_score == pytest.approx(1 - fits.signals.intent_to_context)
    assert fits.signals.answer_to_context is None
    assert fits.sentences == ()


@pytest.mark.parametrize("intent", ["", "  ", None])
def test_without_a_question_only_the_answer_is_judged(intent):
    """An empty intent leaves the arrow from the chunks to the answer."""
    report = detect(intent, ["The cart has four wheels."], "The cart has four wheels.")
    assert not report.drift
    assert report.signals.intent_to_context is None
    assert report.signals.answer_to_intent is None
    assert report.context_answers is None
    assert report.context_precision is None


def test_nothing_to_judge_is_refused():
    """Neither question nor answer is an error that says what to give."""
    with pytest.raises(InvalidInputError, match="give an answer"):
        detect("", ["c"], None)


@pytest.mark.parametrize("answer", ["", "   ", "\n", "…", "🙂"])
def test_a_blank_answer_is_an_abstention(answer):
    """An answer without a word claims nothing, so nothing is decided."""
    report = detect("When?", CHUNKS, answer)
    assert report.status == "abstained"
    assert not report.drift


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((1, ["c"], "a"), "intent"),
        (("q", ["c"], 3), "answer"),
        (("q", [3], "a"), "Chunk 0"),
        (("q", 3, "a"), "context_chunks"),
        (("q", b"c", "a"), "context_chunks"),
        (("q", {"c": 1}, "a"), "context_chunks"),
        (("q", [None], "a"), "Chunk 0"),
    ],
)
def test_wrong_types_are_named(arguments, named):
    """The error names the argument and what to pass."""
    with pytest.raises(InvalidInputError, match=named):
        detect(*arguments)


def test_an_unknown_method_is_refused():
    """The error names the methods there are."""
    with pytest.raises(InvalidInputError, match="lexical"):
        RetrieverDriftDetector(method="bm25")
    with pytest.raises(InvalidInputError, match="embeddings"):
        RetrieverDriftDetector(method="lexical", embeddings=Hashed())


def test_documents_and_texts_are_the_same():
    """LangChain documents are chunks, one alone or many."""
    text = detect("What does parking cost?", CHUNKS, "2 euros an hour")
    documents = [Document(each) for each in CHUNKS]
    assert detect("What does parking cost?", documents, "2 euros an hour") == text
    single = detect("Cost?", Document(CHUNKS[1]), "2 euros")
    assert single == detect("Cost?", CHUNKS[1], "2 euros")


def test_history_makes_its_names_known():
    """A name that the user brought up is not the answer's invention."""
    chunks = ["The booking can be moved until noon on the day before."]
    answer = "Yes, the booking of Mrs Abernathy can be moved until noon on the day before."
    history = [HumanMessage("I call for Mrs Abernathy."), AIMessage("How can I help?")]
    alone = detect("Can it be moved?", chunks, answer)
    told = detect("Can it be moved?", chunks, answer, history=history)
    assert told.drift_score < alone.drift_score


def test_a_question_too_short_to_stand_alone_follows_the_one_before():
    """A mere "And there?" is understood with what was said before it."""
    chunks = ["Parking costs 2 euros an hour."]
    before = [("user", "What does parking cost?")]
    alone = detect("And there?", chunks, None)
    told = detect("And there?", chunks, None, history=before)
    assert told.drift_score < alone.drift_score


def test_an_unusable_history_is_refused():
    """The error shows how a history is passed."""
    for history in ([object()], 5, [None]):
        with pytest.raises(InvalidInputError, match="history"):
            detect("q", ["c"], "a", history=history)


def test_one_message_is_a_history():
    """A message alone is what was said before, as an object or as a mapping."""
    message = {"role": "user", "content": "What does parking cost?"}
    told = detect("And there?", CHUNKS[1:], None, history=message)
    assert told == detect("And there?", CHUNKS[1:], None, history=[message])
    assert told == detect("And there?", CHUNKS[1:], None, history=HumanMessage(message["content"]))


@pytest.mark.parametrize("embedder", [object(), "minilm", 5, Hashed])
def test_what_cannot_embed_is_refused_at_once(embedder):
    """The error comes from the constructor and says what to pass."""
    with pytest.raises(InvalidInputError, match="cannot embed"):
        RetrieverDriftDetector(embeddings=embedder)


def test_an_embedder_that_fails_is_named():
    """Vectors that cannot be used raise an error with the embedder's name, never a score."""

    class Broken(Hashed):
        def embed_documents(self, texts):
            return [[float("nan")] * 3 for _ in texts]

    with pytest.raises(EmbeddingError, match="Broken gave a vector with NaN"):
        RetrieverDriftDetector(embeddings=Broken()).detect("q", CHUNKS, "It is open on Sunday.")


def test_any_real_number_is_a_threshold():
    """Numbers of numpy are numbers."""
    assert detect("q", CHUNKS, "Parking costs 2 euros.", threshold=np.float32(0.5)).threshold == 0.5


@pytest.mark.parametrize("answer", ["Das weiß ich leider nicht.", "Je ne sais pas.", "我不知道"])
def test_an_abstention_needs_no_common_language(answer):
    """That there is no answer is understood in a language that the chunks are not in."""
    report = detect("Is the shop open on Sunday?", CHUNKS, answer)
    assert report.status == "abstained"
    assert report.method == "semantic"
    assert report.context_answers


def test_a_name_put_together_from_two_is_unknown():
    """The first name of one person and the last of another are nobody in the chunks."""
    chunk = "Anna Schmidt signed the contract with Peter Meier in the old town hall."
    wrong = detect("Who signed?", [chunk], "Anna Meier signed the contract.")
    assert wrong.drift
    assert wrong.unsupported == ("Anna Meier",)
    for name in ("Anna Schmidt", "Anna"):
        assert not detect("Who signed?", [chunk], f"{name} signed the contract.").drift


@pytest.mark.parametrize("method", [None, "lexical"])
@pytest.mark.parametrize(
    ("chunk", "answer"),
    [
        ("It has 2.1 million inhabitants.", "It has 2,100,000 inhabitants."),
        ("The limit is 500 euros.", "The limit is five hundred euros."),
        ("The limit is 500 euros.", "The limit is EUR 500."),
        ("The limit is 500 euros.", "The limit is **€500**."),
        ("The trip is 14 km long.", "The trip is 14 kilometres long."),
        ("Das Tageslimit beträgt 1.500 Euro.", "Das Tageslimit beträgt 1500 Euro."),
        ("Das Tageslimit beträgt 1500 Euro.", "Das Tageslimit beträgt 1.500 Euro."),
        ("It was signed on 12 March 2021.", "It was signed on 2021-03-12."),
        ("السعر ٥٠٠ يورو.", "السعر 500 يورو."),
        ("The café is in Zürich.", "The cafe is in Zurich."),
        ("Paris is the capital of France.", "The capital is Paris."),
    ],
)
def test_the_same_fact_in_another_spelling_is_carried(chunk, answer, method):
    """The spelling of numbers, units, dates and accents does not matter, nor turning an "is"."""
    report = detect("What about it?", [chunk], answer, method=method)
    assert not report.drift
    assert report.unsupported == ()


@pytest.mark.parametrize(
    ("chunk", "answer"),
    [
        ("博物馆周一不开放。", "博物馆周一开放。"),
        ("Музей не работает в понедельник.", "Музей работает в понедельник."),
        ("المتحف لا يفتح يوم الاثنين.", "المتحف يفتح يوم الاثنين."),
        ("El museo no abre los lunes.", "El museo abre los lunes."),
    ],
)
def test_a_negated_fact_is_seen_in_other_scripts(chunk, answer):
    """What the chunk denies and the answer affirms is a contradiction."""
    report = detect("?", [chunk], answer)
    assert report.drift
    assert report.sentences[0].contradicted
    assert not detect("?", [chunk], chunk).drift


def test_chunks_and_answer_in_different_languages_are_not_compared():
    """English words cannot be held against German ones, so nothing is decided."""
    chunks = ["Das Museum steht am Platz und ist am Montag geschlossen."]
    report = detect("Where?", chunks, "The museum is in the square and it is closed on Monday.")
    assert report.status == "unsupported_language"
    assert not report.drift
    assert "multilingual" in report.reason


def test_a_language_that_the_embedder_does_not_read_is_judged_by_its_words():
    """By default the lexical tier steps in; where semantic was demanded the status says so."""
    chunks = ["Das Museum steht am Platz und ist am Montag geschlossen."]
    answer = "Das Museum ist am Montag geschlossen."
    report = detect("Wann ist das Museum zu?", chunks, answer)
    assert report.method == "lexical"
    assert report.status == "scored"
    assert not report.drift
    demanded = detect("Wann ist das Museum zu?", chunks, answer, method="semantic")
    assert demanded.status == "unsupported_language"


def test_an_embedder_without_tokens_works_and_reads_every_language():
    """Any LangChain `Embeddings` will do; one that names no languages judges all."""
    detector = RetrieverDriftDetector(embeddings=Hashed())
    good = detector.detect("图书馆?", ["图书馆 早上 九点 开门。"], "图书馆 早上 九点 开门。")
    bad = detector.detect("图书馆?", ["图书馆 早上 九点 开门。"], "猫 喜欢 吃 鱼。")
    assert good.method == "semantic"
    assert not good.drift
    assert bad.drift


def test_a_batch_gives_what_single_calls_give():
    """Many answers in one call are judged as each alone."""
    detector = RetrieverDriftDetector()
    batch = detector.detect_batch(CASES)
    single = [detector.detect(*case[:3]) for case in CASES]
    for mine, other in zip(batch, single, strict=True):
        assert mine.drift_score == pytest.approx(other.drift_score, abs=1e-3)
        assert mine.status == other.status
    assert [each.status for each in batch] == [
        "scored",
        "scored",
        "abstained",
        "no_context",
        "scored",
    ]


async def test_async_gives_what_sync_gives():
    """The two share one body."""
    detector = RetrieverDriftDetector()
    assert await detector.adetect_batch(CASES) == detector.detect_batch(CASES)
    case = CASES[0]
    assert await adetect(*case[:3]) == detect(*case[:3])
    assert len(await asyncio.gather(*(adetect(*each[:3]) for each in CASES))) == len(CASES)


def test_a_sentence_of_a_chunk_is_embedded_once(monkeypatch):
    """Further answers on the same chunks embed only what is new."""
    run, seen = Engine.run, []

    def counted(self, texts, batch_size):
        seen.extend(texts)
        return run(self, texts, batch_size)

    monkeypatch.setattr(Engine, "run", counted)
    chunks = ["A heron stood in the reeds by the weir.", "The miller sold flour to the village."]
    detect("Where was the heron?", chunks, "It stood in the reeds by the weir.")
    detect("Who sold flour?", chunks, "The miller sold flour.")
    assert all(seen.count(chunk) == 1 for chunk in chunks)


def test_a_report_is_judged_again_without_computing():
    """`at` holds the same score against another threshold."""
    report = detect("What does parking cost?", CHUNKS, "Parking costs 2 euros an hour.")
    assert not report.drift
    strict = report.at(0.01)
    assert strict.drift
    assert strict.drift_score == report.drift_score
    assert not detect("q", CHUNKS, "I don't know.").at(0.0).drift
    with pytest.raises(InvalidInputError, match="threshold"):
        report.at(2)


def test_a_report_is_plain_json():
    """`to_dict` is JSON, terms sorted, and frozen reports validate again from it."""
    report = detect("What does parking cost?", CHUNKS, "Parking costs 3 euros an hour.")
    plain = json.loads(json.dumps(report.to_dict()))
    assert plain["unsupported"] == ["3"]
    assert plain["answer_terms"] == sorted(report.answer_terms)
    again = RetrieverDriftReport.model_validate(report.model_dump())
    assert again == report


def test_each_sentence_names_its_chunk_and_its_support():
    """Every sentence of the answer says which chunk carries it and where."""
    answer = "Parking costs 2 euros an hour. The shop is open on Sunday."
    report = detect("Tell me about the shop.", CHUNKS, answer)
    assert [each.chunk for each in report.sentences] == [1, 0]
    assert [each.support for each in report.sentences] == [CHUNKS[1], CHUNKS[0]]
    assert [each.sentences for each in report.chunks] == [1, 1]
    assert report.precision == 1


def test_blank_chunks_keep_their_number():
    """The second of two chunks stays the second if the first is blank."""
    report = detect("What does parking cost?", ["", CHUNKS[1]], "2 euros an hour")
    assert report.sentences[0].chunk == 1
    assert [each.relevance is None for each in report.chunks] == [True, False]


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3), st.text(max_size=60))
def test_whatever_is_judged_the_score_is_a_number(intent, chunks, answer):
    """No text makes the lexical tier fail, and the score is from 0 to 1."""
    report = detect(intent, chunks, answer, method="lexical")
    assert 0 <= report.drift_score <= 1
    json.dumps(report.to_dict())


@settings(max_examples=40, deadline=None)
@given(st.text(max_size=40), st.lists(st.text(max_size=40), max_size=2), st.text(max_size=40))
def test_whatever_is_judged_by_vectors_the_score_is_a_number(intent, chunks, answer):
    """No text makes the semantic tier fail, nor an embedder without tokens."""
    for detector in (RetrieverDriftDetector(), RetrieverDriftDetector(embeddings=Hashed())):
        assert 0 <= detector.detect(intent, chunks, answer).drift_score <= 1


@pytest.mark.parametrize("odd", ["\ud800", "a\x00b", "\u202etext", "🙂🙂", "´`'\"", "#" * 500])
def test_odd_characters_are_no_trap(odd):
    """Lone surrogates, controls and marks are judged like any text."""
    for method in (None, "lexical", "jaccard"):
        assert 0 <= detect(odd, [odd, "a chunk"], f"{odd} said", method=method).drift_score <= 1


@given(st.text(alphabet="abcdefg hijk.", min_size=3, max_size=60))
def test_a_copy_of_a_chunk_never_drifts(text):
    """Whatever a chunk says, an answer that copies it is carried."""
    report = detect(None, [text, "Another chunk about boats."], text, method="lexical")
    assert not report.drift


def test_chunks_of_any_length_are_judged_and_the_share_that_was_read_is_told():
    """Beyond 12,000 words a part is embedded: what shares most with the answer, and a spread."""
    detector = RetrieverDriftDetector(embeddings=Hashed())
    filler = [f"The {n}th ledger of box {n * 7} lists boats and barrels." for n in range(2000)]
    needle = "The heron nests on the northern weir in April."
    chunks = [" ".join(filler[:900]), needle, " ".join(filler[900:])]
    found = detector.detect("Where does the heron nest?", chunks, needle)
    assert not found.drift
    assert found.sentences[0].support == needle
    assert 0.4 < found.context_read < 1
    lost = detector.detect("Where does the heron nest?", chunks, "The heron nests in 99999 reeds.")
    assert lost.drift
    assert detector.detect("Where?", [needle], needle).context_read == 1


def test_an_answer_of_any_length_is_judged():
    """Sentences of the answer beyond 3,000 words are judged by their words alone."""
    detector = RetrieverDriftDetector(embeddings=Hashed())
    said = [f"Box {n} lists {n * 7} boats." for n in range(1200)]
    report = detector.detect("What is in the boxes?", " ".join(said), " ".join(said))
    assert not report.drift
    assert len(report.sentences) == len(said)
