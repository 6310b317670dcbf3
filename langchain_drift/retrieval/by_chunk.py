"""How like a sentence is to each chunk, told by the sentences of the chunks."""

from collections.abc import Mapping, Sequence

_MOST_CHUNKS = 100
_DIGITS = 3


def by_chunk(
    likeness: Mapping[int, float], chunk_of: Sequence[int], chunks: int
) -> tuple[float, ...]:
    """Return for each chunk the likeness of its most similar sentence, 0 to 1.

    Args:
        likeness: How like a sentence is to sentences of the chunks, by their numbers.
        chunk_of: The number of the chunk of each sentence.
        chunks: How many chunks there are; beyond 100 nobody looks at each, and none is told of.
    """
    if chunks > _MOST_CHUNKS:
        return ()
    found = [0.0] * chunks
    for number, value in likeness.items():
        chunk = chunk_of[number]
        found[chunk] = max(found[chunk], value)
    return tuple(round(min(value, 1.0), _DIGITS) for value in found)
