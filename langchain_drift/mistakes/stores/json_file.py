"""Events in one readable file of JSON lines, shared by threads and processes of one machine."""

import logging
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from filelock import FileLock, Timeout

from langchain_drift.errors import EmbedderChangedError, StoreError
from langchain_drift.files import (
    PRIVATE,
    absolute,
    file_errors,
    make_parent,
    remove_draft,
    write_end,
    write_whole,
)
from langchain_drift.mistakes.stores.json_steps import (
    Head,
    append_line,
    apply_line,
    turn_line,
    whole_file,
)
from langchain_drift.mistakes.stores.json_view import View, read_on, stamp
from langchain_drift.mistakes.stores.per_process import PerProcess
from langchain_drift.mistakes.stores.protocol import Changes
from langchain_drift.mistakes.stores.record import Record

_LOCK_SECONDS = 30.0
_POLL_SECONDS = 0.002
# A file is written anew when so many bytes of it, and half of it, only hide and show events.
_WASTE = 64 * 1024
_logger = logging.getLogger(__name__)


@dataclass(slots=True)
class _Session:
    """What one process has read; one thread uses it at a time."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    view: View = field(default_factory=View)


class JSONStore:
    """Keeps events in one file of JSON lines, written at its end; all of them in memory as well.

    An event is on the disk when `append` returns, and other processes see it at their next call.
    Purging and new vectors write the file anew. Beside it stands an empty `….lock`; the lock is
    let go of when its process ends, however it ends. The file must be on a disk of this machine.
    A file that is deleted is begun anew; one that is replaced is read anew.

    Args:
        path: Of the file; it is made if there is none, for its owner only.

    Raises:
        StoreError: If the file cannot be used, is damaged or belongs to another program.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = absolute(path)
        self._session = PerProcess(_Session)
        # What is wrong with the file is told now, not at the first review.
        with self._writing():
            remove_draft(self.path)

    def append(self, records: Sequence[Record], fingerprint: str) -> list[bool]:
        """Append records in one step, durably; return which of them were new."""
        with self._writing() as view:
            known = view.memory.fingerprint()
            are_new = view.memory.append(records, fingerprint)
            new = [record for record, is_new in zip(records, are_new, strict=True) if is_new]
            is_first = known is None and view.memory.fingerprint() is not None
            if new:
                self._write(view, append_line(new, fingerprint if is_first else None))
            elif is_first:
                self._rewrite(view)
            return are_new

    def changes(self, scope: str, since: str | None = None) -> Changes:
        """Return what changed in a scope since a cursor."""
        with self._reading() as view:
            return view.memory.changes(scope, since)

    def hide(self, scope: str, event_ids: Sequence[str], *, hidden: bool = True) -> int:
        """Hide events, or show them again at their old place; return how many were turned."""
        with self._writing() as view:
            turned = view.memory.hide(scope, event_ids, hidden=hidden)
            if turned:
                self._write(view, turn_line(scope, event_ids, hidden=hidden))
            if view.waste > max(_WASTE, view.size // 2):
                self._rewrite(view)
            return turned

    def purge(self, scope: str, event_ids: Sequence[str]) -> int:
        """Delete events for good; return how many there were."""
        with self._writing() as view:
            purged = view.memory.purge(scope, event_ids)
            if purged:
                self._rewrite(view)
            return purged

    def read(self, scope: str | None = None, *, hidden: bool = False) -> Iterator[Record]:
        """Yield the visible records of one scope or of all, oldest first; or the hidden ones."""
        with self._reading() as view:
            found = list(view.memory.read(scope, hidden=hidden))
        yield from found

    def scopes(self) -> dict[str, int]:
        """Return the keys of all scopes with their number of visible events."""
        with self._reading() as view:
            return view.memory.scopes()

    def fingerprint(self) -> str | None:
        """Return the identity of the embedder of the vectors, None if none was recorded."""
        with self._reading() as view:
            return view.memory.fingerprint()

    def replace_vectors(
        self, vectors: Mapping[tuple[str, str], bytes | None], fingerprint: str
    ) -> list[Record]:
        """Replace all vectors; return the records that have none, if so nothing was replaced."""
        with self._writing() as view:
            missing = view.memory.replace_vectors(vectors, fingerprint)
            if not missing:
                self._rewrite(view)
            return missing

    def close(self) -> None:
        """Forget what was read; no file is kept open, and a later call reads it again."""
        session = self._session.get()
        with session.lock:
            session.view = View()

    @contextmanager
    def _reading(self) -> Iterator[View]:
        """Give the view to one thread, up to date; no lock on the file is needed for that."""
        session = self._session.get()
        with session.lock, file_errors(self.path):
            yield self._up_to_date(session)

    @contextmanager
    def _writing(self) -> Iterator[View]:
        """Give the view to one thread while no other process may write."""
        session = self._session.get()
        with session.lock, file_errors(self.path), self._file_lock():
            view = self._up_to_date(session)
            if view.stamp is None:
                self._rewrite(view)
            elif view.has_rest:
                self._mend(view)
            try:
                yield view
            except EmbedderChangedError:
                raise  # nothing was done
            except BaseException:
                # The memory may hold what the file does not: read it again.
                session.view = View()
                raise

    def _up_to_date(self, session: _Session) -> View:
        view, session.view = session.view, View()
        session.view = read_on(self.path, view)
        return session.view

    @contextmanager
    def _file_lock(self) -> Iterator[None]:
        make_parent(self.path)
        lock = FileLock(f"{self.path}.lock", _LOCK_SECONDS, mode=PRIVATE)
        try:
            lock.acquire(poll_interval=_POLL_SECONDS)
        except Timeout as error:
            message = (
                f"The memory at {self.path} was kept busy by other processes for "
                f"{_LOCK_SECONDS:.0f} seconds; try again."
            )
            raise StoreError(message) from error
        try:
            yield
        finally:
            lock.release()

    def _write(self, view: View, line: bytes) -> None:
        view.count(line, write_end(self.path, view.size, line))

    def _rewrite(self, view: View) -> None:
        """Write the file anew, without what is gone or was undone."""
        head = Head(uuid4().hex, view.memory.fingerprint())
        found = write_whole(self.path, whole_file(head, view.memory))
        view.file_id, view.stamp = head.file_id, stamp(found)
        view.size = found.st_size
        view.lines = 1 + sum(1 for _ in view.memory.entries())
        view.waste = 0

    def _mend(self, view: View) -> None:
        """End the last line; or drop it if its writer died on the way: nobody was told of it."""
        with self.path.open("rb") as file:
            file.seek(view.size)
            rest = file.read()
        try:
            apply_line(rest, view.memory)
        except ValueError:
            _logger.warning("%s ended with %d bytes of a line; dropped.", self.path, len(rest))
            view.stamp = stamp(write_end(self.path, view.size, b""))
        else:
            self._write(view, rest + b"\n")
