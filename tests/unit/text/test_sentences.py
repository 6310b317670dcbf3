import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.text import sentences


@pytest.mark.parametrize(
    "sentence",
    [
        "Dr. Smith met Mrs. Jones.",
        "Use a tool, e.g. a hammer, i.e. this one.",
        "It rose by 3.5 percent to $1.20.",
        "The U.S. Army is big.",
        "J. R. R. Tolkien wrote it.",
        "Open app.js in v1.2.3 now.",
        "See fig. 3 and no. 5.",
        "Well... maybe.",
        '"Stop!" he said.',
        "1. Open the app.",
        "Das kostet z.B. zehn Euro.",
        "Apples, pears etc. are fruit.",
    ],
)
def test_a_sentence_stays_whole(sentence):
    """Abbreviations, initials, decimals, file names and numbering end no sentence."""
    assert sentences(sentence) == [sentence]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Yes. No! Why? Really?!", ["Yes.", "No!", "Why?", "Really?!"]),
        ("ok. thanks. bye", ["ok.", "thanks.", "bye"]),
        ("No. I will not.", ["No.", "I will not."]),
        ("Apples etc. Then pears.", ["Apples etc.", "Then pears."]),
        ("(See above.) It works.", ["(See above.)", "It works."]),
        ("- one\n- two\n\nthree", ["- one", "- two", "three"]),
        ("我丢了卡。怎么办？快！", ["我丢了卡。", "怎么办？", "快！"]),
        ("यह है। वह था।", ["यह है।", "वह था।"]),
        ("كيف حالك؟ بخير.", ["كيف حالك؟", "بخير."]),
        ("یہ ہے۔ وہ تھا۔", ["یہ ہے۔", "وہ تھا۔"]),
        ("Привет. Как дела?", ["Привет.", "Как дела?"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, expected):
    """Marks of any script and line ends part sentences."""
    assert sentences(text) == expected


@given(st.text(alphabet=st.sampled_from("aB1 .!?\n\"')。؟।…é\u2028\x0c"), max_size=120) | st.text())
def test_no_character_is_lost(text):
    """Together the sentences hold every character that is no space, in order."""
    assert "".join("".join(sentences(text)).split()) == "".join(text.split())


@given(st.text())
def test_sentences_are_stripped_and_not_empty(text):
    """No sentence is blank or padded."""
    assert all(sentence == sentence.strip() != "" for sentence in sentences(text))


@pytest.mark.parametrize("pattern", [".", "a.", ". ", ".'", "\n", "。", "Dr. ", "a"])
def test_sentences_take_linear_time(pattern):
    """A megabyte of any mark is read in about a second."""
    text = pattern * (1_000_000 // len(pattern))
    start = time.process_time()
    sentences(text)
    assert time.process_time() - start < 3
