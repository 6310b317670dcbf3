"""The session memory file: read whole, added to in constant time, shared by processes."""

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self
from uuid import uuid4

from filelock import FileLock, Timeout

from langchain_drift.errors import StoreError
from langchain_drift.files import (
    PRIVATE,
    absolute,
    check_regular,
    file_errors,
    make_parent,
    write_whole,
)
from langchain_drift.sessions import memory_text
from langchain_drift.sessions.memory_data import (
    ExchangeRecord,
    SessionMemoryData,
    begin,
    exchange_record,
    read_data,
)
from langchain_drift.sessions.twin import remove_twin, replace_end

_LOCK_SECONDS = 60.0
_POLL_SECONDS = 0.002
_HEAD = 256
_OTHERWISE = "or leave out persist=True"


@dataclass(frozen=True)
class Place:
    """What a process knows of the file it read last.

    Attributes:
        stamp: What the system says of it: another one after every change.
        head: How it begins, up to its revision; empty if it is not laid out as ours.
        end: Where the last exchange ends.
    """

    stamp: tuple[int, int, int] | None = None
    head: bytes = b""
    end: int = 0


@dataclass(frozen=True)
class News:
    """What changed in the file since it was read last.

    Attributes:
        place: What to ask with the next time.
        data: All of it, if it was written anew; None if exchanges at most were added.
        added: The exchanges that were added.
        state: The scorer's state.
    """

    place: Place
    data: SessionMemoryData | None = None
    added: list[ExchangeRecord] = field(default_factory=list)
    state: dict[str, Any] | None = None


