"""Looking at a memory: the list, one memory, statistics."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from langchain_drift.cli.memory.finding import ID_LENGTH, all_records, find
from langchain_drift.cli.memory.opening import open_guard
from langchain_drift.cli.memory.output import (
    flat_rows,
    moment,
    write_json,
    write_lines,
    write_table,
)
from langchain_drift.cli.memory.scopes import read_scope, write_scope
from langchain_drift.mistakes.index import ScopeIndex
from langchain_drift.mistakes.memory import Memory
from langchain_drift.mistakes.stores.record import Record


def show_list(
    path: Path | None, scope: str | None, output: str, limit: int, *, hidden: bool
) -> None:
    """Write the memories of a scope, the newest first."""
    with open_guard(path) as guard:
        records = all_records(guard, read_scope(scope))[hidden]
    memories = sorted(ScopeIndex(records).memories, key=_last_seen, reverse=True)
    limit = limit or len(memories)
    if output == "json":
        write_json([_plain(memory) for memory in memories[:limit]])
        return
    if not memories:
        write_lines(
            "Nothing is hidden in this scope."
            if hidden
            else "Nothing is remembered in this scope; `memory stats` names all scopes."
        )
        return
    write_table(
        ("id", "failed", "worked", "last seen", "action", "came back"),
        [
            (
                memory.first.key[:ID_LENGTH],
                len(memory.mistakes),
                len(memory.successes),
                moment(_last_seen(memory)),
                _last(memory).action,
                _last(memory).feedback,
            )
            for memory in memories[:limit]
        ],
    )
    if len(memories) > limit:
        write_lines(f"{len(memories) - limit} older ones are left out; see --limit.")


def show_memory(path: Path | None, scope: str | None, output: str, name: str) -> None:
    """Write one memory with all its events."""
    with open_guard(path) as guard:
        visible, hidden = all_records(guard, read_scope(scope))
    (key,) = {record.key for record in find([*visible, *hidden], name)}
    unseen = {record.event_id for record in hidden}
    records = sorted(
        (record for record in (*visible, *hidden) if record.key == key), key=lambda r: r.at
    )
    if output == "json":
        write_json(_plain(_memory(records)) | {"events": [_event(r, unseen) for r in records]})
        return
    last = records[-1]
    write_lines(f"{last.key[:ID_LENGTH]}  {last.action}")
    if culprits := sorted({culprit.strip('"') for r in records for culprit in r.culprits}):
        write_lines(f"Blamed: {', '.join(culprits)}")
    write_table(
        ("event", "when", "kind", "came back", "led to", "source"),
        [
            (r.event_id, moment(r.at), _kind(r, unseen), r.feedback, r.outcome, r.source)
            for r in records
        ],
    )


def show_stats(path: Path | None, scope: str | None, output: str) -> None:
    """Write what a scope holds, and how many events each scope has."""
    with open_guard(path) as guard:
        found = guard.stats(scope=read_scope(scope))
        scopes = {write_scope(each): count for each, count in guard.scopes().items()}
        place = str(getattr(guard.runtime.store, "path", guard.settings.storage_backend))
    # The counters of this process have seen nothing yet.
    del found["metrics"]
    if output == "json":
        write_json({"memory": place, **found, "scopes": scopes})
        return
    write_lines(f"Memory: {place}")
    write_table(("in this scope", "number"), flat_rows(found))
    if scopes:
        write_table(("scope", "events"), [(name or "(none)", n) for name, n in scopes.items()])


def _memory(records: Sequence[Record]) -> Memory:
    (memory,) = ScopeIndex(records).memories
    return memory


def _last(memory: Memory) -> Record:
    """Return the event of a memory that says most: its last mistake, else its last success."""
    return max(memory.mistakes or memory.successes, key=lambda record: record.at)


def _last_seen(memory: Memory) -> float:
    return max(record.at for record in (*memory.mistakes, *memory.successes))


def _plain(memory: Memory) -> dict[str, Any]:
    last = _last(memory)
    return {
        "id": memory.first.key,
        "action": last.action,
        "mistakes": len(memory.mistakes),
        "successes": len(memory.successes),
        "feedback": last.feedback,
        "outcome": last.outcome,
        "last_seen": datetime.fromtimestamp(_last_seen(memory), UTC).isoformat(),
    }


def _event(record: Record, hidden: set[str]) -> dict[str, Any]:
    event = record.to_event().model_dump(mode="json")
    return event | {"culprits": list(record.culprits), "hidden": record.event_id in hidden}


def _kind(record: Record, hidden: set[str]) -> str:
    words = [record.kind, "(guess)" if record.hypothesis else ""]
    return " ".join(filter(None, [*words, "(hidden)" if record.event_id in hidden else ""]))
