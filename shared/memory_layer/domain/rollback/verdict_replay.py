"""A verdict on record given again, on another state of its memory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memory_layer.domain.doubt import doubt_failure
from memory_layer.domain.learning.learned_relevance import with_learned_relevance
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.memory import Memory
from memory_layer.domain.outcome import apply_verdict, withdraw_verdict
from memory_layer.domain.policy import Policy
from memory_layer.domain.rollback.recorded import ReplayedVerdict
from memory_layer.domain.verdict_bounds import limit_to_score, speaks_as_agent, spoken_step


def replaced_by(verdict: ReplayedVerdict, standing: Sequence[ReplayedVerdict]) -> ReplayedVerdict | None:
    """The same principal's verdict in the same run, which this one replaces."""
    if verdict.run_id is None:
        return None
    same = (v for v in standing if v.run_id == verdict.run_id and v.principal == verdict.principal)
    return next(same, None)


def judged_again(
    state: Memory,
    verdict: ReplayedVerdict,
    standing: Sequence[ReplayedVerdict],
    policy: Policy,
    runs: Mapping[str, RunRecord],
) -> tuple[Memory, ReplayedVerdict]:
    """Memory after a verdict, and the verdict with how far it moved it.

    Args:
        standing: the verdicts in force before.
        runs: those on record that count.
    """
    is_bound = speaks_as_agent(verdict.speaker) and state.is_trusted
    earlier = replaced_by(verdict, standing)
    judged = state if earlier is None else withdraw_verdict(state, earlier)
    judged = limit_to_score(state, judged) if is_bound and earlier is not None else judged
    others = [one for one in standing if one is not earlier]
    step = spoken_step(
        judged, verdict.result, verdict.principal, verdict.speaker, others, run_id=verdict.run_id
    )
    applied = apply_verdict(judged, verdict.result, at=verdict.at, policy=policy, step=step)
    moved = replace(verdict, score_moved=applied.score_moved, confidence_moved=applied.confidence_moved)
    after = with_learned_relevance(applied.memory, [*others, moved])
    if verdict.result == "failed" and is_bound:
        known = runs.get(verdict.run_id or "")
        reporter = None if known is None or known.received_at > verdict.at else known.created_by
        after = doubt_failure(
            after, by=verdict.principal, at=verdict.at, run=verdict.run_id, reported_by=reporter
        )
    if after.status != state.status and state.has_expired(verdict.at):
        after = replace(after, status=state.status, status_reason=state.status_reason)
    return after, moved
