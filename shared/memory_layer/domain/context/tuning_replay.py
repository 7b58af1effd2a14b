"""Replay of the tuning of context assembly without the feedback of some principals, for rollbacks (ADR-0029)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from memory_layer.domain.context.assembly_policy import AssemblyPolicy, PolicyTuning
from memory_layer.domain.context.feedback_tuning import Feedback, is_reset, record_tuning, tune_by_feedback
from memory_layer.domain.context.learned_priority import without_voices

Excluded = Callable[[str, datetime], bool]
"""Tells whether what a name did at a time is left out."""


def retuned(
    policy: AssemblyPolicy, was: Excluded, shall: Excluded, *, at: datetime, by: str, why: str
) -> AssemblyPolicy:
    """Policy as all feedback but that of the excluded would have tuned it; the same one where nothing differs.

    It stays as it is, too, where the history since the last reset is not whole, or has feedback from a release that did
    not keep what was said. Feedback that moved nothing, since a bound was reached, was not kept and is not done again.
    How memories cool is tuned by their use and stays; so do resets, whoever made them.

    Args:
        was: tells what it is without already.
        shall: tells what it is to be without.
        by: name under which the change is recorded.
        why: the reason that is recorded with it.
    """
    after = replace(_renumbered(policy, was, shall), learned=without_voices(policy.learned, shall))
    if after == policy:
        return policy
    return record_tuning(after, PolicyTuning(at=at, by=by, request_id=None, why=(why,)))


def _renumbered(policy: AssemblyPolicy, was: Excluded, shall: Excluded) -> AssemblyPolicy:
    changes = _since_reset(policy)
    if changes is None:
        return policy
    after = _replayed(policy, changes, shall)
    return policy if after == _replayed(policy, changes, was) else after


def _replayed(
    policy: AssemblyPolicy, changes: Sequence[PolicyTuning], is_excluded: Excluded
) -> AssemblyPolicy:
    numbers = AssemblyPolicy(cooling=policy.cooling, learned=policy.learned)
    for change in changes:
        if change.feedback and not is_excluded(change.by, change.at):
            numbers = tune_by_feedback(
                numbers, Feedback(**change.feedback), at=change.at, by=change.by, is_agent=change.is_agent
            )
    return replace(numbers, history=policy.history, version=policy.version)


def _since_reset(policy: AssemblyPolicy) -> list[PolicyTuning] | None:
    """Changes since the last reset; None: they are not all known."""
    resets = [at for at, change in enumerate(policy.history) if is_reset(change)]
    is_whole = bool(resets) or policy.version == len(policy.history) + policy.learned.unlisted
    changes = list(policy.history[resets[-1] + 1 :] if resets else policy.history)
    is_kept = all(change.feedback or change.request_id is None for change in changes)
    return changes if is_whole and is_kept else None
