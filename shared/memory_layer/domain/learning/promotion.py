"""Learnings become memories, and memories take further learnings in: in any order, each run once.

Source: Loop Learning, promotion pipeline; SPEC 6.15.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, cast, get_args

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.learning.pooled_counts import complexity_of, evidence_of, learned, united
from memory_layer.domain.learning.staging import Learning, LearningType
from memory_layer.domain.lifecycle import default_expiry, status_before_expiry
from memory_layer.domain.memory import (
    DETAIL_MAX_BYTES,
    LABELS_MAX,
    Category,
    Memory,
    Status,
    content_hash,
    exact,
)
from memory_layer.domain.policy import Policy
from memory_layer.domain.text.classification import first_sentence

FIGURES = ("effectiveness", "avg_iteration_time_ms", "total_iterations", "examples")
"""What a prompt shows of a learning beside its words."""

CATEGORY_OF: Mapping[LearningType, Category] = {
    "strategy": "pattern",
    "antipattern": "gotcha",
    "estimate": "general",
    "convention": "convention",
}
"""Said, not detected: the rules for prose would take "Avoid: Timeout errors" for a troubleshooting."""


def pooled(one: Learning, other: Learning) -> Learning:
    """The same learning of two runs, or of two sets of runs, as one: counts add up, scores follow from them.

    In whatever order and grouping runs are pooled, the result is the same, and no run counts twice. Of two
    sets that share some of their runs only, the one of more runs stands: what the shared ones gave to each
    cannot be told apart.

    Args:
        one, other: with the same `learning_id`. Beyond 64 runs the first 64 by name are known, the counts are
            those of all.
    """
    runs, others = set(one.source_runs), set(other.source_runs)
    if runs & others or runs == others:
        return max(one, other, key=lambda learning: (len(learning.source_runs), _canonical(learning)))
    known = tuple(sorted(runs | others)[:LABELS_MAX])
    return learned(united(evidence_of(one), evidence_of(other), known))


def _canonical(learning: Learning) -> str:
    scores = [learning.confidence, learning.success_rate]
    return canonical_json([*scores, learning.source_runs, learning.content, learning.detail])


def memory_fields(learning: Learning) -> dict[str, Any]:
    """What a new memory says that a learning becomes; `confidence` is the computed one."""
    return {
        "type": learning.type,
        "category": CATEGORY_OF[learning.type],
        "task_type": learning.task_type,
        "content": learning.content,
        "detail": dict(learning.detail),
        "confidence": learning.confidence,
        "success_rate": learning.success_rate,
        "source": "run",
        "source_runs": learning.source_runs,
        "source_run_id": learning.source_runs[0] if learning.source_runs else None,
    }


def learning_of(memory: Memory) -> Learning | None:
    """What a memory has learned from runs so far, its scores as its counts make them; None: it is no learning.

    An estimate's content is the sentence of its counts, whatever people have written in its place.
    """
    if memory.type not in get_args(LearningType):
        return None
    if memory.type == "estimate" and complexity_of(memory.detail) is None:
        return None
    told = Learning(
        type=cast(LearningType, memory.type),
        task_type=memory.task_type or "general",
        content=memory.content,
        detail=memory.detail,
        confidence=memory.confidence,
        success_rate=memory.success_rate or 0.0,
        source_runs=tuple(sorted(memory.source_runs)),
    )
    return learned(evidence_of(told))


def taken_in(memory: Memory, learning: Learning, at: datetime, policy: Policy) -> Memory:
    """A memory with what another run taught of the same: one version on, and lasting longer.

    Confidence moves as far as the pooled counts move it; what outcomes and people did to it stays. Of what a
    person approved only the counts go on: words, figures, examples and scores are those that were approved.
    Words that a person has put in place of ours stay. The status stays
    too, unless the memory had merely expired: then it is as it was before.

    Args:
        memory: the one that the learning's id names.
        at: when; the expiry counts from it.
        policy: the project's, for the default expiry.

    Returns:
        The same record if it knows the runs of the learning already. What is new in `content` or `detail` is
        neither screened nor embedded yet.
    """
    if set(learning.source_runs) <= set(memory.source_runs):
        return memory
    before = learning_of(memory)
    if before is None or before.type != learning.type:
        runs = tuple(sorted({*memory.source_runs, *learning.source_runs})[:LABELS_MAX])
        return _renewed(memory, at, policy, source_runs=runs)
    if before.type == "convention":
        before = replace(before, confidence=learning.confidence)
    after = pooled(before, learning)
    if after is before:
        return memory
    return _renewed(
        memory,
        at,
        policy,
        **_words(memory, before, learning, after),
        detail=_united_detail(memory, after),
        confidence=_confidence(memory, before, after),
        success_rate=memory.success_rate if memory.is_approved else after.success_rate,
        source_runs=after.source_runs,
    )


def _words(memory: Memory, before: Learning, learning: Learning, after: Learning) -> dict[str, Any]:
    """Content, hash and summary, if the content is ours and changes; an approval vouches for the words it saw."""
    if memory.is_approved:
        return {}
    ours = before if before.type == "estimate" else learning
    content = after.content if memory.content.casefold() == ours.content.casefold() else memory.content
    is_summed_up = memory.summary == first_sentence(memory.content)
    return {
        "content": content,
        "content_hash": content_hash(content),
        "summary": first_sentence(content) if is_summed_up else memory.summary,
    }


def _united_detail(memory: Memory, after: Learning) -> dict[str, Any]:
    """The counts, beside what others have put there as far as there is room; figures that a person approved stay."""
    approved = {name: memory.detail[name] for name in FIGURES if name in memory.detail and memory.is_approved}
    detail = {**memory.detail, **after.detail, **approved}
    fits = len(json.dumps(detail, ensure_ascii=False).encode()) <= DETAIL_MAX_BYTES
    return detail if fits else {**after.detail, **approved}


def _confidence(memory: Memory, before: Learning, after: Learning) -> float:
    if memory.is_approved:
        return memory.confidence
    moved = memory.confidence + after.confidence - before.confidence
    return exact(min(1.0, max(0.0, moved))) + 0.0  # no negative zero


def _renewed(memory: Memory, at: datetime, policy: Policy, **learned_now: Any) -> Memory:
    status, reason = _status_if_unexpired(memory, at)
    runs = learned_now["source_runs"]
    return replace(
        memory,
        **learned_now,
        source_run_id=runs[0] if memory.source_run_id in memory.source_runs else memory.source_run_id,
        status=status,
        status_reason=reason,
        expires_at=_renewed_expiry(memory, at, policy),
        updated_at=max(memory.updated_at, at),
        version=memory.version + 1,
    )


def _status_if_unexpired(memory: Memory, at: datetime) -> tuple[Status, str | None]:
    """The status that it would have, had it not expired: whether or not the sweep has come by."""
    return status_before_expiry(memory, at) or (memory.status, memory.status_reason)


def _renewed_expiry(memory: Memory, at: datetime, policy: Policy) -> datetime | None:
    """Never sooner than before; what a person let last for ever does."""
    fresh = default_expiry(memory.type, policy, at)
    if memory.expires_at is None or memory.has_expired(at):
        return fresh if memory.expires_at else None
    return max(memory.expires_at, fresh) if fresh else memory.expires_at
