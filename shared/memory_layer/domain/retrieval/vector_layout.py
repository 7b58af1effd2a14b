"""Layout of vectors of several models in one row: while memories are embedded again, old and new ones are searched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from memory_layer.domain.arrays import NDArray, np

_WORD = 4
"""Dimensions that fill a word of eight bytes in half precision; a row is a whole number of words."""


@dataclass(frozen=True)
class VectorLayout:
    """Blocks of a row, one for each model that some memory is embedded by, the one in use first.

    A memory fills the block of its own model, all else is 0; a question fills every block. So one product compares it
    with each memory by the model of that memory, and two memories of different models have a cosine of 0.

    Args:
        dimensions: length of the vectors of each model, by its id.
    """

    dimensions: Mapping[str, int]

    @cached_property
    def model(self) -> str:
        """Id of the model in use."""
        return next(iter(self.dimensions))

    @cached_property
    def width(self) -> int:
        """Length of a row."""
        return -(-sum(self.dimensions.values()) // _WORD) * _WORD

    @cached_property
    def is_plain(self) -> bool:
        """True if a vector is a row as it is: there is one model."""
        return self.width == self.dimensions[self.model]

    @cached_property
    def spans(self) -> Mapping[str, slice]:
        """Block of each model in a row."""
        starts, end = {}, 0
        for model, length in self.dimensions.items():
            starts[model] = slice(end, end + length)
            end += length
        return starts

    def row(self, model: str | None, vector: NDArray[np.float32]) -> NDArray[np.float32] | None:
        """Row of one memory's vector; None: its model is none of these. Args: vector: shape (dimensions,)."""
        if model is None or len(vector) != self.dimensions.get(model):
            return None
        return vector if self.is_plain else self.joined({model: vector})

    def joined(self, vectors: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
        """Row that fills the blocks of these models; shape (width,)."""
        row = np.zeros(self.width, np.float32)
        for model, vector in vectors.items():
            row[self.spans[model]] = vector
        return row

    def widened(self, vector: NDArray[np.float32]) -> NDArray[np.float32]:
        """Row of a vector of the model in use, if it is no row yet."""
        is_row = self.is_plain or len(vector) == self.width
        return vector if is_row else self.joined({self.model: vector})

    def rows(
        self, models: Sequence[str | None], vectors: Sequence[NDArray[np.float16]]
    ) -> NDArray[np.float16]:
        """Rows of many memories, whose models are all of these; shape (n, width)."""
        rows = np.zeros((len(vectors), self.width), np.float16)
        for row, model, vector in zip(rows, models, vectors, strict=True):
            row[self.spans[model or ""]] = vector
        return rows
