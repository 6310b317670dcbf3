"""Vectors of memories in one growing table, searched exactly."""

import numpy as np
from numpy.typing import NDArray

from langchain_drift.errors import StoreError

Vector = NDArray[np.float32]


def pack(vector: Vector) -> bytes:
    """Return a vector as little-endian 16-bit floats; its cosines change by less than 0.001."""
    return vector.astype("<f2").tobytes()


def unpack(data: bytes) -> Vector:
    """Return the vector of `pack`."""
    return np.frombuffer(data, dtype="<f2").astype(np.float32)


class VectorTable:
    """Vectors of length 1 by the numbers of their memories."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._rows: Vector = np.empty((0, 0), dtype=np.float32)

    def add(self, number: int, data: bytes) -> None:
        """Add the vector of a memory.

        Raises:
            StoreError: If it has another number of dimensions than those before.
        """
        vector = unpack(data)
        count = len(self._numbers)
        if count == len(self._rows):
            grown = np.empty((max(64, 2 * count), vector.size), dtype=np.float32)
            if count and self._rows.shape[1] == vector.size:
                grown[:count] = self._rows
            if not count or self._rows.shape[1] == vector.size:
                self._rows = grown
        if self._rows.shape[1] != vector.size:
            message = (
                f"A memory has a vector of {vector.size} dimensions, those before have "
                f"{self._rows.shape[1]}; embed the memory again with `guard.reembed()`."
            )
            raise StoreError(message)
        self._rows[count] = vector
        self._numbers.append(number)

    def nearest(self, vector: Vector, least: float, most: int) -> list[tuple[int, float]]:
        """Return the numbers of the nearest memories with their cosines, the nearest first.

        Args:
            vector: A vector of length 1.
            least: The lowest cosine of interest, -1 to 1.
            most: How many memories to return at most.
        """
        count = len(self._numbers)
        if not count:
            return []
        # Not `@`: on a busy machine the threads of BLAS wait for one another far longer than this.
        cosines = np.einsum("ij,j->i", self._rows[:count], vector)
        found = np.flatnonzero(cosines >= least)
        if len(found) > most:
            found = found[np.argpartition(cosines[found], -most)[-most:]]
        order = found[np.argsort(-cosines[found], kind="stable")]
        return [(self._numbers[row], min(1.0, float(cosines[row]))) for row in order]

    def __len__(self) -> int:
        return len(self._numbers)
