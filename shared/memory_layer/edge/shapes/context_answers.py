"""Contexts as JSON: the same documents for HTTP, the command line and MCP."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from memory_layer.domain.access import Principal, may_audit
from memory_layer.domain.context.assembly_policy import AssemblyPolicy, PolicyTuning
from memory_layer.domain.context.fragments import (
    ContextWarning,
    Fragment,
    FragmentConflict,
    Layer,
    Lod,
    Omission,
)
from memory_layer.domain.context.learned_priority import FEATURES, LearnedPriority
from memory_layer.domain.memory import Standing
from memory_layer.domain.policy import PriorityWeights
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.usecases.context.assembled_page import AssembledPage
from memory_layer.usecases.review.tune_context import TuningResult


@dataclass(frozen=True, slots=True)
class TuningChange:
    """Change of the tuning; `by` and `request_id` are shown to reviewers and to the caller who made it.

    Args:
        by: who caused it.
        request_id: the context whose feedback it came from.
        why: what was changed and why, in sentences.
    """

    at: datetime
    by: str | None
    request_id: str | None
    why: Sequence[str]


@dataclass(frozen=True, slots=True)
class LearnedPriorityAnswer:
    """Priority as it is learned from which memories readers used.

    Args:
        on: it corrects the places; only where it beat the fixed weights in the replay, and no settings say weights.
        set_aside: the settings say `context_weights`, which stand, whatever the replay says.
        pages: judged pages that it is fitted to.
        weights: by feature, in relevance: what a whole unit more of it moves a place by; empty: no page yet.
        held_out: newest pages of the replay, in orders fitted to the older ones; 0: there are too few.
        fixed: share of their pairs of a used and an unused memory in the right order, by the fixed weights.
        learned: the same with the correction.
        gained: pages that it orders better.
        lost: pages that it orders worse.
    """

    on: bool
    set_aside: bool
    pages: int
    weights: Mapping[str, float]
    held_out: int
    fixed: float
    learned: float
    gained: int
    lost: int


@dataclass(frozen=True, slots=True)
class TuningAnswer:
    """Tuning of the assembly: `weights` by class of content; `version` 0: nobody ever tuned it.

    `cooling` is the factor, by class, on `tier_policy.*.compress.age_threshold_hours` that use has brought about.

    Args:
        version: number of its changes.
        weights: by class of content, what a fragment's priority is made of.
        conflict_sensitivity: factor on the severity of contradictions.
        entity_share: share of the budget that memories of the asked entities may take first.
        cooling: by class of content, factor on the hours after which it is told in a line.
        learned: correction of the places by what readers used.
        history: its last changes, the oldest first.
    """

    version: int
    weights: Mapping[str, PriorityWeights]
    conflict_sensitivity: float
    entity_share: float
    cooling: Mapping[str, float]
    learned: LearnedPriorityAnswer
    history: Sequence[TuningChange]


@dataclass(frozen=True, slots=True)
class FeedbackAnswer:
    """Receipt of feedback; `counted` is false where feedback on this context had been given before.

    Args:
        request_id: the context that it is on.
        counted: it is the first on this context, and moved the tuning.
        tuning: as it is now.
    """

    request_id: str
    counted: bool
    tuning: TuningAnswer


def tuning_json(policy: AssemblyPolicy, principal: Principal) -> dict[str, Any]:
    return document(_tuning(policy, principal))


def feedback_json(request_id: str, tuned: TuningResult, principal: Principal) -> dict[str, Any]:
    return document(FeedbackAnswer(request_id, tuned.was_counted, _tuning(tuned.policy, principal)))


def _tuning(policy: AssemblyPolicy, principal: Principal) -> TuningAnswer:
    cooling = {name: policy.cooling.get(name, 1.0) for name in policy.weights}
    history = [_change(change, principal) for change in policy.history]
    learned = _learned(policy.learned)
    return answer_from(TuningAnswer, policy, cooling=cooling, learned=learned, history=history)


def _learned(priority: LearnedPriority) -> LearnedPriorityAnswer:
    replay = priority.replay
    return answer_from(
        LearnedPriorityAnswer,
        replay,
        on=priority.is_on,
        set_aside=priority.is_set_aside,
        pages=sum(page.is_counted for page in priority.pages),
        weights=dict(zip(FEATURES, priority.weights, strict=False)),
        held_out=replay.pages,
    )


def _change(change: PolicyTuning, principal: Principal) -> TuningChange:
    is_own = change.by == principal.name and principal.user is None  # all users of a service have one name
    if may_audit(principal) or is_own:
        return answer_from(TuningChange, change)
    return answer_from(TuningChange, change, by=None, request_id=None)


@dataclass(frozen=True, slots=True)
class FragmentSignals:
    """Scores of a fragment, 0..1, thousandths.

    Args:
        relevance: nearness to the intent; without one what it matters to the project.
        recency: how new it is.
        credibility: how far to believe it.
        coherence: how well it fits the others.
    """

    relevance: float
    recency: float
    credibility: float
    coherence: float


@dataclass(frozen=True, slots=True)
class FragmentAnswer:
    """A memory in the context.

    Args:
        ref: its number on the page, which outcomes may name instead of the id.
        content: as much of it as is shown.
        dated: the day from which it holds, else that of its saying, else the day that its content last changed.
        priority_score: 0..1, thousandths; of the four scores in `metadata`.
        token_cost: of its own lines in `rendered`.
        id: id of the memory.
        source_layer: the source that it came from.
        age_days: days since `dated`.
        lod: how much of it is shown.
        metadata: the four scores of its priority.
    """

    ref: int
    id: str
    project: str
    content: str
    source_layer: Layer
    dated: date
    standing: Standing
    age_days: int
    lod: Lod
    priority_score: float
    token_cost: int
    metadata: FragmentSignals


@dataclass(frozen=True, slots=True)
class ContextMetadata:
    """Measures of a context; shares and scores are 0..1.

    Args:
        source_coverage: share of the asked sources that have a fragment.
        quality_achieved: mean relevance of the fragments.
        coherence: mean cosine between two fragments.
        cached: reused from an earlier, equal request.
        total_tokens: length of `rendered`.
        model: the one that the request names, for its price.
        cost: of `rendered` as input of that model, US dollars; null where none is named or its price is not known.
        assembly_time_ms: how long it took to assemble.
    """

    total_tokens: int
    assembly_time_ms: float
    source_coverage: float
    quality_achieved: float
    coherence: float
    tokenizer: str
    cached: bool
    model: str | None
    cost: float | None


@dataclass(frozen=True, slots=True)
class ContextAnswer:
    """Assembled context; `rendered` is the text for the model, never longer than the budget.

    Args:
        request_id: the name of the context, for feedback.
        fragments: the memories in it, in the order of the page.
        rendered: the text for the model; empty: nothing fits or is known.
        omitted: what was found and left out, each with the reason.
        conflicts: contradictions among what was found, and how they were resolved.
        metadata: its measures.
        warnings: what is less than was asked for.
    """

    request_id: str
    recall_id: str
    fragments: Sequence[FragmentAnswer]
    rendered: str
    omitted: Sequence[Omission]
    conflicts: Sequence[FragmentConflict]
    metadata: ContextMetadata
    warnings: Sequence[ContextWarning]


def context_json(context: AssembledPage) -> dict[str, Any]:
    assembled = context.assembled
    metadata = answer_from(
        ContextMetadata,
        assembled,
        assembly_time_ms=context.assembly_time_ms,
        tokenizer=context.tokenizer,
        cached=context.was_kept,
        model=context.model,
        cost=context.cost,
    )
    answer = answer_from(
        ContextAnswer,
        assembled,
        request_id=context.request_id,
        recall_id=context.recall_id,
        fragments=[_fragment(fragment) for fragment in assembled.fragments],
        metadata=metadata,
    )
    return document(answer)


def _fragment(fragment: Fragment) -> FragmentAnswer:
    return answer_from(FragmentAnswer, fragment, metadata=answer_from(FragmentSignals, fragment))


def why_empty(shown: Mapping[str, Any]) -> str:
    """Explains an empty context in words: memories left out, or not asked in time, are not unknown."""
    if shown["omitted"]:
        return "all that bears on it was left out"
    if any(warned["code"] in ("SOURCE_TIMEOUT", "LOW_QUALITY") for warned in shown["warnings"]):
        return "nothing was found, and not all could be asked"
    return "nothing that bears on it is known"
