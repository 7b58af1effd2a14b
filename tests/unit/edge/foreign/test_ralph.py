"""The two files of the loop memory; those beside this test, and their checksums, were written by Node 20."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.learning.staging import Learning
from memory_layer.edge.foreign.javascript_json import parse
from memory_layer.edge.foreign.ralph import checksum, read_ralph
from memory_layer.errors import Invalid, Malformed, MemoryLayerError
from tests.given import FOREIGN_FILES

LEARNINGS = (FOREIGN_FILES / "ralph-learnings.json").read_text()
STAGING = (FOREIGN_FILES / "staging.json").read_text()
NODE_CHECKSUM = "58fef3e01181b2326569cf9c418c4b72cc6eaad022d9b9edbb9dde5ff87bbd5c"

Change = Callable[[dict[str, Any]], object]


def changed(text: str, change: Change) -> str:
    """The file with a change to its first entry, and a checksum that fits it again."""
    document = json.loads(text, parse_int=float)
    name = "learnings" if "learnings" in document else "staged"
    change(document[name][0])
    document["checksum"] = checksum(document[name])
    return json.dumps(document)


def refusal(text: str) -> tuple[str, str]:
    with pytest.raises(Invalid) as refused:
        read_ralph(text)
    first = refused.value.violations[0]
    return first.pointer, first.detail


def test_learnings_are_read_number_for_number() -> None:
    strategy, antipattern, estimate, convention, *_ = read_ralph(LEARNINGS).learnings
    assert strategy.learning == Learning(
        type="strategy",
        task_type="test-fix",
        content="Test-driven development approach",
        detail={"effectiveness": 0.85, "iterations": 12, "successful_iterations": 14},
        confidence=0.85,
        success_rate=0.85,
        source_runs=("ralph-001", "ralph-003"),
    )
    assert (strategy.file_id, strategy.use_count) == ("learn-abc123", 5)
    assert strategy.created_at == datetime(2026, 2, 1, 15, tzinfo=UTC)
    assert strategy.updated_at == datetime(2026, 2, 3, 10, 30, tzinfo=UTC)
    assert antipattern.learning.content == "Avoid: Syntax errors - check code carefully"
    assert antipattern.learning.detail == {"occurrences": 3, "impact": "high", "failed_iterations": 4}
    assert antipattern.learning.source_runs == ("learn-def456",)
    assert estimate.learning.content == (
        "Similar test-fix tasks of medium complexity take about 3 iterations of 45 s each"
    )
    assert estimate.learning.detail["avg_iteration_time_ms"] == 45_000
    assert convention.learning.detail["examples"][0] == "src/auth/login.test.ts"


def test_staged_learnings_keep_their_status() -> None:
    staged = read_ralph(STAGING).staged
    assert [item.status for item in staged] == ["pending", "validated", "rejected", "pending"]
    assert staged[1].validated_at == datetime(2026, 2, 3, 10, 26, tzinfo=UTC)
    assert staged[2].rejection_reason == "Confidence too low (< 0.3)"


def test_the_checksum_is_the_one_that_node_took() -> None:
    document = parse(LEARNINGS)
    assert document["checksum"] == NODE_CHECKSUM == checksum(document["learnings"])


@pytest.mark.parametrize("text", [LEARNINGS, STAGING])
def test_a_file_that_was_tampered_with_is_refused(text: str) -> None:
    """Falls where the checksum is not taken again."""
    pointer, detail = refusal(text.replace("Test-driven", "Test-Driven", 1))
    assert pointer == "/checksum"
    assert "damaged or edited by hand" in detail


@pytest.mark.parametrize(
    ("change", "pointer", "words"),
    [
        (lambda one: one.update(type="rumour"), "/learnings/0/type", "none of: strategy"),
        (lambda one: one.update(type="learning"), "/learnings/0/type", "none of: strategy"),
        (lambda one: one.update(taskType="nap"), "/learnings/0/taskType", "none of: test-fix"),
        (lambda one: one.update(confidence=1.01), "/learnings/0/confidence", "1.01 is out of range"),
        (lambda one: one.update(confidence="high"), "/learnings/0/confidence", "not text"),
        (lambda one: one.update(successRate=-0.1), "/learnings/0/successRate", "out of range"),
        (lambda one: one.pop("confidence"), "/learnings/0/confidence", "not nothing"),
        (lambda one: one.update(useCount=1.5), "/learnings/0/useCount", "no whole number"),
        (lambda one: one.update(useCount=-1.0), "/learnings/0/useCount", "out of range"),
        (lambda one: one.update(createdAt="yesterday"), "/learnings/0/createdAt", "no time with its zone"),
        (lambda one: one.update(createdAt="2026-02-30T00:00:00Z"), "/learnings/0/createdAt", "no time"),
        (lambda one: one.update(updatedAt="2020-01-01T00:00:00Z"), "/learnings/0/updatedAt", "before"),
        (lambda one: one.update(content="text"), "/learnings/0/content", "an object is expected, not text"),
        (lambda one: one["content"].pop("description"), "/learnings/0/content/description", "text is"),
        (lambda one: one["content"].update(iterations=-3.0), "/learnings/0/content/iterations", "range"),
        (lambda one: one.update(sourceLoops=["a", 1.0]), "/learnings/0/sourceLoops/1", "not a number"),
        (lambda one: one.update(id="learn-def456"), "/learnings/1/id", "the id of an earlier one"),
        (lambda one: one.pop("id"), "/learnings/0/id", "text is expected"),
    ],
)
def test_what_is_wrong_in_a_learning_is_told_with_its_pointer(
    change: Change, pointer: str, words: str
) -> None:
    found, detail = refusal(changed(LEARNINGS, change))
    assert found == pointer
    assert words in detail


@pytest.mark.parametrize(
    ("change", "pointer", "words"),
    [
        (lambda one: one.update(status="lost"), "/staged/0/status", "'lost' is none of: pending, validated"),
        (lambda one: one.pop("stagedAt"), "/staged/0/stagedAt", "no time"),
        (lambda one: one.pop("learning"), "/staged/0/learning", "an object is expected, not nothing"),
        (
            lambda one: one.update(status="validated") or one["learning"].update(confidence=0.2),
            "/staged/0/status",
            "validated, and yet: Confidence too low (< 0.3)",
        ),
    ],
)
def test_what_is_wrong_in_the_staging_area_is_told(change: Change, pointer: str, words: str) -> None:
    found, detail = refusal(changed(STAGING, change))
    assert found == pointer
    assert words in detail


@pytest.mark.parametrize("text", ["{}", "[]", "1", '{"learnings_": []}'])
def test_other_documents_are_refused(text: str) -> None:
    assert "neither ralph-learnings.json nor staging.json" in refusal(text)[1]


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ('{"learnings": []}', "/version"),
        ('{"version": "2.0.0", "learnings": []}', "/version"),
        ('{"version": "1.0.0", "learnings": []}', "/checksum"),
        ('{"version": "1.0.0", "checksum": 1, "learnings": []}', "/checksum"),
        (json.dumps({"version": "1.0.0", "checksum": checksum({}), "learnings": {}}), "/learnings"),
        (json.dumps({"version": "1.0.0", "checksum": checksum([1.0]), "learnings": [1.0]}), "/learnings/0"),
    ],
)
def test_the_frame_of_the_file_is_checked(text: str, pointer: str) -> None:
    assert refusal(text)[0] == pointer


@pytest.mark.parametrize(
    ("text", "words"),
    [(LEARNINGS[:700], "may have been cut off"), (LEARNINGS.replace("0.75", "NaN"), "NaN is no number")],
)
def test_what_is_no_json_is_refused(text: str, words: str) -> None:
    with pytest.raises(Malformed, match=words):
        read_ralph(text)


def test_many_mistakes_are_told_at_once() -> None:
    def change(one: dict[str, Any]) -> None:
        one.update(type="rumour", confidence=2.0, useCount=-1.0)

    with pytest.raises(Invalid, match=r"\(and 2 more\)") as refused:
        read_ralph(changed(LEARNINGS, change))
    assert len(refused.value.violations) == 3


def test_what_is_beside_the_format_is_kept_in_our_words() -> None:
    def change(one: dict[str, Any]) -> None:
        one.update(reviewNote="fine")
        one["content"].update(preConditions={"minTests": 3.0})

    first, *_ = read_ralph(changed(LEARNINGS, change)).learnings
    assert first.learning.detail["review_note"] == "fine"
    assert first.learning.detail["pre_conditions"] == {"min_tests": 3}


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
PLACES = st.lists(st.integers(0, 9), min_size=1, max_size=4)


@given(st.sampled_from([LEARNINGS, STAGING]), PLACES, VALUES)
def test_any_document_is_read_or_refused(text: str, place: list[int], value: Any) -> None:
    """One member of the file, anywhere in it, is something else."""

    def change(one: Any) -> None:
        for step, number in enumerate(place):
            keys = list(one) if isinstance(one, dict) else list(range(len(one)))
            key = keys[number % len(keys)]
            if step + 1 < len(place) and isinstance(one[key], dict | list) and one[key]:
                one = one[key]
            else:
                one[key] = value
                return

    with suppress(MemoryLayerError):
        read_ralph(changed(text, change))


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with suppress(MemoryLayerError):
        read_ralph(text)
