"""The bundled model's files: read whole and held against their known hashes."""

import hashlib
from importlib.resources import files
from typing import Final

from langchain_drift.errors import EmbeddingError

SHA256: Final = {
    "model.onnx": "daa6d6f87d363aaa67c3bea6cd0d938c1a71b902a52145d57ce348d15dcd6091",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
"""Expected SHA-256 of each bundled file, as lower-case hexadecimal."""


def read_weights(name: str) -> bytes:
    """Read one bundled file and check that it is the one that was released.

    Args:
        name: A key of `SHA256`.

    Returns:
        The content of the file.

    Raises:
        EmbeddingError: If the file is missing, or its hash is not the expected one.
    """
    file = files("langchain_drift.embeddings") / "minilm" / name
    try:
        content = file.read_bytes()
    except OSError as error:
        message = f"The bundled file {file} cannot be read ({error}). Reinstall langchain-drift."
        raise EmbeddingError(message) from error
    found = hashlib.sha256(content).hexdigest()
    if found != SHA256[name]:
        message = (
            f"The bundled file {file} is damaged: expected SHA-256 {SHA256[name]}, found {found}. "
            "Reinstall langchain-drift with `pip install --force-reinstall langchain-drift`."
        )
        raise EmbeddingError(message)
    return content
