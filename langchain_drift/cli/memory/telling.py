"""Telling a memory, and asking it."""

import sys
from pathlib import Path
from typing import NamedTuple

from langchain_drift.cli.memory.opening import open_guard
from langchain_drift.cli.memory.output import write_json, write_lines, write_table
from langchain_drift.cli.memory.scopes import read_scope
from langchain_drift.errors import InvalidInputError
from langchain_drift.json_lines import decode
from langchain_drift.mistakes.event import Kind
from langchain_drift.mistakes.review import GuardReview, MistakeWarning

_TOLD = {
    "stored": "Kept as {kind} {event_id}.",
    "duplicate": "Event {event_id} was told before; it counts once.",
    "transient": "Not kept: this failure passes by itself. Keep it with --no-transient.",
}


class Answer(NamedTuple):
    """Whether a review warns, and whether a warning is sure enough to block."""

    warns: bool
    may_block: bool


def add_event(  # noqa: PLR0913 - an event has as many parts
    path: Path | None,
    scope: str | None,
    output: str,
    *,
    kind: Kind,
    texts: tuple[str, str, str],
    event_id: str | None,
    source: str,
    hypothesis: bool | None,
    transient: bool | None,
) -> None:
    """Keep an event and write what became of it."""
    action, feedback, outcome = texts
    with open_guard(path, may_begin=True) as guard:
        told = guard.runtime.register(
            kind,
            _said(action),
            feedback,
            outcome,
            scope=read_scope(scope),
            event_id=event_id,
            source=source,
            hypothesis=hypothesis,
            transient=transient,
        )
    if output == "json":
        write_json(told)
        return
    name = "guess" if told["hypothesis"] else kind
    write_lines(_TOLD[told["status"]].format(kind=name, event_id=told["event_id"]))


def review_action(path: Path | None, scope: str | None, output: str, action: str) -> Answer:
    """Ask about an action and write the answer."""
    with open_guard(path) as guard:
        review = guard.review(_said(action), scope=read_scope(scope))
        may_block = bool(review.blocking(guard.settings.guard_min_confidence))
    if output == "json":
        write_json(review.to_dict())
    else:
        show_review(review)
    return Answer(bool(review.warnings), may_block)


def show_review(review: GuardReview) -> None:
    """Write a review as tables."""
    if review.warnings:
        write_table(
            ("sure", "because", "what failed", "with", "times", "worked"),
            [
                (w.confidence, _because(w), w.trigger, w.risk, w.frequency, w.successes)
                for w in review.warnings
            ],
            title="Failed before",
        )
    if review.reinforcements:
        write_table(
            ("sure", "what worked", "came back", "times"),
            [
                (r.confidence, r.trigger, r.recommendation, r.frequency)
                for r in review.reinforcements
            ],
            title="Worked before",
        )
    if not review.warnings:
        write_lines("No warning.")


def _because(warning: MistakeWarning) -> str:
    words = [warning.evidence, *([f"({', '.join(warning.culprits)})"] if warning.culprits else [])]
    return " ".join([*words, "guess"] if warning.hypothesis else words)


def _said(action: str) -> str:
    """Return an action, or what standard input holds instead of `-`.

    Raises:
        InvalidInputError: If it is empty, as an unset variable of a script is.
    """
    if action == "-":
        action = "".join(decode(sys.stdin.buffer, "standard input")).strip("\r\n")
    if not action.strip():
        message = "The action is empty; say what is done."
        raise InvalidInputError(message)
    return action
