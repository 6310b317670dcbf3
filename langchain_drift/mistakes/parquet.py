"""Events as a Parquet file, out and in again."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final

from langchain_drift.errors import InvalidInputError, MissingExtraError
from langchain_drift.mistakes.stores.record import Record

if TYPE_CHECKING:
    import pyarrow as pa

MAGIC: Final = b"PAR1"
"""What every Parquet file begins with."""

_STEP: Final = 10_000
_TEXTS: Final = ("event_id", "kind", "action", "feedback", "outcome", "source")
_PARTS: Final = ("tenant", "user", "environment")


def write_parquet(records: Iterable[Record], file: IO[bytes]) -> None:
    """Write events, one a row: the fields of `Event`, with a column for each part of the scope.

    Vectors are left out, as in JSON lines.

    Raises:
        MissingExtraError: If pyarrow is not installed.
    """
    arrow = need_arrow()
    import pyarrow.parquet  # noqa: PLC0415 - needs an extra

    names = ("event_id", "kind", *_PARTS, "action", "feedback", "outcome", "at", "hypothesis")
    kinds = {"at": arrow.timestamp("us", "UTC"), "hypothesis": arrow.bool_()}
    schema = arrow.schema([(name, kinds.get(name, arrow.string())) for name in (*names, "source")])
    rest = iter(records)
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while step := list(islice(rest, _STEP)):
            writer.write_table(arrow.Table.from_pylist([_row(each) for each in step], schema))


def read_parquet(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield where a row stands, and the event it holds as `Event` takes it.

    Raises:
        InvalidInputError: If it is no readable Parquet file.
        MissingExtraError: If pyarrow is not installed.
    """
    arrow = need_arrow()
    import pyarrow.parquet  # noqa: PLC0415 - needs an extra

    number = 0
    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches(_STEP):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{path}, row {number}", _event(row)
    except arrow.ArrowException as error:
        message = f"{path} cannot be read: {error}"
        raise InvalidInputError(message) from error


def need_arrow() -> "pa":
    """Return pyarrow.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - needs an extra
    except ImportError as error:
        package = "pyarrow"
        raise MissingExtraError(package, "tables") from error
    return pa


def _row(record: Record) -> dict[str, Any]:
    event = record.to_event()
    row = {name: getattr(event, name) for name in (*_TEXTS, "at", "hypothesis")}
    return row | {name: getattr(event.scope, name) for name in _PARTS}


def _event(row: dict[str, Any]) -> dict[str, Any]:
    """Gather the parts of the scope; a cell without a value is as good as none."""
    given = {name: value for name, value in row.items() if value is not None}
    scope = {name: given.pop(name) for name in _PARTS if name in given}
    return given | {"scope": scope}
