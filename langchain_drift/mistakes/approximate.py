"""An approximate index of the vectors of one scope, in memory and in a file beside the events."""

import hashlib
import json
import logging
import os
from collections.abc import Callable, Collection, Mapping
from math import isqrt
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from langchain_drift.files import PRIVATE, make_parent
from langchain_drift.mistakes.vectors import Vector, unpack

Labels = NDArray[np.int64]

# Vectors are kept in lists, each round a centre: twice as many as the root of their number. One in
# eight is searched. CONTRIBUTING says how that was chosen.
_SHARE, _LEAST_LISTS = 8, 32
_SAMPLES_A_LIST, _ROUNDS = 40, 8
_STEP: Final = 50_000
_VERSION: Final = 1
_logger = logging.getLogger(__name__)


def is_available() -> bool:
    """Tell whether the extra `ann` is installed."""
    try:
        import faiss  # noqa: F401, PLC0415 - an extra
    except ImportError:
        return False
    return True


def label_of(key: str) -> int:
    """Return the label of a memory by the key of its action; the same in every process."""
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest()) >> 1


class ApproximateIndex:
    """Vectors of length 1 by labels, as 16-bit floats, sorted into lists by their direction.

    The events are the truth: before each search the index is made to hold what they hold. If its
    file is absent, damaged, or of another embedder, it is built from them anew; so it is when it
    has doubled since, for then its lists no longer fit.

    Args:
        path: Of its file; None to keep none.
        fingerprint: Identity of the embedder of the vectors.
    """

    def __init__(self, path: Path | None, fingerprint: str) -> None:
        self.path, self.fingerprint = path, fingerprint
        self._index: Any = None
        self._is_saved = False

    def __len__(self) -> int:
        return 0 if self._index is None else int(self._index.ntotal)

    def hold(
        self,
        numbers: Mapping[int, int],
        vector_of: Callable[[int], bytes],
        new: Collection[int] | None,
    ) -> None:
        """Add and remove until it holds exactly some vectors.

        Args:
            numbers: Labels to the numbers of memories.
            vector_of: Returns the packed vector of a memory; all are of one length.
            new: The labels that were added since it held exactly the rest; None if that is not
                known.
        """
        size = len(vector_of(next(iter(numbers.values())))) // 2
        if self._index is None or self._index.d != size:
            self._index, new = self._read(size), None
        if self._index is None or len(numbers) > 2 * max(_fits(self._index), _LEAST_LISTS**2):
            self._index, new = _train(size, numbers, vector_of), None
            self._is_saved = False
        if new is None:
            held = set(_labels(self._index).tolist())
            self._remove(held - numbers.keys())
            new = [label for label in numbers if label not in held]
        self._add(list(new), numbers, vector_of)

    def nearest(self, vector: Vector, most: int) -> list[int]:
        """Return the labels of about the nearest vectors."""
        _, found = self._index.search(vector[None].astype(np.float32), most)
        return [label for label in found[0].tolist() if label >= 0]

    def save(self) -> None:
        """Write the file, in one step, if it has one and is not as it stands there.

        Where it cannot be written that is logged: the events are kept, and the next process
        builds it from them.
        """
        if self.path is None or self._index is None or self._is_saved:
            return
        try:
            self._write(self.path)
        except OSError as error:
            _logger.warning("The index %s cannot be written: %s.", self.path, error)

    def _write(self, path: Path) -> None:
        make_parent(path)
        data = _faiss().serialize_index(self._index).tobytes()
        head = {
            "format_version": _VERSION,
            "fingerprint": self.fingerprint,
            "digest": hashlib.blake2b(data).hexdigest(),
        }
        draft = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, PRIVATE)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(json.dumps(head).encode() + b"\n")
                file.write(data)
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
        self._is_saved = True

    def _read(self, size: int) -> Any:  # noqa: ANN401 - an extra
        """Return what the file holds, None if it cannot be used."""
        if self.path is None or not self.path.exists():
            return None
        try:
            head, _, data = self.path.read_bytes().partition(b"\n")
            said = json.loads(head)
            told = [said.get(n) for n in ("format_version", "fingerprint", "digest")]
        except (OSError, ValueError, AttributeError, RecursionError) as error:
            return self._give_up(error)
        if told != [_VERSION, self.fingerprint, hashlib.blake2b(data).hexdigest()]:
            return self._give_up("it is damaged, or of another embedder")
        try:
            found = _faiss().deserialize_index(np.frombuffer(data, dtype=np.uint8))
        except RuntimeError as error:  # of another version of faiss
            return self._give_up(error)
        if found.d != size:
            return self._give_up("its vectors are of another length")
        self._is_saved = True
        return _tuned(found)

    def _give_up(self, reason: object) -> None:
        _logger.warning("The index %s is built anew from the events: %s.", self.path, reason)

    def _remove(self, labels: Collection[int]) -> None:
        if not labels:
            return
        self._index.remove_ids(np.array(sorted(labels), dtype=np.int64))
        # What was purged from the events must not stay in the file.
        self._is_saved = False
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _add(
        self, labels: list[int], numbers: Mapping[int, int], vector_of: Callable[[int], bytes]
    ) -> None:
        for start in range(0, len(labels), _STEP):
            step = labels[start : start + _STEP]
            rows = np.array([unpack(vector_of(numbers[label])) for label in step])
            self._index.add_with_ids(rows, np.array(step, dtype=np.int64))
            self._is_saved = False


def _faiss() -> Any:  # noqa: ANN401 - an extra
    import faiss  # noqa: PLC0415 - an extra

    # Its threads do not survive a fork, and for one question they are of no use.
    faiss.omp_set_num_threads(1)
    return faiss


def _train(size: int, numbers: Mapping[int, int], vector_of: Callable[[int], bytes]) -> Any:  # noqa: ANN401 - an extra
    """Return an empty index whose lists fit some vectors."""
    faiss = _faiss()
    lists = max(_LEAST_LISTS, 2 * isqrt(len(numbers)))
    every = max(1, len(numbers) // (lists * _SAMPLES_A_LIST))
    sample = [unpack(vector_of(number)) for number in list(numbers.values())[::every]]
    index = faiss.IndexIVFScalarQuantizer(
        faiss.IndexFlatIP(size),
        size,
        lists,
        faiss.ScalarQuantizer.QT_fp16,
        faiss.METRIC_INNER_PRODUCT,
    )
    index.cp.niter, index.cp.min_points_per_centroid = _ROUNDS, 1
    index.train(np.array(sample))
    return _tuned(index)


def _tuned(index: Any) -> Any:  # noqa: ANN401 - an extra
    index.nprobe = max(_LEAST_LISTS, index.nlist // _SHARE)
    return index


def _fits(index: Any) -> int:  # noqa: ANN401 - an extra
    """Return how many vectors the lists of an index were made for."""
    return int(index.nlist // 2) ** 2


def _labels(index: Any) -> Labels:  # noqa: ANN401 - an extra
    faiss, lists = _faiss(), index.invlists
    found = [
        faiss.rev_swig_ptr(lists.get_ids(n), lists.list_size(n)).copy()
        for n in range(index.nlist)
        if lists.list_size(n)
    ]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)
