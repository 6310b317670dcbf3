"""The commands and their options."""

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from langchain_drift._version import __version__
from langchain_drift.conversation.verdict import DriftVerdict
from langchain_drift.errors import DriftError

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help=(
        "Keep LLM conversations on purpose.\n\n"
        "Exit codes: 0 done, 2 the input or an option cannot be used, "
        "3 --fail-on found what it looks for."
    ),
)
evaluate_app = typer.Typer(no_args_is_help=True, help="Measure on labelled data.")
app.add_typer(evaluate_app, name="evaluate")

_INPUT_ERROR, _FOUND = 2, 3


class Format(StrEnum):
    """How results are written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


class ReportFormat(StrEnum):
    """How an evaluation is written."""

    TABLE = "table"
    JSON = "json"


class FailOn(StrEnum):
    """The verdict from which `score` exits with 3."""

    MILD = "mild"
    MODERATE = "moderate"
    SEVERE = "severe"
    CRITICAL = "critical"


def run() -> int:
    """Run the command line and return its exit code."""
    try:
        # What `typer.Exit` asks for is returned here, not raised.
        asked = app(standalone_mode=False)
    except DriftError as error:
        sys.stderr.write(f"langchain-drift: {' '.join(str(error).split())}\n")
        return _INPUT_ERROR
    except BrokenPipeError:
        # The reader has gone; closing stdout later must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (typer.Abort, KeyboardInterrupt):
        return 130
    except Exception as error:
        show = getattr(error, "show", None)
        if show is None:
            raise
        show()
        return _INPUT_ERROR
    return asked if isinstance(asked, int) else 0


def _print_version(*, is_asked: bool) -> None:
    if is_asked:
        typer.echo(f"langchain-drift {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=lambda value: _print_version(is_asked=value),
            is_eager=True,
            help="Print the version.",
        ),
    ] = False,
) -> None:
    """Take the options of the program itself."""


@app.command()
def demo() -> None:
    """Score a real conversation that leaves its purpose and comes back.

    Example: langchain-drift demo
    """
    from langchain_drift.cli.demo import show_demo  # noqa: PLC0415 - loads the model

    show_demo()


@app.command()
def score(
    file: Annotated[
        Path, typer.Argument(help="A transcript, JSON or JSONL; - for standard input.")
    ],
    purpose: Annotated[
        str | None, typer.Option(help="What the chat is for; else its system message.")
    ] = None,
    purpose_file: Annotated[
        Path | None, typer.Option(help="A file that says what the chat is for.")
    ] = None,
    output: Annotated[
        Format, typer.Option("--format", help="How to write the turns.")
    ] = Format.TABLE,
    fail_on: Annotated[
        FailOn | None, typer.Option(help="Exit with 3 on this verdict or worse.")
    ] = None,
) -> None:
    """Score the turns of your own transcripts.

    Messages of OpenAI, LangChain and ShareGPT and {user, assistant} turns are read.

    Example: langchain-drift score chat.json --purpose "You help with bank accounts."
    """
    from langchain_drift.cli.score import score_file  # noqa: PLC0415 - loads the model

    least = DriftVerdict(fail_on.value) if fail_on else None
    is_found = score_file(file, purpose, purpose_file, output.value, least)
    if is_found:
        raise typer.Exit(_FOUND)


@evaluate_app.command("drift")
def evaluate_drift(
    files: Annotated[list[Path], typer.Argument(help="Labelled conversations, JSONL.")],
    output: Annotated[
        ReportFormat, typer.Option("--format", help="How to write the figures.")
    ] = ReportFormat.TABLE,
    *,
    without_filter: Annotated[bool, typer.Option(help="Rank by each turn's own evidence.")] = False,
) -> None:
    """Measure conversation drift on labelled conversations.

    Example: langchain-drift evaluate drift labelled.jsonl --format json
    """
    from langchain_drift.cli.evaluate import show_evaluation  # noqa: PLC0415 - loads the model

    show_evaluation(files, output.value, without_filter=without_filter)
