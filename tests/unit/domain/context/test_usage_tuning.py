"""Use moves how soon memories cool: a step at a time, within bounds, and a person's own rules not at all."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.context.assembly_policy import (
    AssemblyPolicy,
    assembly_policy_of,
    assembly_policy_text,
)
from memory_layer.domain.context.feedback_tuning import HISTORY_MAX, reset_to_defaults
from memory_layer.domain.context.usage_tuning import (
    FACTOR_MAX,
    FACTOR_MIN,
    SEEN_MIN,
    STEP_INTERVAL_MIN,
    ClassUsage,
    effective_tier_policy,
    tune_by_usage,
)
from memory_layer.domain.policy import DamagedPolicy, sealed_text
from memory_layer.domain.tier_policy import DEFAULT_TIER_POLICY, GB, ContentClass, TierPolicy, with_overrides

AT = datetime(2026, 2, 5, 10, 0, tzinfo=UTC)
EAGER = ClassUsage(stayed=30, returned=10)
IDLE = ClassUsage(stayed=30)
FULL = ClassUsage(stayed=30, young_bytes=int(1.7 * GB))


def after(
    *walks: ClassUsage, name: ContentClass = "code", policy: TierPolicy = DEFAULT_TIER_POLICY
) -> AssemblyPolicy:
    """Args: walks: one a month."""
    tuning = AssemblyPolicy()
    for month, use in enumerate(walks):
        tuning = tune_by_usage(
            tuning, {name: use}, policy, at=AT + month * STEP_INTERVAL_MIN, by="sweep tiering"
        )
    return tuning


def hours(tuning: AssemblyPolicy, policy: TierPolicy = DEFAULT_TIER_POLICY) -> int:
    return effective_tier_policy(policy, tuning)["code"].compress.age_threshold_hours


def test_what_comes_back_too_often_cools_later() -> None:
    tuning = after(EAGER)

    assert (tuning.cooling, hours(tuning)) == ({"code": 1.5}, 9)
    (change,) = tuning.history
    assert change.why == ("code: 10 of 40 that lay warm came back up within 30 days: cooling 1 to 1.5",)
    assert (change.by, change.request_id, tuning.version) == ("sweep tiering", None, 1)


def test_a_month_s_use_counts_once_however_often_it_is_walked_through() -> None:
    """A walk that is not whole, as where something cannot be read, is no month's last one."""
    tuning = after(EAGER)
    for days in (0, 1, 26):
        later = AT + timedelta(days=days)
        assert (
            tune_by_usage(tuning, {"code": EAGER}, DEFAULT_TIER_POLICY, at=later, by="sweep tiering")
            == tuning
        )
    other = reset_to_defaults(tuning, at=AT + timedelta(days=20), by="ann")
    again = tune_by_usage(
        other, {"code": EAGER}, DEFAULT_TIER_POLICY, at=AT + STEP_INTERVAL_MIN, by="sweep tiering"
    )
    assert again.cooling == {"code": 1.5}


def test_what_never_comes_back_while_its_class_is_full_cools_sooner() -> None:
    tuning = after(FULL)

    assert (tuning.cooling, hours(tuning)) == ({"code": 0.667}, 4)
    assert tuning.history[0].why[0].endswith("what has yet to cool fills the class: cooling 1 to 0.667")


@pytest.mark.parametrize(
    "use",
    [
        ClassUsage(),
        IDLE,
        ClassUsage(stayed=32, returned=8),
        ClassUsage(stayed=0, returned=SEEN_MIN - 1),
        ClassUsage(stayed=30, returned=1, young_bytes=2 * GB),
        ClassUsage(young_bytes=int(1.6 * GB)),
    ],
    ids=["nothing", "idle", "a fifth came back", "too few to tell", "full, but used", "not yet full"],
)
def test_what_is_in_balance_stays(use: ClassUsage) -> None:
    assert after(use) == AssemblyPolicy()


def test_other_classes_keep_their_ages() -> None:
    tuned = effective_tier_policy(DEFAULT_TIER_POLICY, after(EAGER))

    assert {name: rules for name, rules in tuned.items() if name != "code"} == {
        name: rules for name, rules in DEFAULT_TIER_POLICY.items() if name != "code"
    }


def test_what_a_project_has_set_itself_is_not_tuned() -> None:
    set_here = {
        **DEFAULT_TIER_POLICY,
        "code": with_overrides(DEFAULT_TIER_POLICY["code"], {"compress": {"age_threshold_hours": 48}}),
    }

    assert after(EAGER, policy=set_here) == AssemblyPolicy()
    assert hours(after(EAGER), set_here) == 48


uses = st.builds(
    ClassUsage,
    stayed=st.integers(0, 100),
    returned=st.integers(0, 100),
    young_bytes=st.integers(0, 3 * GB),
)
walks = st.dictionaries(st.sampled_from(get_args(ContentClass)), uses)


@given(st.lists(walks, max_size=60))
def test_no_use_leaves_the_bounds(seen: list[dict[ContentClass, ClassUsage]]) -> None:
    tuning = AssemblyPolicy()
    for month, walk in enumerate(seen):
        tuning = tune_by_usage(
            tuning, walk, DEFAULT_TIER_POLICY, at=AT + month * STEP_INTERVAL_MIN, by="sweep tiering"
        )

    assert all(FACTOR_MIN <= factor <= FACTOR_MAX for factor in tuning.cooling.values())
    assert len(tuning.history) == min(HISTORY_MAX, tuning.version)
    assert assembly_policy_of(assembly_policy_text(tuning)) == tuning
    assert (
        effective_tier_policy(DEFAULT_TIER_POLICY, reset_to_defaults(tuning, at=AT, by="ann"))
        == DEFAULT_TIER_POLICY
    )


@given(uses)
def test_the_same_use_again_and_again_comes_to_rest(use: ClassUsage) -> None:
    rested = after(*[use] * 4)

    assert after(*[use] * 5) == rested
    assert rested.cooling.get("code", 1.0) in (FACTOR_MIN, 1.0, FACTOR_MAX)


def test_a_tuning_from_before_cools_as_it_did_and_a_broken_one_is_told() -> None:
    document = {"weights": {}, "conflict_sensitivity": 1.2, "entity_share": 0.3, "history": [], "version": 1}

    assert assembly_policy_of(sealed_text(document)).cooling == {}
    for cooling in ({"poems": 2.0}, {"code": "late"}, ["code"]):
        with pytest.raises(DamagedPolicy):
            assembly_policy_of(sealed_text({**document, "cooling": cooling}))
