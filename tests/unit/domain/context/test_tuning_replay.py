"""Tuning done again without a principal: equal to never having heard it, or left alone where that cannot be known."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.context.assembly_policy import (
    AssemblyPolicy,
    assembly_policy_of,
    assembly_policy_text,
)
from memory_layer.domain.context.feedback_tuning import (
    Feedback,
    reset_to_defaults,
    tune_by_feedback,
)
from memory_layer.domain.context.tuning_replay import retuned

AT = datetime(2026, 2, 5, 10, 0, tzinfo=UTC)
RATES = st.one_of(st.none(), st.floats(0.0, 1.0))
FEEDBACKS = st.builds(
    Feedback, coherence_score=RATES, completeness=RATES, contradiction_rate=RATES, user_satisfaction=RATES
)
TOLD = st.lists(st.tuples(st.sampled_from(["ann", "mal"]), FEEDBACKS), max_size=4)
"""No more than reach a bound: feedback that moves nothing is not kept."""

WORST = Feedback(coherence_score=0.0, completeness=0.0, contradiction_rate=1.0)


def tuned(
    policy: AssemblyPolicy, *told: tuple[str, Feedback], agents: Collection[str] = ()
) -> AssemblyPolicy:
    for by, feedback in told:
        policy = tune_by_feedback(policy, feedback, at=AT, by=by, is_agent=by in agents, request_id="req_1")
    return policy


def without_mal(policy: AssemblyPolicy) -> AssemblyPolicy:
    return retuned(policy, lambda *_: False, lambda by, _: by == "mal", at=AT, by="root", why="rolled back")


def numbers(policy: AssemblyPolicy) -> AssemblyPolicy:
    return replace(policy, history=(), version=0)


@given(TOLD)
def test_it_is_equal_to_never_having_heard_the_excluded(told: list[tuple[str, Feedback]]) -> None:
    kept = assembly_policy_of(assembly_policy_text(tuned(AssemblyPolicy(), *told)))
    others = tuned(AssemblyPolicy(), *(one for one in told if one[0] != "mal"))
    assert numbers(without_mal(kept)) == numbers(others)


@given(TOLD)
def test_so_it_is_where_an_agents_voice_is_bounded(told: list[tuple[str, Feedback]]) -> None:
    """Falls where the history does not keep that an agent said it: then the replay takes more steps than were."""
    kept = assembly_policy_of(assembly_policy_text(tuned(AssemblyPolicy(), *told, agents=["ann", "mal"])))
    others = tuned(AssemblyPolicy(), *(one for one in told if one[0] != "mal"), agents=["ann"])
    assert numbers(without_mal(kept)) == numbers(others)


def test_what_was_said_before_a_reset_and_the_reset_itself_stay() -> None:
    policy = reset_to_defaults(tuned(AssemblyPolicy(), ("mal", WORST)), at=AT, by="mal")
    assert without_mal(policy) is policy
    again = tuned(policy, ("mal", WORST), ("ann", WORST))
    assert numbers(without_mal(again)) == numbers(tuned(AssemblyPolicy(), ("ann", WORST)))


def test_a_history_that_is_not_whole_leaves_the_tuning_alone() -> None:
    """Falls without `_since_reset`: the numbers of others would be lost with the excluded one's."""
    policy = tuned(AssemblyPolicy(), ("ann", WORST), ("mal", WORST))
    of_an_older_release = replace(
        policy, history=tuple(replace(change, feedback={}) for change in policy.history)
    )
    cut = replace(policy, version=policy.version + 1)
    assert without_mal(of_an_older_release) is of_an_older_release
    assert without_mal(cut) is cut
