"""Pruning rules, judged before any memory is touched."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from memory_layer.domain.memory import ENDED_STATUSES, Memory, as_of_now

PruneMatch = Literal["all", "any"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneRule:
    """Conditions on a memory to be pruned; all that are given must hold, or with `match` any, any one of them.

    Loop Learning prunes in three separate steps, so what meets any of them goes; all together is the careful reading.

    `min_confidence` and `min_success_rate` (0..1) match values below them, an absent success rate never;
    `older_than_days` matches memories unchanged for longer; `unused` those without any reported outcome.
    Approved and pinned memories are kept unless they are included.
    """

    min_confidence: float | None = None
    min_success_rate: float | None = None
    older_than_days: int | None = None
    unused: bool = False
    include_approved: bool = False
    include_pinned: bool = False
    match: PruneMatch = "all"

    @property
    def asks_nothing(self) -> bool:
        bounds = (self.min_confidence, self.min_success_rate, self.older_than_days)
        return all(bound is None for bound in bounds) and not self.unused


def prune_reason(memory: Memory, rule: PruneRule, now: datetime) -> str | None:
    """Reason for which a rule prunes a memory; None: it does not. A memory out of use already is never pruned."""
    if rule.asks_nothing or as_of_now(memory, now).status in ENDED_STATUSES:
        return None
    if (memory.is_approved and not rule.include_approved) or (memory.pinned and not rule.include_pinned):
        return None
    reasons = list(_conditions(memory, rule, now))
    holds = all(reasons) if rule.match == "all" else any(reasons)
    return f"pruned: {', '.join(reason for reason in reasons if reason)}" if holds else None


def _conditions(memory: Memory, rule: PruneRule, now: datetime) -> Iterator[str | None]:
    """Yields the memory's value in words for each condition given, or None where it does not hold."""
    if (least := rule.min_confidence) is not None:
        yield f"confidence {memory.confidence} < {least}" if memory.confidence < least else None
    if (least := rule.min_success_rate) is not None:
        rate = memory.success_rate
        yield f"success rate {rate} < {least}" if rate is not None and rate < least else None
    if (days := rule.older_than_days) is not None:
        is_older = now - memory.updated_at > timedelta(days=days)
        yield f"unchanged for {(now - memory.updated_at).days} days" if is_older else None
    if rule.unused:
        yield "never used" if memory.use_count == 0 else None
