"""Scoring the transcripts of a file."""

import csv
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from rich.progress import Progress

from langchain_drift.cli.table import make_console, show_turns
from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.scorer import DriftScorer
from langchain_drift.conversation.verdict import DriftVerdict
from langchain_drift.errors import InvalidInputError
from langchain_drift.transcripts import Transcript, read_transcripts

_ORDER = list(DriftVerdict)
_FIELDS = (
    "conversation",
    "turn",
    "score",
    "verdict",
    "departed",
    "returned",
    "user",
    "assistant",
    "why",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")

Scored = tuple[Transcript, list[TurnResult]]


def score_file(
    file: Path,
    purpose: str | None,
    purpose_file: Path | None,
    output: str,
    fail_on: DriftVerdict | None,
) -> bool:
    """Score a file and write the turns to standard output.

    Returns:
        Whether a turn has the verdict `fail_on` or a worse one.
    """
    purpose = _purpose(purpose, purpose_file)
    is_found = False

    def scored() -> Iterator[Scored]:
        nonlocal is_found
        strategy = PurposeStrategy()
        with _opened(file) as lines, _progress() as advance:
            for transcript in read_transcripts(lines, str(file)):
                results = _score(transcript, purpose, strategy, advance)
                is_found = is_found or any(_is_as_bad(result, fail_on) for result in results)
                yield transcript, results

    _WRITERS[output](scored())
    return is_found


def _purpose(purpose: str | None, purpose_file: Path | None) -> str | None:
    if purpose is not None and purpose_file is not None:
        message = "Give either --purpose or --purpose-file, not both."
        raise InvalidInputError(message)
    if purpose_file is None:
        return purpose
    with _opened(purpose_file) as lines:
        return lines.read()


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    """Open a file or standard input; what cannot be read becomes one sentence."""
    try:
        if str(path) == "-":
            yield sys.stdin
        else:
            with path.open(encoding="utf-8-sig") as file:
                yield file
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror or error}."
        raise InvalidInputError(message) from error
    except UnicodeDecodeError as error:
        message = f"{path} is not UTF-8 text: {error.reason} at byte {error.start}."
        raise InvalidInputError(message) from error


@contextmanager
def _progress() -> Iterator[Callable[[], None]]:
    """Show a count of scored turns on standard error, where that is a terminal."""
    from rich.console import Console  # noqa: PLC0415 - beside its only use

    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("scoring turns", total=None)
        yield lambda: progress.advance(task)


def _score(
    transcript: Transcript,
    purpose: str | None,
    strategy: PurposeStrategy,
    advance: Callable[[], None],
) -> list[TurnResult]:
    about = purpose if purpose is not None else transcript.purpose
    if about is None:
        message = f"Conversation {transcript.id} has no system message; give --purpose."
        raise InvalidInputError(message)
    scorer = DriftScorer(about, transcript.examples, strategy=strategy)
    state, results = scorer.start(), []
    for turn in transcript.turns:
        state, result = scorer.step(state, turn.user, turn.assistant)
        results.append(result)
        advance()
    return results


def _is_as_bad(result: TurnResult, verdict: DriftVerdict | None) -> bool:
    if verdict is None or result.drift is None:
        return False
    return _ORDER.index(result.drift.verdict) >= _ORDER.index(verdict)


def _write_table(scored: Iterator[Scored]) -> None:
    console = make_console()
    for transcript, results in scored:
        show_turns(console, f"Conversation {transcript.id}", results)


def _write_json(scored: Iterator[Scored]) -> None:
    rows = [
        {"id": transcript.id, "turns": [result.to_dict() for result in results]}
        for transcript, results in scored
    ]
    sys.stdout.write(f"{json.dumps(rows, indent=1)}\n")


def _write_jsonl(scored: Iterator[Scored]) -> None:
    for transcript, results in scored:
        for number, result in enumerate(results, start=1):
            row = {"conversation": transcript.id, "turn": number} | result.to_dict()
            sys.stdout.write(f"{json.dumps(row)}\n")


def _write_csv(scored: Iterator[Scored]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(_FIELDS)
    for transcript, results in scored:
        for number, result in enumerate(results, start=1):
            drift = result.drift
            score, verdict = (f"{drift.score:.2f}", drift.verdict.value) if drift else ("", "")
            texts = (result.user_message, result.assistant_response, result.explanation or "")
            row = (number, score, verdict, result.departed, result.returned)
            writer.writerow((_cell(transcript.id), *row, *map(_cell, texts)))


def _cell(text: str) -> str:
    """Keep a spreadsheet from taking a text for a formula."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return f"'{text}" if text.startswith(_FORMULA) else text


_WRITERS = {
    "table": _write_table,
    "json": _write_json,
    "jsonl": _write_jsonl,
    "csv": _write_csv,
}
