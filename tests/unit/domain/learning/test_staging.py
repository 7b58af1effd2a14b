"""Learnings on their way to memories: the reasons of Loop Learning, validation criteria; what becomes of the rows."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.learning.run import Run
from memory_layer.domain.learning.run_extraction import extract
from memory_layer.domain.learning.staging import (
    StagedLearning,
    learning_id,
    mark_promoted,
    reject_learning,
    staged_id,
    validate,
    validate_staged,
)
from tests.unit.domain.learning.learning_examples import antipattern, convention, estimate, runs, strategy

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
VALID = {
    "type": "strategy",
    "task_type": "test-fix",
    "content": "x",
    "confidence": 0.85,
    "success_rate": 0.85,
}
PENDING = StagedLearning(id="stg_1", run_id="r1", learning=strategy("r1"), staged_at=NOW, created_by="a")
LATER = NOW + timedelta(hours=1)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"type": ""}, "Missing required fields"),
        ({"task_type": None}, "Missing required fields"),
        ({"content": ""}, "Missing required fields"),
        ({"content": " \n"}, "Missing required fields"),
        ({"content": {}}, "Missing required fields"),
        ({"type": "insight"}, "Invalid type: insight"),
        ({"type": ["strategy"]}, 'Invalid type: ["strategy"]'),
        ({"confidence": -0.001}, "Confidence must be between 0 and 1"),
        ({"confidence": 1.001}, "Confidence must be between 0 and 1"),
        ({"confidence": None}, "Confidence must be between 0 and 1"),
        ({"confidence": "0.5"}, "Confidence must be between 0 and 1"),
        ({"confidence": True}, "Confidence must be between 0 and 1"),
        ({"confidence": float("nan")}, "Confidence must be between 0 and 1"),
        ({"confidence": 10**400}, "Confidence must be between 0 and 1"),
        ({"success_rate": -1}, "Success rate must be between 0 and 1"),
        ({"success_rate": float("inf")}, "Success rate must be between 0 and 1"),
        ({"success_rate": False}, "Success rate must be between 0 and 1"),
        ({"confidence": 0.299}, "Confidence too low (< 0.3)"),
        ({"type": "antipattern", "success_rate": 0.201}, "Anti-patterns should have low success rate"),
        ({"success_rate": 0.499}, "Strategies should have success rate >= 0.5"),
    ],
)
def test_reasons(wrong: dict[str, Any], reason: str) -> None:
    assert validate({**VALID, **wrong}) == reason


SAID = {"type": "learning", "success_rate": None, "confidence": 0.3}


def test_a_learning_needs_no_success_rate() -> None:
    assert validate({**VALID, **SAID}) is None
    assert validate({**VALID, **SAID, "success_rate": 0.1}) is None


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"confidence": 0.299}, "Confidence too low (< 0.3)"),
        ({"success_rate": 1.5}, "Success rate must be between 0 and 1"),
        ({"content": " "}, "Missing required fields"),
        ({"type": "strategy"}, "Success rate must be between 0 and 1"),
    ],
)
def test_reasons_against_a_learning(wrong: dict[str, Any], reason: str) -> None:
    assert validate({**VALID, **SAID, **wrong}) == reason


def test_the_first_reason_is_told_in_the_order_of_the_design() -> None:
    wrong: dict[str, Any] = {"type": "insight", "confidence": 2, "success_rate": 2}
    assert validate(wrong) == "Missing required fields"
    wrong |= {"task_type": "feature", "content": "x"}
    assert validate(wrong) == "Invalid type: insight"
    wrong |= {"type": "strategy"}
    assert validate(wrong) == "Confidence must be between 0 and 1"
    wrong |= {"confidence": 0.1}
    assert validate(wrong) == "Success rate must be between 0 and 1"
    wrong |= {"success_rate": 0.1}
    assert validate(wrong) == "Confidence too low (< 0.3)"
    wrong |= {"confidence": 0.3}
    assert validate(wrong) == "Strategies should have success rate >= 0.5"


@pytest.mark.parametrize(
    "right",
    [
        {},
        {"confidence": 0.3, "success_rate": 0.5},
        {"confidence": 1, "success_rate": 1},
        {"type": "antipattern", "success_rate": 0.2},
        {"type": "antipattern", "success_rate": 0},
        {"type": "estimate", "success_rate": 0.0},
        {"type": "convention", "success_rate": 0.1},
    ],
)
def test_what_is_just_good_enough(right: dict[str, Any]) -> None:
    assert validate({**VALID, **right}) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(sorted(VALID)) | st.text(max_size=5), JSON))
def test_every_json_object_is_judged(learning: dict[str, Any]) -> None:
    reason = validate(learning)
    assert reason is None or (reason and len(reason) < 200)


@given(runs)
def test_what_is_extracted_has_all_fields(told: Run) -> None:
    weak = {"Confidence too low (< 0.3)", None}
    for learning in extract(told):
        document = {name: getattr(learning, name) for name in VALID}
        assert validate(document) in weak


def test_the_same_learning_has_the_same_id_from_whatever_run() -> None:
    one = strategy("r1", 3, 4, said="Read the Straße")
    assert learning_id(one, None) == learning_id(strategy("r2", 9, 9, said="READ THE STRASSE"), None)
    assert learning_id(one, None).startswith("lrn_")
    assert len(learning_id(one, None)) == 36
    assert learning_id(estimate("r1", 1, 0, 10, 3), None) == learning_id(estimate("r2", 4, 2, 99, 5), None)
    assert learning_id(convention("r1", "a"), None) == learning_id(convention("r2", "b"), None)


def test_ids_are_what_they_were() -> None:
    """Memories carry them: they may never change."""
    assert learning_id(strategy("r1", said="Pair on it"), None) == "lrn_473a87cf0c87bef9e61af146120f7d02"
    assert staged_id("r1", "lrn_1") == "stg_8c83aee922f30fe79a8bf639f49fd869"


def test_what_tells_learnings_apart_tells_their_ids_apart() -> None:
    one = strategy("r1")
    slow = replace(estimate("r1", 1, 0, 10, 3), detail={"complexity": "high"})
    ids = [
        learning_id(one, None),
        learning_id(one, "ops"),
        learning_id(replace(one, task_type="refactor"), None),
        learning_id(replace(one, content="other"), None),
        learning_id(replace(one, type="convention"), None),
        learning_id(estimate("r1", 1, 0, 10, 3), None),
        learning_id(slow, None),
    ]
    assert len(set(ids)) == len(ids)


def test_a_learning_is_staged_once_a_run() -> None:
    assert staged_id("r1", "lrn_1") == staged_id("r1", "lrn_1")
    assert len({staged_id("r1", "lrn_1"), staged_id("r2", "lrn_1"), staged_id("r1", "lrn_2")}) == 3
    assert staged_id("r1", "lrn_1").startswith("stg_")


def test_judging_passes_or_rejects_with_the_reason() -> None:
    assert validate_staged(PENDING, LATER) == replace(
        PENDING, status="validated", validated_at=LATER, version=2
    )
    weak = replace(PENDING, learning=antipattern("r1", 2, 10))
    reason = "Confidence too low (< 0.3)"
    assert validate_staged(weak, LATER) == replace(
        weak, status="rejected", rejection_reason=reason, decided_at=LATER, version=2
    )


def test_what_was_decided_stays() -> None:
    """The safeguard is the status: a rejected learning would else be judged, and promoted, again."""
    validated = validate_staged(PENDING, NOW)
    rejected = reject_learning(PENDING, "no", "r@x", NOW).staged
    done = mark_promoted(validated, "lrn_1", is_merged=False, by="a", at=NOW)
    for settled in (validated, rejected, done):
        assert validate_staged(settled, LATER) is settled
    for settled in (PENDING, rejected, done):
        assert mark_promoted(settled, "lrn_2", is_merged=True, by="b", at=LATER) is settled


def test_promotion_says_who_and_what_became_of_it() -> None:
    validated = validate_staged(PENDING, NOW)
    assert mark_promoted(validated, "lrn_1", is_merged=True, by="a", at=LATER) == replace(
        validated,
        status="promoted",
        memory_id="lrn_1",
        is_merged=True,
        decided_by="a",
        decided_at=LATER,
        version=3,
    )


def test_people_refuse_what_is_not_promoted_yet() -> None:
    for waiting in (PENDING, validate_staged(PENDING, NOW)):
        assert reject_learning(waiting, "not so", "r@x", LATER) == (
            replace(
                waiting,
                status="rejected",
                rejection_reason="not so",
                decided_by="r@x",
                decided_at=LATER,
                version=waiting.version + 1,
            ),
            None,
        )
    rejected = reject_learning(PENDING, "no", "r@x", NOW).staged
    assert reject_learning(rejected, "no!", "s@x", LATER) == (rejected, None)
    done = mark_promoted(validate_staged(PENDING, NOW), "lrn_1", is_merged=False, by="a", at=NOW)
    same, problem = reject_learning(done, "no", "r@x", LATER)
    assert same is done
    assert problem == "stg_1 is promoted; reject the memory lrn_1 that it became instead"


def test_a_reason_is_kept_as_far_as_there_is_room() -> None:
    assert len(reject_learning(PENDING, "x" * 9_000, "r@x", NOW).staged.rejection_reason or "") == 1_024
