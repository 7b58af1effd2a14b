"""Words that are taken over keep the lowest standing of their sources."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from memory_layer.domain.duplicates import merge_duplicates
from memory_layer.domain.learning.promotion import in_other_words, merge_learning
from memory_layer.domain.learning.staging import Learning
from memory_layer.domain.memory import Memory
from memory_layer.domain.policy import Policy
from memory_layer.domain.trust import holds_words, in_words_of, said_by_agent, says_otherwise, taken_over
from tests.given import SCOPE, START, a_memory

SAID = a_memory(SCOPE, "said", content="Pin the base image of the worker.")
TAUGHT = a_memory(
    SCOPE,
    "taught",
    content="Pin it.",
    source="run",
    source_run_id="loop-41",
    confidence=0.4,
    created_by="bot",
)
APPROVED = replace(TAUGHT, id="approved", approved_by="rae", approved_at=START, confidence=1.0)


@pytest.mark.parametrize(
    ("memory", "standing"), [(SAID, "trusted"), (TAUGHT, "unreviewed"), (APPROVED, "trusted")]
)
def test_what_a_person_said_or_a_reviewer_approved_is_trusted(memory: Memory, standing: str) -> None:
    assert memory.standing == standing


@pytest.mark.parametrize("memory", [SAID, APPROVED])
def test_words_taken_over_from_an_unreviewed_memory_lower_the_standing(memory: Memory) -> None:
    """Falls without `taken_over`."""
    lowered = taken_over(memory, [SAID, TAUGHT])
    assert (lowered.standing, lowered.source, lowered.source_run_id) == ("unreviewed", "run", "loop-41")
    assert (lowered.confidence, lowered.approved_by, lowered.approved_at) == (0.4, None, None)


def test_trusted_words_taken_over_raise_nothing_and_lower_nothing() -> None:
    assert taken_over(TAUGHT, [SAID]) is TAUGHT
    assert taken_over(SAID, [APPROVED]) is SAID


def test_words_of_an_agent_are_an_agents_whoever_spoke_before() -> None:
    assert said_by_agent(SAID, 0.5).standing == said_by_agent(APPROVED, 0.5).standing == "unreviewed"
    assert (said_by_agent(SAID, 0.5).source, said_by_agent(SAID, 0.5).confidence) == ("run", 0.5)


def test_labels_and_counts_are_no_words() -> None:
    assert not says_otherwise(
        SAID, replace(SAID, tags=("**",), entities=("urn:a",), use_count=7, pinned=True)
    )
    assert says_otherwise(SAID, replace(SAID, detail={"note": "use latest"}))


@pytest.mark.parametrize(
    ("detail", "is_held"),
    [
        ({}, False),
        ({"occurrences": 3, "ok": True, "rate": None}, False),
        ({"a": {"b": [1, "never pin"]}}, True),
    ],
)
def test_facts_hold_words_where_they_hold_text(detail: dict[str, Any], is_held: bool) -> None:
    assert holds_words(detail) is is_held


def test_a_merge_lowers_by_the_facts_in_words_that_it_takes_over() -> None:
    """Falls without `taken_over` in `merge_duplicates`: an agent's facts would be told as a person's."""
    told = replace(TAUGHT, detail={"suggested_actions": ["use latest"]})
    assert merge_duplicates(SAID, told, START).standing == "unreviewed"
    assert merge_duplicates(told, SAID, START).standing == "unreviewed"


def test_a_merge_that_brings_counts_and_labels_leaves_the_standing() -> None:
    counted = replace(TAUGHT, detail={"occurrences": 3}, tags=("docker",), source_runs=("loop-41",), worked=2)
    united = merge_duplicates(SAID, counted, START)
    assert (united.standing, united.confidence) == ("trusted", 1.0)
    assert (united.tags, united.worked, united.detail["occurrences"]) == (("docker",), 2, 3)


def test_an_approved_learning_takes_over_no_words_of_later_runs() -> None:
    """Falls without `_without_words`: what a run says in other words would be told as approved."""
    approved = replace(
        APPROVED,
        type="learning",
        task_type="feature",
        content="Run the tests first.",
        detail={"runs": 1, "said_in": [{"run": "loop-1", "iterations": 2, "verdict": "worked"}]},
        source_runs=("loop-1",),
    )
    more = Learning(
        type="learning",
        task_type="feature",
        content="Ignore what failed, and ship.",
        detail={"runs": 1, "said_in": [{"run": "loop-2", "iterations": 1, "verdict": "worked"}]},
        confidence=0.3,
        success_rate=None,
        source_runs=("loop-2",),
    )
    merged = merge_learning(approved, in_other_words(more), START, Policy())
    assert (merged.standing, merged.content, merged.detail["runs"]) == ("trusted", approved.content, 2)
    assert [entry["run"] for entry in merged.detail["said_in"]] == ["loop-1", "loop-2"]
    assert "ship" not in str(merged.detail)


def test_an_earlier_version_comes_back_in_its_own_standing() -> None:
    """Falls without `in_words_of`."""
    again = replace(APPROVED, content="Use latest.")
    assert in_words_of(TAUGHT, again, by_reviewer=True).standing == "unreviewed"
    lowered = replace(SAID, source="run", confidence=0.5)
    assert in_words_of(SAID, lowered, by_reviewer=True).standing == "trusted"
    assert in_words_of(SAID, lowered, by_reviewer=False).standing == "unreviewed"
