"""Tuning of the cooling of memories by their use: in small steps, within bounds, in the history that feedback has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.context.assembly_policy import AssemblyPolicy, PolicyTuning
from memory_layer.domain.context.feedback_tuning import record_tuning
from memory_layer.domain.memory import to_thousandths
from memory_layer.domain.tier_policy import DEFAULT_TIER_POLICY, GB, ContentClass, TierPolicy, TierRules

RETURN_DAYS: Final = 30
"""Days after which memories that were warm are checked for a return."""

RETURNED_MAX: Final = 0.2
"""Share of returned memories above which the class cooled too soon."""

SEEN_MIN: Final = 20
"""Fewest memories seen from which a class is tuned to cool later."""

FULL_SHARE: Final = 0.8
"""Share of a class's size limit that is full. Source: Context Assembly, SLA targets (memory utilization < 80 %)."""

COOLING_STEP_FACTOR: Final = 1.5
FACTOR_MIN, FACTOR_MAX = 0.25, 4.0
"""Bounds of the factor, each four monthly steps away from 1."""

STEP_INTERVAL_MIN: Final = timedelta(days=27)
"""Least time between two steps: use seen sooner is that of the same month. Shorter than any month, so that the first
walk of each may take a step."""


@dataclass(frozen=True, slots=True)
class ClassUsage:
    """Usage of a class that a walk has seen.

    Args:
        stayed: number of warm memories that nothing brings up.
        returned: about how many were warm `RETURN_DAYS` ago and have come up by use since.
        young_bytes: size of memories that would cool, were they not too young yet.
    """

    stayed: int = 0
    returned: float = 0.0
    young_bytes: int = 0

    def __add__(self, other: ClassUsage) -> ClassUsage:
        return ClassUsage(
            self.stayed + other.stayed, self.returned + other.returned, self.young_bytes + other.young_bytes
        )


def tune_by_usage(
    tuning: AssemblyPolicy,
    seen: Mapping[ContentClass, ClassUsage],
    policy: TierPolicy,
    *,
    at: datetime,
    by: str,
) -> AssemblyPolicy:
    """Tunes the cooling after a walk; the same policy if no class is out of balance, or the bounds are reached.

    Nothing changes either where the last step was taken less than `STEP_INTERVAL_MIN` ago: where a record cannot be
    read, a month's walk begins again and again. A class whose memories come back up too often cools later; one where
    none comes back, and those that have yet to cool fill it, cools sooner. A class whose `compress` the project has set
    itself is left.

    Args:
        policy: of the project, as it was set.
        by: the name under which these steps are recorded.

    Source: Context Assembly, memory optimization actions; ADR-0011.
    """
    if any(change.by == by and at - change.at < STEP_INTERVAL_MIN for change in tuning.history):
        return tuning
    factors, why = dict(tuning.cooling), []
    for name, use in seen.items():
        before = tuning.cooling.get(name, 1.0)
        after = _next_factor(before, use, policy[name])
        if after != before and _is_tuned(name, policy):
            factors[name] = after
            why.append(f"{name}: {_usage_text(use)}: cooling {before:g} to {after:g}")
    if not why:
        return tuning
    return record_tuning(
        replace(tuning, cooling=factors), PolicyTuning(at=at, by=by, request_id=None, why=tuple(why))
    )


def effective_tier_policy(policy: TierPolicy, tuning: AssemblyPolicy) -> TierPolicy:
    """Effective tier policy: the project's, with the ages that use has tuned."""
    return {
        name: _cooling(rules, tuning.cooling.get(name, 1.0)) if _is_tuned(name, policy) else rules
        for name, rules in policy.items()
    }


def _is_tuned(name: ContentClass, policy: TierPolicy) -> bool:
    return policy[name].compress == DEFAULT_TIER_POLICY[name].compress


def _cooling(rules: TierRules, factor: float) -> TierRules:
    hours = round(rules.compress.age_threshold_hours * factor)
    return replace(rules, compress=replace(rules.compress, age_threshold_hours=hours))


def _next_factor(factor: float, use: ClassUsage, rules: TierRules) -> float:
    total = use.stayed + use.returned
    if total >= SEEN_MIN and use.returned > RETURNED_MAX * total:
        return min(FACTOR_MAX, to_thousandths(factor * COOLING_STEP_FACTOR))
    if not use.returned and use.young_bytes > FULL_SHARE * rules.evict.max_total_size_gb * GB:
        return max(FACTOR_MIN, to_thousandths(factor / COOLING_STEP_FACTOR))
    return factor


def _usage_text(use: ClassUsage) -> str:
    if not use.returned:
        return "nothing that was warm came back, and what has yet to cool fills the class"
    total = round(use.stayed + use.returned)
    return f"{round(use.returned)} of {total} that lay warm came back up within {RETURN_DAYS} days"
