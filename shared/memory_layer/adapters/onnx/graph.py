"""MiniLM's forward pass as an ONNX graph of onnxruntime's fused operators."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from memory_layer.adapters.onnx.artifact import DIMENSIONS

LAYERS = 6
HEADS = 12
LAYER_NORM_EPSILON = 1e-12
"""config.json of the upstream model: num_hidden_layers, num_attention_heads, layer_norm_eps."""
FUSED = "com.microsoft"
OPSET, FUSED_OPSET, IR_VERSION = 17, 1, 8
"""Versions old enough for every onnxruntime since 1.12."""

Tensor = NDArray[np.float32]


@dataclass(slots=True)
class _Graph:
    """Nodes and constants gathered in order of execution."""

    weights: Mapping[str, Tensor]
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    constants: list[onnx.TensorProto] = field(default_factory=list)

    def constant(self, name: str, value: NDArray[np.generic]) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def vector(self, name: str) -> str:
        return self.constant(name, self.weights[name])

    def matrix(self, name: str) -> str:
        """Adds a transposed weight: linear layers store (out, in), and MatMul wants (in, out)."""
        return self.constant(name, self.weights[name].T)

    def standard(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def fused(self, operator: str, inputs: list[str], output: str, **attributes: Any) -> str:
        return self.standard(operator, inputs, output, domain=FUSED, **attributes)


def build_graph(weights: Mapping[str, Tensor]) -> onnx.ModelProto:
    """The float32 model: word pieces in, unit sentence vectors out.

    Args:
        weights: upstream tensors by name, float32; 30,522 word pieces, 512 positions, 384 dimensions.

    Returns:
        Model with inputs `input_ids` and `attention_mask` (batch, pieces), int32, and output
        `embedding` (batch, 384), float32, rows of unit length.

    Source: Sentence-BERT (mean pooling over the mask, then L2).
    """
    graph = _Graph(weights)
    hidden = _embeddings(graph)
    for layer in range(LAYERS):
        hidden = _feed_forward(graph, layer, _attention(graph, layer, hidden))
    _pool(graph, hidden)
    return _model(graph)


def _embeddings(graph: _Graph) -> str:
    prefix = "embeddings."
    tables = graph.weights
    # Every piece is of segment 0, so its row moves into the positions and the graph needs no segments.
    positions = (
        tables[f"{prefix}position_embeddings.weight"] + tables[f"{prefix}token_type_embeddings.weight"][0]
    )
    words = graph.vector(f"{prefix}word_embeddings.weight")
    norm = _norm(graph, f"{prefix}LayerNorm")
    inputs = ["input_ids", "", words, graph.constant("positions", positions), "", *norm]
    node = helper.make_node(
        "EmbedLayerNormalization",
        inputs,
        ["embedded", "unused_mask_index"],
        name="embedded",
        domain=FUSED,
        epsilon=LAYER_NORM_EPSILON,
    )
    graph.nodes.append(node)
    return "embedded"


def _attention(graph: _Graph, layer: int, hidden: str) -> str:
    prefix = f"encoder.layer.{layer}.attention"
    matrix = np.concatenate([part.T for part in _query_key_value(graph, prefix, "weight")], axis=1)
    bias = np.concatenate(list(_query_key_value(graph, prefix, "bias")))
    inputs = [hidden, graph.constant(f"{prefix}.qkv", matrix), graph.constant(f"{prefix}.qkv_bias", bias)]
    heads = graph.fused("Attention", [*inputs, "attention_mask"], f"{prefix}.heads", num_heads=HEADS)
    return _project_and_add(graph, f"{prefix}.output", heads, hidden)


def _query_key_value(graph: _Graph, prefix: str, kind: str) -> Iterator[Tensor]:
    return (graph.weights[f"{prefix}.self.{part}.{kind}"] for part in ("query", "key", "value"))


def _feed_forward(graph: _Graph, layer: int, hidden: str) -> str:
    prefix = f"encoder.layer.{layer}"
    inner = f"{prefix}.intermediate"
    wide = graph.standard("MatMul", [hidden, graph.matrix(f"{inner}.dense.weight")], f"{inner}.wide")
    active = graph.fused("BiasGelu", [wide, graph.vector(f"{inner}.dense.bias")], f"{inner}.active")
    return _project_and_add(graph, f"{prefix}.output", active, hidden)


def _project_and_add(graph: _Graph, prefix: str, value: str, residual: str) -> str:
    # Not the fused SkipLayerNormalization: on a CPU it is five times slower than its three parts.
    projected = graph.standard(
        "MatMul", [value, graph.matrix(f"{prefix}.dense.weight")], f"{prefix}.projected"
    )
    biased = graph.standard("Add", [projected, graph.vector(f"{prefix}.dense.bias")], f"{prefix}.biased")
    added = graph.standard("Add", [biased, residual], f"{prefix}.added")
    inputs = [added, *_norm(graph, f"{prefix}.LayerNorm")]
    return graph.standard(
        "LayerNormalization", inputs, f"{prefix}.normed", axis=-1, epsilon=LAYER_NORM_EPSILON
    )


def _norm(graph: _Graph, prefix: str) -> tuple[str, str]:
    return graph.vector(f"{prefix}.weight"), graph.vector(f"{prefix}.bias")


def _pool(graph: _Graph, hidden: str) -> None:
    pieces = graph.constant("pieces_axis", np.array([1], dtype=np.int64))
    last = graph.constant("last_axis", np.array([2], dtype=np.int64))
    mask = graph.standard("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    column = graph.standard("Unsqueeze", [mask, last], "mask_column")
    kept = graph.standard("Mul", [hidden, column], "kept")
    total = graph.standard("ReduceSum", [kept, pieces], "total", keepdims=0)
    count = graph.standard("ReduceSum", [mask, pieces], "count", keepdims=1)
    mean = graph.standard("Div", [total, count], "mean")
    graph.standard("LpNormalization", [mean], "embedding", axis=1, p=2)


def _model(graph: _Graph) -> onnx.ModelProto:
    def value(name: str, kind: int, columns: str | int) -> onnx.ValueInfoProto:
        return helper.make_tensor_value_info(name, kind, ["batch", columns])

    inputs = [value(name, TensorProto.INT32, "pieces") for name in ("input_ids", "attention_mask")]
    outputs = [value("embedding", TensorProto.FLOAT, DIMENSIONS)]
    body = helper.make_graph(graph.nodes, "all-MiniLM-L6-v2", inputs, outputs, graph.constants)
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(FUSED, FUSED_OPSET)]
    return helper.make_model(body, opset_imports=opsets, ir_version=IR_VERSION)
