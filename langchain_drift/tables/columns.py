"""Columns of pyarrow tables and pandas frames, read as lists and added to a copy."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_drift.errors import InvalidInputError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    Table = TypeVar("Table", pa.Table, pa.RecordBatch, pd.DataFrame)
else:
    Table = TypeVar("Table")


def read_column(table: Any, name: str) -> list[Any]:  # noqa: ANN401 - of either library
    """Return a column as a list; None where it has no value.

    Raises:
        InvalidInputError: If the table has no such column, or is none.
    """
    names = column_names(table)
    if name not in names:
        message = f"The table has no column {name!r}; it has {', '.join(map(repr, names))}."
        raise InvalidInputError(message)
    if _is_pandas(table):
        values = table[name].astype(object)
        found: list[Any] = values.where(values.notna(), None).tolist()
    else:
        found = table.column(name).to_pylist()
    return found


def column_names(table: Any) -> list[str]:  # noqa: ANN401 - of either library
    """Return the names of the columns.

    Raises:
        InvalidInputError: If it is no table.
    """
    if _is_pandas(table):
        return [str(name) for name in table.columns]
    names = getattr(getattr(table, "schema", None), "names", None)
    if isinstance(names, list) and hasattr(table, "append_column"):
        return names
    message = f"The table is a {type(table).__name__}; give a pyarrow.Table or a pandas.DataFrame."
    raise InvalidInputError(message)


def with_columns(table: Table, columns: Mapping[str, tuple[str, Sequence[Any]]]) -> Table:
    """Return a table with further columns; the given one is not changed.

    Args:
        table: The table.
        columns: Name to what the column holds (`score`, `causes` or texts), and its values.
    """
    if _is_pandas(table):
        return _with_pandas_columns(table, columns)
    import pyarrow as pa  # noqa: PLC0415 - whoever has such a table has the library

    kinds = {"score": pa.float64(), "causes": pa.list_(pa.string())}
    for name, (kind, values) in columns.items():
        table = table.append_column(name, pa.array(values, kinds.get(kind, pa.string())))
    return table


def _with_pandas_columns(table: Any, columns: Mapping[str, tuple[str, Sequence[Any]]]) -> Any:  # noqa: ANN401 - a frame
    import pandas as pd  # noqa: PLC0415 - whoever has such a table has the library

    found = table.copy(deep=False)
    for name, (kind, values) in columns.items():
        dtype = "float64" if kind == "score" else object
        found[name] = pd.Series(list(values), index=table.index, dtype=dtype)
    return found


def _is_pandas(table: object) -> bool:
    return type(table).__module__.partition(".")[0] == "pandas"
