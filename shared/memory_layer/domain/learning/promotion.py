"""Promotion of learnings to memories, and merging of further learnings into these: in any order, each run once.

Source: Loop Learning, promotion pipeline; SPEC 6.15.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, cast, get_args

from memory_layer.domain.fields import canonical_json
from memory_layer.domain.learning.pooled_counts import (
    complexity_of,
    evidence_of,
    learning_from_evidence,
    merge_evidence,
)
from memory_layer.domain.learning.staging import Learning, LearningType
from memory_layer.domain.learning.voices import is_alone, named_voices
from memory_layer.domain.lifecycle import default_expiry, status_before_expiry
from memory_layer.domain.memory import (
    DETAIL_MAX_BYTES,
    LABELS_MAX,
    Category,
    Memory,
    Status,
    content_hash,
    to_thousandths,
)
from memory_layer.domain.policy import Policy
from memory_layer.domain.text.classification import first_sentence
from memory_layer.domain.text.same_words import plain_form
from memory_layer.domain.time.resolve_times import resolve_times

FIGURES = ("effectiveness", "avg_iteration_time_ms", "total_iterations", "examples")
"""Details of a learning that a prompt shows beside its content."""

CATEGORY_OF: Mapping[LearningType, Category] = {
    "strategy": "pattern",
    "antipattern": "gotcha",
    "estimate": "general",
    "convention": "convention",
}
"""Category by type, not detected: the rules for prose would take "Avoid: Timeout errors" for a troubleshooting.

A learning is prose: its category is detected."""


def pool_learnings(one: Learning, other: Learning) -> Learning:
    """Pools the same learning of two runs, or of two sets of runs: counts add up, scores follow from them.

    The result is the same in whatever order and grouping runs are pooled, and no run counts twice. Of two sets that
    share only some of their runs, the larger one stands: the shares of the common runs cannot be told apart.

    Args:
        one, other: with the same `learning_id`. Beyond 64 runs the first 64 by name are known, the counts are
            those of all.
    """
    runs, others = set(one.source_runs), set(other.source_runs)
    if runs & others or runs == others:
        return max(one, other, key=lambda learning: (len(learning.source_runs), _canonical(learning)))
    known = tuple(sorted(runs | others)[:LABELS_MAX])
    return learning_from_evidence(merge_evidence(evidence_of(one), evidence_of(other), known))


def _canonical(learning: Learning) -> str:
    scores = [learning.confidence, learning.success_rate]
    return canonical_json([*scores, learning.source_runs, learning.content, learning.detail])


def memory_fields(learning: Learning) -> dict[str, Any]:
    """Fields of the new memory that a learning becomes."""
    category = CATEGORY_OF.get(learning.type)
    return {
        "type": learning.type,
        **({} if category is None else {"category": category}),
        "task_type": learning.task_type,
        "content": learning.content,
        "detail": dict(learning.detail),
        "confidence": promoted_confidence(learning),
        "success_rate": learning.success_rate,
        "source": "run",
        "source_runs": learning.source_runs,
        "source_run_id": learning.source_runs[0] if learning.source_runs else None,
    }


ALONE_CONFIDENCE_MAX = 0.5
"""Most that a memory is sure of what fewer than three voices taught: a run is made up in a minute."""


def promoted_confidence(learning: Learning) -> float:
    """Confidence of the memory that a learning becomes: the computed one from three independent runs on."""
    if is_alone(named_voices(learning.detail.get("voices"))):
        return min(learning.confidence, ALONE_CONFIDENCE_MAX)
    return learning.confidence


def learning_of(memory: Memory) -> Learning | None:
    """Reads the learning that a memory holds, its scores computed from its counts; None: it holds none.

    An estimate's content is the sentence of its counts, even if people have written another in its place.
    """
    if memory.type not in get_args(LearningType):
        return None
    if memory.type == "estimate" and complexity_of(memory.detail) is None:
        return None
    recorded = Learning(
        type=cast(LearningType, memory.type),
        task_type=memory.task_type or "general",
        content=memory.content,
        detail=memory.detail,
        confidence=memory.confidence,
        success_rate=memory.success_rate,
        source_runs=tuple(sorted(memory.source_runs)),
    )
    return learning_from_evidence(evidence_of(recorded))


def merge_learning(memory: Memory, learning: Learning, at: datetime, policy: Policy) -> Memory:
    """Merges the same learning of another run into a memory, at its next version and with a renewed expiry.

    Confidence moves as far as the pooled counts and voices move it; effects of outcomes and people on it stay. Of an
    approved memory only the counts change: words, figures, examples and scores are those that were approved. Words that
    a person has put in place of generated ones stay. The status stays too, unless the memory had merely expired: then
    it returns to the status before.

    Args:
        memory: the one that the learning's id names.
        at: time of the merge, from which the expiry counts.
        policy: the project's, for the default expiry.

    Returns:
        The same record if it knows the runs of the learning already. New parts of `content` or `detail` are
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
    after = pool_learnings(before, learning)
    if after is before:
        return memory
    return _renewed(
        memory,
        at,
        policy,
        **_words(memory, before, learning, after),
        detail=_united_detail(memory, after),
        confidence=_confidence(memory, before, after),
        **_measured(memory, after),
        source_runs=after.source_runs,
    )


