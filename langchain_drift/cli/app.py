"""The commands and their options."""

import io
import os
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from langchain_drift._version import __version__
from langchain_drift.cli.choices import FailOn, Format, RagFailOn, ReportFormat
from langchain_drift.cli.harmless import clean
from langchain_drift.cli.mcp_command import MCP_EXAMPLES, mcp
from langchain_drift.cli.memory import memory_app
from langchain_drift.cli.sessions import add_commands
from langchain_drift.conversation.verdict import DriftVerdict
from langchain_drift.errors import DriftError

_EXIT_CODES = (
    "Exit codes: 0 done, 1 the reader of the output went away, 2 the input or an option cannot "
    "be used, 3 --fail-on found what it looks for."
)
# The backspace keeps a paragraph's lines as they are.
_EXAMPLES = """\b
Example:
  langchain-drift demo
  langchain-drift score chat.json --purpose "You help with bank accounts."
  langchain-drift audit chats.sqlite --purpose "You help with bank accounts."
  langchain-drift evaluate drift labelled.jsonl"""
_SCORE_EXAMPLES = """\b
Example:
  langchain-drift score chat.json --purpose "You help with bank accounts."
  langchain-drift score chats.jsonl --format csv > scores.csv
  cat chat.json | langchain-drift score - --fail-on severe"""
_REPORT_EXAMPLES = """\b
Example:
  langchain-drift report chats.jsonl --purpose "You help with bank accounts."
  langchain-drift report memory.sqlite3 --output memory.html
  cat chat.json | langchain-drift report - --output - > report.html"""
_RAG_EXAMPLES = """\b
Example:
  langchain-drift rag answers.jsonl
  langchain-drift rag answers.jsonl --format json > report.json
  cat answers.jsonl | langchain-drift rag - --fail-on drift"""
_GROUNDING_EXAMPLES = """\b
Example:
  langchain-drift evaluate grounding labelled.jsonl
  langchain-drift evaluate grounding a.jsonl b.jsonl --method lexical --format json"""
_MEMORY_EXAMPLES = """\b
Example:
  langchain-drift evaluate memory steps.jsonl
  DRIFTGUARD_RETRIEVAL_MIN_CONFIDENCE=0.7 langchain-drift evaluate memory a.jsonl b.jsonl"""
_DRIFT_EXAMPLES = """\b
Example:
  langchain-drift evaluate drift labelled.jsonl --format json
  langchain-drift evaluate drift a.jsonl b.jsonl --without-filter --limit 100"""

Tier = Literal["semantic", "lexical", "jaccard"]

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Keep LLM conversations on purpose.",
    epilog=f"{_EXAMPLES}\n\n{_EXIT_CODES}",
)
evaluate_app = typer.Typer(no_args_is_help=True, help="Measure on labelled data.")
app.add_typer(evaluate_app, name="evaluate")
app.add_typer(memory_app, name="memory")
app.command("mcp", epilog=f"{MCP_EXAMPLES}\n\n{_EXIT_CODES}")(mcp)

_GONE, _INPUT_ERROR, _FOUND = 1, 2, 3


def run() -> int:
    """Run the command line and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Not every terminal can show a bar or what people write.
        sys.stdout.reconfigure(errors="replace")
    try:
        asked = _exit_code()
        sys.stdout.flush()
    except DriftError as error:
        sys.stderr.write(f"langchain-drift: {clean(str(error))}\n")
        return _INPUT_ERROR
    except BrokenPipeError:
        # The reader has gone; closing stdout later must not complain again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _GONE
    return asked


def _exit_code() -> int:
    """Run the command; wrong options and interrupts are told by typer, which then leaves."""
    try:
        app()
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else 0
    return 0


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
    """Score a real conversation that leaves and comes back."""
    from langchain_drift.cli.demo import show_demo  # noqa: PLC0415 - loads the model

    show_demo()


@app.command(epilog=f"{_SCORE_EXAMPLES}\n\n{_EXIT_CODES}")
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
    """
    from langchain_drift.cli.score import score_file  # noqa: PLC0415 - loads the model

    least = DriftVerdict(fail_on.value) if fail_on else None
    is_found = score_file(file, purpose, purpose_file, output.value, least)
    if is_found:
        raise typer.Exit(_FOUND)


