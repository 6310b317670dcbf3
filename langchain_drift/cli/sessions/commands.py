"""The commands on kept sessions and their options."""

from pathlib import Path
from typing import Annotated

import typer

from langchain_drift.cli.choices import FailOn, Format, ReportFormat
from langchain_drift.cli.helps import ending
from langchain_drift.cli.sessions.options import MessagesOption, SinceOption, ThreadOption
from langchain_drift.conversation.verdict import DriftVerdict

_FOUND = 3

File = Annotated[
    str,
    typer.Option(
        "--file",
        "--path",
        help="The session memory, or a checkpoint database (SQLite file, postgresql://…).",
    ),
]
_DEFAULT = ".session_memory"


def add_commands(app: typer.Typer) -> None:
    """Add the commands to the program."""
    _add_audit(app)
    _add_looking(app)
    _add_changing(app)


def _add_looking(app: typer.Typer) -> None:
    @app.command(epilog=ending("status"))
    def status(
        file: File = _DEFAULT,
        thread: ThreadOption = None,
        output: Annotated[
            ReportFormat, typer.Option("--format", help="How to write it.")
        ] = ReportFormat.TABLE,
    ) -> None:
        """Say where a kept conversation stands."""
        from langchain_drift.cli.sessions import file as memory  # noqa: PLC0415 - not for --help

        if _is_database(file):
            from langchain_drift.cli.sessions.thread import show_thread_status  # noqa: PLC0415 - likewise

            show_thread_status(file, thread, output.value)
        else:
            memory.show_status(Path(file), output.value)

    @app.command(epilog=ending("history"))
    def history(
        file: File = _DEFAULT,
        thread: ThreadOption = None,
        last: Annotated[int, typer.Option(min=0, help="How many exchanges; 0 for all.")] = 20,
        output: Annotated[
            Format, typer.Option("--format", help="How to write the exchanges.")
        ] = Format.TABLE,
    ) -> None:
        """Show the exchanges that are kept."""
        from langchain_drift.cli.sessions import file as memory  # noqa: PLC0415 - not for --help

        if _is_database(file):
            from langchain_drift.cli.sessions.thread import show_thread_history  # noqa: PLC0415 - likewise

            show_thread_history(file, thread, output.value, last)
        else:
            memory.show_history(Path(file), output.value, last)


def _add_changing(app: typer.Typer) -> None:
    @app.command(epilog=ending("reset"))
    def reset(
        file: File = _DEFAULT,
        thread: ThreadOption = None,
        *,
        yes: Annotated[bool, typer.Option("--yes", help="Remove a thread without asking.")] = False,
    ) -> None:
        """Forget a kept conversation; refused while it is frozen.

        A session memory is deleted, a thread of a database is removed with its messages.
        """
        from langchain_drift.cli.sessions import file as memory  # noqa: PLC0415 - not for --help

        if _is_database(file):
            from langchain_drift.cli.sessions.thread import remove_thread  # noqa: PLC0415 - likewise

            remove_thread(file, thread, is_sure=yes)
        else:
            memory.remove(Path(file))

    @app.command(epilog=ending("freeze"))
    def freeze(file: File = _DEFAULT) -> None:
        """Let no summary change any more."""
        _freeze(file, frozen=True)

    @app.command(epilog=ending("unfreeze"))
    def unfreeze(file: File = _DEFAULT) -> None:
        """Let summaries change again."""
        _freeze(file, frozen=False)


def _freeze(file: str, *, frozen: bool) -> None:
    from langchain_drift.cli.sessions import file as memory  # noqa: PLC0415 - not for --help

    if _is_database(file):
        from langchain_drift.cli.sessions.thread import refuse_to_freeze  # noqa: PLC0415 - likewise

        refuse_to_freeze(file, frozen=frozen)
    else:
        memory.freeze(Path(file), frozen=frozen)


def _add_audit(app: typer.Typer) -> None:
    @app.command(epilog=ending("audit"))
    def audit(  # noqa: PLR0913, PLR0917 - what an audit is of
        database: Annotated[
            str, typer.Argument(help="An SQLite file of LangGraph, or postgresql://….")
        ],
        purpose: Annotated[
            str | None, typer.Option(help="What the chats are for; else their system message.")
        ] = None,
        purpose_file: Annotated[
            Path | None, typer.Option(help="A file that says what the chats are for.")
        ] = None,
        thread: ThreadOption = None,
        since: SinceOption = None,
        messages: MessagesOption = None,
        limit: Annotated[
            int | None, typer.Option(min=0, help="Write so many threads; 0 for all.")
        ] = None,
        output: Annotated[
            Format, typer.Option("--format", help="How to write the threads.")
        ] = Format.TABLE,
        fail_on: Annotated[
            FailOn | None, typer.Option(help="Exit with 3 on this verdict or worse.")
        ] = None,
    ) -> None:
        """Score the threads of a checkpoint database.

        The threads of LangGraph are told worst first; the database is only read. Without
        --purpose, threads that keep their drift are told as they were scored. A table has 20
        threads, other formats have all.
        """
        from langchain_drift.cli.score import read_purpose  # noqa: PLC0415 - loads the model
        from langchain_drift.cli.sessions.audit import show_audit  # noqa: PLC0415 - likewise

        shown = _SHOWN if output is Format.TABLE else 0
        is_found = show_audit(
            database,
            read_purpose(purpose, purpose_file),
            thread=thread,
            since=since,
            channel=messages or "messages",
            output=output.value,
            limit=shown if limit is None else limit,
            fail_on=DriftVerdict(fail_on.value) if fail_on else None,
        )
        if is_found:
            raise typer.Exit(_FOUND)


_SHOWN = 20


def _is_database(file: str) -> bool:
    from langchain_drift.checkpoints.database import is_checkpoints  # noqa: PLC0415 - loads LangGraph

    return is_checkpoints(file)
