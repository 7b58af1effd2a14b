"""A promotion on record done again without the runs of some principals: their counts go, those of others stay."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from memory_layer.domain.learning.pooled_counts import (
    LearningCounts,
    evidence_of,
    learning_from_evidence,
)
from memory_layer.domain.learning.promotion import learning_of, memory_fields, merge_learning
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import Learning
from memory_layer.domain.learning.voices import voice_of
from memory_layer.domain.memory import Memory
from memory_layer.domain.rollback.carry_over import with_governed
from memory_layer.domain.rollback.recorded import RecordedChange, Records
from memory_layer.domain.text.classification import first_sentence

PROMOTED = "promoted"
"""Verb of changes by which a memory learns from runs."""


def runs_of(change: RecordedChange, before: Memory | None) -> list[str]:
    """Ids of the runs that a promotion added to a memory."""
    known = before.source_runs if before else ()
    return [run for run in change.memory.source_runs if run not in known]


def learned_again(
    change: RecordedChange,
    before: Memory | None,
    state: Memory | None,
    first: Memory,
    records: Records,
    runs: Mapping[str, RunRecord],
) -> Memory | None:
    """Memory after a promotion without the runs that do not count; None: what they brought cannot be told apart.

    Args:
        before: as it was on record.
        state: as it is in the replay; None: no counted run has taught it yet.
        first: its first version on record.
        runs: those that count.
    """
    added = runs_of(change, before)
    counted = [run for run in added if run in runs or run not in records.runs]
    held_back = [records.learned.get((change.memory.id, run)) for run in added if run not in counted]
    if not counted or any(learning is None for learning in held_back):
        return None
    learning = _added(change.memory, before, counted, [one for one in held_back if one is not None], runs)
    if learning is None:
        return None
    if state is not None:
        return merge_learning(state, learning, change.at, records.policy)
    return _begun(first, learning, change, runs)


def _added(
    after: Memory,
    before: Memory | None,
    counted: Sequence[str],
    held_back: Collection[Learning],
    runs: Mapping[str, RunRecord],
) -> Learning | None:
    """What the counted runs brought: the difference that the promotion made, less what the others brought."""
    taught, known = learning_of(after), learning_of(before) if before else None
    if taught is None or (before is not None and known is None):
        return None
    whole, less = evidence_of(taught), [*map(evidence_of, held_back)]
    less += [evidence_of(known)] if known else []
    named = [runs[run] for run in counted if run in runs]
    return learning_from_evidence(
        replace(
            whole,
            counts={name: _less(whole, less, name) for name in whole.counts},
            examples=_new_examples(whole, less),
            said_in=tuple(entry for entry in whole.said_in if entry.get("run") in counted),
            confidence=after.confidence if known is None else whole.confidence,
            voices=tuple(sorted({voice_of(run.created_by, run.objective) for run in named})),
            source_runs=tuple(sorted(counted)),
        )
    )


def _less(whole: LearningCounts, less: Collection[LearningCounts], name: str) -> int:
    return max(0, whole.counts[name] - sum(one.counts.get(name, 0) for one in less))


def _new_examples(whole: LearningCounts, less: Collection[LearningCounts]) -> tuple[str, ...]:
    told = {example for one in less for example in one.examples}
    return tuple(example for example in whole.examples if example not in told) or whole.examples


def _begun(
    first: Memory, learning: Learning, change: RecordedChange, runs: Mapping[str, RunRecord]
) -> Memory:
    """Memory as it would have been begun by these runs."""
    fields = memory_fields(learning)
    by = runs.get(learning.source_runs[0])
    if fields["content"] != first.content:
        fields["summary"] = first_sentence(fields["content"])
    moment = {"updated_at": change.at, "expires_at": change.memory.expires_at}
    author = by.created_by if by else first.created_by
    return with_governed(first, {**fields, **moment, "created_by": author})
