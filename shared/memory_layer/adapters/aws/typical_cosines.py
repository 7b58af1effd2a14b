"""How alike each project's contents are anyway, measured again when its sample is another."""

from __future__ import annotations

from collections.abc import Sequence

from memory_layer.adapters.aws.search.hit_scores import column, float16_rows
from memory_layer.adapters.aws.search.queries import Body
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.abstention import UNKNOWN_TYPICAL_COSINE, typical_cosine
from memory_layer.domain.retrieval.quantization import quantized
from memory_layer.manifest.index import CONTENT_VECTOR, EXACT

Drawn = int
"""Stands, in this process, for which records a sample is of, each in the version that it has; it names none of them."""

_MOST_PROJECTS = 10_000


def drawn(hits: Sequence[Body]) -> Drawn:
    return hash(tuple(tuple(hit["sort"]) for hit in hits))


class TypicalCosines:
    """Those that this process has measured; threads may share it."""

    def __init__(self) -> None:
        self._measured: dict[Scope, tuple[Drawn, float]] = {}

    def knows(self, scope: Scope) -> bool:
        return scope in self._measured

    def of(self, scope: Scope, sample: Drawn) -> float | None:
        """None: it has to be measured."""
        measured = self._measured.get(scope)
        return measured[1] if measured is not None and measured[0] == sample else None

    def measure(self, scope: Scope, hits: Sequence[Body]) -> float:
        """Keep what a sample says. Args: hits: with their vectors."""
        columns = [found for hit in hits if (found := column(hit, EXACT[CONTENT_VECTOR])) is not None]
        cosine = UNKNOWN_TYPICAL_COSINE
        if columns:
            cosine = typical_cosine(*quantized(float16_rows(columns).astype("float32")))
        if len(self._measured) >= _MOST_PROJECTS:
            self._measured.clear()
        self._measured[scope] = (drawn(hits), cosine)
        return cosine
