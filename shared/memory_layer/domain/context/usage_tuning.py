"""Use tunes how soon memories cool: in small steps, within bounds, with the history that feedback has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.context.feedback_tuning import recorded
from memory_layer.domain.context.policy import AssemblyPolicy, PolicyTuning
from memory_layer.domain.memory import exact
from memory_layer.domain.tier_policy import DEFAULT_TIER_POLICY, GB, ContentClass, TierPolicy, TierRules

RETURN_DAYS: Final = 30
"""What lay warm so long ago is looked at: has it come back up since?"""

RETURNED_MAX: Final = 0.2
"""Share that comes back from which on it was put away too soon."""

SEEN_MIN: Final = 20
"""Fewer memories than that say nothing about how soon they should cool."""

FULL_SHARE: Final = 0.8
"""Of what a class may hold. Source: Context Assembly, SLA targets (memory utilization < 80 %)."""

STEP: Final = 1.5
FACTOR_MIN, FACTOR_MAX = 0.25, 4.0
"""From nowhere to a bound takes four steps, a month each."""

APART: Final = timedelta(days=27)
"""From a step to the next: what is seen sooner is the same month's use. Less than any month has, so that the first walk
of each may take one."""


@dataclass(frozen=True, slots=True)
class ClassUsage:
    """What a walk has seen of a class.

    Args:
        stayed: how many lie warm, and nothing brings them up.
        returned: about how many lay warm `RETURN_DAYS` ago, and use has brought up since.
        young_bytes: of what would cool, were it not too young yet.
    """

    stayed: int = 0
    returned: float = 0.0
    young_bytes: int = 0

    def __add__(self, other: ClassUsage) -> ClassUsage:
        return ClassUsage(
            self.stayed + other.stayed, self.returned + other.returned, self.young_bytes + other.young_bytes
        )


def rebalanced(
    tuning: AssemblyPolicy,
    seen: Mapping[ContentClass, ClassUsage],
    policy: TierPolicy,
    *,
    at: datetime,
    by: str,
) -> AssemblyPolicy:
    """The tuning after a walk; the same one if no class is out of balance, the bounds are reached, or the last step was
    taken less than `APART` ago: where something cannot be read, a month's walk over all begins again and again.

    What comes back up too often cools later; where nothing comes back, and what has yet to cool fills the class, it
    cools sooner. A class whose `compress` the project has set itself is left as it was set.

    Args:
        policy: of the project, as it was set.
        by: whoever takes all these steps.

    Source: Context Assembly, memory optimization actions; ADR-0011.
    """
    if any(change.by == by and at - change.at < APART for change in tuning.history):
        return tuning
    factors, why = dict(tuning.cooling), []
    for name, use in seen.items():
        before = tuning.cooling.get(name, 1.0)
        after = _next(before, use, policy[name])
        if after != before and _is_tuned(name, policy):
            factors[name] = after
            why.append(f"{name}: {_said(use)}: cooling {before:g} to {after:g}")
    if not why:
        return tuning
    return recorded(
        replace(tuning, cooling=factors), PolicyTuning(at=at, by=by, request_id=None, why=tuple(why))
    )


def cooling_by_use(policy: TierPolicy, tuning: AssemblyPolicy) -> TierPolicy:
    """The policy that tiers go by: the project's, with the ages that use has tuned."""
    return {
        name: _cooling(rules, tuning.cooling.get(name, 1.0)) if _is_tuned(name, policy) else rules
        for name, rules in policy.items()
    }


def _is_tuned(name: ContentClass, policy: TierPolicy) -> bool:
    return policy[name].compress == DEFAULT_TIER_POLICY[name].compress


def _cooling(rules: TierRules, factor: float) -> TierRules:
    hours = round(rules.compress.age_threshold_hours * factor)
    return replace(rules, compress=replace(rules.compress, age_threshold_hours=hours))


def _next(factor: float, use: ClassUsage, rules: TierRules) -> float:
    total = use.stayed + use.returned
    if total >= SEEN_MIN and use.returned > RETURNED_MAX * total:
        return min(FACTOR_MAX, exact(factor * STEP))
    if not use.returned and use.young_bytes > FULL_SHARE * rules.evict.max_total_size_gb * GB:
        return max(FACTOR_MIN, exact(factor / STEP))
    return factor


def _said(use: ClassUsage) -> str:
    if not use.returned:
        return "nothing that was warm came back, and what has yet to cool fills the class"
    total = round(use.stayed + use.returned)
    return f"{round(use.returned)} of {total} that lay warm came back up within {RETURN_DAYS} days"
