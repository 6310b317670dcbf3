"""Judging the answers of a file."""

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from rich.table import Table
from rich.text import Text

from langchain_drift.cli.harmless import cell, clean
from langchain_drift.cli.table import make_console
from langchain_drift.errors import InvalidInputError
from langchain_drift.json_lines import file_lines, not_empty, read_values
from langchain_drift.rag_payload import ANSWER_KEYS, DOCUMENT_KEYS, RagKeys, rag_case
from langchain_drift.retrieval.detector import RagCase, RetrieverDriftDetector
from langchain_drift.retrieval.report import RetrieverDriftReport

_STDIN = "standard input"
_BATCH = 16
_WORST = 5
_LONGEST = 48
_FIELDS = ("id", "drift", "drift_score", "status", "question", "answer", "unsupported", "why")


class Row(NamedTuple):
    """A row of the file with its report."""

    id: str
    case: RagCase
    report: RetrieverDriftReport


def judge_file(
    file: Path, detector: RetrieverDriftDetector, keys: RagKeys, output: str, fail_on: str
) -> bool:
    """Judge the rows of a file and write them to standard output.

    Args:
        file: JSONL or JSON with question, contexts and answer; `-` for standard input.
        detector: How to judge.
        keys: Where question, answer and documents are in a row.
        output: `table`, `json`, `jsonl` or `csv`.
        fail_on: `never`, `drift`, or `unscored` for drift and answers that were not scored.

    Returns:
        Whether a row is what `fail_on` names.

    Raises:
        InvalidInputError: If the file or a row cannot be used, or there is none.
    """
    rows: list[Row] = []

    def seen() -> Iterator[Row]:
        for row in _judged(file, detector, keys):
            rows.append(row)
            yield row

    _WRITERS[output](seen())
    return any(_is_as_bad(row.report, fail_on) for row in rows)


def _opened(path: Path) -> tuple[Iterable[bytes], str]:
    return (sys.stdin.buffer, _STDIN) if str(path) == "-" else (file_lines(path), str(path))


def _judged(file: Path, detector: RetrieverDriftDetector, keys: RagKeys) -> Iterator[Row]:
    batch: list[tuple[str, RagCase]] = []
    rows = not_empty(_rows(file), _opened(file)[1], "question, contexts and answer")
    for number, (where, value) in enumerate(rows, start=1):
        name = value.get("id", number)
        batch.append((str(name), _case(value, where, keys)))
        if len(batch) == _BATCH:
            yield from _finished(batch, detector)
            batch = []
    yield from _finished(batch, detector)


def _rows(file: Path) -> Iterator[tuple[str, Mapping[str, object]]]:
    for where, value in read_values(*_opened(file)):
        for each in value if isinstance(value, list) else [value]:
            if not isinstance(each, Mapping):
                message = f"{where} holds {each!r:.60}; write an object with question and answer."
                raise InvalidInputError(message)
            yield where, each


def _case(value: Mapping[str, object], where: str, keys: RagKeys) -> RagCase:
    answer_keys = (keys.answer,) if keys.answer else ANSWER_KEYS
    null = next((key for key in answer_keys if key in value and value[key] is None), None)
    row = {**value, null: ""} if null else value
    try:
        case = rag_case(keys, None, row)
    except InvalidInputError as error:
        message = f"{where}: {error}"
        raise InvalidInputError(message) from error
    _check_documents(value, where, keys.documents)
    history = value.get("history")
    case = case._replace(history=history) if history else case  # type: ignore[arg-type]  # checked when judged
    return case._replace(answer=None) if null else case


def _check_documents(value: Mapping[str, object], where: str, key: str | None) -> None:
    """Refuse a row without a word on documents: under another key they would count as none."""
    known = (key,) if key else DOCUMENT_KEYS
    if not any(name in value for name in (*known, "messages")):
        message = (
            f"{where} has nothing under {', '.join(known)}; name the key of the documents with "
            "--documents-key, or write an empty list where nothing was retrieved."
        )
        raise InvalidInputError(message)


def _finished(batch: list[tuple[str, RagCase]], detector: RetrieverDriftDetector) -> Iterator[Row]:
    reports = detector.detect_batch([case for _, case in batch])
    for (name, case), report in zip(batch, reports, strict=True):
        yield Row(name, case, report)


def _is_as_bad(report: RetrieverDriftReport, fail_on: str) -> bool:
    if fail_on == "never":
        return False
    return report.drift or (fail_on == "unscored" and not report.is_scored)


def _write_table(rows: Iterator[Row]) -> None:
    console = make_console(120)
    table = Table(pad_edge=False)
    table.add_column("row", no_wrap=True)
    table.add_column("drift", justify="right", no_wrap=True)
    table.add_column("status", no_wrap=True)
    table.add_column("question", max_width=_LONGEST, ratio=2)
    table.add_column("why", ratio=3)
    found = list(rows)
    for row in found:
        style = "red" if row.report.drift else "green" if row.report.is_scored else "yellow"
        table.add_row(
            Text(clean(row.id)),
            Text(f"{row.report.drift_score:.2f}", style=style),
            Text("drift" if row.report.drift else row.report.status, style=style),
            Text(_short(row.case.intent or "")),
            Text(clean(row.report.reason)),
        )
    if found:
        console.print(table)
        for line in summary(found):
            console.print(Text(line))


def summary(rows: list[Row]) -> list[str]:
    """Return what a reader wants to know first: how many drifted, and the worst rows."""
    drifted = sorted(
        (row for row in rows if row.report.drift), key=lambda row: -row.report.drift_score
    )
    statuses = Counter(row.report.status for row in rows)
    others = [f"{count} {status}" for status, count in statuses.items() if status != "scored"]
    number = f"{len(rows)} answer{'s' if len(rows) != 1 else ''}"
    head = ", ".join([number, f"{len(drifted)} drifted", *others])
    worst = [
        f"  {clean(row.id)}  {row.report.drift_score:.2f}  {clean(row.report.reason)}"
        for row in drifted[:_WORST]
    ]
    return [head, "Worst:", *worst] if worst else [head]


def _short(text: str) -> str:
    text = clean(text)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _plain(row: Row) -> dict[str, object]:
    answer = {"id": row.id, "question": row.case.intent, "answer": row.case.answer}
    return answer | row.report.to_dict()


def _write_json(rows: Iterator[Row]) -> None:
    found = list(rows)
    if not found:
        return
    drifted = sum(row.report.drift for row in found)
    whole = {
        "summary": {
            "answers": len(found),
            "drifted": drifted,
            "statuses": dict(Counter(row.report.status for row in found)),
        },
        "rows": [_plain(row) for row in found],
    }
    sys.stdout.write(f"{json.dumps(whole, indent=1)}\n")


def _write_jsonl(rows: Iterator[Row]) -> None:
    for row in rows:
        sys.stdout.write(f"{json.dumps(_plain(row))}\n")


def _write_csv(rows: Iterator[Row]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(_FIELDS)
    for row in rows:
        report = row.report
        texts = (
            row.case.intent or "",
            row.case.answer or "",
            ", ".join(report.unsupported),
            report.reason,
        )
        score = f"{report.drift_score:.4f}"
        writer.writerow((cell(row.id), report.drift, score, report.status, *map(cell, texts)))


_WRITERS = {
    "table": _write_table,
    "json": _write_json,
    "jsonl": _write_jsonl,
    "csv": _write_csv,
}
