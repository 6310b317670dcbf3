"""An agent that does not fail twice the same way: asked before each query, told after it."""

import sqlite3
import tempfile
from pathlib import Path

from langchain_drift import DriftGuard, DriftGuardSettings

SCOPE = "people-db"
database = sqlite3.connect(":memory:")
database.execute("CREATE TABLE people (name TEXT, age INTEGER)")
database.execute("INSERT INTO people VALUES ('Ana', 41), ('Ben', 29)")


def work(guard: DriftGuard, plan: list[str]) -> list[tuple[object, ...]]:
    """Run the queries of a plan until one works; leave out those that are known to fail."""
    for query in plan:
        review = guard.before_step(query, scope=SCOPE)
        if review.warnings:
            warning = review.warnings[0]
            print(f"  left out  {query}\n            {warning.evidence}: {warning.risk}")
            continue
        try:
            rows = database.execute(query).fetchall()
        except sqlite3.Error as error:
            print(f"  failed    {query}\n            {error}")
            guard.record(query, str(error), scope=SCOPE, source="example")
        else:
            print(f"  worked    {query}")
            guard.record_success(query, f"{len(rows)} rows", scope=SCOPE)
            return rows
    return []


with tempfile.TemporaryDirectory() as folder:
    settings = DriftGuardSettings(sqlite_filepath=Path(folder) / "memory.sqlite3")
    for day, plan in {
        "Monday": [
            "SELECT AVG(agee) FROM people",
            "SELECT AVG(age) FROM people",
        ],
        "Tuesday, another agent": [
            "SELECT name FROM people WHERE agee > 30",
            "SELECT name FROM persons WHERE age > 30",
            "SELECT name FROM people WHERE age > 30",
        ],
        "Wednesday": [
            "SELECT COUNT(*) FROM persons",
            "SELECT COUNT(*) FROM people",
        ],
    }.items():
        print(day)
        guard = DriftGuard(settings=settings)  # as a new process would open it
        print(f"  -> {work(guard, plan)}")
        guard.close()
