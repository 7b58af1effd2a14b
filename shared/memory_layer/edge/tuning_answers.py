"""How a project assembles its contexts, as JSON."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from memory_layer.domain.access import Principal
from memory_layer.domain.context.policy import AssemblyPolicy, Tuning
from memory_layer.domain.fields import rfc3339
from memory_layer.usecases.review.tune_context import Tuned


class WeightsAnswer(BaseModel):
    relevance: float
    recency: float
    credibility: float
    coherence: float


class TuningChange(BaseModel):
    """One change. `by` and `request_id` are told to reviewers, and to whoever it was."""

    at: datetime
    by: str | None
    request_id: str | None
    why: list[str]


class TuningAnswer(BaseModel):
    """What contexts are assembled by: `weights` by class of content; `version` 0: nobody ever tuned it.

    `cooling` is the factor, by class, on `tier_policy.*.compress.age_threshold_hours` that use has brought about.
    """

    version: int
    weights: dict[str, WeightsAnswer]
    conflict_sensitivity: float
    entity_share: float
    cooling: dict[str, float]
    history: list[TuningChange]


class FeedbackAnswer(BaseModel):
    """`counted` is false where feedback on this context had been given before."""

    request_id: str
    counted: bool
    tuning: TuningAnswer


def tuning_json(policy: AssemblyPolicy, principal: Principal) -> dict[str, Any]:
    return {
        "version": policy.version,
        "weights": {name: asdict(weights) for name, weights in policy.weights.items()},
        "conflict_sensitivity": policy.conflict_sensitivity,
        "entity_share": policy.entity_share,
        "cooling": {name: policy.cooling.get(name, 1.0) for name in policy.weights},
        "history": [_change_json(change, principal) for change in policy.history],
    }


def feedback_json(request_id: str, tuned: Tuned, principal: Principal) -> dict[str, Any]:
    tuning = tuning_json(tuned.policy, principal)
    return {"request_id": request_id, "counted": tuned.was_counted, "tuning": tuning}


def _change_json(change: Tuning, principal: Principal) -> dict[str, Any]:
    is_told = principal.is_reviewer or change.by == principal.name
    return {
        "at": rfc3339(change.at),
        "by": change.by if is_told else None,
        "request_id": change.request_id if is_told else None,
        "why": list(change.why),
    }
