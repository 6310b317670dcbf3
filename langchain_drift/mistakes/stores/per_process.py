"""A value that every process makes for itself, so that a fork shares no lock and no connection."""

import os
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class PerProcess(Generic[T]):
    """Makes a value at its first use, and another one in every process forked from this one.

    The value of the parent is kept in the child, unused: letting go of it would close what the
    parent still works with. If two threads of a fresh child come at the same moment, either may
    get a value of its own; what is kept here must bear that.

    Args:
        make: Makes the value.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._process = os.getpid()
        self._value = make()
        self._of_parents: list[T] = []

    def get(self) -> T:
        """Return the value of this process."""
        process = os.getpid()
        if process != self._process:
            self._of_parents.append(self._value)
            self._value = self._make()
            self._process = process
        return self._value
