"""Records as rows in Postgres, and what is looked up by hashes there."""

import hashlib
from itertools import pairwise
from typing import Any, Final

import numpy as np

from langchain_drift.mistakes.action import read_action, tool_of
from langchain_drift.mistakes.culprits import is_weak
from langchain_drift.mistakes.nodes import chain_of
from langchain_drift.mistakes.stores.record import Record
from langchain_drift.mistakes.terms import MENTION
from langchain_drift.mistakes.vectors import Vector, unpack

COLUMNS: Final = """
    events.place, memories.key, events.event_id, events.kind, events.action, events.feedback,
    events.outcome, events.at, events.hypothesis, events.source, events.terms, events.culprits,
    events.vector
"""
"""What `from_row` takes, of `events` and their `memories`."""


def from_row(scope: str, row: tuple[Any, ...]) -> Record:
    """Return the record of a row of `COLUMNS`."""
    _, key, event_id, kind, action, feedback, outcome, at, hypothesis, source, *rest = row
    terms, culprits, vector = rest
    return Record(
        scope=scope,
        event_id=event_id,
        kind=kind,
        action=action,
        feedback=feedback,
        outcome=outcome,
        at=at,
        hypothesis=hypothesis,
        source=source,
        key=key,
        terms=tuple(terms),
        culprits=tuple(culprits),
        vector=vector,
    )


def to_row(record: Record, scope: int, dimensions: int | None) -> dict[str, object]:
    """Return the values by which a record is written.

    Args:
        record: The record.
        scope: The number of its scope.
        dimensions: Of the column of vectors; None if there is none.
    """
    is_code = record.vector is None
    blamed = record.culprits if record.culprits and not is_weak(record.culprits) else ()
    return {
        "scope": scope,
        "key": record.key,
        "event_id": record.event_id,
        "kind": record.kind,
        "action": record.action,
        "feedback": record.feedback,
        "outcome": record.outcome,
        "at": record.at,
        "hypothesis": record.hypothesis,
        "source": record.source,
        "terms": list(record.terms),
        "culprits": list(record.culprits),
        "vector": record.vector,
        "tool": tool_of(record.action) if is_code else "",
        "outcome_key": read_action(record.outcome).key if record.outcome.strip() else "",
        "mistakes": int(record.kind == "mistake"),
        "successes": int(record.kind == "success"),
        "term_numbers": term_numbers(record.terms, is_code=is_code),
        "blamed": list(blamed),
        "blamed_term": term_number(blamed[0], is_code=is_code) if blamed else 0,
        "blamed_digest": number_of("culprits", is_code, *blamed),
        "nodes": node_numbers(record),
        "edges": edge_numbers(record),
        "embedding": literal(record.vector, dimensions),
    }


def term_numbers(terms: tuple[str, ...], *, is_code: bool) -> list[int]:
    """Return the numbers under which a memory is found by its terms, used or mentioned."""
    names = {term.removeprefix(MENTION) for term in terms}
    return sorted(term_number(name, is_code=is_code) for name in names)


def term_number(term: str, *, is_code: bool) -> int:
    """Return the number of a term; prose and code are never compared with one another."""
    return number_of("code" if is_code else "prose", term)


def node_numbers(record: Record) -> list[int]:
    """Return the numbers of the nodes that a record adds to a graph."""
    return [number_of("node", record.kind, *node) for node in chain_of(record)]


def edge_numbers(record: Record) -> list[int]:
    """Return the numbers of the edges that a record adds to a graph."""
    return [number_of("edge", record.kind, *a, *b) for a, b in pairwise(chain_of(record))]


def number_of(*parts: object) -> int:
    """Return a number of 64 bits for some parts, the same in every process."""
    text = "\x00".join(map(str, parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), signed=True)


def digest_of(text: str) -> bytes:
    """Return what a long text is found by."""
    return hashlib.sha256(text.encode()).digest()


def dimensions_of(data: bytes | None) -> int | None:
    """Return how many dimensions a vector has; None if it cannot be searched for."""
    if not data or len(data) % 2:
        return None
    vector = unpack(data)
    return vector.size if np.isfinite(vector).all() and vector.any() else None


def literal(data: bytes | None, dimensions: int | None) -> str | None:
    """Return a vector as pgvector reads it; None if it does not fit into the column."""
    if data is None or dimensions is None or dimensions_of(data) != dimensions:
        return None
    return vector_literal(unpack(data))


def vector_literal(vector: Vector) -> str:
    """Return a vector as pgvector reads it."""
    return f"[{','.join(map(str, vector.tolist()))}]"
