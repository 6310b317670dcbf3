"""The audit of a checkpoint database: threads worst first, then the turns to look at."""

import logging
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from langchain_drift.checkpoints.audit import Audit, audit
from langchain_drift.checkpoints.database import CheckpointDatabase, open_checkpoints
from langchain_drift.checkpoints.thread import Thread
from langchain_drift.cli.score import write_scored
from langchain_drift.cli.sessions.audit_output import write_audit
from langchain_drift.conversation.many import Chat, ManyScorer
from langchain_drift.conversation.verdict import DriftVerdict
from langchain_drift.errors import InvalidInputError
from langchain_drift.transcripts import Transcript

_AGO = re.compile(r"(\d{1,6})([mhdw])")
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_ORDER = list(DriftVerdict)


def show_audit(  # noqa: PLR0913 - what an audit is of
    place: str,
    purpose: str | None,
    *,
    thread: str | None,
    since: str | None,
    channel: str,
    output: str,
    limit: int,
    fail_on: DriftVerdict | None,
) -> bool:
    """Score the threads of a checkpoint database, or the turns of one, and write what was found.

    Returns:
        Whether a running score had the verdict `fail_on` or a worse one.

    Raises:
        InvalidInputError: If there is no such database or thread, or nothing in it to score.
        MissingExtraError: If LangGraph's checkpointer for it is not installed.
        StoreError: If it cannot be read.
    """
    # What is no plain data is left as it is, thread by thread; there is nothing to do about it.
    logging.getLogger("langgraph.checkpoint.serde").setLevel(logging.ERROR)
    earliest = parse_since(since) if since else None
    with open_checkpoints(place) as database:
        if thread is not None:
            return _show_thread(database.find(thread, channel), purpose, output, fail_on)
        found = _audited(database, purpose, channel, earliest)
    if not found.threads:
        raise InvalidInputError(_nothing(place, found, channel))
    write_audit(found, output, limit)
    worst = min(each.lowest for each in found.threads)
    return _is_as_bad(DriftVerdict.from_score(worst), fail_on)


def parse_since(text: str) -> datetime:
    """Return the time of a date (`2026-11-30`, with a time or without) or of an age (`7d`).

    Raises:
        InvalidInputError: If it is neither.
    """
    ago = _AGO.fullmatch(text.strip())
    if ago:
        return datetime.now(UTC) - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as error:
        message = f"--since is {text!r:.40}; give a date such as 2026-11-30, or an age such as 7d."
        raise InvalidInputError(message) from error
    return found if found.tzinfo else found.astimezone()


def _audited(
    database: CheckpointDatabase, purpose: str | None, channel: str, since: datetime | None
) -> Audit:
    console = Console(stderr=True)
    columns = (
        TextColumn("reading and scoring"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("threads"),
    )
    with Progress(
        *columns,
        console=console,
        transient=True,
        # Results go to standard output as they are, wherever it leads.
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not console.is_terminal,
    ) as bar:
        task = bar.add_task("", total=database.count())
        return audit(
            database,
            purpose,
            channel=channel,
            since=since,
            on_thread=lambda: bar.advance(task),
        )


def _show_thread(
    thread: Thread, purpose: str | None, output: str, fail_on: DriftVerdict | None
) -> bool:
    prompt, turns = purpose or thread.prompt, thread.turns()
    name = thread.place.thread_id
    if prompt is None:
        message = f"Thread {name} has no system message to score its turns by; give --purpose."
        raise InvalidInputError(message)
    if not turns:
        message = f"Thread {name} has no turn to score: no question that was answered."
        raise InvalidInputError(message)
    results = [result for _, result in ManyScorer().score([Chat(name, prompt, turns)])]
    write_scored(iter([(Transcript(id=name, turns=()), results)]), output)
    return any(_is_as_bad(one.drift.verdict, fail_on) for one in results if one.drift)


def _is_as_bad(verdict: DriftVerdict, limit: DriftVerdict | None) -> bool:
    return limit is not None and _ORDER.index(verdict) >= _ORDER.index(limit)


def _nothing(place: str, found: Audit, channel: str) -> str:
    if found.left_out.get("no purpose"):
        return (
            "No thread begins with a system message that says what the chat is for; give "
            "--purpose or --purpose-file."
        )
    if found.left_out.get("unreadable"):
        return f"No thread of {Path(place).name} can be read; are they encrypted?"
    return (
        f"No turn was found under {channel!r} in the threads asked for; --messages names another "
        "key of the state."
    )
