"""Tuning of context assembly by feedback: in small steps, within bounds, with a history."""

from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Annotated, Final, NamedTuple

from annotated_types import Ge, Le

from memory_layer.domain.access import agent_voice
from memory_layer.domain.context.assembly_policy import AssemblyPolicy, PolicyTuning
from memory_layer.domain.context.learned_priority import JudgedPage, LearnedPriority, with_page
from memory_layer.domain.memory import to_thousandths
from memory_layer.domain.policy import PriorityWeights

CONTRADICTION_RATE_MAX: Final = 0.05
COMPLETENESS_MIN: Final = 0.8
COHERENCE_MIN: Final = 0.75
SENSITIVITY_FACTOR: Final = 1.2
"""Limits beyond which feedback changes the policy. Source: Context Assembly, memory quality feedback."""

ENTITY_SHARE_STEP: Final = 0.05
COHERENCE_STEP: Final = 0.05

SENSITIVITY_MAX: Final = 3.0
ENTITY_SHARE_MAX: Final = 0.7
COHERENCE_WEIGHT_MAX: Final = 0.35
"""Bounds, so that no feedback flags every pair, leaves the intent no room, or puts coherence before relevance."""


class Reach(NamedTuple):
    """Most that feedback moves each number to."""

    sensitivity: float
    entity_share: float
    coherence: float


PEOPLES_REACH: Final = Reach(SENSITIVITY_MAX, ENTITY_SHARE_MAX, COHERENCE_WEIGHT_MAX)
AGENTS_REACH: Final = Reach(2.0, 0.5, 0.25)
"""Half the way from the defaults: what agents move all together, however many they are."""

VOICE_STEPS: Final = 1.0
"""Whole steps by which one agent's voice moves each number in all, until a reset."""

LEAST_STEP: Final = 0.2
"""Share of a step that remains where the user was wholly satisfied all the same."""

HISTORY_MAX: Final = 50

RESET: Final = ("reset to the defaults",)
"""Reason of a reset in the history."""

