"""Findings on lines of agents: who finds a line wrong, and what an author's record makes of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest

from memory_layer.domain.learning.author_records import (
    AUTHORS_MAX,
    KEPT,
    NAMED,
    REASONS_KEPT,
    AuthorRecords,
    Lowering,
    RecordReset,
    author_records_of,
    author_records_text,
)
from memory_layer.domain.learning.line_findings import (
    LineFinding,
    Way,
    author_digest,
    finding_on,
    line_digest,
)
from memory_layer.domain.memory import OutcomeResult, Scope
from memory_layer.domain.policy import DamagedText
from memory_layer.domain.verdict_bounds import Speaker
from tests.given import START, a_memory

LINE = replace(a_memory(Scope("acme", "web"), "line", source="run"), created_by="agent:codex:mallory")


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict in force."""

    principal: str
    run_id: str | None
    result: OutcomeResult = "failed"
    speaker: Speaker = "agent"


def found(*said: Said) -> tuple[bool, Way] | None:
    finding = finding_on(LINE, said, START)
    return None if finding is None else (finding.was_wrong, finding.found_by)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ([Said("wren", "r1"), Said("tern", "r2")], (True, "agents")),
        ([Said("wren", "r1", "worked"), Said("tern", "r2", "worked")], (False, "agents")),
        ([Said("wren", "r1"), Said("wren", "r2")], None),
        ([Said("agent:a:wren", "r1"), Said("agent:b:wren", "r2")], None),
        ([Said("wren", "r1"), Said("agent:claude:mallory", "r2")], None),
        ([Said("wren", "r1"), Said("tern", "r1")], None),
        ([Said("wren", "r1"), Said("tern", None)], None),
        ([Said("wren", "r1"), Said("tern", "r2"), Said("tern", "r3", "worked")], None),
        (
            [Said("a", "r1"), Said("b", "r2"), Said("c", "r3", "worked"), Said("d", "r4", "worked")],
            None,
        ),
        ([Said("eve@acme.test", None, speaker="person")], (True, "decision")),
        ([Said("eve@acme.test", "r9", speaker="person")], None),
        ([Said("eve", None, speaker="person"), Said("rae", None, "worked", "reviewer")], (False, "decision")),
        ([Said("eve", None, speaker="person"), Said("rae", None, "partial", "reviewer")], (True, "decision")),
        ([Said("rae", None, speaker="reviewer"), Said("eve", None, "worked", "person")], (True, "decision")),
        ([Said("rae", None, "worked", "reviewer"), Said("eve", None, speaker="person")], (False, "decision")),
        ([Said("rae", None, speaker="reviewer"), Said("max", None, "worked", "reviewer")], (False, "decision")),
        ([Said("rae", "r9", speaker="reviewer"), Said("eve", None, "worked", "person")], (False, "decision")),
        ([Said("rae", None, "worked", "reviewer"), Said("wren", "r1"), Said("tern", "r2")], (False, "decision")),
    ],
    ids=["two", "two for it", "one twice", "one token", "its own token", "one run", "no run", "took back", "as many",
         "a person", "a person's run", "the last of two", "partly says nothing", "a reviewer first",
         "a reviewer for it", "another reviewer", "a reviewer's run", "a person first"],
)  # fmt: skip
def test_who_finds_a_line_wrong(said: list[Said], expected: tuple[bool, Way] | None) -> None:
    assert found(*said) == expected


def test_a_run_is_of_who_reported_it_whoever_named_it_before() -> None:
    said = [Said("wren", "r1"), Said("tern", "r2")]
    assert finding_on(LINE, said, START, owners={"r2": "rook"}) is None
    forestalled = [Said("rook", "r1"), *said]
    found = finding_on(LINE, forestalled, START, owners={"r1": "wren", "r2": "tern"})
    assert found is not None
    assert found.was_wrong


@pytest.mark.parametrize(
    ("successor", "is_wrong"),
    [
        ({}, True),
        ({"created_by": "agent:claude:mallory", "approved_by": "rae", "source": "run"}, False),
        ({"source": "run", "created_by": "wren"}, False),
        ({"created_at": LINE.created_at + timedelta(days=31)}, False),
    ],
    ids=["a person's", "its own", "unreviewed", "late"],
)
def test_what_stands_in_its_place_soon_and_is_vouched_for_corrects_it(
    successor: dict[str, Any], is_wrong: bool
) -> None:
    new = replace(a_memory(LINE.scope, "new", source="human"), **{"created_by": "ada@acme.test", **successor})
    gone = replace(LINE, status="superseded", superseded_by="new")
    assert finding_on(gone, [], START, successor=new) == (
        LineFinding(line_digest(LINE), author_digest(LINE), True, "correction", START.toordinal(), "line")
        if is_wrong
        else None
    )


def test_a_finding_that_is_made_again_keeps_its_day() -> None:
    """Falls where who repeats a verdict keeps it from fading."""
    known = records((1, True, "decision"))
    (finding,) = known.findings
    assert known.with_finding(finding.line, replace(finding, day=finding.day + 90)) is known


