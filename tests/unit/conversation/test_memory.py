import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from langchain_drift.conversation.memory import Memory
from langchain_drift.errors import InvalidInputError

SHARES = st.floats(0, 1)
TURNS = st.lists(st.tuples(st.integers(0, 7), st.floats(-6, 6), SHARES, SHARES, SHARES))


def start():
    """Return the memory of a conversation that has not begun."""
    return Memory.start(0.1, 1.0, 2.0)


def walk(turns):
    """Return the memory after each turn of (direction, match, off, substance, gate)."""
    memory = start()
    for place, z, off, substance, gate in turns:
        vector = np.eye(8, dtype=np.float32)[place]
        memory = memory.after(vector, z=z, off=off, substance=substance, gate=gate)
        yield memory


@settings(deadline=None, max_examples=60)
@given(TURNS)
def test_memory_survives_json(turns):
    """A memory read from JSON is the one that was dumped, to the precision of 16-bit floats."""
    for memory in [start(), *walk(turns)]:
        state = json.loads(json.dumps(memory.dump(), allow_nan=False))
        again = Memory.load(state)
        assert again.dump() == state
        for name in ("previous", "on_purpose", "off_purpose"):
            assert getattr(again, name) == pytest.approx(getattr(memory, name), abs=1e-2)


@settings(deadline=None, max_examples=60)
@given(TURNS)
def test_memory_stays_bounded(turns):
    """Weights stay below what their decay allows and the vectors no longer than the weights."""
    for memory in walk(turns):
        assert 0 <= memory.on_weight <= 20.001
        assert 0 <= memory.off_weight <= 5.001
        assert memory.weight <= 12
        assert np.linalg.norm(memory.on_purpose) <= memory.on_weight + 1e-3
        assert np.linalg.norm(memory.off_purpose) <= memory.off_weight + 1e-3


def test_memory_is_of_constant_size():
    """The dump of a memory after 1,000 turns is as long as that after 10."""
    sizes = {}
    for number, memory in enumerate(walk([(i % 8, 1.0, 0.2, 1.0, 1.0) for i in range(1_000)]), 1):
        sizes[number] = {k: len(v) for k, v in memory.dump().items() if isinstance(v, str)}
    assert sizes[10] == sizes[1_000]


def test_a_turn_does_not_change_the_memory_before_it():
    """Each turn gives a memory of its own, so a fork does not touch the other branch."""
    first = next(walk([(0, 1.0, 0.0, 1.0, 1.0)]))
    before = first.dump()
    vector = np.eye(8, dtype=np.float32)[1]
    one = first.after(vector, z=0.0, off=1.0, substance=1.0, gate=1.0)
    other = first.after(vector, z=5.0, off=0.0, substance=1.0, gate=1.0)
    assert first.dump() == before
    assert one.dump() != other.dump()


def test_a_turn_off_purpose_is_not_remembered_as_on_purpose():
    """What is off purpose goes to the one side only, what is on purpose to the other."""
    off = start().after(np.ones(2, np.float32), z=3.0, off=1.0, substance=1.0, gate=1.0)
    assert off.on_weight == 0
    assert off.off_weight == 1
    assert off.average == 1.0
    on = start().after(np.ones(2, np.float32), z=4.0, off=0.0, substance=1.0, gate=1.0)
    assert (on.on_weight, on.off_weight, on.average) == (1, 0, 2.0)


def test_a_turn_without_substance_leaves_no_trace():
    """With nothing to judge only the previous vector and the count move."""
    memory = start().after(np.ones(2, np.float32), z=9.0, off=0.1, substance=0.0, gate=0.0)
    assert (memory.on_weight, memory.off_weight, memory.average) == (0, 0, 1.0)
    assert memory.turns == 1


@pytest.mark.parametrize("vector", ["???", "AAA", "AH4A", "AHw=", 7, None])
def test_a_damaged_vector_is_refused(vector):
    """A vector that is no base64 of finite 16-bit floats is named, never read as another one."""
    state = json.loads(json.dumps(start().dump())) | {"previous": vector}
    with pytest.raises(InvalidInputError, match="where a vector should be"):
        Memory.load(state)
