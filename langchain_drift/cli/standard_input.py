"""Standard input in the place of a file: `-`."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copyfileobj
from typing import Final

from langchain_drift.errors import InvalidInputError

STDIO: Final = Path("-")
"""What a command calls standard input, and standard output where it writes."""

_NAME = "standard input"


@contextmanager
def piped(file: Path) -> Iterator[Path]:
    """Give a file to read: the one that is named, or what standard input holds.

    For what is read more than once, or is told by how it begins. It is removed afterwards.
    """
    if file != STDIO:
        yield file
        return
    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / _NAME
        with copied.open("wb") as held:
            copyfileobj(sys.stdin.buffer, held)
        try:
            yield copied
        except InvalidInputError as error:
            raise InvalidInputError(str(error).replace(str(copied), _NAME)) from error
