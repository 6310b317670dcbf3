import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from langchain_drift import errors
from langchain_drift.embeddings import engine, weights
from langchain_drift.embeddings.minilm import MiniLMEmbeddings
from langchain_drift.errors import EmbeddingError

ROOT = Path(errors.__file__).parents[1]

FORK = """
import os, sys
from langchain_drift.embeddings.minilm import MiniLMEmbeddings
one, two = MiniLMEmbeddings(), MiniLMEmbeddings(threads=2)
before = [one.embed_query("text " * 200), two.embed_query("text " * 200)]
child = os.fork()
after = [one.embed_query("text " * 200), two.embed_query("text " * 200)]
assert before == after
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
"""

LIGHT = """
import os, sys
from langchain_drift.embeddings.default import default_embeddings
default_embeddings()
assert not {"onnxruntime", "tokenizers"} & set(sys.modules)
default_embeddings().embed_query("text")
assert "onnxruntime" in sys.modules
assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
assert not {"torch", "transformers", "sentence_transformers"} & set(sys.modules)
"""


def run(code):
    """Run code in a fresh interpreter."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop("ORT_DISABLE_TELEMETRY", None)
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_forked_child_embeds():
    """A child forked after the first use gives the same vectors, prints nothing and ends."""
    assert not run(FORK).stderr


def test_nothing_heavy_is_imported():
    """The runtime is imported at the first text, told not to report its use; torch never is."""
    run(LIGHT)


def test_engines_are_shared():
    """All instances with the same number of threads share one engine."""
    MiniLMEmbeddings().embed_query("a")
    assert engine.shared_engine(1) is engine.shared_engine(1)
    assert engine.shared_engine(1) is not engine.shared_engine(2)


@pytest.mark.parametrize("name", sorted(weights.SHA256))
def test_bundled_files_are_the_released_ones(name):
    """Each bundled file has its known hash."""
    assert weights.SHA256[name] == hashlib.sha256(weights.read_weights(name)).hexdigest()


def test_a_damaged_file_is_refused(monkeypatch, tmp_path):
    """A file with another hash is named with both hashes and the way out."""
    (tmp_path / "minilm").mkdir()
    (tmp_path / "minilm" / "model.onnx").write_bytes(b"damaged")
    monkeypatch.setattr(weights, "files", lambda package: tmp_path)
    found = hashlib.sha256(b"damaged").hexdigest()
    with pytest.raises(EmbeddingError, match=rf"model\.onnx.*{found}.*[Rr]einstall") as caught:
        weights.read_weights("model.onnx")
    assert weights.SHA256["model.onnx"] in str(caught.value)


def test_a_missing_file_is_refused(monkeypatch, tmp_path):
    """A missing file is named with the way out."""
    monkeypatch.setattr(weights, "files", lambda package: tmp_path)
    with pytest.raises(EmbeddingError, match=r"tokenizer\.json.*Reinstall"):
        weights.read_weights("tokenizer.json")
