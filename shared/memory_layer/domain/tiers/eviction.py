"""Eviction from a content class over its size limit: seldom used and little believed memories first (over arrays)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.memory import Memory
from memory_layer.domain.tier_policy import GB, ContentClass, TierPolicy, TierRules, class_of
from memory_layer.domain.tiers.moves import last_touched


@dataclass(frozen=True, slots=True)
class EvictionCandidate:
    """Hot or warm memory, with the fields that eviction needs."""

    id: str
    name: ContentClass
    is_warm: bool
    size_bytes: int
    age_hours: float
    quality: float


def near(memory: Memory, size_bytes: int, policy: TierPolicy, now: datetime) -> EvictionCandidate:
    return EvictionCandidate(
        id=memory.id,
        name=class_of(memory, policy),
        is_warm=memory.tier == "warm",
        size_bytes=size_bytes,
        age_hours=(now - last_touched(memory)) / timedelta(hours=1),
        quality=quality(memory),
    )


def quality(memory: Memory) -> float:
    """Quality of a memory, 0..1: its confidence times how well it has worked."""
    return memory.confidence * (memory.outcome_score + 1) / 2


def may_exceed(near_bytes: int, policy: TierPolicy) -> bool:
    """Tests if any class may be over its limit. Args: near_bytes: of all hot and warm memories."""
    return near_bytes > min(rules.evict.max_total_size_gb for rules in policy.values()) * GB


def select_evictions(memories: Sequence[EvictionCandidate], policy: TierPolicy) -> list[str]:
    """Selects the ids of memories that go cold, each class down to its limit: warm before hot, the worst first.

    Args:
        memories: candidates: pinned by nobody.
    """
    found: list[str] = []
    for name, rules in policy.items():
        of_class = [memory for memory in memories if memory.name == name]
        found += _worst(of_class, rules)
    return found


def _worst(memories: Sequence[EvictionCandidate], rules: TierRules) -> list[str]:
    sizes = np.array([memory.size_bytes for memory in memories], dtype=np.int64)
    excess = int(sizes.sum()) - rules.evict.max_total_size_gb * GB
    if excess <= 0:
        return []
    ids = np.array([memory.id for memory in memories])
    is_hot = np.array([not memory.is_warm for memory in memories])
    order = np.lexsort((ids, -_scores(memories, rules), is_hot))
    freed = np.cumsum(sizes[order])
    count = int(np.searchsorted(freed, excess)) + 1
    return [str(id) for id in ids[order][:count]]


def _scores(memories: Sequence[EvictionCandidate], rules: TierRules) -> NDArray[np.float64]:
    """Eviction score of each memory, 0..1: its share of the greatest age, and its lack of quality."""
    ages = np.array([memory.age_hours for memory in memories], dtype=np.float64)
    qualities = np.array([memory.quality for memory in memories], dtype=np.float64)
    shares = np.clip(ages / max(float(ages.max()), 1.0), 0.0, 1.0)
    return np.asarray(rules.evict.lru_weight * shares + rules.evict.quality_weight * (1.0 - qualities))
