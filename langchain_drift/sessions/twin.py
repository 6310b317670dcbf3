"""Adding to a file in one step whatever its size: two files that take turns.

Beside the file stands its twin, which is one step behind. A step is written at the twin's end and
the two change places, so whoever reads the file sees the state before or the one after, however
the writer ends. Only one writer may be at work.
"""

import os
from pathlib import Path
from typing import BinaryIO

from langchain_drift.files import PRIVATE, sync_folder, write_whole

_LOOK_BACK = (8 * 1024, 256 * 1024)
"""How far from the end the marker is looked for: usually, and if it is not there."""
_CHECKED = 512


def twin_of(path: Path) -> Path:
    """Return the twin of a file."""
    return path.with_name(f"{path.name}.twin")


def replace_end(path: Path, end: int, content: bytes, marker: bytes) -> os.stat_result:
    """Replace the end of a file.

    Args:
        path: Of the file.
        end: Where what is to stay ends.
        content: What follows.
        marker: What begins the part that each step replaces; by it the twin's end is found.

    Returns:
        What the system knows of the new file.
    """
    twin, aside = twin_of(path), path.with_name(f"{path.name}.aside")
    aside.unlink(missing_ok=True)
    start = _common(path, twin, end, marker)
    try:
        # The old file keeps a name, to be the next twin.
        os.link(path, aside)
    except OSError:
        return _copy_all(path, end, content)
    written = _write(path, twin, start, end, content)
    twin.replace(path)
    aside.replace(twin)
    sync_folder(path.parent)
    return written


def remove_twin(path: Path) -> None:
    """Remove what stands beside a file."""
    twin_of(path).unlink(missing_ok=True)
    path.with_name(f"{path.name}.aside").unlink(missing_ok=True)


def _common(path: Path, twin: Path, end: int, marker: bytes) -> int:
    """Return how much of the file the twin holds; 0 if it must be written anew."""
    try:
        with twin.open("rb") as old, path.open("rb") as file:
            size = os.fstat(old.fileno()).st_size
            if os.path.sameopenfile(old.fileno(), file.fileno()):
                return 0
            common = _last(old, size, marker)
            # One that is ahead was written by somebody who died before the two changed places.
            if common is None or common > end or not _same_ends(old, file, common):
                return 0
            return common
    except FileNotFoundError:
        return 0


def _last(file: BinaryIO, size: int, marker: bytes) -> int | None:
    """Return where a file has a marker for the last time; None if it is not near its end."""
    for distance in _LOOK_BACK:
        first = max(0, size - distance)
        file.seek(first)
        found = file.read().rfind(marker)
        if found >= 0:
            return first + found
    return None


def _same_ends(old: BinaryIO, file: BinaryIO, common: int) -> bool:
    """Return whether two files begin alike and are alike before an offset."""
    for start in (0, max(0, common - _CHECKED)):
        parts = []
        for one in (old, file):
            one.seek(start)
            parts.append(one.read(min(_CHECKED, common - start)))
        if parts[0] != parts[1]:
            return False
    return True


def _write(path: Path, twin: Path, start: int, end: int, content: bytes) -> os.stat_result:
    """Bring the twin up to the file and add the new end to it, durably."""
    if not start:
        twin.unlink(missing_ok=True)
    flags = os.O_RDWR | os.O_CREAT | (0 if start else os.O_EXCL)
    with path.open("rb") as file, os.fdopen(os.open(twin, flags, PRIVATE), "r+b") as new:
        mode = os.fstat(file.fileno()).st_mode & 0o777
        if os.fstat(new.fileno()).st_mode & 0o777 != mode:
            twin.chmod(mode)
        file.seek(start)
        new.seek(start)
        new.write(file.read(end - start) + content)
        new.truncate()
        new.flush()
        os.fsync(new.fileno())
        return os.fstat(new.fileno())


def _copy_all(path: Path, end: int, content: bytes) -> os.stat_result:
    """Write the whole file anew, where it can have one name only."""
    with path.open("rb") as file:
        kept = file.read(end)
    return write_whole(path, [kept, content])
