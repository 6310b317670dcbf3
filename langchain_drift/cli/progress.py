"""Progress: a bar of scored turns on standard error, where that is a terminal."""

import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

_MANY = 20
"""Scored turns from which the bar is shown."""


class TurnProgress:
    """A bar that appears once many turns are scored and leaves no trace."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._scored = 0
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("turns"),
            console=console,
            transient=True,
            # Results go to standard output as they are, wherever it leads.
            redirect_stdout=False,
            redirect_stderr=False,
            disable=not console.is_terminal,
        )
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
