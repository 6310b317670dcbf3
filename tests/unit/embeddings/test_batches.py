from hypothesis import given
from hypothesis import strategies as st

from langchain_drift.embeddings.batches import MAX_TOKENS, batches

lengths = st.lists(st.integers(1, 256), max_size=80)
sizes = st.integers(1, 40)


@given(lengths=lengths, size=sizes)
def test_each_text_once(lengths, size):
    """Each text is in exactly one batch, and no batch is empty."""
    groups = batches(lengths, size)
    assert list(range(len(lengths))) == sorted(index for group in groups for index in group)
    assert all(groups)


@given(lengths=lengths, size=sizes)
def test_batches_are_bounded(lengths, size):
    """No batch holds more texts than allowed, or more tokens after padding."""
    for group in batches(lengths, size):
        assert len(group) <= size
        assert len(group) * max(lengths[index] for index in group) <= MAX_TOKENS


@given(lengths=lengths, size=sizes)
def test_lengths_ascend(lengths, size):
    """Lengths ascend over all batches, so that padding is least."""
    flat = [lengths[index] for group in batches(lengths, size) for index in group]
    assert flat == sorted(flat)
