"""Contexts as JSON: the same documents for HTTP, the command line and MCP."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from pydantic import BaseModel

from memory_layer.domain.access import Principal
from memory_layer.domain.context.assembly_policy import AssemblyPolicy, PolicyTuning
from memory_layer.domain.context.fragments import Fragment, Layer, Lod, Strategy, WarningCode
from memory_layer.domain.fields import rfc3339
from memory_layer.usecases.context.assemble import AssembledPage
from memory_layer.usecases.review.tune_context import TuningResult


class WeightsAnswer(BaseModel):
    relevance: float
    recency: float
    credibility: float
    coherence: float


class TuningChange(BaseModel):
    """Change of the tuning; `by` and `request_id` are shown to reviewers and to the caller who made it."""

    at: datetime
    by: str | None
    request_id: str | None
    why: list[str]


class TuningAnswer(BaseModel):
    """Tuning of the assembly: `weights` by class of content; `version` 0: nobody ever tuned it.

    `cooling` is the factor, by class, on `tier_policy.*.compress.age_threshold_hours` that use has brought about.
    """

    version: int
    weights: dict[str, WeightsAnswer]
    conflict_sensitivity: float
    entity_share: float
    cooling: dict[str, float]
    history: list[TuningChange]


class FeedbackAnswer(BaseModel):
    """Receipt of feedback; `counted` is false where feedback on this context had been given before."""

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


def feedback_json(request_id: str, tuned: TuningResult, principal: Principal) -> dict[str, Any]:
    tuning = tuning_json(tuned.policy, principal)
    return {"request_id": request_id, "counted": tuned.was_counted, "tuning": tuning}


def _change_json(change: PolicyTuning, principal: Principal) -> dict[str, Any]:
    is_told = principal.is_reviewer or change.by == principal.name
    return {
        "at": rfc3339(change.at),
        "by": change.by if is_told else None,
        "request_id": change.request_id if is_told else None,
        "why": list(change.why),
    }


class FragmentSignals(BaseModel):
    relevance: float
    recency: float
    credibility: float
    coherence: float


class FragmentAnswer(BaseModel):
    """A memory in the context. `content`: as much of it as is shown."""

    id: str
    project: str
    content: str
    source_layer: Layer
    dated: date
    age_days: int
    lod: Lod
    priority_score: float
    token_cost: int
    metadata: FragmentSignals


class OmittedAnswer(BaseModel):
    """A candidate that is not in the context, and why."""

    id: str
    reason: str
    detail: str | None = None


class ConflictAnswer(BaseModel):
    """Two memories that contradict each other or say the same, and how that was resolved."""

    ids: list[str]
    severity: float
    strategy: Strategy
    confidence: float
    reasoning: str


class ContextMetadata(BaseModel):
    total_tokens: int
    assembly_time_ms: float
    source_coverage: float
    quality_achieved: float
    coherence: float
    tokenizer: str
    cached: bool


class WarningAnswer(BaseModel):
    code: WarningCode
    detail: str


class ContextAnswer(BaseModel):
    """Assembled context; `rendered` is the text for the model, never longer than the budget."""

    request_id: str
    recall_id: str
    fragments: list[FragmentAnswer]
    rendered: str
    omitted: list[OmittedAnswer]
    conflicts: list[ConflictAnswer]
    metadata: ContextMetadata
    warnings: list[WarningAnswer]


def context_json(context: AssembledPage) -> dict[str, Any]:
    assembled = context.assembled
    return {
        "request_id": context.request_id,
        "recall_id": context.recall_id,
        "fragments": [_fragment_json(fragment) for fragment in assembled.fragments],
        "rendered": assembled.rendered,
        "omitted": [
            {name: value for name, value in asdict(one).items() if value is not None}
            for one in assembled.omitted
        ],
        "conflicts": [{**asdict(conflict), "ids": list(conflict.ids)} for conflict in assembled.conflicts],
        "metadata": {
            "total_tokens": assembled.total_tokens,
            "assembly_time_ms": context.assembly_time_ms,
            "source_coverage": assembled.source_coverage,
            "quality_achieved": assembled.quality_achieved,
            "coherence": assembled.coherence,
            "tokenizer": context.tokenizer,
            "cached": context.was_kept,
        },
        "warnings": [asdict(warned) for warned in assembled.warnings],
    }


def why_empty(document: Mapping[str, Any]) -> str:
    """Explains an empty context in words: memories left out, or not asked in time, are not unknown."""
    if document["omitted"]:
        return "all that bears on it was left out"
    if any(warned["code"] in ("SOURCE_TIMEOUT", "LOW_QUALITY") for warned in document["warnings"]):
        return "nothing was found, and not all could be asked"
    return "nothing that bears on it is known"


def _fragment_json(fragment: Fragment) -> dict[str, Any]:
    own = ("id", "project", "content", "source_layer", "age_days", "lod", "priority_score", "token_cost")
    signals = ("relevance", "recency", "credibility", "coherence")
    return {
        **{name: getattr(fragment, name) for name in own},
        "dated": fragment.dated.isoformat(),
        "metadata": {name: getattr(fragment, name) for name in signals},
    }