Rate = Annotated[float, Ge(0.0), Le(1.0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """Feedback on a context; None: not judged. All 0..1.

    Args:
        coherence_score: how well the fragments fit together.
        completeness: share of the request that they cover.
        contradiction_rate: share of them that contradict another.
        user_satisfaction: 1: nothing was amiss.
    """

    coherence_score: Rate | None = None
    completeness: Rate | None = None
    contradiction_rate: Rate | None = None
    user_satisfaction: Rate | None = None


def tune_by_feedback(
    policy: AssemblyPolicy,
    feedback: Feedback,
    *,
    at: datetime,
    by: str,
    is_agent: bool = False,
    request_id: str | None = None,
) -> AssemblyPolicy:
    """Tunes a policy by feedback; returns the same one if nothing is to be mended, or the bounds are reached.

    A step is whole where the user was not satisfied at all, or did not say, and shrinks to `LEAST_STEP` where
    the user was wholly satisfied. An agent's voice takes `VOICE_STEPS` of each kind in all, within `AGENTS_REACH`.

    Args:
        by: the user who gave it.
        is_agent: neither a person nor a reviewer gave it.
    """
    reach = AGENTS_REACH if is_agent else PEOPLES_REACH
    earlier = _said_by(policy, by) if is_agent else []
    changed, why = policy, []
    for rule, is_amiss in _RULES:
        if not is_amiss(feedback):
            continue
        before, step = changed, _step(feedback)
        if is_agent:
            step = min(step, VOICE_STEPS - sum(_step(one) for one in earlier if is_amiss(one)))
        if step <= 0.0:
            continue
        changed, reason = rule(changed, feedback, step, reach)
        if changed != before:
            why.append(reason)
    if not why:
        return policy
    judged = {name: rate for name, rate in asdict(feedback).items() if rate is not None}
    change = PolicyTuning(
        at=at, by=by, request_id=request_id, why=tuple(why), feedback=judged, is_agent=is_agent
    )
    return record_tuning(changed, change)


def _step(feedback: Feedback) -> float:
    return 1.0 - (1.0 - LEAST_STEP) * (feedback.user_satisfaction or 0.0)


def _said_by(policy: AssemblyPolicy, by: str) -> list[Feedback]:
    """Feedback of the same voice that moved the policy since its last reset, whatever its client was called."""
    voice, said = agent_voice(by), list[Feedback]()
    for change in reversed(policy.history):
        if is_reset(change):
            break
        if change.feedback and agent_voice(change.by) == voice:
            said.append(Feedback(**change.feedback))
    return said


def learn_from_page(policy: AssemblyPolicy, page: JudgedPage) -> AssemblyPolicy:
    """Learns the priority from one more judged page, one version on; the history tells when it goes on or off."""
    before, after = policy.learned, with_page(policy.learned, page)
    if before.replay.is_won == after.replay.is_won:
        unlisted = replace(after, unlisted=after.unlisted + 1)
        return replace(policy, learned=unlisted, version=policy.version + 1)
    change = PolicyTuning(at=page.at, by=page.by, request_id=None, why=(_turned(after),))
    return record_tuning(replace(policy, learned=after), change)


def as_one_change(before: AssemblyPolicy, after: AssemblyPolicy) -> AssemblyPolicy:
    """Policy after several changes as one version, with the history of all."""
    more = after.version - before.version - 1
    if more <= 0:
        return after
    learned = replace(after.learned, unlisted=after.learned.unlisted - more)
    return replace(after, learned=learned, version=before.version + 1)


def _turned(learned: LearnedPriority) -> str:
    replay = learned.replay
    said = f"{replay.learned:g} of the pairs in order, {replay.fixed:g} by the fixed weights"
    return f"learned priority {'on' if replay.is_won else 'off'}: on {replay.pages} pages held out {said}"


def reset_to_defaults(policy: AssemblyPolicy, *, at: datetime, by: str) -> AssemblyPolicy:
    """Resets a policy to the defaults; the history stays, to show what was given up."""
    fresh = AssemblyPolicy(history=policy.history, version=policy.version)
    return record_tuning(fresh, PolicyTuning(at=at, by=by, request_id=None, why=RESET))


def is_reset(change: PolicyTuning) -> bool:
    return change.request_id is None and change.why == RESET


def record_tuning(policy: AssemblyPolicy, change: PolicyTuning) -> AssemblyPolicy:
    """Records a change in the history, one version on."""
    history = (*policy.history, change)[-HISTORY_MAX:]
    return replace(policy, history=history, version=policy.version + 1)


_Rule = Callable[[AssemblyPolicy, Feedback, float, Reach], tuple[AssemblyPolicy, str]]


def _contradicts(feedback: Feedback) -> bool:
    return feedback.contradiction_rate is not None and feedback.contradiction_rate > CONTRADICTION_RATE_MAX


def _conflicts(
    policy: AssemblyPolicy, feedback: Feedback, step: float, reach: Reach
) -> tuple[AssemblyPolicy, str]:
    before = policy.conflict_sensitivity
    factor = 1.0 + (SENSITIVITY_FACTOR - 1.0) * step
    after = max(before, to_thousandths(min(reach.sensitivity, before * factor)))
    reason = (
        f"contradiction_rate {feedback.contradiction_rate:g}: conflict_sensitivity {before:g} to {after:g}"
    )
    return replace(policy, conflict_sensitivity=after), reason


def _lacks(feedback: Feedback) -> bool:
    return feedback.completeness is not None and feedback.completeness < COMPLETENESS_MIN


def _entities(
    policy: AssemblyPolicy, feedback: Feedback, step: float, reach: Reach
) -> tuple[AssemblyPolicy, str]:
    before = policy.entity_share
    after = max(before, to_thousandths(min(reach.entity_share, before + ENTITY_SHARE_STEP * step)))
    reason = f"completeness {feedback.completeness:g}: entity_share {before:g} to {after:g}"
    return replace(policy, entity_share=after), reason


def _falls_apart(feedback: Feedback) -> bool:
    return feedback.coherence_score is not None and feedback.coherence_score < COHERENCE_MIN


def _coherence(
    policy: AssemblyPolicy, feedback: Feedback, step: float, reach: Reach
) -> tuple[AssemblyPolicy, str]:
    more = COHERENCE_STEP * step
    weights = {name: _more_coherent(each, more, reach.coherence) for name, each in policy.weights.items()}
    before, after = policy.weights["general"].coherence, weights["general"].coherence
    reason = f"coherence_score {feedback.coherence_score:g}: weight of coherence {before:g} to {after:g}"
    return replace(policy, weights=weights), reason


def _more_coherent(weights: PriorityWeights, more: float, most: float) -> PriorityWeights:
    """Raises the weight of coherence; the others keep their proportions, and all together stay 1."""
    coherence = max(weights.coherence, to_thousandths(min(most, weights.coherence + more)))
    if coherence == weights.coherence:
        return weights
    others = {name: value for name, value in asdict(weights).items() if name != "coherence"}
    left = (1.0 - coherence) / sum(others.values())
    recency, credibility = (
        to_thousandths(others["recency"] * left),
        to_thousandths(others["credibility"] * left),
    )
    relevance = to_thousandths(1.0 - coherence - recency - credibility)
    return PriorityWeights(relevance=relevance, recency=recency, credibility=credibility, coherence=coherence)


_RULES: Final[tuple[tuple[_Rule, Callable[[Feedback], bool]], ...]] = (
    (_conflicts, _contradicts),
    (_entities, _lacks),
    (_coherence, _falls_apart),
)
