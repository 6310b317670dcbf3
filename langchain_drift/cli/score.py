"""Scoring the transcripts of a file."""

import csv
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from langchain_drift.cli.harmless import cell
from langchain_drift.cli.progress import TurnProgress
from langchain_drift.cli.table import make_console, show_turns
from langchain_drift.conversation.purpose_strategy import PurposeStrategy
from langchain_drift.conversation.result import TurnResult
from langchain_drift.conversation.scorer import DriftScorer
from langchain_drift.conversation.verdict import DriftVerdict
from langchain_drift.errors import InvalidInputError
from langchain_drift.json_lines import decode, file_lines
from langchain_drift.transcripts import Transcript, read_transcripts

_STDIN = "standard input"
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

    Raises:
        InvalidInputError: If the file or a purpose cannot be used, or no turn is in the file.
    """
    if file == purpose_file:
        message = f"{file} cannot be both the transcript and the purpose; give two files."
        raise InvalidInputError(message)
    purpose = read_purpose(purpose, purpose_file)
    n_turns, is_found = 0, False

    def counted() -> Iterator[Scored]:
        nonlocal n_turns, is_found
        for transcript, results in scored_transcripts(file, purpose):
            n_turns += len(results)
            is_found = is_found or any(_is_as_bad(result, fail_on) for result in results)
            yield transcript, results

    write_scored(counted(), output)
    if not n_turns:
        message = f"{opened(file)[1]} holds no turn to score; give at least one message of a user."
        raise InvalidInputError(message)
    return is_found


def read_purpose(purpose: str | None, purpose_file: Path | None) -> str | None:
    """Return the purpose that an option or a file says; None if neither is given.

    Raises:
        InvalidInputError: If both are given, or it is empty or cannot be read.
    """
    if purpose is not None and purpose_file is not None:
        message = "Give either --purpose or --purpose-file, not both."
        raise InvalidInputError(message)
    if purpose_file is not None:
        purpose = "".join(decode(*opened(purpose_file)))
    if purpose is not None and not purpose.strip():
        message = "The purpose is empty; say what the chat is for."
        raise InvalidInputError(message)
    return purpose


def write_scored(scored: Iterator[Scored], output: str) -> None:
    """Write the turns of transcripts as tables, JSON, JSONL or CSV."""
    _WRITERS[output](scored)


def opened(path: Path) -> tuple[Iterable[bytes], str]:
    """Return the lines of a file or of standard input, and what to call it."""
    return (sys.stdin.buffer, _STDIN) if str(path) == "-" else (file_lines(path), str(path))


def scored_transcripts(file: Path, purpose: str | None) -> Iterator[Scored]:
    """Yield the conversations of a file with their results, as they are scored.

    Raises:
        InvalidInputError: If the file cannot be used, or a conversation has no purpose.
    """
    strategy, progress = PurposeStrategy(), TurnProgress()
    try:
        for number, transcript in enumerate(read_transcripts(*opened(file)), start=1):
            progress.begin(number, len(transcript.turns))
            results = _score(transcript, purpose, strategy, progress)
            progress.pause()
            yield transcript, results
    finally:
        progress.stop()


def _score(
    transcript: Transcript,
    purpose: str | None,
    strategy: PurposeStrategy,
    progress: TurnProgress,
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
        progress.advance()
    return results


def _is_as_bad(result: TurnResult, verdict: DriftVerdict | None) -> bool:
    if verdict is None or result.drift is None:
        return False
    return _ORDER.index(result.drift.verdict) >= _ORDER.index(verdict)


def _write_table(scored: Iterator[Scored]) -> None:
    console = make_console()
    for transcript, results in scored:
        if not results:
            continue
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
            writer.writerow((cell(transcript.id), *row, *map(cell, texts)))


_WRITERS = {
    "table": _write_table,
    "json": _write_json,
    "jsonl": _write_jsonl,
    "csv": _write_csv,
}
