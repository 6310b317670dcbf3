import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_drift import StoreError
from langchain_drift.mistakes.vectors import VectorTable, pack, unpack


def unit(seed, size=16):
    """Return a vector of length 1."""
    vector = np.random.default_rng(seed).standard_normal(size).astype(np.float32)
    return vector / np.linalg.norm(vector)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_packing_changes_cosines_by_less_than_a_thousandth(a, b):
    """Half precision is enough to compare by."""
    exact = float(unit(a, 384) @ unit(b, 384))
    assert abs(float(unpack(pack(unit(a, 384))) @ unpack(pack(unit(b, 384)))) - exact) < 0.001


@given(st.integers(0, 300), st.floats(-1, 1), st.integers(1, 50))
def test_the_nearest_are_found_exactly(count, least, most):
    """The table finds what looking at every vector finds."""
    table = VectorTable()
    for number in range(count):
        table.add(number + 1000, pack(unit(number)))
    query = unit(7)
    cosines = {n + 1000: min(1.0, float(unpack(pack(unit(n))) @ query)) for n in range(count)}
    expected = sorted((c for c in cosines.values() if c >= least), reverse=True)[:most]
    found = table.nearest(query, least, most)
    assert [c for _, c in found] == pytest.approx(expected, abs=1e-5)
    assert all(cosines[number] == pytest.approx(c, abs=1e-5) for number, c in found)


def test_vectors_of_another_size_are_refused():
    """A table never mixes dimensions."""
    table = VectorTable()
    table.add(1, pack(unit(1)))
    with pytest.raises(StoreError, match="8 dimensions"):
        table.add(2, pack(unit(1, 8)))
    assert len(table) == 1
