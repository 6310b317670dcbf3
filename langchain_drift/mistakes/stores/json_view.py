"""What one process has read of the JSON file of events, and how it reads on."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from langchain_drift.errors import StoreError
from langchain_drift.mistakes.stores.json_steps import apply_line, is_turn, read_head
from langchain_drift.mistakes.stores.memory import MemoryStore

T = TypeVar("T")

_SIZE = 2
"""Where a stamp holds the size of the file."""


@dataclass(slots=True)
class View:
    """A memory as far as a file was read.

    Attributes:
        memory: What the lines read so far tell; another one whenever the file is read anew, so
            that no cursor outlives that.
        file_id: From the first line.
        stamp: What the system said of the file when it was last read; None if there was none.
        size: Bytes read, up to the end of a line.
        lines: Lines read.
        waste: Bytes of lines that only hide events or show them again.
    """

    memory: MemoryStore = field(default_factory=MemoryStore)
    file_id: str = ""
    stamp: tuple[int, ...] | None = None
    size: int = 0
    lines: int = 0
    waste: int = 0

    @property
    def has_rest(self) -> bool:
        """Whether the file went on behind the last line that has an end."""
        return self.stamp is not None and self.stamp[_SIZE] > self.size

    def count(self, line: bytes, found: os.stat_result | None = None) -> None:
        """Move on behind a line that was read, or written with the file left as found."""
        self.size += len(line)
        self.lines += 1
        self.waste += len(line) * is_turn(line)
        if found is not None:
            self.stamp = stamp(found)


def stamp(found: os.stat_result) -> tuple[int, ...]:
    """Return what differs whenever a file was written or replaced."""
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def read_on(path: Path, view: View) -> View:
    """Return a view of the file as it is now: the same one, brought up to date, or a new one.

    A last line without an end is still being written, or was cut off; it is not read.

    Raises:
        StoreError: If the file is damaged or no memory; the view given must not be used again.
    """
    try:
        if stamp(os.stat(path)) == view.stamp:  # noqa: PTH116 - at every review; half the time
            return view
        file = path.open("rb")
    except FileNotFoundError:
        return view if view.stamp is None else View()
    with file:
        found = os.fstat(file.fileno())
        if not found.st_size:
            return View()
        first = file.readline()
        head = _told(path, 1, lambda: read_head(first))
        if head.file_id != view.file_id or found.st_size < view.size:
            view = View(MemoryStore(head.fingerprint), file_id=head.file_id)
            view.count(first)
        file.seek(view.size)
        for line in file:
            if not line.endswith(b"\n"):
                break
            _told(path, view.lines + 1, lambda: apply_line(line, view.memory))  # noqa: B023 - called at once
            view.count(line)
    view.stamp = stamp(found)
    return view


def _told(path: Path, line: int, read: Callable[[], T]) -> T:
    try:
        return read()
    except ValueError as error:
        message = (
            f"The memory at {path} cannot be read, line {line}: {error}. It was left as it is: "
            "mend the line, restore a copy, or give the memory another path; a file of "
            "driftguard-ai can be imported with `langchain-drift memory import`."
        )
        raise StoreError(message) from error
