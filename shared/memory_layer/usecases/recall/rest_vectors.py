"""Vectors of what lines say beside a question; kept, because what is asked once is asked again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.ports.process import layout_of

if TYPE_CHECKING:
    from memory_layer.ports.commit import Vector
    from memory_layer.ports.process import Embedder

RESTS_KEPT: Final = 512
"""Rests of lines whose vectors are kept: 1 MB."""


def vector_of_rest(text: str, embedder: Embedder) -> Vector:
    """Vector of the rest of a line, as wide as those of the index. Raises: EmbedderUnavailable."""
    return _vector_of(_Rest(text, embedder.model, embedder))


@dataclass(frozen=True, slots=True)
class _Rest:
    """Rest of a line: what it says beside a question. Args: embedder: any of the model."""

    text: str
    model: str
    embedder: Embedder = field(compare=False)


@kept_by_text(RESTS_KEPT)
def _vector_of(rest: _Rest) -> Vector:
    vector: Vector = rest.embedder.embed([rest.text])[0]
    return layout_of(rest.embedder).widened(vector)
