"""What verdicts do, to the thousandth, and what one stranger cannot do."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory, OutcomeResult, content_hash
from memory_layer.domain.outcome import (
    LOW_CONFIDENCE,
    LOW_OUTCOME,
    OUTCOME_STEPS,
    VerdictStep,
    apply_verdict,
    drift,
    withdraw_verdict,
)
from memory_layer.domain.policy import OutcomeModel, Policy
from memory_layer.domain.retrieval.facts import facts_of
from memory_layer.domain.retrieval.outcome_signal import outcome_basis, outcome_signal
from memory_layer.domain.verdict_bounds import allowed_move, limit_to_score

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
POLICY = Policy()
MEMORY = Memory(
    id="m1",
    tenant="t",
    project="p",
    content="Use Redis for caching",
    content_hash=content_hash("Use Redis for caching"),
    created_by="creator",
    confidence=0.5,
    source="run",
    created_at=NOW - timedelta(days=10),
    updated_at=NOW - timedelta(days=10),
)
RESULTS: list[OutcomeResult] = ["worked", "failed", "partial"]


@dataclass(frozen=True)
class Said:
    """A verdict as the log keeps it."""

    principal: str
    result: OutcomeResult
    at: datetime
    score_moved: float
    confidence_moved: float
    run_id: str | None = None


def judged(memory: Memory, result: OutcomeResult, at: datetime = NOW) -> Memory:
    return apply_verdict(memory, result, at=at, policy=POLICY).memory


thousandths = st.integers(0, 1_000).map(lambda n: n / 1_000)
memories = st.builds(
    lambda score, confidence, worked, failed, days: replace(
        MEMORY,
        outcome_score=score,
        confidence=confidence,
        worked_weight=worked,
        failed_weight=failed,
        last_used_at=NOW - timedelta(days=days),
        use_count=days,
    ),
    st.integers(-1_000, 1_000).map(lambda n: n / 1_000),
    thousandths,
    thousandths.map(lambda w: round(w * 20, 3)),
    thousandths.map(lambda w: round(w * 20, 3)),
    st.integers(0, 400),
)


@pytest.mark.parametrize(
    ("result", "score", "confidence"), [("worked", 0.2, 0.6), ("failed", -0.3, 0.4), ("partial", 0.05, 0.5)]
)
def test_the_fixed_steps(result: OutcomeResult, score: float, confidence: float) -> None:
    after = judged(MEMORY, result)
    assert (after.outcome_score, after.confidence) == (score, confidence)
    assert (after.use_count, getattr(after, result), after.last_used_at) == (1, 1, NOW)
    assert after.version == MEMORY.version + 1
    assert after.updated_at == MEMORY.updated_at


def test_the_design_example_of_two_failures() -> None:
    once = judged(replace(MEMORY, confidence=1.0), "failed")
    assert (once.outcome_score, once.status) == (-0.3, "active")
    twice = judged(once, "failed")
    assert (twice.outcome_score, twice.status, twice.status_reason) == (-0.6, "archived", LOW_OUTCOME)


@pytest.mark.parametrize(
    ("score", "confidence", "status", "reason"),
    [
        (-0.2, 0.3, "active", None),  # to -0.5 and 0.2: both bounds still hold
        (-0.201, 0.5, "archived", LOW_OUTCOME),
        (0.0, 0.299, "inactive", LOW_CONFIDENCE),
        (-0.5, 0.1, "archived", LOW_OUTCOME),  # the outcome rule goes first
    ],
)
def test_bounds_of_use(score: float, confidence: float, status: str, reason: str | None) -> None:
    after = judged(replace(MEMORY, outcome_score=score, confidence=confidence), "failed")
    assert (after.status, after.status_reason) == (status, reason)


def test_a_status_that_people_decide_stays() -> None:
    pending = replace(MEMORY, status="pending", outcome_score=-0.5)
    assert judged(pending, "failed").status == "pending"
    stale = replace(MEMORY, status="stale", status_reason="schema changed", outcome_score=-0.5)
    after = judged(stale, "failed")
    assert after.status == "archived"
    assert "schema changed" in (after.status_reason or "")


@given(memories, st.sampled_from(RESULTS))
def test_scores_stay_in_bounds_and_exact(memory: Memory, result: OutcomeResult) -> None:
    applied = apply_verdict(memory, result, at=NOW, policy=POLICY)
    after = applied.memory
    assert -1.0 <= after.outcome_score <= 1.0
    assert 0.0 <= after.confidence <= 1.0
    for score in (after.outcome_score, after.confidence, after.worked_weight, applied.score_moved):
        assert score == round(score, 3)
    assert round(memory.outcome_score + applied.score_moved, 3) == after.outcome_score


def test_evidence_halves_in_ninety_days() -> None:
    before = replace(MEMORY, worked_weight=4.0, failed_weight=2.0, last_used_at=NOW - timedelta(days=90))
    after = judged(before, "worked")
    assert (after.worked_weight, after.failed_weight) == (3.0, 1.0)
    late = judged(replace(before, last_used_at=NOW), "partial", NOW - timedelta(days=90))
    assert (late.worked_weight, late.failed_weight, late.last_used_at) == (4.25, 2.25, NOW)


def test_worked_renews_an_expiry_and_never_shortens_one() -> None:
    soon, later = NOW + timedelta(days=3), NOW + timedelta(days=400)
    warning = replace(MEMORY, type="warning", expires_at=soon)
    assert judged(warning, "worked").expires_at == NOW + timedelta(days=90)
    assert judged(warning, "partial").expires_at == soon
    assert judged(replace(warning, expires_at=later), "worked").expires_at == later
    assert judged(replace(warning, expires_at=None), "worked").expires_at is None
    assert judged(replace(warning, expires_at=NOW), "worked").expires_at == NOW  # gone is gone
    assert judged(replace(MEMORY, expires_at=soon), "worked").expires_at == soon  # patterns have no default


@given(memories, st.sampled_from(RESULTS))
def test_withdrawing_takes_back_what_applying_did(memory: Memory, result: OutcomeResult) -> None:
    applied = apply_verdict(memory, result, at=NOW, policy=POLICY)
    verdict = Said("x", result, NOW, applied.score_moved, applied.confidence_moved)
    back = withdraw_verdict(applied.memory, verdict)
    decayed = 0.5 ** ((NOW - (memory.last_used_at or NOW)).days / 90)
    counted = applied.memory is not memory
    assert (back.outcome_score, back.confidence) == (memory.outcome_score, memory.confidence)
    assert (back.use_count, getattr(back, result)) == (memory.use_count, getattr(memory, result))
    assert back.version == applied.memory.version
    if counted:
        assert back.worked_weight == pytest.approx(memory.worked_weight * decayed, abs=0.0011)
        assert back.failed_weight == pytest.approx(memory.failed_weight * decayed, abs=0.0011)


def test_withdrawing_lifts_what_the_verdict_brought_down_and_nothing_else() -> None:
    for before in (replace(MEMORY, outcome_score=-0.3), replace(MEMORY, confidence=0.25)):
        applied = apply_verdict(before, "failed", at=NOW, policy=POLICY)
        assert not applied.memory.is_active
        verdict = Said("x", "failed", NOW, applied.score_moved, applied.confidence_moved)
        assert withdraw_verdict(applied.memory, verdict).is_active
        by_hand = replace(applied.memory, status_reason="archived by a@b.c")
        assert not withdraw_verdict(by_hand, verdict).is_active


def test_only_the_part_that_is_left_decays_out() -> None:
    first = judged(MEMORY, "worked", NOW - timedelta(days=90))
    second = judged(first, "worked")
    assert second.worked_weight == 1.5
    assert (
        withdraw_verdict(second, Said("x", "worked", NOW - timedelta(days=90), 0.2, 0.1)).worked_weight == 1.0
    )


STRANGER = Principal("t", "stranger", email="stranger@t.test")
AGENT = Principal("t", "agent-7")
TRUSTED = replace(MEMORY, source="human", confidence=1.0)


def test_a_stranger_moves_a_trusted_memory_once() -> None:
    assert allowed_move(TRUSTED, "failed", STRANGER, []) == VerdictStep(-0.3, 0.0, is_unseconded=True)
    first = Said(STRANGER.name, "failed", NOW, -0.3, -0.1)
    assert allowed_move(TRUSTED, "failed", STRANGER, [first]) == VerdictStep(0.0, 0.0, is_unseconded=True)
    assert allowed_move(TRUSTED, "worked", STRANGER, [first]) == OUTCOME_STEPS["worked"]
    applied = apply_verdict(TRUSTED, "failed", at=NOW, policy=POLICY, step=VerdictStep(0.0, 0.0))
    assert applied.memory is TRUSTED
    for_the_log = Said(STRANGER.name, "failed", NOW, applied.score_moved, applied.confidence_moved)
    assert withdraw_verdict(TRUSTED, for_the_log) is TRUSTED


def test_a_strangers_budget_is_net() -> None:
    worked = Said(STRANGER.name, "worked", NOW, 0.1, 0.0)
    failed = Said(STRANGER.name, "failed", NOW, -0.3, -0.1)
    assert allowed_move(TRUSTED, "failed", STRANGER, [worked, failed]) == VerdictStep(
        -0.1, 0.0, is_unseconded=True
    )
    at_the_floor = replace(failed, confidence_moved=0.0)
    assert allowed_move(TRUSTED, "failed", STRANGER, [at_the_floor]) == VerdictStep(
        0.0, 0.0, is_unseconded=True
    )


def test_a_second_principal_lifts_the_cap() -> None:
    own, other = Said(STRANGER.name, "failed", NOW, -0.3, -0.1), Said("other", "failed", NOW, -0.3, -0.1)
    assert allowed_move(TRUSTED, "failed", STRANGER, [own, other]) == OUTCOME_STEPS["failed"]
    agreeing = replace(other, result="worked")
    assert allowed_move(TRUSTED, "failed", STRANGER, [own, agreeing]) == VerdictStep(
        0.0, 0.0, is_unseconded=True
    )


@pytest.mark.parametrize(
    ("memory", "by"),
    [
        (MEMORY, STRANGER),  # a person, of what an agent wrote
        (TRUSTED, Principal("t", "r", roles=frozenset({"reviewer"}))),
    ],
)
def test_who_is_not_capped(memory: Memory, by: Principal) -> None:
    said = [Said(by.name, "failed", NOW, -0.3, -0.1)]
    assert allowed_move(memory, "failed", by, said) == OUTCOME_STEPS["failed"]


def test_ones_own_verdict_moves_the_order_and_no_confidence() -> None:
    """Also a person's; a reviewer's moves both."""
    person = Principal("t", "c", email="creator")
    assert allowed_move(TRUSTED, "failed", person, []) == VerdictStep(-0.3, 0.0)
    assert allowed_move(MEMORY, "worked", Principal("t", "creator"), []) == VerdictStep(0.2, 0.0)
    reviewer = Principal("t", "creator", roles=frozenset({"reviewer"}))
    assert allowed_move(MEMORY, "worked", reviewer, []) == OUTCOME_STEPS["worked"]


@given(st.lists(st.tuples(st.sampled_from(["x", "y"]), st.sampled_from(RESULTS)), max_size=40))
def test_two_agents_move_the_confidence_of_a_third_ones_memory_by_two_steps_at_most(
    told: list[tuple[str, OutcomeResult]],
) -> None:
    """Falls without `_within_voice`: each of their verdicts moves it."""
    memory, said = MEMORY, list[Said]()
    for subject, result in told:
        step = allowed_move(memory, result, Principal("t", subject), said)
        applied = apply_verdict(memory, result, at=NOW, policy=POLICY, step=step)
        said.append(Said(subject, result, NOW, applied.score_moved, applied.confidence_moved))
        memory = applied.memory
        assert 0.3 <= memory.confidence <= 0.7


def test_approval_makes_a_memory_trusted() -> None:
    approved = replace(MEMORY, approved_by="r", approved_at=NOW)
    said = [Said(STRANGER.name, "failed", NOW, -0.3, -0.1)]
    assert allowed_move(approved, "failed", STRANGER, said) == VerdictStep(0.0, 0.0, is_unseconded=True)


AGENTS = [AGENT, Principal("t", "agent-8"), Principal("t", "creator")]
"""One of them wrote the memory that a reviewer has approved."""


@given(st.lists(st.tuples(st.sampled_from(AGENTS), st.sampled_from(RESULTS)), max_size=40))
def test_agents_move_the_score_of_a_trusted_memory_and_nothing_else(
    told: list[tuple[Principal, OutcomeResult]],
) -> None:
    """Falls without `_agents_step`: the second `failed` of the second agent archives it."""
    memory, said = replace(MEMORY, approved_by="r", approved_at=NOW), list[Said]()
    for by, result in told:
        step = allowed_move(memory, result, by, said)
        applied = apply_verdict(memory, result, at=NOW, policy=POLICY, step=step)
        said.append(Said(by.name, result, NOW, applied.score_moved, applied.confidence_moved))
        memory = applied.memory
        assert memory.outcome_score >= -0.5
        assert (memory.status, memory.confidence) == ("active", MEMORY.confidence)


def test_agents_push_no_further_what_people_found_wrong() -> None:
    sunk = replace(TRUSTED, outcome_score=-0.9)
    said = [Said("agent-8", "failed", NOW, -0.3, 0.0)]
    assert allowed_move(sunk, "failed", AGENT, said) == VerdictStep(0.0, 0.0)
    assert allowed_move(sunk, "worked", AGENT, said) == VerdictStep(0.2, 0.0)


def test_peoples_verdicts_archive_what_is_trusted() -> None:
    other = Principal("t", "o", email="other@t.test")
    alone = apply_verdict(
        TRUSTED, "failed", at=NOW, policy=POLICY, step=allowed_move(TRUSTED, "failed", STRANGER, [])
    ).memory
    step = allowed_move(alone, "failed", other, [Said(STRANGER.name, "failed", NOW, -0.3, 0.0)])
    both = apply_verdict(alone, "failed", at=NOW, policy=POLICY, step=step).memory
    assert (both.outcome_score, both.status, both.status_reason) == (-0.6, "archived", LOW_OUTCOME)


def test_taking_back_praise_takes_nothing_out_of_use() -> None:
    """Falls without the floor of `limit_to_score`: praise from before the approval, taken back, archives it."""
    praised = Said(AGENT.name, "worked", NOW, 0.2, 0.1)
    before = replace(TRUSTED, outcome_score=-0.4, worked=1, use_count=1)
    after = limit_to_score(before, withdraw_verdict(before, praised))
    assert (after.outcome_score, after.confidence, after.status) == (-0.5, 1.0, "active")


def test_an_agent_lifts_nothing_that_people_archived() -> None:
    """Falls where `limit_to_score` leaves the status to `withdraw_verdict`."""
    blamed = Said(AGENT.name, "failed", NOW, -0.3, 0.0)
    before = replace(
        TRUSTED, outcome_score=-0.8, failed=2, use_count=2, status="archived", status_reason=LOW_OUTCOME
    )
    assert withdraw_verdict(before, blamed).is_active
    assert limit_to_score(before, withdraw_verdict(before, blamed)).status == "archived"


@given(st.lists(st.sampled_from(RESULTS), max_size=25))
def test_a_stranger_never_takes_a_trusted_memory_down_further(results: list[OutcomeResult]) -> None:
    memory, said = TRUSTED, list[Said]()
    for result in results:
        step = allowed_move(memory, result, STRANGER, said)
        applied = apply_verdict(memory, result, at=NOW, policy=POLICY, step=step)
        said.append(Said(STRANGER.name, result, NOW, applied.score_moved, applied.confidence_moved))
        memory = applied.memory
        assert memory.outcome_score >= -0.3
        assert memory.confidence == 1.0
        assert memory.is_active


def test_drift_begins_after_thirty_days() -> None:
    assert drift(0.8, 30) == 0.8
    assert drift(0.8, 31) == 0.76
    assert drift(-0.8, 32) == -0.722
    assert drift(0.8, 400) == 0.0


@given(st.integers(-1_000, 1_000).map(lambda n: n / 1_000), st.integers(0, 200), st.integers(0, 200))
def test_drift_in_two_sweeps_is_drift_in_one(score: float, first: int, more: int) -> None:
    once = drift(score, first + more)
    assert drift(drift(score, first), first + more, swept_days=first) == once
    assert abs(once) <= abs(score)
    assert once * score >= 0.0


def signal(memory: Memory, at: datetime, model: OutcomeModel) -> float:
    return float(outcome_signal(outcome_basis(facts_of([memory]), at), model)[0])


def basis(memory: Memory, at: datetime) -> list[float]:
    return [float(value[0]) for value in outcome_basis(facts_of([memory]), at)]


def test_one_strangers_word_changes_no_standing_until_seconded() -> None:
    step = allowed_move(TRUSTED, "failed", STRANGER, [])
    alone = apply_verdict(TRUSTED, "failed", at=NOW, policy=POLICY, step=step).memory
    assert (alone.outcome_score, alone.unseconded, alone.failed) == (-0.3, 0.3, 1)
    assert basis(alone, NOW) == basis(TRUSTED, NOW)
    seconded = apply_verdict(alone, "failed", at=NOW, policy=POLICY).memory
    assert basis(seconded, NOW) == [-0.6, 0.0, 0.0, 2.0]


def test_a_strangers_praise_taken_back_twice_leaves_what_others_said() -> None:
    praised = judged(TRUSTED, "worked")
    memory = praised
    said: list[Said] = []
    for run, result in enumerate(("worked", "failed", "failed")):
        step = allowed_move(memory, result, STRANGER, said)  # type: ignore[arg-type]
        applied = apply_verdict(memory, result, at=NOW, policy=POLICY, step=step)  # type: ignore[arg-type]
        moved = (applied.score_moved, applied.confidence_moved)
        said.append(Said(STRANGER.name, result, NOW, *moved, f"run-{run}"))  # type: ignore[arg-type]
        memory = applied.memory
    assert memory.failed == 2
    assert all(after >= before for after, before in zip(basis(memory, NOW), basis(praised, NOW), strict=True))


def test_failures_make_no_fame() -> None:
    """Falls where every use counts as one that helped."""
    failed = judged(judged(MEMORY, "failed"), "failed")
    assert (failed.use_count, basis(failed, NOW)[1]) == (2, 0.0)
    assert basis(judged(failed, "worked"), NOW)[1] == pytest.approx(1.0)
    assert basis(judged(MEMORY, "partial"), NOW)[1] == 0.5
    assert basis(replace(MEMORY, use_count=7), NOW)[1] == 7.0  # told elsewhere, without its evidence


def test_withdrawing_an_unseconded_verdict_leaves_nothing_of_it() -> None:
    step = allowed_move(TRUSTED, "failed", STRANGER, [])
    applied = apply_verdict(TRUSTED, "failed", at=NOW, policy=POLICY, step=step)
    said = Said(STRANGER.name, "failed", NOW, applied.score_moved, applied.confidence_moved)
    assert withdraw_verdict(applied.memory, said).unseconded == 0.0


def test_outcome_signal_of_both_models() -> None:
    assert signal(MEMORY, NOW, "fixed") == signal(MEMORY, NOW, "beta") == 0.5
    worked, failed = judged(MEMORY, "worked"), judged(MEMORY, "failed")
    assert signal(worked, NOW, "fixed") == 0.6
    assert signal(worked, NOW, "beta") == pytest.approx(0.6)
    assert signal(failed, NOW, "fixed") == pytest.approx(0.35)
    assert signal(failed, NOW, "beta") == pytest.approx(2 / 5.5)
    assert signal(worked, NOW + timedelta(days=90), "beta") == pytest.approx(2.5 / 4.5)


@given(memories, st.sampled_from(["fixed", "beta"]))
def test_the_signal_rises_with_worked_and_falls_with_failed(memory: Memory, model: str) -> None:
    before = signal(memory, NOW, model)  # type: ignore[arg-type]
    worked = signal(judged(memory, "worked"), NOW, model)  # type: ignore[arg-type]
    failed = signal(judged(memory, "failed"), NOW, model)  # type: ignore[arg-type]
    assert 0.0 <= failed <= before + 1e-3
    assert before - 1e-3 <= worked <= 1.0
