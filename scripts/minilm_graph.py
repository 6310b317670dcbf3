"""The graph of MiniLM as ONNX, written by hand so that the same weights give the same bytes.

Quantised, matrices are stored as symmetric int8 with one scale for 32 inputs of an output channel,
and the word table as symmetric int8 with one scale a row; every sum is computed in float32.
"""

import numpy as np
import onnx
from numpy.typing import ArrayLike, NDArray
from onnx import TensorProto, helper, numpy_helper

LAYERS, HEADS, WIDTH, EPSILON = 6, 12, 384, 1e-12
MAX_TOKENS, BLOCK = 256, 32

Weights = dict[str, NDArray[np.float32]]


class Graph:
    """Nodes and stored tensors of an ONNX graph, added one at a time in order of execution.

    Args:
        quantised: Store matrices as int8 with scales; otherwise as float32.
    """

    def __init__(self, *, quantised: bool) -> None:
        self.quantised = quantised
        self.nodes: list[onnx.NodeProto] = []
        self.tensors: list[onnx.TensorProto] = []

    def add(self, operator: str, *inputs: str, **attributes: object) -> str:
        """Append a node with one output and return the name of that output."""
        name = f"{operator.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def keep(self, name: str, values: ArrayLike) -> str:
        """Store a tensor under a name and return the name."""
        self.tensors.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def matrix(self, name: str, values: NDArray[np.float32]) -> str:
        """Store a matrix `[in, out]`, quantised by blocks of inputs, and return its float name."""
        if not self.quantised:
            return self.keep(name, values)
        blocks = values.reshape(-1, BLOCK, values.shape[1])
        scale = np.abs(blocks).max(axis=1, keepdims=True) / np.float32(127)
        whole = np.rint(blocks / scale).astype(np.int8).reshape(values.shape)
        stored, scales = self.keep(f"{name}.int8", whole), self.keep(f"{name}.scale", scale[:, 0])
        return self.add("DequantizeLinear", stored, scales, axis=0, block_size=BLOCK)

    def rows(self, name: str, values: NDArray[np.float32], indices: str) -> str:
        """Store a table, quantised per row, and return the float rows at the indices."""
        if not self.quantised:
            return self.add("Gather", self.keep(name, values), indices)
        scale = np.abs(values).max(axis=1, keepdims=True) / np.float32(127)
        stored = self.keep(f"{name}.int8", np.rint(values / scale).astype(np.int8))
        picked = self.add("Cast", self.add("Gather", stored, indices), to=TensorProto.FLOAT)
        return self.add(
            "Mul", picked, self.add("Gather", self.keep(f"{name}.scale", scale), indices)
        )

    def linear(self, states: str, name: str, weight: NDArray[np.float32], bias: ArrayLike) -> str:
        """Add a linear layer; the weight is `[out, in]` as torch keeps it."""
        product = self.add("MatMul", states, self.matrix(f"{name}.weight", weight.T.copy()))
        return self.add("Add", product, self.keep(f"{name}.bias", bias))

    def normalise(self, states: str, name: str, weights: Weights) -> str:
        """Add a layer normalisation with the named weights."""
        scale = self.keep(f"{name}.weight", weights[f"{name}.weight"])
        bias = self.keep(f"{name}.bias", weights[f"{name}.bias"])
        return self.add("LayerNormalization", states, scale, bias, axis=-1, epsilon=EPSILON)


def embed_words(graph: Graph, weights: Weights) -> str:
    """Add the embedding layer: words, positions and token type 0, normalised."""
    words = graph.rows("words", weights["embeddings.word_embeddings.weight"], "input_ids")
    positions = weights["embeddings.position_embeddings.weight"][:MAX_TOKENS]
    places = graph.keep("places", positions + weights["embeddings.token_type_embeddings.weight"][0])
    length = graph.add("Shape", "input_ids", start=1, end=2)
    used = graph.add("Slice", places, graph.keep("first", [0]), length)
    return graph.normalise(graph.add("Add", words, used), "embeddings.LayerNorm", weights)


