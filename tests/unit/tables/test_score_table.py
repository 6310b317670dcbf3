"""Tables of turns are scored as trackers score them, whatever the engine that holds them."""

import pickle
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_drift import (
    DriftTracker,
    FewShotExample,
    InvalidInputError,
    MiniLMEmbeddings,
    score_table,
)

PROMPT = "Help customers of Acme Bank with savings accounts, credit cards and loans."
LIBRARY = "You are the help desk of a city library: loans, renewals, opening hours."
CHATS = {
    "a": [
        ("What do I need for a home loan?", "Proof of income, tax returns and a down payment."),
        ("What's a good pasta recipe?", "Try carbonara: eggs, parmesan, pancetta and pepper."),
        ("Back to the loan: when is it approved?", "Loan approval takes five to ten days."),
    ],
    "b": [
        ("Tell me a joke about cats.", "I can only help with banking; what about your account?"),
        ("Thanks!", "You're welcome."),
        ("Freeze my card", ""),
    ],
}
ROWS = [
    {"conversation": name, "turn": number, "user": user, "assistant": assistant}
    for name, chat in CHATS.items()
    for number, (user, assistant) in enumerate(chat, start=1)
]
ADDED = ["score", "verdict", "status", "causes"]


@pytest.fixture(scope="module")
def arrow(optional_package):
    """Return pyarrow."""
    return optional_package("pyarrow")


@pytest.fixture(scope="module")
def pandas(optional_package):
    """Return pandas."""
    return optional_package("pandas")


@pytest.fixture
def table(arrow):
    """Return the chats as an Arrow table."""
    return arrow.Table.from_pylist(ROWS)


def tracked(chat, prompt=PROMPT, **more):
    """Return what a tracker says of the turns of a chat."""
    tracker = DriftTracker(prompt, **more)
    return [tracker.record_turn(user, assistant) for user, assistant in chat]


def scores(rows):
    return [row["score"] for row in rows]


def test_a_table_is_scored_as_trackers_score_it(table):
    """Score, verdict, status and causes of every row are those of a tracker."""
    rows = score_table(table, PROMPT).to_pylist()
    results = [result for chat in CHATS.values() for result in tracked(chat)]
    for row, result in zip(rows, results, strict=True):
        assert row["score"] == pytest.approx(result.drift.score, abs=1e-3)
        assert row["verdict"] == result.drift.verdict.value
        assert row["status"] == (result.abstained or "scored")
    assert [row["causes"] for row in rows[:4]] == [[], ["user", "assistant"], [], ["user"]]
    assert [row["status"] for row in rows[4:]] == ["nothing_to_judge", "no_reply"]


def test_the_table_comes_back_with_four_columns_more(table, arrow):
    """Columns and rows stay as they are; the new columns have their types even without rows."""
    for given_rows in (table, table.slice(0, 0)):
        found = score_table(given_rows, PROMPT)
        assert found.select(table.column_names) == given_rows
        assert found.column_names == [*table.column_names, *ADDED]
        kinds = [found.schema.field(name).type for name in ADDED]
        assert kinds == [
            arrow.float64(), arrow.string(), arrow.string(), arrow.list_(arrow.string())
        ]  # fmt: skip
    assert table.column_names == list(ROWS[0])


def test_frames_and_record_batches_are_tables_too(table, arrow, pandas):
    """A pandas frame keeps its index and its kind; a record batch stays one."""
    expected = score_table(table, PROMPT).to_pylist()
    frame = table.to_pandas().set_index(pandas.Index(range(10, 16)))
    found = score_table(frame, PROMPT)
    assert list(found.index) == list(range(10, 16))
    assert found["score"].tolist() == scores(expected)
    assert [list(causes) for causes in found["causes"]] == [row["causes"] for row in expected]
    assert list(frame.columns) == list(ROWS[0])
    assert list(score_table(frame.head(0), PROMPT).columns) == [*ROWS[0], *ADDED]
    (batch,) = table.to_batches()
    scored = score_table(batch, PROMPT)
    assert isinstance(scored, arrow.RecordBatch)
    assert scored.to_pylist() == expected


@settings(max_examples=15, deadline=None)
@given(order=st.permutations(range(len(ROWS))))
def test_the_order_of_rows_does_not_matter(arrow, order):
    """Shuffled rows get the scores they had, at their own places."""
    expected = score_table(arrow.Table.from_pylist(ROWS), PROMPT).to_pylist()
    shuffled = arrow.Table.from_pylist([ROWS[place] for place in order])
    found = score_table(shuffled, PROMPT).to_pylist()
    assert found == [expected[place] for place in order]


def test_a_conversation_split_over_batches_begins_anew(table):
    """What is in another batch is not known: each part is scored as a conversation of its own."""
    later = score_table(table.slice(1, 2), PROMPT).to_pylist()
    alone = tracked(CHATS["a"][1:])
    assert scores(later) == pytest.approx([result.drift.score for result in alone], abs=1e-3)


def test_a_split_conversation_can_be_refused(table):
    """With `first_turn` a conversation that begins elsewhere is refused by its row."""
    assert score_table(table, PROMPT, first_turn=1).num_rows == 6
    with pytest.raises(InvalidInputError, match=r"begins with turn 2 in row 0, not with 1"):
        score_table(table.slice(1), PROMPT, first_turn=1)


