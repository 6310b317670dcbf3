"""The memories nearest in meaning: found exactly while there are few, else by an index."""

from collections.abc import Callable

import numpy as np

from langchain_drift.errors import StoreError
from langchain_drift.mistakes.approximate import ApproximateIndex, label_of
from langchain_drift.mistakes.reach import EXACT
from langchain_drift.mistakes.vectors import Vector, VectorTable, unpack


class NearMemories:
    """Vectors of memories by their numbers.

    Args:
        vector_of: Returns the packed vector of a memory by its number.
        index: Takes over above 20,000 memories; None to compare all of them always.
    """

    def __init__(
        self, vector_of: Callable[[int], bytes], index: ApproximateIndex | None = None
    ) -> None:
        self._table: VectorTable | None = VectorTable()
        self._vector_of, self._index = vector_of, index
        self._numbers: dict[int, int] = {}
        self._new: list[int] = []
        self._is_held = False

    def __len__(self) -> int:
        return len(self._table) if self._table is not None else len(self._numbers)

    def add(self, number: int, key: str, data: bytes) -> None:
        """Add the vector of a memory.

        Raises:
            StoreError: If it has another number of dimensions than those before.
        """
        if self._table is not None:
            self._table.add(number, data)
        elif len(data) != len(self._vector_of(next(iter(self._numbers.values())))):
            message = (
                f"A memory has a vector of {len(data) // 2} dimensions, unlike those before; embed "
                "the memory again with `guard.reembed()`."
            )
            raise StoreError(message)
        if self._index is not None:
            label = label_of(key)
            self._numbers[label] = number
            self._new.append(label)
            if len(self._numbers) > EXACT:
                self._table = None

    def nearest(self, vector: Vector, least: float, most: int) -> list[tuple[int, float]]:
        """Return the numbers of the nearest memories with their cosines; see `VectorTable`."""
        if self._table is not None:
            return self._table.nearest(vector, least, most)
        return self._by_index(vector, least, most)

    def _by_index(self, vector: Vector, least: float, most: int) -> list[tuple[int, float]]:
        """Ask the index, and compute the cosines of what it finds exactly."""
        if self._index is None:
            return []
        if self._new or not self._is_held:
            new = self._new if self._is_held else None
            self._index.hold(self._numbers, self._vector_of, new)
            self._new, self._is_held = [], True
        numbers = [self._numbers[label] for label in self._index.nearest(vector, most)]
        rows = np.array([unpack(self._vector_of(number)) for number in numbers])
        cosines = np.einsum("ij,j->i", rows, vector)
        order = np.argsort(-cosines, kind="stable")
        return [
            (numbers[row], min(1.0, float(cosines[row]))) for row in order if cosines[row] >= least
        ]