class SessionMemoryStore:
    """Keeps the sessions of one conversation in a JSON file, for its owner only.

    The file always is one whole JSON document. Beside it stand `….lock` and `….twin`, a copy one
    exchange behind; so an exchange is added in the same time however long the file is, and a
    process that dies leaves the file as it was before. A file that cannot be read is an error and
    is left as it is.

    Args:
        path: Of the file; it is made with the first thing written.
    """

    def __init__(self, path: str | os.PathLike[str] = ".session_memory") -> None:
        self.path = absolute(path)
        self._of_parents: list[FileLock] = []
        self._renew_locks()

    def __reduce__(self) -> tuple[type[Self], tuple[str]]:
        """Leave the locks behind: a copy is another holder of the same file."""
        return type(self), (str(self.path),)

    def exists(self) -> bool:
        """Return whether there is a file."""
        return self.path.exists()

    def load(self) -> SessionMemoryData:
        """Return all of it; an empty memory if there is no file.

        Raises:
            StoreError: If the file cannot be read, is damaged, or of a newer version.
        """
        with file_errors(self.path, _OTHERWISE):
            check_regular(self.path)
            return self._parse(self._content()) if self.exists() else begin()

    def save(self, data: SessionMemoryData) -> Place:
        """Write all of it in one step.

        Raises:
            StoreError: If the file cannot be written.
        """
        with self.locked():
            revision = uuid4().hex
            body = memory_text.body(data, revision)
            remove_twin(self.path)
            found = write_whole(self.path, [body, memory_text.ending(data["state"])])
            return Place(_stamp(found), _head(body), len(body))

    def delete(self) -> None:
        """Remove the file and what stands beside it; the lock's file stays."""
        with self.locked():
            self.path.unlink(missing_ok=True)
            remove_twin(self.path)

    def news(self, place: Place) -> News:
        """Return what changed since a place; what was only added is read alone."""
        with file_errors(self.path, _OTHERWISE):
            if not self.exists():
                return News(place) if place == Place() else News(Place(), begin())
            with self.path.open("rb") as file:
                stamp = _stamp(os.fstat(file.fileno()))
                if stamp == place.stamp:
                    return News(place)
                if place.head and file.read(len(place.head)) == place.head:
                    file.seek(place.end)
                    return self._added(place, stamp, file.read())
                file.seek(0)
                content = file.read()
            end = memory_text.find_end(content) if _head(content) else None
            new = Place(stamp, _head(content), end) if end else Place(stamp)
            data = self._parse(content)
            return News(new, data, state=data["state"])

    def append(
        self, place: Place, record: ExchangeRecord, state: dict[str, Any] | None
    ) -> Place | None:
        """Add an exchange to the running session; hold the lock.

        Args:
            place: Where the file stands; `news` gave it under the same lock.
            record: The exchange.
            state: The scorer's state after it.

        Returns:
            Where the file stands then; None if it must be written whole with `save`.
        """
        if not place.end:
            return None
        line = memory_text.lines([record], is_first=record["exchange"] == 1).encode()
        ending = memory_text.ending(state)
        with file_errors(self.path, _OTHERWISE):
            found = replace_end(self.path, place.end, line + ending, memory_text.MARKER)
        return Place(_stamp(found), place.head, place.end + len(line))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep other threads and processes out.

        Raises:
            StoreError: If others keep the file busy for a minute, or it cannot be used.
        """
        if self._process != os.getpid():
            # Letting go of the parent's lock could open it while the parent is at work.
            self._of_parents.append(self._lock)
            self._renew_locks()
        with self._thread_lock, file_errors(self.path, _OTHERWISE):
            check_regular(self.path)
            make_parent(self.path)
            try:
                self._lock.acquire(poll_interval=_POLL_SECONDS)
            except Timeout as error:
                message = (
                    f"The session memory {self.path} was kept busy by other processes for "
                    f"{_LOCK_SECONDS:.0f} seconds; try again."
                )
                raise StoreError(message) from error
            try:
                yield
            finally:
                self._lock.release()

    def ensure_gitignore(self) -> bool:
        """Add the file and what stands beside it to the `.gitignore` in its folder.

        Returns:
            Whether a line was added; not if one names the file already.
        """
        ignored = self.path.parent / ".gitignore"
        pattern = f"/{self.path.name}*"
        with file_errors(ignored, "or ignore the file by hand"):
            text = ignored.read_text(encoding="utf-8") if ignored.exists() else ""
            if is_ignored(text, self.path.name):
                return False
            gap = "" if not text or text.endswith("\n") else "\n"
            with ignored.open("a", encoding="utf-8") as file:
                file.write(f"{gap}{pattern}\n")
        return True

    def _renew_locks(self) -> None:
        """Make locks for this process; those of the process it was forked from are not its own."""
        self._process, self._thread_lock = os.getpid(), threading.RLock()
        self._lock = FileLock(f"{self.path}.lock", _LOCK_SECONDS, mode=PRIVATE, thread_local=False)

    def _content(self) -> bytes:
        return self.path.read_bytes()

    def _added(self, place: Place, stamp: tuple[int, int, int], content: bytes) -> News:
        try:
            values, state = memory_text.read_lines(content)
            added = list(map(exchange_record, values))
        except (KeyError, TypeError, ValueError) as error:
            raise self._damaged(str(error)) from error
        end = place.end + (memory_text.find_end(content) or 0)
        kept = state if isinstance(state, dict) else None
        return News(Place(stamp, place.head, end), None, added, kept)

    def _parse(self, content: bytes) -> SessionMemoryData:
        if not content.strip():
            return begin()
        try:
            return read_data(json.loads(content.decode("utf-8-sig")))
        except RecursionError as error:
            why = "it is nested too deeply"
            raise self._damaged(why) from error
        except ValueError as error:
            raise self._damaged(str(error)) from error

    def _damaged(self, why: str) -> StoreError:
        return StoreError(
            f"{self.path} cannot be read as a session memory: {why}. It was left as it is; "
            "move it away, or pass another persist_path."
        )


def is_ignored(gitignore: str, name: str) -> bool:
    """Return whether a line of a `.gitignore` names a file, or it with what stands beside it."""
    lines = {line.strip().removeprefix("/") for line in gitignore.splitlines()}
    return bool(lines & {name, f"{name}*"})


def _stamp(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_ino, found.st_size, found.st_mtime_ns


def _head(content: bytes) -> bytes:
    return memory_text.revision_of(content[:_HEAD]) or b""
