"""Sessions of an encoder that a user brings: the inputs that its graph asks for, and the pooling of its output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.onnx.export_folder import EncoderOptions, Pooling
from memory_layer.adapters.onnx.session import Pieces
from memory_layer.errors import Invalid

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

KNOWN_INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
SENTENCE_OUTPUT: Final = "sentence_embedding"
"""Output that the graph has pooled itself. Source: sentence-transformers, backend onnx; optimum."""

_TYPES: Final[Mapping[str, type[Any]]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


@dataclass(frozen=True, slots=True)
class GraphShape:
    """Inputs and output of a graph. Args: inputs: type by name; is_pooled: its output is one vector a text."""

    inputs: Mapping[str, type[Any]]
    output: str
    is_pooled: bool


def graph_shape(session: InferenceSession) -> GraphShape:
    """Reads the inputs of a graph, and the output to take: `sentence_embedding`, else the first.

    Raises:
        Invalid: it asks for what no tokenizer gives, or gives no vectors.
    """
    inputs = {}
    for each in session.get_inputs():
        if each.name not in KNOWN_INPUTS or each.type not in _TYPES:
            known = ", ".join(KNOWN_INPUTS)
            raise Invalid(
                f"the graph asks for {each.name} ({each.type}); an encoder of texts asks for {known}"
            )
        inputs[each.name] = _TYPES[each.type]
    outputs = {each.name: len(each.shape) for each in session.get_outputs()}
    output = SENTENCE_OUTPUT if SENTENCE_OUTPUT in outputs else next(iter(outputs))
    if outputs[output] not in (2, 3):
        raise Invalid(f"the output {output} of the graph has {outputs[output]} axes; vectors have 2 or 3")
    return GraphShape(inputs, output, outputs[output] == 2)


def inputs_of(shape: GraphShape, pieces: Pieces, segments: Pieces | None = None) -> dict[str, NDArray[Any]]:
    """Inputs of one text, as the graph names them. Args: segments: type of each piece; None: all 0."""
    values = {
        "input_ids": pieces,
        "attention_mask": (1,) * len(pieces),
        "token_type_ids": segments or (0,) * len(pieces),
        "position_ids": tuple(range(len(pieces))),
    }
    return {name: np.array([values[name]], dtype=kind) for name, kind in shape.inputs.items()}


def encoded(
    session: InferenceSession, shape: GraphShape, options: EncoderOptions, pieces: Pieces
) -> NDArray[np.float32]:
    """Unit vector of the pieces of a text, alone in its batch (session.vector_of); shape (dimensions,)."""
    (output,) = session.run([shape.output], inputs_of(shape, pieces))
    whole = output[0] if shape.is_pooled else pooled(output[0], options.pooling)
    return unit(whole[: options.dimensions])


def pooled(pieces: NDArray[np.float32], pooling: Pooling) -> NDArray[np.float32]:
    """One vector of the vectors of all pieces, shape (pieces, dimensions). Source: Sentence-BERT, section 3."""
    if pooling == "mean":
        return np.asarray(pieces.mean(axis=0), np.float32)
    if pooling == "max":
        return np.asarray(pieces.max(axis=0), np.float32)
    if pooling == "none":
        raise Invalid("the graph does not pool by itself; say --pooling mean, cls, max or last")
    return np.asarray(pieces[0 if pooling == "cls" else -1], np.float32)


def unit(vector: NDArray[np.float32]) -> NDArray[np.float32]:
    """A vector at unit length; one of length 0 becomes the first axis, as nothing can be told of it."""
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0.0:
        first = np.zeros(len(vector), np.float32)
        first[0] = 1.0
        return first
    return np.asarray(vector / length, np.float32)
