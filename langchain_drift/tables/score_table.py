"""The batch function: a table of turns in, the same table with scores out."""

from collections.abc import Iterable, Sequence
from typing import Any

from langchain_drift.conversation.result import Cause, TurnResult
from langchain_drift.conversation.turn import FewShotExample, Turn
from langchain_drift.embeddings import as_embeddings, default_embeddings
from langchain_drift.embeddings.cache import CachedEmbeddings
from langchain_drift.errors import InvalidInputError
from langchain_drift.tables.archive import Row, in_order, score_rows
from langchain_drift.tables.columns import Table, column_names, read_column, with_columns

_RESULTS = ("score", "verdict", "status", "causes")
_CAUSES = {
    None: (),
    Cause.USER: ("user",),
    Cause.ASSISTANT: ("assistant",),
    Cause.BOTH: ("user", "assistant"),
}


def score_table(  # noqa: PLR0913 - the columns have names of their own
    table: Table,
    system_prompt: str | None = None,
    *,
    few_shot_examples: Iterable[FewShotExample] = (),
    embeddings: object | None = None,
    conversation: str = "conversation",
    turn: str = "turn",
    user: str = "user",
    assistant: str = "assistant",
    system_prompt_column: str = "system_prompt",
    first_turn: Any = None,  # noqa: ANN401 - whatever the column holds
    prefix: str = "",
) -> Table:
    """Score the turns of a table, one a row, and return it with four more columns.

    A pure function of the table, for one batch of an engine: `ray.data.Dataset.map_batches`
    (`batch_format="pyarrow"` or `"pandas"`), Spark's `mapInPandas`, Dask's `map_partitions`. Rows
    may come in any order and keep it. All texts of many conversations are embedded together.

    What is not in the table is not known: of a conversation that is split over batches each part
    is scored as a conversation that begins there. Keep conversations whole (one file each many,
    a group-by, a shuffle on the conversation), or pass `first_turn` to have such parts refused.

    Args:
        table: A `pyarrow.Table`, `pyarrow.RecordBatch` or `pandas.DataFrame`; it is not changed.
        system_prompt: What all conversations are for; None to read it from a column.
        few_shot_examples: Exchanges that show the purpose in practice.
        embeddings: Any LangChain `Embeddings`, or what adapts to one; by default the bundled one.
        conversation: The column of the conversation's id; a row without one is a conversation.
        turn: The column that orders the turns of a conversation: numbers, times or texts.
        user: The column of what the user said.
        assistant: The column of what the assistant answered.
        system_prompt_column: The column of system prompts; unused beside `system_prompt`.
        first_turn: What `turn` is at the beginning of every conversation; a conversation that
            begins with another is refused. None to take what is there.
        prefix: Stands before the names of the new columns.

    Returns:
        The table with `score` (0 to 100), `verdict`, `status` (`scored`, or why the turn was not
        judged, in which case the score is that of the turn before) and `causes` (`user`,
        `assistant`, both or neither: who left the purpose at this turn).

    Raises:
        InvalidInputError: If a column is missing or would be overwritten, a cell cannot be used,
            or a conversation does not begin with `first_turn`.
        EmbeddingError: If the embedder fails.
    """
    _check_names(table, [f"{prefix}{name}" for name in _RESULTS])
    numbers = read_column(table, turn)
    turns = _turns(read_column(table, user), read_column(table, assistant))
    prompts = (
        read_column(table, system_prompt_column)
        if system_prompt is None
        else [system_prompt] * len(turns)
    )
    conversations = in_order(read_column(table, conversation), numbers, prompts, turns)
    if first_turn is not None:
        _check_beginnings(conversations, numbers, first_turn)
    embedder = (
        default_embeddings() if embeddings is None else CachedEmbeddings(as_embeddings(embeddings))
    )
    scored = score_rows(conversations, embedder, tuple(few_shot_examples))
    # Results are large; of each only its cells are kept.
    cells = dict(sorted((place, _cells(result)) for place, result in scored))
    columns = zip(*cells.values(), strict=True) if cells else ((),) * len(_RESULTS)
    named = zip(_RESULTS, columns, strict=True)
    return with_columns(table, {f"{prefix}{name}": (name, values) for name, values in named})


def _check_names(table: object, new: Iterable[str]) -> None:
    taken = sorted(set(new) & set(column_names(table)))
    if taken:
        message = f"The table has a column {taken[0]!r} already; give a `prefix` for the new ones."
        raise InvalidInputError(message)


def _turns(users: Sequence[object], assistants: Sequence[object]) -> list[Turn]:
    found = []
    for place, (user, assistant) in enumerate(zip(users, assistants, strict=True)):
        try:
            found.append(Turn.of(user, assistant))
        except InvalidInputError as error:
            message = f"Row {place}: {error}"
            raise InvalidInputError(message) from error
    return found


def _check_beginnings(
    conversations: Iterable[Sequence[Row]], numbers: Sequence[object], first: object
) -> None:
    for rows in conversations:
        place = rows[0].place
        if numbers[place] != first:
            message = (
                f"A conversation begins with turn {numbers[place]!r:.60} in row {place}, not with "
                f"{first!r:.60}: its beginning is in another batch. Keep conversations whole."
            )
            raise InvalidInputError(message)


def _cells(result: TurnResult) -> tuple[float, str, str, list[str]]:
    assert result.drift is not None  # noqa: S101 - the scorer always gives one
    status = "scored" if result.abstained is None else result.abstained.value
    return result.drift.score, result.drift.verdict.value, status, list(_CAUSES[result.cause])
