"""The commands on a session memory and their options."""

from pathlib import Path
from typing import Annotated

import typer

from langchain_drift.cli.choices import Format, ReportFormat

File = Annotated[Path, typer.Option("--file", help="The session memory.")]
_DEFAULT = Path(".session_memory")


def add_commands(app: typer.Typer, exit_codes: str) -> None:
    """Add the commands to the program."""

    @app.command(epilog=exit_codes)
    def status(
        file: File = _DEFAULT,
        output: Annotated[
            ReportFormat, typer.Option("--format", help="How to write it.")
        ] = ReportFormat.TABLE,
    ) -> None:
        """Say where the conversation of a session memory stands."""
        from langchain_drift.cli.sessions.file import show_status  # noqa: PLC0415 - not for --help

        show_status(file, output.value)

    @app.command(epilog=exit_codes)
    def history(
        file: File = _DEFAULT,
        last: Annotated[int, typer.Option(min=0, help="How many exchanges; 0 for all.")] = 20,
        output: Annotated[
            Format, typer.Option("--format", help="How to write the exchanges.")
        ] = Format.TABLE,
    ) -> None:
        """Show the exchanges of a session memory."""
        from langchain_drift.cli.sessions.file import show_history  # noqa: PLC0415 - not for --help

        show_history(file, output.value, last)

    @app.command(epilog=exit_codes)
    def reset(file: File = _DEFAULT) -> None:
        """Delete a session memory; refused while it is frozen."""
        from langchain_drift.cli.sessions.file import remove  # noqa: PLC0415 - not for --help

        remove(file)

    @app.command(epilog=exit_codes)
    def freeze(file: File = _DEFAULT) -> None:
        """Refuse changes of a session memory's summaries."""
        from langchain_drift.cli.sessions.file import freeze as change  # noqa: PLC0415 - not for --help

        change(file, frozen=True)

    @app.command(epilog=exit_codes)
    def unfreeze(file: File = _DEFAULT) -> None:
        """Allow changes of a session memory's summaries again."""
        from langchain_drift.cli.sessions.file import freeze as change  # noqa: PLC0415 - not for --help

        change(file, frozen=False)