def test_prompts_can_stand_in_a_column(arrow):
    """Each conversation is held against its own prompt; without one nothing is judged."""
    prompts = {"a": PROMPT, "b": LIBRARY, "c": None}
    rows = [
        {**ROWS[n], "conversation": name, "system_prompt": prompt if not n else None}
        for name, prompt in prompts.items()
        for n in range(2)
    ]
    found = score_table(arrow.Table.from_pylist(rows)).to_pylist()
    for place, prompt in ((0, PROMPT), (2, LIBRARY)):
        results = tracked(CHATS["a"][:2], prompt)
        expected = [result.drift.score for result in results]
        assert scores(found[place : place + 2]) == pytest.approx(expected, abs=1e-3)
    assert {row["status"] for row in found[4:]} == {"no_topic"}


def test_columns_have_the_names_they_have(arrow):
    """Other names are told by arguments; a prefix keeps columns that are there."""
    rows = [
        {"id": 7, "at": "2026-01-01", "q": row["user"], "a": row["assistant"], "score": 1}
        for row in ROWS[:1]
    ]
    names = {"conversation": "id", "turn": "at", "user": "q", "assistant": "a"}
    table = arrow.Table.from_pylist(rows)
    with pytest.raises(InvalidInputError, match=r"column 'score' already; give a `prefix`"):
        score_table(table, PROMPT, **names)
    (row,) = score_table(table, PROMPT, **names, prefix="drift_").to_pylist()
    assert row["score"] == 1
    assert row["drift_verdict"] == "fresh"


def test_missing_values_are_no_texts(pandas):
    """NaN and None are empty texts; rows without a conversation are conversations of their own."""
    rows = [{**ROWS[1], "conversation": None}, {**ROWS[1], "conversation": None, "user": None}]
    frame = pandas.DataFrame([*rows, {**ROWS[0], "assistant": float("nan"), "turn": None}])
    found = score_table(frame, PROMPT)
    lone = tracked([CHATS["a"][1]])[0].drift.score
    assert found["score"][0] == pytest.approx(lone, abs=1e-3)
    assert found["status"].tolist() == ["scored", "scored", "no_reply"]


def test_examples_and_embedders_are_used(table):
    """Few-shot examples count, and the texts of all conversations go to the embedder together."""

    class Counting(MiniLMEmbeddings):
        calls = ()

        def embed_array(self, texts):
            self.calls = (*self.calls, len(texts))
            return super().embed_array(texts)

    examples = [FewShotExample(user="Any recipes?", assistant="Try our pasta carbonara.")]
    embeddings = Counting()
    found = score_table(table, PROMPT, few_shot_examples=examples, embeddings=embeddings)
    results = tracked(CHATS["a"], few_shot_examples=examples)
    expected = [result.drift.score for result in results]
    assert scores(found.to_pylist()[:3]) == pytest.approx(expected, abs=1e-3)
    assert len(embeddings.calls) == 2  # the turns of all conversations, and the prompt


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"user": 7}, r"Row 0: The user message must be a string"),
        ({"turn": "first"}, r"cannot be ordered"),
        ({"turn": None}, r"Row 0 of conversation 'a' has no turn number"),
        ({"conversation": ["a"]}, r"Row 0 has the conversation \['a'\]; give a text"),
    ],
)
def test_cells_that_cannot_be_used_are_told_by_row(pandas, change, told):
    """The error names the row and the way out."""
    rows = [ROWS[0] | change, *ROWS[1:]]
    frame = pandas.DataFrame({name: pandas.Series([row[name] for row in rows], dtype=object)
                              for name in ROWS[0]})  # fmt: skip
    with pytest.raises(InvalidInputError, match=told):
        score_table(frame, PROMPT)


def test_what_is_no_table_is_refused(table):
    """A list of rows, and a table without a column, are refused with what is wanted."""
    with pytest.raises(InvalidInputError, match=r"is a list; give a pyarrow\.Table or a pandas"):
        score_table(ROWS, PROMPT)
    with pytest.raises(InvalidInputError, match=r"no column 'assistant'; it has 'conversation'"):
        score_table(table.drop_columns(["assistant"]), PROMPT)
    with pytest.raises(InvalidInputError, match=r"no column 'system_prompt'"):
        score_table(table)


def test_an_engine_can_send_the_function_to_its_workers(table):
    """With its arguments bound it is pickled, and Dask maps it over the parts of a frame."""
    work = pickle.loads(pickle.dumps(partial(score_table, system_prompt=PROMPT)))  # noqa: S301 - our own
    assert work(table) == score_table(table, PROMPT)


def test_dask_maps_it_over_partitions(table, optional_package):
    """Dask's frames of whole conversations come back scored."""
    dask = optional_package("dask.dataframe")
    frame = dask.from_pandas(table.to_pandas(), npartitions=2)
    kinds = {"score": "float64", "verdict": object, "status": object, "causes": object}
    work = partial(score_table, system_prompt=PROMPT)
    done = frame.map_partitions(work, meta={**frame.dtypes.to_dict(), **kinds})
    found = done.compute(scheduler="synchronous")
    assert found["score"].tolist() == scores(score_table(table, PROMPT).to_pylist())
