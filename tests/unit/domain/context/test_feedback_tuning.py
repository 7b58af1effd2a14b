"""Feedback moves a policy in small steps, within bounds, and says what it did."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.context.assembly_policy import (
    AssemblyPolicy,
    assembly_policy_of,
    assembly_policy_text,
)
from memory_layer.domain.context.feedback_tuning import (
    AGENTS_REACH,
    COHERENCE_WEIGHT_MAX,
    ENTITY_SHARE_MAX,
    HISTORY_MAX,
    SENSITIVITY_MAX,
    Feedback,
    reset_to_defaults,
    tune_by_feedback,
)
from memory_layer.domain.policy import CLASS_WEIGHTS, DamagedPolicy, PriorityWeights

AT = datetime(2026, 2, 5, 10, 0, tzinfo=UTC)


def total(weights: PriorityWeights) -> float:
    return weights.relevance + weights.recency + weights.credibility + weights.coherence


def after(*feedbacks: Feedback) -> AssemblyPolicy:
    policy = AssemblyPolicy()
    for feedback in feedbacks:
        policy = tune_by_feedback(policy, feedback, at=AT, by="ann", request_id="req_1")
    return policy


def test_the_weights_of_every_class_sum_up_to_one() -> None:
    assert {round(total(weights), 9) for weights in CLASS_WEIGHTS.values()} == {1.0}
    assert CLASS_WEIGHTS["general"] == PriorityWeights(
        relevance=0.4, recency=0.2, credibility=0.25, coherence=0.15
    )


def test_contradictions_make_conflicts_count_a_fifth_more() -> None:
    policy = after(Feedback(contradiction_rate=0.06))

    assert policy.conflict_sensitivity == 1.2
    assert policy.history[-1].why == ("contradiction_rate 0.06: conflict_sensitivity 1 to 1.2",)
    assert (policy.history[-1].by, policy.history[-1].request_id) == ("ann", "req_1")


def test_gaps_give_the_named_entities_more_room() -> None:
    assert after(Feedback(completeness=0.79)).entity_share == 0.35


def test_fragments_that_do_not_fit_raise_the_weight_of_coherence() -> None:
    weights = after(Feedback(coherence_score=0.7)).weights["general"]

    assert weights.coherence == 0.2
    assert weights.relevance > weights.credibility > weights.recency
    assert total(weights) == pytest.approx(1.0)


@pytest.mark.parametrize(
    "feedback",
    [
        Feedback(),
        Feedback(contradiction_rate=0.05, completeness=0.8, coherence_score=0.75, user_satisfaction=0.0),
    ],
)
def test_feedback_with_nothing_to_mend_changes_nothing(feedback: Feedback) -> None:
    assert after(feedback) == AssemblyPolicy()


def test_a_satisfied_user_moves_it_less() -> None:
    sad, glad = (
        after(Feedback(contradiction_rate=0.5, completeness=0.0, coherence_score=0.0, user_satisfaction=s))
        for s in (0.0, 1.0)
    )

    assert 1.0 < glad.conflict_sensitivity < sad.conflict_sensitivity
    assert 0.3 < glad.entity_share < sad.entity_share
    assert 0.15 < glad.weights["code"].coherence < sad.weights["code"].coherence


rates = st.none() | st.floats(0.0, 1.0)
feedbacks = st.builds(
    Feedback,
    coherence_score=rates,
    completeness=rates,
    contradiction_rate=rates,
    user_satisfaction=rates,
)


@given(st.lists(feedbacks, max_size=80))
def test_no_feedback_leaves_the_bounds(given_: list[Feedback]) -> None:
    policy = after(*given_)

    assert 1.0 <= policy.conflict_sensitivity <= SENSITIVITY_MAX
    assert 0.3 <= policy.entity_share <= ENTITY_SHARE_MAX
    assert all(0.15 <= weights.coherence <= COHERENCE_WEIGHT_MAX for weights in policy.weights.values())
    assert all(total(weights) == pytest.approx(1.0) for weights in policy.weights.values())
    assert len(policy.history) == min(HISTORY_MAX, policy.version)
    assert assembly_policy_of(assembly_policy_text(policy)) == policy


def test_at_the_bounds_feedback_changes_nothing_more() -> None:
    worst = Feedback(contradiction_rate=1.0, completeness=0.0, coherence_score=0.0)
    policy = after(*[worst] * 40)

    assert policy.conflict_sensitivity == SENSITIVITY_MAX
    assert tune_by_feedback(policy, worst, at=AT, by="ann") is policy


WORST = Feedback(contradiction_rate=1.0, completeness=0.0, coherence_score=0.0)


def of_agents(
    *names: str, feedback: Feedback = WORST, policy: AssemblyPolicy | None = None
) -> AssemblyPolicy:
    policy = policy or AssemblyPolicy()
    for name in names:
        policy = tune_by_feedback(policy, feedback, at=AT, by=name, is_agent=True)
    return policy


def numbers(policy: AssemblyPolicy) -> tuple[float, float, float]:
    return policy.conflict_sensitivity, policy.entity_share, policy.weights["general"].coherence


def test_an_agents_voice_takes_one_step_of_each_kind_until_a_reset() -> None:
    """Safeguard: the steps that the voice has taken. Without it sixty posts reach every bound."""
    once = of_agents("bot")
    assert numbers(of_agents(*["bot"] * 60)) == numbers(once) == (1.2, 0.35, 0.2)
    assert numbers(of_agents("bot", policy=of_agents("other"))) == (1.44, 0.4, 0.25), "another one is heard"
    fresh = reset_to_defaults(once, at=AT, by="root")
    assert numbers(of_agents("bot", policy=fresh)) == numbers(once)


def test_a_satisfied_agent_takes_its_one_step_in_small_ones() -> None:
    glad = Feedback(completeness=0.0, user_satisfaction=1.0)
    assert of_agents("bot", feedback=glad).entity_share == 0.31
    assert of_agents(*["bot"] * 20, feedback=glad).entity_share == 0.35


def test_a_token_is_one_voice_whatever_its_clients_are_called() -> None:
    """Safeguard: `agent_voice`. A client says its own name."""
    names = [f"agent:client-{number}:ada@acme.test" for number in range(20)]
    assert numbers(of_agents(*names)) == numbers(of_agents("bot"))


def test_agents_together_go_half_the_way_and_a_person_goes_on() -> None:
    """Safeguard: `AGENTS_REACH`."""
    crowd = of_agents(*(f"bot-{number}" for number in range(40)))
    assert numbers(crowd) == AGENTS_REACH
    heard = tune_by_feedback(crowd, WORST, at=AT, by="ann@acme.test")
    assert all(after > before for after, before in zip(numbers(heard), numbers(crowd), strict=True))
    assert of_agents("late", policy=heard) is heard, "what a person moved beyond it agents do not move on"


def test_a_reset_goes_back_to_the_defaults_and_remembers() -> None:
    policy = reset_to_defaults(after(Feedback(contradiction_rate=1.0)), at=AT, by="root")

    assert (policy.conflict_sensitivity, policy.weights) == (1.0, CLASS_WEIGHTS)
    assert [change.by for change in policy.history] == ["ann", "root"]
    assert policy.version == 2


def test_nothing_stored_is_the_default() -> None:
    assert assembly_policy_of(None) == AssemblyPolicy()


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"weights": {"poems": {}}, "history": []}', '{"weights": 1}']
)
def test_a_damaged_policy_is_told(text: str) -> None:
    with pytest.raises(DamagedPolicy):
        assembly_policy_of(text)
