"""Comparison of a new record with stored ones, some of which are of a model that was in use before."""

from __future__ import annotations

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.memory import Memory
from memory_layer.ports.commit import Vector, Vectors
from memory_layer.ports.process import Ports, compared_vectors, layout_of


def row_of(ports: Ports, memory: Memory, vectors: Vectors) -> Vector:
    """Row of a record (VectorLayout), to compare with records of every model; of an earlier model with its like alone.

    Args:
        vectors: of the record, by the model that it names.

    Raises:
        EmbedderUnavailable
    """
    layout = layout_of(ports.embedder)
    if layout.is_plain:
        return vectors.content
    if memory.embedding_model == layout.model:
        return compared_vectors(ports.embedder, [memory.content], [vectors.content])[0]
    row = layout.row(memory.embedding_model, vectors.content)
    return vectors.content if row is None else row


def are_comparable(ports: Ports, memory: Memory, stored: Memory) -> bool:
    """Tests if `row_of` a record tells its cosine with a stored one."""
    if stored.embedding_model == memory.embedding_model:
        return True
    layout = layout_of(ports.embedder)
    return memory.embedding_model == layout.model and stored.embedding_model in layout.dimensions


def stored_row(ports: Ports, stored: Memory, vector: NDArray[np.float32]) -> Vector | None:
    """Row of a stored record, to compare with `row_of` another; None: its model has no block."""
    layout = layout_of(ports.embedder)
    return vector if layout.is_plain else layout.row(stored.embedding_model, vector)
