"""Parquet files scored by Dask in parallel; needs the `tables` extra and `dask[dataframe]`.

    python examples/score_an_archive.py [FOLDER] [WORKERS]

Each file holds whole conversations, so every part of the work is one file. Without a folder a
small archive is made. Prints how many turns each worker scored in a second.
"""

import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import dask.dataframe as dd
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from langchain_drift import score_table

PURPOSE = "Help customers of Acme Bank with savings accounts, credit cards and loans."
ON = [
    ("What do I need for a home loan?", "Proof of income, tax returns and a down payment."),
    ("How long does the approval take?", "Loan approval takes five to ten business days."),
    ("And what is the rate on savings?", "The savings account pays 2.1 % a year."),
    ("Can I raise my card's limit?", "Yes, in the app under Cards, or by calling us."),
]
OFF = [
    ("What's a good pasta recipe?", "Try carbonara: eggs, parmesan, pancetta and pepper."),
    ("How long do I boil the pasta?", "Nine minutes in salted water, then drain it."),
]
CAUSES = pa.list_(pa.string())
NEW = {
    "score": "float64",
    "verdict": "string[pyarrow]",
    "status": "string[pyarrow]",
    "causes": pd.ArrowDtype(CAUSES),
}


def make_archive(folder: Path, files: int = 4, conversations: int = 6) -> None:
    """Write a small archive; every third conversation leaves its purpose."""
    for file in range(files):
        rows = [
            {"conversation": f"{file}-{name}", "turn": turn, "user": user, "assistant": assistant}
            for name in range(conversations)
            for turn, (user, assistant) in enumerate(ON + OFF * (name % 3 == 0), start=1)
        ]
        pq.write_table(pa.Table.from_pylist(rows), folder / f"part-{file}.parquet")


def score_folder(folder: Path, scored: Path, workers: int) -> float:
    """Score all files of a folder into another one; return how many seconds it took."""
    begun = time.perf_counter()
    frame = dd.read_parquet(folder, split_row_groups=False)
    work = partial(score_table, system_prompt=PURPOSE, first_turn=1)
    done = frame.map_partitions(work, meta={**frame.dtypes.to_dict(), **NEW})
    schema = {"causes": CAUSES}
    writing = done.to_parquet(scored, schema=schema, write_index=False, compute=False)
    writing.compute(scheduler="processes", num_workers=workers)
    return time.perf_counter() - begun


def main() -> None:
    """Score the archive and print what was found."""
    with tempfile.TemporaryDirectory() as name:
        folder, scored = Path(name) / "archive", Path(name) / "scored"
        if len(sys.argv) > 1:
            folder = Path(sys.argv[1])
        else:
            folder.mkdir()
            make_archive(folder)
        workers = int(sys.argv[2]) if len(sys.argv) > 2 else 2  # noqa: PLR2004 - the second argument
        seconds = score_folder(folder, scored, workers)
        table = pq.read_table(scored).to_pandas()
    off = table[table["score"] < 55]  # noqa: PLR2004 - the score below which it is an alarm
    print(f"{len(table)} turns, {len(off)} of them off purpose, in")
    print(f"{off['conversation'].nunique()} of {table['conversation'].nunique()} conversations")
    print(f"{len(table) / seconds / workers:.1f} turns a second and worker, their start included")


if __name__ == "__main__":
    main()