def _measured(memory: Memory, after: Learning) -> dict[str, Any]:
    """Success rate after a merge, which an approval freezes; or, of what is only said, the kind of task."""
    if memory.is_approved:
        return {}
    if after.type == "learning":
        return {"task_type": memory.task_type and after.task_type}
    return {"success_rate": after.success_rate}


WORDS_MAX_CHARS = 300
"""Characters kept of what a run said in other words."""


def in_other_words(learning: Learning) -> Learning:
    """Learning with the runs' own words beside their names: the memory that takes it in says it otherwise."""
    entries = learning.detail.get("said_in") or ()
    words = {"words": learning.content[:WORDS_MAX_CHARS]}
    return replace(learning, detail={**learning.detail, "said_in": [{**entry, **words} for entry in entries]})


def _words(memory: Memory, before: Learning, learning: Learning, after: Learning) -> dict[str, Any]:
    """Content, hash and summary after a merge; words that a person wrote stay, and an approval freezes all three."""
    if memory.is_approved:
        return {}
    ours = before if before.type == "estimate" else learning
    wording = plain_form if learning.type == "learning" else str.casefold
    content = after.content if wording(memory.content) == wording(ours.content) else memory.content
    is_summed_up = memory.summary == first_sentence(memory.content)
    return {
        "content": content,
        "content_hash": content_hash(content),
        "times": resolve_times(content, memory.said_at),
        "summary": first_sentence(content) if is_summed_up else memory.summary,
    }


def _united_detail(memory: Memory, after: Learning) -> dict[str, Any]:
    """Detail with the new counts, beside others' entries as far as there is room; approved figures stay."""
    approved = {name: memory.detail[name] for name in FIGURES if name in memory.detail and memory.is_approved}
    told = _without_words(after.detail, memory.detail) if memory.is_trusted else after.detail
    detail = {**memory.detail, **told, **approved}
    fits = len(json.dumps(detail, ensure_ascii=False).encode()) <= DETAIL_MAX_BYTES
    return detail if fits else {**told, **approved}


def _without_words(detail: Mapping[str, Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Counts of a learning alone: what runs say in words of their own nobody approved with the memory."""
    told = {name: fact for name, fact in detail.items() if name != "examples" or name in known}
    if "said_in" in told:
        spoken = [entry for entry in known.get("said_in") or () if isinstance(entry, Mapping)]
        before = {entry.get("run"): entry for entry in spoken}
        told["said_in"] = [before.get(entry["run"]) or _unspoken(entry) for entry in told["said_in"]]
    return told


def _unspoken(entry: Mapping[str, Any]) -> dict[str, Any]:
    return {name: fact for name, fact in entry.items() if name != "words"}


def _confidence(memory: Memory, before: Learning, after: Learning) -> float:
    if memory.is_approved:
        return memory.confidence
    moved = memory.confidence + promoted_confidence(after) - promoted_confidence(before)
    return to_thousandths(min(1.0, max(0.0, moved))) + 0.0  # no negative zero


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
    """Status of a memory, with its reason, had it not expired; the same before and after the expiry sweep."""
    return status_before_expiry(memory, at) or (memory.status, memory.status_reason)


def _renewed_expiry(memory: Memory, at: datetime, policy: Policy) -> datetime | None:
    """Expiry after a merge: never sooner than before; a memory that a person made permanent stays so."""
    fresh = default_expiry(memory.type, policy, at)
    if memory.expires_at is None or memory.has_expired(at):
        return fresh if memory.expires_at else None
    return max(memory.expires_at, fresh) if fresh else memory.expires_at
