"""What a thread of a checkpoint database keeps of its drift, and its removal."""

import sys
from typing import Any

import typer

from langchain_drift.checkpoints.database import open_checkpoints
from langchain_drift.checkpoints.removal import delete_thread
from langchain_drift.checkpoints.thread import Thread
from langchain_drift.cli.harmless import clean
from langchain_drift.cli.sessions.file import write_exchanges, write_status
from langchain_drift.errors import FrozenContextError, InvalidInputError
from langchain_drift.session_nodes.state import running_turn, session_of, summaries_in


def show_thread_status(place: str, thread: str | None, output: str) -> None:
    """Say where the conversation of a thread stands, as its state tells.

    Raises:
        InvalidInputError: If there is no such database or thread, or it keeps no drift.
        StoreError: If it cannot be read.
    """
    write_status(_status(_keeping(_found(place, thread))), output)


def show_thread_history(place: str, thread: str | None, output: str, last: int) -> None:
    """Write the last scored turns of a thread, oldest first; 0 for all.

    Raises:
        InvalidInputError: If there is no such database or thread, or it keeps no drift.
        StoreError: If it cannot be read.
    """
    values = _keeping(_found(place, thread))
    rows = [
        {
            "session": each["session"],
            "turn": each["number"],
            "score": each["score"],
            "verdict": each["verdict"],
            "user": each["user"],
            "assistant": each["assistant"],
            "why": each["explanation"],
        }
        for each in values["drift_turns"]
    ]
    write_exchanges(rows[-last:] if last else rows, output)


def remove_thread(place: str, thread: str | None, *, is_sure: bool) -> None:
    """Remove a thread with its messages and all its checkpoints, after asking.

    Raises:
        InvalidInputError: If there is no such database or thread.
        FrozenContextError: If the thread is frozen.
        StoreError: If it cannot be read or removed.
    """
    found = _found(place, thread)
    name = clean(found.place.thread_id)
    if found.values.get("drift_frozen"):
        message = f"Thread {name} is frozen; set drift_frozen to false in its state first."
        raise FrozenContextError(message)
    asked = f"Remove thread {name} with its {len(found.messages)} messages and all checkpoints?"
    if is_sure or _agreed(asked):
        delete_thread(place, found.place.thread_id)
        sys.stdout.write(f"Thread {name} was removed.\n")


def _agreed(asked: str) -> bool:
    try:
        return typer.confirm(asked, err=True)
    except typer.Abort as error:
        message = "Nobody answered, so nothing was removed; say --yes where nobody can answer."
        raise InvalidInputError(message) from error


def refuse_to_freeze(place: str, *, frozen: bool) -> None:
    """Say how a thread is frozen, which only its graph can do.

    Raises:
        InvalidInputError: Always.
    """
    message = (
        f"{clean(place)} holds threads of a graph, and only the graph can write their state; call "
        f'graph.update_state(config, {{"drift_frozen": {frozen}}}) there.'
    )
    raise InvalidInputError(message)


def _found(place: str, thread: str | None) -> Thread:
    if thread is None:
        message = "A checkpoint database has many threads; give --thread (`audit` lists them)."
        raise InvalidInputError(message)
    with open_checkpoints(place) as database:
        return database.find(thread)


def _keeping(thread: Thread) -> dict[str, Any]:
    if thread.values.get("drift_turns"):
        return dict(thread.values)
    name = clean(thread.place.thread_id)
    message = (
        f"Thread {name} keeps no drift (its graph has neither a score node nor DriftMiddleware); "
        f"`langchain-drift audit … --thread {name}` scores it."
    )
    raise InvalidInputError(message)


def _status(values: dict[str, Any]) -> dict[str, Any]:
    last = running_turn(values)
    return {
        "session": session_of(values),
        "turns": last["number"] if last else 0,
        "score": round(last["score"], 2) if last else None,
        "verdict": last["verdict"] if last else None,
        "frozen": bool(values.get("drift_frozen")),
        "summaries": len(summaries_in(values)),
        "all_turns": len(values["drift_turns"]),
    }
