"""The engine that runs the bundled model: one ONNX session and its tokenizer."""

import ctypes
import os
import threading
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from langchain_drift.characters import whole_characters
from langchain_drift.embeddings.batches import batches
from langchain_drift.embeddings.weights import read_weights

if TYPE_CHECKING:
    import onnxruntime

DIMENSIONS: Final = 384
"""Length of each vector."""

MAX_TOKENS: Final = 256
"""Tokens read of each text, the two special ones included; the model was trained on so many."""

MAX_CHARACTERS: Final = 16_384
"""Characters read of each text: far more than `MAX_TOKENS` tokens of prose or code."""


class Engine:
    """The bundled model, loaded and ready to run; safe to share between threads.

    Args:
        threads: Threads that one call may use, at least 1.

    Raises:
        EmbeddingError: If a bundled file is missing or damaged.
    """

    def __init__(self, threads: int) -> None:
        # From 1.29 on the runtime reports its use over the network unless told not to before it
        # is imported; its reporting thread also keeps forked children from ending.
        os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
        # Imported late, so that users of other embedders never wait for them.
        import onnxruntime  # noqa: PLC0415
        from tokenizers import Tokenizer  # noqa: PLC0415

        self._tokenizer = Tokenizer.from_buffer(read_weights("tokenizer.json"))
        # The official file pads every text to 128 tokens and cuts it there.
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MAX_TOKENS)
        options = _configure(onnxruntime.SessionOptions(), threads)
        self._session = onnxruntime.InferenceSession(
            read_weights("model.onnx"), options, providers=["CPUExecutionProvider"]
        )

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return where the tokens of a text start and end, without the special ones."""
        spans: list[tuple[int, int]] = self._tokenizer.encode(_readable(text)).offsets[1:-1]
        return spans

    def run(
        self, texts: Sequence[str], batch_size: int
    ) -> Iterator[tuple[list[int], NDArray[np.float32], NDArray[np.float32]]]:
        """Run the model over texts, batch by batch.

        Args:
            texts: Any number of texts.
            batch_size: Most texts in a batch, at least 1.

        Yields:
            The indices of the texts of a batch, their token states
            `[batch, tokens, DIMENSIONS]` and the mask `[batch, tokens]`, 1 for a token and 0 for
            padding.
        """
        # One by one: `encode_batch` starts a thread pool that does not survive a fork.
        tokens = [self._tokenizer.encode(_readable(text)).ids for text in texts]
        for group in batches([len(ids) for ids in tokens], batch_size):
            ids = np.zeros((len(group), len(tokens[group[-1]])), dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, index in enumerate(group):
                ids[row, : len(tokens[index])] = tokens[index]
                mask[row, : len(tokens[index])] = 1
            (states,) = self._session.run(None, {"input_ids": ids, "attention_mask": mask})
            yield group, states, mask.astype(np.float32)


def _configure(options: "onnxruntime.SessionOptions", threads: int) -> "onnxruntime.SessionOptions":
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # Spinning threads steal the processor from whatever else the application does.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # Expand int8 weights once at load: otherwise newer runtimes round activations to int8 too,
    # which moves cosines by up to .02, and older ones expand them again in every call.
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    return options


def _readable(text: str) -> str:
    """Cut a text to what is read and replace lone surrogates, which the tokenizer refuses."""
    return whole_characters(text[:MAX_CHARACTERS])


_engines: dict[int, Engine] = {}
_lock = threading.Lock()


def shared_engine(threads: int) -> Engine:
    """Return the engine of this process for a number of threads; loaded at the first call.

    Raises:
        EmbeddingError: If a bundled file is missing or damaged.
    """
    with _lock:
        if threads not in _engines:
            _engines[threads] = Engine(threads)
        return _engines[threads]


def _abandon_engines() -> None:
    """Start afresh in a forked child, where the threads of its parent's engines do not run."""
    global _lock  # noqa: PLW0603 - another thread may have held it at the fork
    _lock = threading.Lock()
    for engine in _engines.values():
        # Its destructor would wait for those threads for ever, even when the child exits.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(engine))
    _engines.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_abandon_engines)
