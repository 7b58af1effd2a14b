"""What several projects answered, as one answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memory_layer.domain.memory import Ref
from memory_layer.domain.retrieval.blending import Arms

_ARMS: Final = ("content_lexical", "content_semantic", "context_lexical", "context_semantic")


def merged(found: Mapping[str, Arms[str]], k: int) -> Arms[Ref]:
    """The best `k` of each arm over all projects, best first."""
    return Arms(**{arm: _best({p: getattr(arms, arm) for p, arms in found.items()}, k) for arm in _ARMS})


def _best(scores: Mapping[str, Mapping[str, float]], k: int) -> dict[Ref, float]:
    hits = [(Ref(project, id), score) for project, ranked in scores.items() for id, score in ranked.items()]
    if len(scores) > 1:
        hits.sort(key=lambda hit: (-hit[1], hit[0]))
    return dict(hits[:k])
