"""Progress: bars of turns and of events on standard error, where that is a terminal."""

import sys
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

_MANY = 20
"""Scored turns from which the bar is shown."""


def _bar(unit: str) -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        console=console,
        transient=True,
        # Results go to standard output as they are, wherever it leads.
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not console.is_terminal,
    )


class EventProgress:
    """A bar of events that are moved; it leaves no trace.

    Args:
        what: What is done.
        total: How many events there are.
    """

    def __init__(self, what: str, total: int) -> None:
        self._bar = _bar("events")
        self._task = self._bar.add_task(what, total=total)

    def __enter__(self) -> Self:
        """Show the bar."""
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Remove the bar."""
        self._bar.stop()

    def advance(self, number: int) -> None:
        """Count events that were moved."""
        self._bar.advance(self._task, number)


class TurnProgress:
    """A bar that appears once many turns are scored and leaves no trace."""

    def __init__(self) -> None:
        self._scored = 0
        self._bar = _bar("turns")
        self._task = self._bar.add_task("scoring")

    def begin(self, conversation: int, turns: int) -> None:
        """Begin a conversation of so many turns."""
        self._bar.reset(self._task, total=turns, description=f"scoring conversation {conversation}")

    def advance(self) -> None:
        """Count a scored turn."""
        self._scored += 1
        if self._scored >= _MANY:
            self._bar.start()
        self._bar.advance(self._task)

    def pause(self) -> None:
        """Make room for results where they go to a terminal, too."""
        if sys.stdout.isatty():
            self._bar.stop()

    def stop(self) -> None:
        """Remove the bar."""
        self._bar.stop()
