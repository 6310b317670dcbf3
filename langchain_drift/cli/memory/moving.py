"""Moving a memory: events out to JSON lines, and in from any file that holds some."""

import sys
from pathlib import Path

from langchain_drift.cli.memory.opening import open_guard
from langchain_drift.cli.memory.output import write_lines
from langchain_drift.cli.memory.scopes import read_scope
from langchain_drift.errors import InvalidInputError
from langchain_drift.mistakes.event import Kind
from langchain_drift.mistakes.exchange import export_lines, import_events, import_into


def export_memory(path: Path | None, scope: str | None, output: Path | None) -> None:
    """Write the visible events of a scope, or of all."""
    with open_guard(path) as guard:
        wanted = read_scope(scope)
        records = guard.runtime.store.read(None if wanted is None else wanted.key)
        lines = (f"{line}\n" for line in export_lines(records))
        if output is None:
            sys.stdout.writelines(lines)
            return
        try:
            with output.open("x", encoding="ascii") as file:
                file.writelines(lines)
        except OSError as error:
            message = f"{output} cannot be written: {error.strerror or error}; name a new file."
            raise InvalidInputError(message) from error


def import_memory(path: Path | None, scope: str | None, file: Path, kind: Kind | None) -> None:
    """Record the events of a file and write how many were new."""
    with open_guard(path, may_begin=True) as guard:
        events = import_events(file, kind=kind, scope=read_scope(scope))
        are_new = import_into(guard.runtime.store, events, guard.runtime.embeddings)
    write_lines(f"{len(are_new)} events read: {sum(are_new)} new, {are_new.count(False)} known.")