def records(*found: tuple[int, bool, Way]) -> AuthorRecords:
    """Records of one author. Args: found: how many lines, if they were wrong, and the way."""
    made = [(wrong, way) for count, wrong, way in found for _ in range(count)]
    each = (
        LineFinding(f"line-{at}", "author", wrong, way, START.toordinal())
        for at, (wrong, way) in enumerate(made)
    )
    after = AuthorRecords()
    for finding in each:
        after = after.with_finding(finding.line, finding)
    return after


@pytest.mark.parametrize(
    ("found", "lowering"),
    [
        ([(1, True, "decision")], None),
        ([(2, True, "decision")], Lowering(0.5, 5)),
        ([(3, True, "correction")], None),
        ([(1, True, "decision"), (2, True, "correction")], Lowering(0.5, 5)),
        ([(2, True, "decision"), (4, False, "decision")], Lowering(0.25, 5)),
        ([(2, True, "decision"), (16, False, "agents")], Lowering(0.5, 5)),
        ([(3, True, "agents")], None),
        ([(16, True, "agents")], Lowering(0.1, 2)),
        ([(2, True, "decision"), (99, False, "decision")], None),
    ],
)
def test_how_much_lower(found: list[tuple[int, bool, Way]], lowering: Lowering | None) -> None:
    """Two who collude neither sink an author far, nor lift one whom people found wrong."""
    assert records(*found).lowered(START) == ({} if lowering is None else {"author": lowering})


def test_it_fades() -> None:
    two = records((2, True, "decision"))
    later = two.lowered(START + timedelta(days=90))
    assert later == {"author": Lowering(pytest.approx(1 / 3), 5)}
    assert two.lowered(START + timedelta(days=365)) == {}


def test_records_are_bounded_and_keep_the_newest() -> None:
    after = AuthorRecords()
    for at in range(AUTHORS_MAX + 1):
        for number in range(KEPT + 1):
            finding = LineFinding(f"{at}-{number}", f"author-{at}", True, "agents", 1)
            after = after.with_finding(finding.line, finding)
    lines = {one.line for one in after.findings}
    assert len(lines) == AUTHORS_MAX * KEPT
    assert {"0-5", "64-0"}.isdisjoint(lines)
    assert {"1-1", "64-16"} < lines


def test_who_ranks_lower_is_not_crowded_out_by_others_who_were_judged() -> None:
    """Falls where the last found are kept alone: a liar is forgiven once 64 others were approved, or rejected once."""
    after = records((2, True, "decision"))
    for at in range(2 * AUTHORS_MAX):
        finding = LineFinding(f"other-{at}", f"author-{at}", at % 2 == 0, "decision", START.toordinal())
        after = after.with_finding(finding.line, finding)
    assert set(after.lowered(START)) == {"author"}


def test_ids_of_memories_are_bounded_too() -> None:
    after = AuthorRecords()
    for at in range(KEPT):
        finding = LineFinding(f"line-{at}", "author", at != 0, "decision", 1, f"mem-{at}")
        after = after.with_finding(finding.line, finding, "liar")
    kept = [one.memory_id for one in after.findings if one.memory_id is not None]
    assert kept == [f"mem-{at}" for at in range(KEPT - NAMED, KEPT)]
    assert after.voices == {"author": "liar"}


def test_resets_are_bounded_and_nothing_that_one_forgave_counts_again() -> None:
    """Falls where the oldest reset goes, and what it forgave stays."""
    after = records((2, True, "decision"))
    after = after.with_reset(RecordReset("author", START, "rae", "why"))
    for at in range(AUTHORS_MAX):
        after = after.with_reset(RecordReset(f"author-{at}", START, "rae", "why"))
    assert len(after.resets) == AUTHORS_MAX
    assert [one.reason for one in after.resets].count("why") == REASONS_KEPT
    assert after.lowered(START) == {}


def test_what_a_reset_forgave_stands_in_no_ones_place() -> None:
    """Falls where an author who was forgiven still counts as one who may rank lower."""
    after = AuthorRecords()
    for at in range(AUTHORS_MAX):
        for number in range(2):
            finding = LineFinding(f"{at}-{number}", f"author-{at}", True, "decision", START.toordinal())
            after = after.with_finding(finding.line, finding)
    for at in range(AUTHORS_MAX // 2, AUTHORS_MAX):
        after = after.with_reset(RecordReset(f"author-{at}", START, "rae"))
    newest = LineFinding("newest", "newest", False, "decision", START.toordinal())
    assert "author-0" in after.lowered(START)
    assert "author-0" in after.with_finding("newest", newest).lowered(START)


def test_they_are_read_as_they_were_written_and_damage_is_told() -> None:
    found = records((2, True, "decision"), (1, False, "agents"))
    kept = replace(found.with_reset(RecordReset("author", START, "rae", "why")), version=3)
    text = author_records_text(kept)
    assert author_records_of(text) == kept
    for damaged in (text.replace("true", "false", 1), text.replace('"digest"', '"dihest"'), "[]", "{"):
        with pytest.raises(DamagedText):
            author_records_of(damaged)
