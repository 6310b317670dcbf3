import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_drift import FewShotExample, InvalidInputError
from langchain_drift.conversation.purpose import Purpose

BANK = "You are an assistant for Harbour Bank. Help with accounts, cards and loans."
EXAMPLE = FewShotExample(user="What does a loan cost?", assistant="Five percent a year.")


def test_the_whole_prompt_its_sentences_and_items_are_statements():
    """The prompt is read as a whole, by sentence and by list item."""
    statements = Purpose.of(BANK).statements
    assert statements[0] == BANK
    assert "You are an assistant for Harbour Bank." in statements
    assert "Help with accounts, cards and loans." in statements
    assert {"cards", "loans"} <= set(statements)


def test_examples_are_statements():
    """An example exchange is a statement of its own, user first."""
    assert "What does a loan cost?\nFive percent a year." in Purpose.of(BANK, [EXAMPLE]).statements


def test_what_is_forbidden_is_no_statement():
    """A sentence that forbids is kept apart from what the prompt allows."""
    purpose = Purpose.of(f"{BANK} Never discuss football.")
    assert purpose.forbidden == ("Never discuss football.",)
    assert not any("football" in text for text in purpose.statements)
    assert not any("footbal" in word for word in purpose.vocabulary)


@pytest.mark.parametrize(
    "prompt",
    [
        "Help customers who can't access their account.",
        "You help people who don't speak Dutch with Dutch letters.",
        "You are a banking assistant that cannot give legal advice.",
    ],
)
def test_a_negation_beside_the_task_does_not_hide_it(prompt):
    """A sentence that says what to do and what someone cannot do still names the topic."""
    assert Purpose.of(prompt).names_topic


def test_no_statement_is_said_twice():
    """Statements are unique."""
    statements = Purpose.of(f"{BANK} {BANK} {BANK}", [EXAMPLE, EXAMPLE]).statements
    assert len(set(statements)) == len(statements)


def test_the_number_of_statements_is_bounded():
    """A prompt of any length and any number of examples give a bounded number of statements."""
    prompt = " ".join(f"Help with product number {i} of the shop." for i in range(2_000))
    shots = [FewShotExample(user=f"Question {i}") for i in range(500)]
    purpose = Purpose.of(prompt + " Never sell item 7." * 500, shots)
    assert len(purpose.statements) <= 128
    assert len(purpose.forbidden) <= 64
    assert purpose.statements[0].startswith("Help with product number 0")


def test_markdown_and_tags_of_a_prompt_are_no_words():
    """Headings, bullets and XML tags of a prompt do not show in its statements."""
    prompt = "<role>\n# Bank\n\n- Help with **cards**\n- Help with `loans`\n</role>"
    assert not set("<>#*`") & set("".join(Purpose.of(prompt).statements))


@pytest.mark.parametrize(
    "prompt",
    [
        "You are a helpful assistant.",
        "You are a helpful, harmless and honest AI assistant.",
        "Answer briefly and politely.",
        "Be concise. Reply in English. Use bullet points.",
        "Think step by step and answer in JSON.",
        "",
        " \n ",
        "12345 67",
    ],
)
def test_a_manner_of_answering_names_no_topic(prompt):
    """A prompt of style alone, or of nothing, names no topic; an example can."""
    assert not Purpose.of(prompt).names_topic
    assert Purpose.of(prompt, [EXAMPLE]).names_topic


@pytest.mark.parametrize(
    "prompt",
    [
        BANK,
        "Pizza orders.",
        "You are a helpful assistant for gardeners.",
        "Answer questions about Roman history briefly.",
        "你是一个银行助手，帮助客户处理账户和贷款。",
        "Du bist ein Assistent für Bankkunden.",
    ],
)
def test_a_topic_is_seen(prompt):
    """A prompt that says what it is about names a topic, in any language."""
    assert Purpose.of(prompt).names_topic


@pytest.mark.parametrize("prompt", [None, 3, b"bank", ["bank"]])
def test_a_prompt_of_another_kind_is_refused_by_name(prompt):
    """A prompt that is no string is an error that names the parameter and the kind."""
    with pytest.raises(InvalidInputError, match="system_prompt") as caught:
        Purpose.of(prompt)
    assert type(prompt).__name__ in str(caught.value)


@pytest.mark.parametrize("example", ["text", {"user": "a"}, ("a", "b"), None])
def test_an_example_of_another_kind_is_refused_by_name(example):
    """An example that is no `FewShotExample` is an error that names the way out and the kind."""
    with pytest.raises(InvalidInputError, match="FewShotExample") as caught:
        Purpose.of(BANK, [EXAMPLE, example])
    assert type(example).__name__ in str(caught.value)


def test_equal_purposes_are_one_key():
    """Purposes of the same parts are equal and hash alike, so their vectors are made once."""
    one, other = Purpose.of(BANK, iter([EXAMPLE])), Purpose.of(BANK, [EXAMPLE])
    assert one == other
    assert hash(one) == hash(other)


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=300))
def test_any_prompt_can_be_read(prompt):
    """Any text makes a purpose whose statements are not empty and not padded."""
    purpose = Purpose.of(prompt)
    assert all(text and text == text.strip() for text in purpose.statements)
    assert isinstance(purpose.names_topic, bool)
