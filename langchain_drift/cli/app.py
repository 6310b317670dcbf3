"""The commands and their options."""

from pathlib import Path
from typing import Annotated

import typer

from langchain_drift._version import __version__
from langchain_drift.cli.choices import FailOn, Format, RagFailOn, ReportFormat, Tier
from langchain_drift.cli.helps import ending
from langchain_drift.cli.mcp_command import mcp
from langchain_drift.cli.memory import memory_app
from langchain_drift.cli.sessions import add_commands
from langchain_drift.cli.sessions.options import MessagesOption, SinceOption, ThreadOption
from langchain_drift.conversation.verdict import DriftVerdict

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Keep LLM conversations on purpose.",
    epilog=ending(),
)
evaluate_app = typer.Typer(
    no_args_is_help=True, help="Measure on labelled data.", epilog=ending("evaluate")
)

_FOUND = 3


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


@app.command(epilog=ending("demo"))
def demo() -> None:
    """Score a real conversation that leaves and comes back."""
    from langchain_drift.cli.demo import show_demo  # noqa: PLC0415 - loads the model

    show_demo()


@app.command(epilog=ending("score"))
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


@app.command(epilog=ending("report"))
def report(  # noqa: PLR0913 - its options
    file: Annotated[
        str,
        typer.Argument(
            help="A transcript (JSON or JSONL; - for standard input), a checkpoint database "
            "(SQLite file, postgresql://…), or a mistake memory."
        ),
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
    thread: ThreadOption = None,
    since: SinceOption = None,
    messages: MessagesOption = None,
    title: Annotated[str | None, typer.Option(help="The heading; by default the file.")] = None,
    max_mb: Annotated[
        float, typer.Option(min=0.05, help="Megabytes of the page; long texts are cut for it.")
    ] = 5.0,
) -> None:
    """Write a report as one HTML page that fetches nothing: overview, then every conversation.

    Transcripts are read and scored as `score` does, the threads of a database as `audit` does; of a
    memory every action is told.
    """
    from langchain_drift.cli.report import write_report  # noqa: PLC0415 - loads the model
    from langchain_drift.cli.sessions.conversations import Wanted  # noqa: PLC0415 - likewise

    wanted = Wanted(thread, since, messages)
    write_report(file, output, purpose, purpose_file, wanted, title=title, max_mb=max_mb)


@app.command(epilog=ending("rag"))
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

    detector = RetrieverDriftDetector(method=method.value if method else None, threshold=threshold)
    keys = RagKeys(question_key, answer_key, documents_key)
    if judge_file(file, detector, keys, output.value, fail_on.value if fail_on else "never"):
        raise typer.Exit(_FOUND)


@evaluate_app.command("grounding", epilog=ending("evaluate grounding"))
def evaluate_grounding(
    files: Annotated[
        list[Path], typer.Argument(help="Labelled answers, JSONL; - for standard input.")
    ],
    method: Annotated[
        Tier | None, typer.Option(help="How to judge; by default the best for the language.")
    ] = None,
    output: Annotated[
        ReportFormat, typer.Option("--format", help="How to write the figures.")
    ] = ReportFormat.TABLE,
    limit: Annotated[
        int, typer.Option(min=0, help="Measure on so many answers of each file; 0 for all.")
    ] = 0,
) -> None:
    """Measure retriever drift on labelled answers.

    A line of a file is {"question": …, "contexts": […], "answer": …, "label": 1} with 1 for drift.
    """
    from langchain_drift.cli.evaluate_grounding import show_grounding  # noqa: PLC0415 - loads the model
    from langchain_drift.retrieval.detector import RetrieverDriftDetector  # noqa: PLC0415 - likewise

    detector = RetrieverDriftDetector(method=method.value if method else None)
    show_grounding(files, detector, output.value, limit or None)


@evaluate_app.command("memory", epilog=ending("evaluate memory"))
def evaluate_memory(
    files: Annotated[
        list[Path], typer.Argument(help="Labelled steps, JSONL; - for standard input.")
    ],
    output: Annotated[
        ReportFormat, typer.Option("--format", help="How to write the figures.")
    ] = ReportFormat.TABLE,
    limit: Annotated[
        int, typer.Option(min=0, help="Replay so many steps of each file; 0 for all.")
    ] = 0,
) -> None:
    """Measure the mistake memory on labelled steps, at the settings of the environment.

    A line of a file is {"trace": …, "env": …, "action": …, "feedback": …, "failed": true,
    "should_warn": 1} with 1 for a failure that an earlier trace in the same env had, 0 for a step
    that works, null where nobody can say.
    """
    from langchain_drift.cli.evaluate_memory import show_memory_figures  # noqa: PLC0415 - loads the model

    show_memory_figures(files, output.value, limit or None)


@evaluate_app.command("drift", epilog=ending("evaluate drift"))
def evaluate_drift(
    files: Annotated[
        list[Path], typer.Argument(help="Labelled chats, JSONL; - for standard input.")
    ],
    output: Annotated[
        ReportFormat, typer.Option("--format", help="How to write the figures.")
    ] = ReportFormat.TABLE,
    limit: Annotated[
        int, typer.Option(min=0, help="Measure on so many chats of each file; 0 for all.")
    ] = 0,
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

    show_evaluation(files, output.value, without_filter=without_filter, limit=limit or None)


add_commands(app)
app.add_typer(memory_app, name="memory")
app.add_typer(evaluate_app, name="evaluate")
app.command("mcp", epilog=ending("mcp"))(mcp)
