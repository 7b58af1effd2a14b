"""Claims: figures, labels and origins that an agent says its lines have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tests.bench.poison.families.borrowed_labels import labelled
from tests.bench.poison.stage import Act

_FIGURES: Final[Mapping[str, Mapping[str, Any]]] = {
    "confidence": {"confidence": 1.0},
    "success rate": {"success_rate": 1.0, "relevance_score": 1.0},
    "a person's": {"source": "human"},
    "pinned": {"pinned": True},
    "every path": {"tags": ("**",)},
    "category": {"category": "decision"},
}

FAMILIES: Final[Mapping[str, Act]] = {
    name: labelled(lambda _, __, fields=fields: fields) for name, fields in _FIGURES.items()
}
