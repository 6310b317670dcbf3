"""A run of the command line: what ends it, and the exit code."""

import io
import os
import sys
from contextlib import suppress
from typing import Any

import typer

from langchain_drift.cli.app import app
from langchain_drift.cli.harmless import clean
from langchain_drift.errors import DriftError

_PROGRAM = "langchain-drift"
_GONE, _INPUT_ERROR, _INTERRUPTED = 1, 2, 130
# What is told of wrong options; typer gives its name to some of its kinds alone.
_UsageError: Any = typer.BadParameter.__mro__[1]


def run() -> int:
    """Run the command line and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Not every terminal can show a bar or what people write.
        sys.stdout.reconfigure(errors="replace")
    try:
        asked = _exit_code()
        if sys.stdout is not None:
            sys.stdout.flush()
    except DriftError as error:
        return _told(str(error))
    except BrokenPipeError:
        _write_no_more()
        return _GONE
    except OSError as error:
        _write_no_more()
        return _told(f"{error.filename or 'The output'} cannot be used: {error.strerror or error}.")
    return asked


def _exit_code() -> int:
    """Run the command; wrong options and interrupts are told by exceptions of typer."""
    try:
        ended = app(prog_name=_PROGRAM, standalone_mode=False)
    except SystemExit as leave:
        ended = leave.code
    except typer.Abort:
        ended = _INTERRUPTED
    except _UsageError as error:
        return _told_usage(error)
    return ended if isinstance(ended, int) else 0


def _told_usage(error: BaseException) -> int:
    """Say what is wrong with the words of the command."""
    message = str(getattr(error, "message", error))
    told = error.format_message() if hasattr(error, "format_message") else message
    if "\n" in told:
        # The help of a group that was called without a command.
        sys.stderr.write(f"{told.rstrip()}\n")
        return _INPUT_ERROR
    context = getattr(error, "ctx", None)
    command = context.command_path if context else _PROGRAM
    told = told.replace("Value error, ", "").rstrip(".")
    return _told(f"{told}; `{command} --help` tells what it takes.")


def _told(sentence: str) -> int:
    sys.stderr.write(f"{_PROGRAM}: {clean(sentence)}\n")
    return _INPUT_ERROR


def _write_no_more() -> None:
    """Let closing standard output later not complain again of what it cannot take."""
    # A stream of a notebook has no descriptor, and nothing that is closed later.
    with suppress(io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
