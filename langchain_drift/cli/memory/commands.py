"""The commands of `langchain-drift memory` that look at a memory, tell it and keep it."""

from typing import Annotated

import typer

from langchain_drift.cli.choices import ReportFormat, ReviewFailOn
from langchain_drift.cli.helps import ending
from langchain_drift.cli.memory.options import (
    ActionArgument,
    DryRunOption,
    FormatOption,
    NamesArgument,
    PathOption,
    ScopeOption,
)

_FOUND = 3
_WHERE = (
    "The memory is a file: --path names it, else DRIFTGUARD_* settings do, else it lies among "
    "your data."
)

memory_app = typer.Typer(
    no_args_is_help=True,
    help="Look at, ask and look after a memory of mistakes.",
    epilog=ending("memory", _WHERE),
)


@memory_app.command("list", epilog=ending("memory list"))
def list_memories(
    path: PathOption = None,
    scope: ScopeOption = None,
    limit: Annotated[int, typer.Option(min=0, help="Show the newest so many; 0 for all.")] = 50,
    output: FormatOption = ReportFormat.TABLE,
    *,
    hidden: Annotated[bool, typer.Option("--hidden", help="Show the hidden ones.")] = False,
) -> None:
    """List what is remembered, the newest first."""
    from langchain_drift.cli.memory.looking import show_list  # noqa: PLC0415 - loads the memory

    show_list(path, scope, output.value, limit, hidden=hidden)


@memory_app.command("show", epilog=ending("memory show"))
def show(
    name: Annotated[str, typer.Argument(help="The id of a memory or an event, or the action.")],
    path: PathOption = None,
    scope: ScopeOption = None,
    output: FormatOption = ReportFormat.TABLE,
) -> None:
    """Show one memory with all its events, hidden ones too."""
    from langchain_drift.cli.memory.looking import show_memory  # noqa: PLC0415 - loads the memory

    show_memory(path, scope, output.value, name)


@memory_app.command("stats", epilog=ending("memory stats"))
def stats(
    path: PathOption = None, scope: ScopeOption = None, output: FormatOption = ReportFormat.TABLE
) -> None:
    """Count events, memories, nodes and edges, and name all scopes."""
    from langchain_drift.cli.memory.looking import show_stats  # noqa: PLC0415 - loads the memory

    show_stats(path, scope, output.value)


@memory_app.command("add", epilog=ending("memory add"))
def add(  # noqa: PLR0913 - an event has as many parts
    action: ActionArgument,
    *,
    feedback: Annotated[str, typer.Option(help="What came back, such as an error.")] = "",
    outcome: Annotated[str, typer.Option(help="What it led to.")] = "",
    path: PathOption = None,
    scope: ScopeOption = None,
    event_id: Annotated[
        str | None, typer.Option(help="Its identity: the same one counts once.")
    ] = None,
    source: Annotated[str, typer.Option(help="Where it comes from, such as a run.")] = "",
    output: FormatOption = ReportFormat.TABLE,
    success: Annotated[bool, typer.Option("--success", help="It worked.")] = False,
    guess: Annotated[
        bool | None, typer.Option("--guess/--no-guess", help="Nobody is sure of the feedback.")
    ] = None,
    transient: Annotated[
        bool | None,
        typer.Option("--transient/--no-transient", help="It will pass, and is not kept."),
    ] = None,
) -> None:
    """Tell the memory of a mistake, or of a success."""
    from langchain_drift.cli.memory.telling import add_event  # noqa: PLC0415 - loads the memory

    add_event(
        path,
        scope,
        output.value,
        kind="success" if success else "mistake",
        texts=(action, feedback, outcome),
        event_id=event_id,
        source=source,
        hypothesis=guess,
        transient=transient,
    )


@memory_app.command("review", epilog=ending("memory review"))
def review(
    action: ActionArgument,
    path: PathOption = None,
    scope: ScopeOption = None,
    fail_on: Annotated[
        ReviewFailOn | None,
        typer.Option(help="Exit with 3 on a warning, or on one sure enough to block."),
    ] = None,
    output: FormatOption = ReportFormat.TABLE,
) -> None:
    """Ask whether an action failed before."""
    from langchain_drift.cli.memory.telling import review_action  # noqa: PLC0415 - loads the memory

    found = review_action(path, scope, output.value, action)
    if fail_on and (found.may_block if fail_on == ReviewFailOn.BLOCK else found.warns):
        raise typer.Exit(_FOUND)


@memory_app.command("prune", epilog=ending("memory prune"))
def prune(
    path: PathOption = None,
    scope: ScopeOption = None,
    output: FormatOption = ReportFormat.TABLE,
    *,
    dry_run: DryRunOption = False,
) -> None:
    """Hide what is rare or was not seen for long."""
    from langchain_drift.cli.memory.keeping import prune_memory  # noqa: PLC0415 - loads the memory

    prune_memory(path, scope, output.value, dry_run=dry_run)


@memory_app.command("hide", epilog=ending("memory hide"))
def hide(names: NamesArgument, path: PathOption = None, scope: ScopeOption = None) -> None:
    """Hide memories or events by id; they stay in the file."""
    from langchain_drift.cli.memory.keeping import turn  # noqa: PLC0415 - loads the memory

    turn(path, scope, names, hidden=True)


@memory_app.command("unhide", epilog=ending("memory unhide"))
def unhide(names: NamesArgument, path: PathOption = None, scope: ScopeOption = None) -> None:
    """Bring hidden memories or events back."""
    from langchain_drift.cli.memory.keeping import turn  # noqa: PLC0415 - loads the memory

    turn(path, scope, names, hidden=False)


@memory_app.command("purge", epilog=ending("memory purge"))
def purge(
    path: PathOption = None,
    scope: ScopeOption = None,
    output: FormatOption = ReportFormat.TABLE,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do it; else only tell.")] = False,
) -> None:
    """Delete the hidden events for good."""
    from langchain_drift.cli.memory.keeping import purge_memory  # noqa: PLC0415 - loads the memory

    purge_memory(path, scope, output.value, dry_run=not yes)


@memory_app.command("reembed", epilog=ending("memory reembed"))
def reembed(path: PathOption = None) -> None:
    """Embed all scopes again, after a change of the embedder."""
    from langchain_drift.cli.memory.keeping import reembed_memory  # noqa: PLC0415 - loads the model

    reembed_memory(path)


@memory_app.command("demo", epilog=ending("memory demo"))
def demo() -> None:
    """Watch a memory form, recognise a paraphrase, warn, and be cleared by a success."""
    from langchain_drift.cli.memory.demo import show_demo  # noqa: PLC0415 - loads the model

    show_demo()