@app.command(epilog=f"{_REPORT_EXAMPLES}\n\n{_EXIT_CODES}")
def report(  # noqa: PLR0913 - its options
    file: Annotated[
        Path,
        typer.Argument(help="A transcript (JSON or JSONL) or a mistake memory; - for stdin."),
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="The file to write; - for standard output."),
    ] = Path("report.html"),
    *,
    purpose: Annotated[
        str | None, typer.Option(help="What the chats are for; else their system messages.")
    ] = None,
    purpose_file: Annotated[
        Path | None, typer.Option(help="A file that says what the chats are for.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="The heading; by default the file.")] = None,
    max_mb: Annotated[
        float, typer.Option(min=0.05, help="Megabytes of the page; long texts are cut for it.")
    ] = 5.0,
) -> None:
    """Write a report as one HTML page that fetches nothing: overview, then every conversation.

    Transcripts are read and scored as `score` does; of a memory every action is told.
    """
    from langchain_drift.cli.report import write_report  # noqa: PLC0415 - loads the model

    write_report(file, output, purpose, purpose_file, title=title, max_mb=max_mb)


@app.command(epilog=f"{_RAG_EXAMPLES}\n\n{_EXIT_CODES}")
def rag(  # noqa: PLR0913, PLR0917 - the options of a command
    file: Annotated[Path, typer.Argument(help="Answers, JSON or JSONL; - for standard input.")],
    method: Annotated[
        Tier | None, typer.Option(help="How to judge; by default the best for the language.")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(min=0, max=1, help="Above this score an answer has drifted.")
    ] = None,
    output: Annotated[
        Format, typer.Option("--format", help="How to write the answers.")
    ] = Format.TABLE,
    fail_on: Annotated[
        RagFailOn | None,
        typer.Option(help="Exit with 3 on drift; unscored: or if an answer was not scored."),
    ] = None,
    question_key: Annotated[
        str | None, typer.Option(help="Where the question is, if under no usual key.")
    ] = None,
    answer_key: Annotated[str | None, typer.Option(help="Where the answer is, likewise.")] = None,
    documents_key: Annotated[
        str | None, typer.Option(help="Where the chunks are, likewise.")
    ] = None,
) -> None:
    """Judge answers by their questions and retrieved chunks.

    A line of the file is {"question": …, "contexts": […], "answer": …}.
    """
    from langchain_drift.cli.rag import judge_file  # noqa: PLC0415 - loads the model
    from langchain_drift.rag_payload import RagKeys  # noqa: PLC0415 - likewise
    from langchain_drift.retrieval.detector import RetrieverDriftDetector  # noqa: PLC0415 - likewise

    detector = RetrieverDriftDetector(method=method, threshold=threshold)
    keys = RagKeys(question_key, answer_key, documents_key)
    if judge_file(file, detector, keys, output.value, fail_on.value if fail_on else "never"):
        raise typer.Exit(_FOUND)


@evaluate_app.command("grounding", epilog=_GROUNDING_EXAMPLES)
def evaluate_grounding(
    files: Annotated[list[Path], typer.Argument(help="Labelled answers, JSONL.")],
    method: Annotated[
        Tier | None, typer.Option(help="How to judge; by default the best for the language.")
    ] = None,
    output: Annotated[
        ReportFormat, typer.Option("--format", help="How to write the figures.")
    ] = ReportFormat.TABLE,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Measure on the first answers of each file only.")
    ] = None,
) -> None:
    """Measure retriever drift on labelled answers.

    A line of a file is {"question": …, "contexts": […], "answer": …, "label": 1} with 1 for drift.
    """
    from langchain_drift.cli.evaluate_grounding import show_grounding  # noqa: PLC0415 - loads the model
    from langchain_drift.retrieval.detector import RetrieverDriftDetector  # noqa: PLC0415 - likewise

    detector = RetrieverDriftDetector(method=method)
    show_grounding(files, detector, output.value, limit)


@evaluate_app.command("memory", epilog=_MEMORY_EXAMPLES)
def evaluate_memory(
    files: Annotated[list[Path], typer.Argument(help="Labelled steps of agents, JSONL.")],
    output: Annotated[
        ReportFormat, typer.Option("--format", help="How to write the figures.")
    ] = ReportFormat.TABLE,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Replay the first steps of each file only.")
    ] = None,
) -> None:
    """Measure the mistake memory on labelled steps, at the settings of the environment.

    A line of a file is {"trace": …, "env": …, "action": …, "feedback": …, "failed": true,
    "should_warn": 1} with 1 for a failure that an earlier trace in the same env had, 0 for a step
    that works, null where nobody can say.
    """
    from langchain_drift.cli.evaluate_memory import show_memory_figures  # noqa: PLC0415 - loads the model

    show_memory_figures(files, output.value, limit)


@evaluate_app.command("drift", epilog=_DRIFT_EXAMPLES)
def evaluate_drift(
    files: Annotated[list[Path], typer.Argument(help="Labelled conversations, JSONL.")],
    output: Annotated[
        ReportFormat, typer.Option("--format", help="How to write the figures.")
    ] = ReportFormat.TABLE,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Measure on so many chats of each file at most.")
    ] = None,
    *,
    without_filter: Annotated[
        bool, typer.Option("--without-filter", help="Rank by each turn's own evidence.")
    ] = False,
) -> None:
    """Measure conversation drift on labelled conversations.

    A line of a file is {"purpose": …, "turns": [{"user", "assistant", "label"}]} with the labels
    on, off, neutral and adjacent.
    """
    from langchain_drift.cli.evaluate import show_evaluation  # noqa: PLC0415 - loads the model

    show_evaluation(files, output.value, without_filter=without_filter, limit=limit)


add_commands(app, _EXIT_CODES)
