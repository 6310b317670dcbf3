"""Looking after a memory: hiding, pruning, purging, embedding again."""

from pathlib import Path

from langchain_drift.cli.memory.finding import all_records, find
from langchain_drift.cli.memory.opening import open_guard
from langchain_drift.cli.memory.output import flat_rows, write_json, write_lines, write_table
from langchain_drift.cli.memory.scopes import read_scope


def prune_memory(path: Path | None, scope: str | None, output: str, *, dry_run: bool) -> None:
    """Hide what is rare or stale, and write how much."""
    with open_guard(path) as guard:
        done = guard.prune(scope=read_scope(scope), dry_run=dry_run)
    if output == "json":
        write_json(done)
        return
    del done["dry_run"]
    write_table(("would be done" if dry_run else "done", "number"), flat_rows(done))
    if done["hidden_events"] and not dry_run:
        write_lines("`memory list --hidden` shows them, `memory unhide` brings them back.")


def turn(path: Path | None, scope: str | None, names: list[str], *, hidden: bool) -> None:
    """Hide memories or events, or bring them back."""
    with open_guard(path) as guard:
        place = read_scope(scope)
        candidates = all_records(guard, place)[not hidden]
        ids = [record.event_id for name in names for record in find(candidates, name)]
        turned = (guard.hide if hidden else guard.unhide)(ids, scope=place)
    write_lines(f"{_events(turned)} {'hidden' if hidden else 'back in sight'}.")


def purge_memory(path: Path | None, scope: str | None, output: str, *, dry_run: bool) -> None:
    """Delete the hidden events, or write how many these are."""
    with open_guard(path) as guard:
        done = guard.purge(scope=read_scope(scope), dry_run=dry_run)
    if output == "json":
        write_json(done)
    elif not done["events"]:
        write_lines("Nothing is hidden in this scope; hide or prune first.")
    elif dry_run:
        write_lines(f"{_events(done['events'])} would be deleted for good; do it with --yes.")
    else:
        write_lines(f"{_events(done['events'])} deleted for good.")


def reembed_memory(path: Path | None) -> None:
    """Compute all vectors anew and write how many there are."""
    with open_guard(path) as guard:
        write_lines(
            f"{_events(guard.reembed())} embedded again with {guard.runtime.fingerprint()}."
        )


def _events(number: int) -> str:
    return f"{number} event{'s' if number != 1 else ''}"
