"""The commands of `langchain-drift memory` that move events."""

from pathlib import Path
from typing import Annotated

import typer

from langchain_drift.cli.choices import ExportFormat, Side
from langchain_drift.cli.helps import ending
from langchain_drift.cli.memory.commands import memory_app
from langchain_drift.cli.memory.options import (
    MovedScopeOption,
    PathOption,
    SourceArgument,
    TargetArgument,
)


@memory_app.command("export", epilog=ending("memory export"))
def export(
    path: PathOption = None,
    scope: MovedScopeOption = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A new file; by default, and for -, standard output."),
    ] = None,
    shape: Annotated[
        ExportFormat | None,
        typer.Option("--format", help="By default JSON lines, Parquet for a name in .parquet."),
    ] = None,
) -> None:
    """Write the visible events as JSON lines or as a Parquet file."""
    from langchain_drift.cli.memory.moving import export_memory  # noqa: PLC0415 - loads the memory

    export_memory(path, scope, output, shape.value if shape else None)


@memory_app.command("import", epilog=ending("memory import"))
def import_file(
    file: Annotated[
        str,
        typer.Argument(
            help="JSON lines (- for standard input), Parquet, another memory, or a file or "
            "database of driftguard-ai."
        ),
    ],
    path: PathOption = None,
    scope: Annotated[
        str | None, typer.Option(help="Whose memory; by default as the file says.")
    ] = None,
    kind: Annotated[
        Side | None, typer.Option(help="What a file of driftguard-ai is about.")
    ] = None,
) -> None:
    """Record the events of a file; those known already count once."""
    from langchain_drift.cli.memory.moving import import_memory  # noqa: PLC0415 - loads the model

    import_memory(path, scope, file, kind.value if kind else None)


@memory_app.command("migrate", epilog=ending("memory migrate"))
def migrate(source: SourceArgument, target: TargetArgument, scope: MovedScopeOption = None) -> None:
    """Copy all events of one memory to another; the first one stays as it is.

    Ids, vectors and what is hidden go along. Run it again at any time, also after it was stopped:
    what is there already counts once.
    """
    from langchain_drift.cli.memory.moving import migrate_memory  # noqa: PLC0415 - loads the memory

    migrate_memory(source, target, scope)


@memory_app.command("sync", epilog=ending("memory sync"))
def sync(source: SourceArgument, target: TargetArgument, scope: MovedScopeOption = None) -> None:
    """Give each of two memories what only the other one holds.

    What one of them hides is hidden in both. What was purged from one comes back from the other:
    purge both. Each counts events in the order it got them, the other's after its own.
    """
    from langchain_drift.cli.memory.moving import sync_memories  # noqa: PLC0415 - loads the memory

    sync_memories(source, target, scope)
