"""Embedder of a data folder that changes its model: memories are found by either until all are embedded again."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from memory_layer.domain.retrieval.vector_layout import VectorLayout
from memory_layer.errors import EmbedderUnavailable
from memory_layer.ports.process import Embedder, question_vector, word_ranks

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_log = logging.getLogger(__name__)


class SeveralModels:
    """The `Embedder` port on the model in use, and on those that some memories still have vectors of.

    What is written gets vectors of the model in use; what is asked is embedded by all.

    Args:
        current: the model in use.
        earlier: other models; one that cannot be loaded finds nothing, and is told of once.
    """

    def __init__(self, current: Embedder, earlier: Sequence[Embedder]) -> None:
        self.model, self.dimensions = current.model, current.dimensions
        self.layout = VectorLayout({each.model: each.dimensions for each in (current, *earlier)})
        self.rank = word_ranks(current)
        self._current = current
        self._earlier = list(earlier)

    @property
    def is_loaded(self) -> bool:
        return bool(getattr(self._current, "is_loaded", False))

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of the model in use. Raises: EmbedderUnavailable."""
        return self._current.embed(texts)

    def embed_question(self, text: str) -> NDArray[np.float32]:
        """Row of a question by all models. Raises: EmbedderUnavailable: the model in use cannot be loaded."""
        vectors = {self.model: question_vector(self._current, text)}
        for each in list(self._earlier):
            try:
                vectors[each.model] = question_vector(each, text)
            except EmbedderUnavailable as error:
                self._give_up(each, error)
        return self.layout.joined(vectors)

    def compared_rows(
        self, texts: Sequence[str], vectors: Sequence[NDArray[np.float32]]
    ) -> list[NDArray[np.float32]]:
        """Rows of texts by all models. Args: vectors: of the model in use."""
        found: list[Mapping[str, NDArray[np.float32]]] = [{self.model: vector} for vector in vectors]
        for each in list(self._earlier):
            try:
                others = each.embed(texts)
            except EmbedderUnavailable as error:
                self._give_up(each, error)
            else:
                found = [{**row, each.model: other} for row, other in zip(found, others, strict=True)]
        return [self.layout.joined(row) for row in found]

    def _give_up(self, model: Embedder, error: EmbedderUnavailable) -> None:
        _log.warning("memories that %s embedded are found by words alone: %s", model.model, error.detail)
        self._earlier = [each for each in self._earlier if each is not model]
