"""Moving a memory: events out to a file, in from any file that holds some, and to other stores."""

import sys
from contextlib import ExitStack, closing
from itertools import chain, islice
from pathlib import Path

from langchain_drift.cli.memory.opening import open_guard
from langchain_drift.cli.memory.output import write_lines
from langchain_drift.cli.memory.scopes import read_scope
from langchain_drift.cli.progress import EventProgress
from langchain_drift.cli.standard_input import STDIO, piped
from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.copying import Copied, copy_events, count_events
from langchain_drift.mistakes.event import Kind
from langchain_drift.mistakes.exchange import export_lines, import_events, import_into
from langchain_drift.mistakes.parquet import need_arrow, write_parquet
from langchain_drift.mistakes.runtime import open_embeddings
from langchain_drift.mistakes.settings import load_settings
from langchain_drift.mistakes.stores.places import harmless, is_same_place, open_place
from langchain_drift.mistakes.stores.protocol import EventLog


def export_memory(
    path: Path | None, scope: str | None, output: Path | None, shape: str | None
) -> None:
    """Write the visible events of a scope, or of all."""
    output = None if output == STDIO else output
    is_parquet = (shape or (output.suffix[1:] if output else "")) == "parquet"
    if is_parquet and output is None:
        message = "Parquet is not for a terminal; name a new file with --output."
        raise InvalidInputError(message)
    if is_parquet:
        need_arrow()  # before a file is begun
    with open_guard(path) as guard:
        wanted = read_scope(scope)
        records = guard.runtime.store.read(None if wanted is None else wanted.key)
        lines = (f"{line}\n" for line in export_lines(records))
        if output is None:
            sys.stdout.writelines(lines)
            return
        try:
            with output.open("xb") as file:
                if is_parquet:
                    write_parquet(records, file)
                else:
                    file.writelines(line.encode("ascii") for line in lines)
        except OSError as error:
            message = f"{output} cannot be written: {error.strerror or error}; name a new file."
            raise InvalidInputError(message) from error


def import_memory(path: Path | None, scope: str | None, file: str, kind: Kind | None) -> None:
    """Record the events of a file and write how many were new."""
    with piped(Path(file)) as source:
        given = file if source == Path(file) else source
        events = import_events(given, kind=kind, scope=read_scope(scope))
        first = list(islice(events, 1))  # before a memory is begun for what cannot be read
        with open_guard(path, may_begin=True) as guard:
            runtime = guard.runtime
            are_new = import_into(runtime.store, chain(first, events), runtime.embeddings)
    write_lines(f"{len(are_new)} events read: {sum(are_new)} new, {are_new.count(False)} known.")


def migrate_memory(source: str, target: str, scope: str | None) -> None:
    """Give a store what another one holds, and write how much was new."""
    with ExitStack() as stack:
        ends = _open_both(stack, source, target)
        write_lines(_told(target, _copy(*ends, scope, "migrating")))


def sync_memories(first: str, second: str, scope: str | None) -> None:
    """Give two stores what the other one holds, and write how much was new to each."""
    with ExitStack() as stack:
        one, other = _open_both(stack, first, second)
        write_lines(_told(second, _copy(one, other, scope, "there")))
        write_lines(_told(first, _copy(other, one, scope, "and back")))


def _open_both(stack: ExitStack, first: str, second: str) -> tuple[EventLog, EventLog]:
    if is_same_place(first, second):
        message = f"{first} is both ends; name two stores."
        raise InvalidInputError(message)
    one = stack.enter_context(closing(open_place(first)))
    return one, stack.enter_context(closing(open_place(second, may_begin=True)))


def _copy(source: EventLog, target: EventLog, scope: str | None, what: str) -> Copied:
    wanted = read_scope(scope)
    key = None if wanted is None else wanted.key
    embeddings = open_embeddings(load_settings())
    with EventProgress(what, count_events(source, key)) as progress:
        return copy_events(source, target, embeddings, scope=key, on_step=progress.advance)


def _told(place: str, done: Copied) -> str:
    told = f"{done.read} events read: {done.new} new to {harmless(place)}"
    known = f"{done.read - done.new} known"
    return f"{told}, {known}, {done.hidden} hidden."