def attend(graph: Graph, states: str, mask: str, layer: str, weights: Weights) -> str:
    """Add one self-attention block with its residual connection."""
    parts = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
    weight = np.concatenate([weights[f"{part}.weight"] for part in parts])
    bias = np.concatenate([weights[f"{part}.bias"] for part in parts])
    # The scale of the dot product goes into the query's weights: exact, and one node less.
    weight[:WIDTH] /= np.sqrt(np.float32(WIDTH // HEADS))
    bias[:WIDTH] /= np.sqrt(np.float32(WIDTH // HEADS))
    joined = graph.linear(states, f"{layer}.attention.self", weight, bias)
    split = [f"{layer}.{part}" for part in ("q", "k", "v")]
    graph.nodes.append(helper.make_node("Split", [joined], split, axis=2, num_outputs=3))
    shaped = [graph.add("Reshape", part, "heads") for part in split]
    query, value = (graph.add("Transpose", shaped[i], perm=[0, 2, 1, 3]) for i in (0, 2))
    key = graph.add("Transpose", shaped[1], perm=[0, 2, 3, 1])
    scores = graph.add("Add", graph.add("MatMul", query, key), mask)
    mixed = graph.add("MatMul", graph.add("Softmax", scores, axis=-1), value)
    merged = graph.add("Reshape", graph.add("Transpose", mixed, perm=[0, 2, 1, 3]), "merged")
    name = f"{layer}.attention.output"
    weight, bias = weights[f"{name}.dense.weight"], weights[f"{name}.dense.bias"]
    output = graph.linear(merged, f"{name}.dense", weight, bias)
    return graph.normalise(graph.add("Add", output, states), f"{name}.LayerNorm", weights)


def feed_forward(graph: Graph, states: str, layer: str, weights: Weights) -> str:
    """Add one feed-forward block with its residual connection."""
    inner, outer = f"{layer}.intermediate.dense", f"{layer}.output.dense"
    hidden = graph.linear(states, inner, weights[f"{inner}.weight"], weights[f"{inner}.bias"])
    active = graph.add("Gelu", hidden)
    output = graph.linear(active, outer, weights[f"{outer}.weight"], weights[f"{outer}.bias"])
    return graph.normalise(graph.add("Add", output, states), f"{layer}.output.LayerNorm", weights)


def build(weights: Weights, *, quantised: bool) -> bytes:
    """Return the ONNX model: token ids and mask in, token vectors `[batch, tokens, 384]` out."""
    graph = Graph(quantised=quantised)
    graph.keep("heads", [0, 0, HEADS, WIDTH // HEADS])
    graph.keep("merged", [0, 0, WIDTH])
    seen = graph.add("Cast", "attention_mask", to=TensorProto.FLOAT)
    hidden = graph.add("Sub", graph.keep("one", np.float32(1)), seen)
    penalty = graph.add("Mul", hidden, graph.keep("lowest", np.finfo(np.float32).min))
    mask = graph.add("Unsqueeze", penalty, graph.keep("axes", [1, 2]))
    states = embed_words(graph, weights)
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        states = attend(graph, states, mask, layer, weights)
        states = feed_forward(graph, states, layer, weights)
    graph.nodes[-1].output[0] = "token_embeddings"
    return serialise(graph)


def serialise(graph: Graph) -> bytes:
    """Return the checked graph as bytes that depend on nothing but the graph."""
    ids, mask = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "tokens"])
        for name in ("input_ids", "attention_mask")
    )
    output = helper.make_tensor_value_info(
        "token_embeddings", TensorProto.FLOAT, ["batch", "tokens", WIDTH]
    )
    body = helper.make_graph(graph.nodes, "minilm", [ids, mask], [output], graph.tensors)
    # Opset 21 brings scales by block; format 10 goes with it; onnxruntime 1.20 reads both.
    model = helper.make_model(body, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model)
    return bytes(model.SerializeToString(deterministic=True))
