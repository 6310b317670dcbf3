"""Files that only their owner may read, whose errors say what to do."""

import errno
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from langchain_drift.errors import InvalidInputError, StoreError

PRIVATE = 0o600


def absolute(path: str | os.PathLike[str]) -> Path:
    """Return a path that means the same from every working directory, and without links.

    Two names of one file lead to one lock that way, and writing it anew does not undo a link.

    Raises:
        InvalidInputError: If it is none that a file can have.
    """
    try:
        return Path(path).expanduser().resolve()
    except (TypeError, ValueError) as error:
        message = f"{path!r:.80} cannot be the path of a file ({error}); give a text or a Path."
        raise InvalidInputError(message) from error


@contextmanager
def file_errors(
    path: Path, otherwise: str = 'or set the storage backend to "memory"'
) -> Iterator[None]:
    """Turn what the system says about a file into a `StoreError` that names it.

    Args:
        path: Of the file.
        otherwise: What to do if no file can be written, as the end of a sentence.
    """
    try:
        yield
    except OSError as error:
        message = (
            f"The memory at {path} cannot be used: {error.strerror or error}. Give it a path to "
            f"a file that can be written, {otherwise}."
        )
        raise StoreError(message) from error


def check_regular(path: Path) -> None:
    """Refuse what must be neither replaced nor removed: a device such as `/dev/null`, a pipe.

    Raises:
        OSError: If there is something that is no file.
    """
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "It is no regular file")


def make_parent(path: Path) -> None:
    """Make the folder of a file, for its owner only."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)


def write_whole(path: Path, lines: Iterable[bytes]) -> os.stat_result:
    """Write a file in one step: after a crash it is either the old one or the new one.

    Returns:
        What the system knows of the new file.
    """
    check_regular(path)
    remove_draft(path)
    draft = _draft(path)
    with _make_private(draft) as file:
        if path.exists():
            draft.chmod(path.stat().st_mode & 0o777)
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
        written = os.fstat(file.fileno())
    draft.replace(path)
    sync_folder(path.parent)
    return written


def remove_draft(path: Path) -> None:
    """Remove what a writer that died on the way has left of `write_whole`."""
    _draft(path).unlink(missing_ok=True)


def write_end(path: Path, size: int, content: bytes) -> os.stat_result:
    """Write at the end of a file, durably; leave the file as it was if that fails.

    Args:
        path: Of a file.
        size: Where it ends; what stands behind is cut off.
        content: What to write.

    Returns:
        What the system knows of the file then.
    """
    with path.open("r+b", buffering=0) as file:
        try:
            file.truncate(size)
            file.seek(size)
            left = memoryview(content)
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())
        except OSError:
            file.truncate(size)
            raise
        return os.fstat(file.fileno())


def _draft(path: Path) -> Path:
    return path.with_name(f"{path.name}.tmp")


def _make_private(path: Path) -> BinaryIO:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
    return os.fdopen(descriptor, "wb")


def sync_folder(folder: Path) -> None:
    """Make a new name in a folder durable, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
