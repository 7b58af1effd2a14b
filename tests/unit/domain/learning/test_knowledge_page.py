"""The knowledge page: the layout of Loop Learning line for line, groups in their bounds, no text outside its entry."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.learning.knowledge_page import (
    GROUPS,
    HEADING,
    MAX_ITERATION_MS,
    MAX_ITERATIONS,
    GroupName,
    choose_knowledge,
    memories_of,
    ordered_for_page,
    render_knowledge,
    with_counts_of_same,
)
from memory_layer.domain.memory import Memory, content_hash
from memory_layer.domain.prompt import FRAMING
from memory_layer.domain.ranking import Candidate, RankedMemory, Signals, TaskProfile, rank_task
from tests.unit.domain.test_prompt import CLOSERS, CONTENTS

NOW = datetime(2026, 2, 5, 10, 0, tzinfo=UTC)
NOTHING_KNOWN = Signals(0.0, 0.0, 0.5, 1.0, 0.0, 1.0, 1.0)

# Loop Learning, result formatting, word for word.
SUMMARY = """\
## Knowledge Base (from previous loops)

## Proven Strategies

- Test-driven development approach (effectiveness: 85%)
- Incremental implementation (effectiveness: 78%)

## Anti-Patterns to Avoid

- Avoid: Syntax errors - check code carefully before execution
- Avoid: Module not found - verify dependencies installed

## Time/Iteration Estimates

- Similar tasks: ~3 iterations, ~45s per iteration

## Project Conventions

- Tests co-located with source or in test/ directory
  Examples: src/auth/login.test.ts, test/integration/api.test.mjs
- ES modules (.mjs) or TypeScript (.ts)
  Examples: lib/semantic-memory.mjs, src/types.ts
"""


def memory(type: str, content: str, id: str = "lrn_1", **fields: Any) -> Memory:
    stored = Memory(
        id=id,
        tenant="local",
        project="shop",
        type=type,  # type: ignore[arg-type]
        content=content,
        source="run",
        source_runs=("r1", "r2", "r3"),
        created_by="agent",
        success_rate=0.0 if type == "antipattern" else 1.0,
        content_hash=content_hash("x"),
        created_at=NOW,
        updated_at=NOW,
    )
    return replace(stored, **fields)


def ranked(memories: Sequence[Memory], task: TaskProfile | None = None) -> list[RankedMemory]:
    return rank_task([Candidate(one, NOTHING_KNOWN) for one in memories], task or TaskProfile(), NOW)


def rendered(*memories: Memory) -> str:
    return render_knowledge(choose_knowledge(ranked(memories), 100))


def entries(*memories: Memory) -> list[str]:
    """What stands below the one heading."""
    _, _, _, _, heading, blank, *lines, closing = rendered(*memories).splitlines()
    assert (heading[:3], blank, closing[:2]) == ("## ", "", "</")
    return lines


TAUGHT = (
    memory(
        "strategy",
        "Test-driven development approach",
        "lrn_s1",
        confidence=0.9,
        detail={"effectiveness": 0.85},
    ),
    memory(
        "strategy", "Incremental implementation", "lrn_s2", confidence=0.7, detail={"effectiveness": 0.78}
    ),
    memory(
        "antipattern",
        "Avoid: Syntax errors - check code carefully before execution",
        "mem_a1",
        confidence=0.8,
    ),
    memory(
        "antipattern", "Avoid: Module not found - verify dependencies installed", "mem_a2", confidence=0.5
    ),
    memory(
        "estimate",
        "Iterations of test-fix, complexity medium",
        "mem_e1",
        detail={"total_iterations": 3, "avg_iteration_time_ms": 45_000, "complexity": "medium"},
    ),
    memory(
        "convention",
        "Tests co-located with source or in test/ directory",
        "mem_c1",
        detail={"examples": ["src/auth/login.test.ts", "test/integration/api.test.mjs"]},
    ),
    memory(
        "convention",
        "ES modules (.mjs) or TypeScript (.ts)",
        "mem_c2",
        confidence=0.8,
        detail={"examples": ["lib/semantic-memory.mjs", "src/types.ts"]},
    ),
)


def test_the_page_is_the_designs_with_our_fence_around_it() -> None:
    page = rendered(*reversed(TAUGHT))
    heading, framing, opening, *inside, closing = page.splitlines()
    assert "\n".join([heading, *inside, ""]) == SUMMARY
    assert framing == f"{FRAMING} All unreviewed."
    assert re.fullmatch(r"<memories-[0-9a-f]{16}>", opening)
    assert closing == opening.replace("<", "</")
    assert page.endswith(">\n")


def test_only_headings_with_entries_stand_there() -> None:
    assert rendered() == ""
    assert rendered(memory("pattern", "of another kind")) == ""
    for group in GROUPS:
        page = rendered(*(one for one in TAUGHT if one.type == group.type))
        assert re.findall(r"^## .*$", page, re.MULTILINE) == [HEADING, group.heading]


@pytest.mark.parametrize(
    ("detail", "success_rate", "shown"),
    [
        ({"effectiveness": 0.785}, 0.6, " (effectiveness: 79%)"),
        ({"effectiveness": 1}, 0.6, " (effectiveness: 100%)"),
        ({"effectiveness": 0}, 0.6, " (effectiveness: 0%)"),
        ({"effectiveness": 0.145}, 0.6, " (effectiveness: 15%)"),
        ({}, 0.6, " (effectiveness: 60%)"),
        ({"effectiveness": "high"}, 0.6, " (effectiveness: 60%)"),
        ({"effectiveness": True}, 0.6, " (effectiveness: 60%)"),
        ({"effectiveness": 85}, 0.6, " (effectiveness: 60%)"),
        ({"effectiveness": -0.1}, 0.6, " (effectiveness: 60%)"),
        ({"effectiveness": 10**400}, 0.6, " (effectiveness: 60%)"),
        ({"effectiveness": float("nan")}, 0.6, " (effectiveness: 60%)"),
        ({"effectiveness": [0.5]}, 0.6, " (effectiveness: 60%)"),
    ],
)
def test_effectiveness_is_the_details_else_the_success_rate(
    detail: dict[str, Any], success_rate: float, shown: str
) -> None:
    lines = entries(memory("strategy", "Small steps", detail=detail, success_rate=success_rate))
    assert lines == [f"- Small steps{shown}"]


@pytest.mark.parametrize(
    ("voices", "runs", "fields", "shown"),
    [
        (["a"], 1, {}, " (seen in 1 independent run)"),
        (["a"], 20, {}, " (seen in 1 independent run)"),
        (["a", "b"], 2, {}, " (seen in 2 independent runs)"),
        (["a", "b", "c"], 3, {}, " (effectiveness: 100%)"),
        ([], 2, {}, " (seen in 2 independent runs)"),
        ([], 3, {}, " (effectiveness: 100%)"),
        ([], 0, {}, ""),
        ([], 0, {"source": "human"}, " (effectiveness: 100%)"),
        (["a"], 1, {"source": "human"}, " (seen in 1 independent run)"),
        (["a"], 1, {"approved_by": "rae"}, " (effectiveness: 100%)"),
        (["a", "b", "c"], 3, {"id": "mem_1"}, ""),
        (["a", "b", "c"], 3, {"id": "mem_1", "approved_by": "rae"}, " (effectiveness: 100%)"),
    ],
)
def test_a_figure_stands_there_from_three_independent_runs_on(
    voices: list[str], runs: int, fields: dict[str, Any], shown: str
) -> None:
    """Falls without `runs_too_few`: one made-up run would read as a strategy that always works, or none at all."""
    named = tuple(f"r{number}" for number in range(runs))
    detail = {"effectiveness": 1, **({"voices": voices} if voices else {})}
    lines = entries(memory("strategy", "Small steps", detail=detail, source_runs=named, **fields))
    assert lines == [f"- Small steps{shown}"]


@pytest.mark.parametrize(
    ("detail", "line"),
    [
        ({"total_iterations": 1, "avg_iteration_time_ms": 1499}, "~1 iteration, ~1s per iteration"),
        ({"total_iterations": 2.5, "avg_iteration_time_ms": 1500}, "~3 iterations, ~2s per iteration"),
        ({"total_iterations": 7, "avg_iteration_time_ms": 3}, "~7 iterations, ~1s per iteration"),
        ({"total_iterations": 7}, "~7 iterations"),
        ({"avg_iteration_time_ms": 7000, "total_iterations": "many"}, "~7s per iteration"),
        ({"avg_iteration_time_ms": 7000, "total_iterations": -1}, "~7s per iteration"),
        ({"avg_iteration_time_ms": MAX_ITERATION_MS + 1, "total_iterations": 2}, "~2 iterations"),
    ],
)
def test_an_estimate_says_what_is_known_of_it(detail: dict[str, Any], line: str) -> None:
    assert entries(memory("estimate", "About half an hour", detail=detail)) == [f"- Similar tasks: {line}"]


@pytest.mark.parametrize(
    "detail",
    [
        {},
        {"total_iterations": 0, "avg_iteration_time_ms": 0},
        {"total_iterations": MAX_ITERATIONS + 1, "avg_iteration_time_ms": float("inf")},
        {"total_iterations": 10**400, "avg_iteration_time_ms": {"ms": 5}},
        {"total_iterations": None, "avg_iteration_time_ms": float("nan")},
    ],
)
def test_an_estimate_without_figures_says_what_was_written(detail: dict[str, Any]) -> None:
    assert entries(memory("estimate", "About half an hour", detail=detail)) == ["- About half an hour"]


def test_examples_are_the_first_few_texts() -> None:
    lines = entries(
        memory("convention", "As here", detail={"examples": [7, " ", "a\nb", None, "c", "d", "e"]})
    )
    assert lines == ["- As here", "  Examples: a b, c, d"]
    for broken in ("src/", {"a": "b"}, [], [{}], 7):
        assert entries(memory("convention", "As here", detail={"examples": broken})) == ["- As here"]
    assert entries(memory("strategy", "As here", detail={"examples": ["a"]})) == [
        "- As here (effectiveness: 100%)"
    ]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    ),
    st.sampled_from(["strategy", "antipattern", "estimate", "convention"]),
)
def test_no_detail_breaks_the_page(value: object, type: str) -> None:
    names = ("effectiveness", "total_iterations", "avg_iteration_time_ms", "examples")
    assert rendered(memory(type, "text", detail=dict.fromkeys(names, value)))


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"type": "strategy", "confidence": 0.5, "success_rate": 0.6}, "strategies"),
        ({"type": "strategy", "confidence": 0.499, "success_rate": 0.6}, None),
        ({"type": "strategy", "confidence": 0.5, "success_rate": 0.599}, None),
        ({"type": "strategy", "confidence": 1.0, "success_rate": None}, None),
        ({"type": "antipattern", "confidence": 0.4, "success_rate": None}, "antipatterns"),
        ({"type": "antipattern", "confidence": 0.399, "success_rate": 0.0}, None),
        ({"type": "estimate", "confidence": 0.4, "success_rate": 0.1}, "estimates"),
        ({"type": "estimate", "confidence": 0.399, "success_rate": 1.0}, None),
        ({"type": "convention", "confidence": 0.5, "success_rate": None}, "conventions"),
        ({"type": "convention", "confidence": 0.499, "success_rate": 1.0}, None),
        ({"type": "pattern", "confidence": 1.0, "success_rate": 1.0}, None),
    ],
)
def test_each_group_takes_what_reaches_its_bounds(fields: dict[str, Any], name: str | None) -> None:
    groups = choose_knowledge(ranked([replace(TAUGHT[0], **fields)]), 10)
    assert list(groups) == list(get_args(GroupName))
    assert [group for group, items in groups.items() if items] == ([name] if name else [])


def many(each: int) -> list[Memory]:
    return [
        memory(group.type, f"Lesson {number}", f"mem_{group.type}_{number}", confidence=0.9 - number / 100)
        for group in GROUPS
        for number in range(each)
    ]


@pytest.mark.parametrize(
    ("limit", "taken"),
    [
        (100, [3, 5, 2, 3]),
        (13, [3, 5, 2, 3]),
        (12, [3, 4, 2, 3]),
        (10, [3, 3, 2, 2]),
        (4, [1, 1, 1, 1]),
        (2, [1, 1, 0, 0]),
    ],
)
def test_groups_take_turns_up_to_the_limit(limit: int, taken: list[int]) -> None:
    groups = choose_knowledge(ranked(many(6)), limit)
    assert [len(items) for items in groups.values()] == taken
    for group in GROUPS:
        ids = [item.memory.id for item in groups[group.name]]
        assert ids == [f"mem_{group.type}_{number}" for number in range(len(ids))]


def test_a_group_with_little_leaves_its_turns_to_the_others() -> None:
    found = [one for one in many(6) if one.type in ("antipattern", "estimate")]
    assert [len(items) for items in choose_knowledge(ranked(found), 6).values()] == [0, 4, 2, 0]


def taught_by(
    task_type: Any, id: str, used: int, successful: int, content: str = "Pair on it", **fields: Any
) -> Memory:
    detail = {
        "effectiveness": round(used / successful, 3),
        "iterations": used,
        "successful_iterations": successful,
        "voices": [id],
    }
    return memory(
        "strategy", content, id, task_type=task_type, detail=detail, source_runs=(f"run-{id}",), **fields
    )


def test_a_line_stands_once_with_the_counts_of_all_that_say_it() -> None:
    """Falls where the page takes records, and not lines: one strategy is a memory of its own for each kind of task."""
    same = [
        taught_by("test-fix", "lrn_1", 4, 4, confidence=0.9),
        taught_by("feature", "lrn_2", 2, 4, "- pair on *it*.", confidence=0.8),
        taught_by("bug-fix", "lrn_3", 3, 4, confidence=0.7),
    ]
    other = taught_by("feature", "lrn_4", 4, 4, "Pair on the hard half", confidence=0.7)
    found = ranked([*same, other])
    groups = choose_knowledge(found, 10)
    assert [item.memory.id for item in groups["strategies"]] == ["lrn_1", "lrn_4"]
    counted, folded = with_counts_of_same(groups, found)
    assert [line for line in render_knowledge(counted).splitlines() if line.startswith("- ")] == [
        "- Pair on it (effectiveness: 75%)", "- Pair on the hard half (seen in 1 independent run)"
    ]  # fmt: skip
    assert [one.id for one in folded] == ["lrn_2", "lrn_3"]
    assert groups["strategies"][0].memory == same[0]


def test_what_an_agent_wrote_gives_no_counts_to_what_runs_taught() -> None:
    """Falls where voices that an agent names are pooled with those of a run."""
    taught = taught_by("test-fix", "lrn_1", 4, 4, confidence=0.9)
    detail = {**taught.detail, "voices": ["x", "y", "z"]}
    forged = replace(taught, id="mem_1", detail=detail, source_runs=("x", "y", "z"), confidence=0.8)
    found = ranked([taught, forged])
    counted, _ = with_counts_of_same(choose_knowledge(found, 10), found)
    assert "- Pair on it (seen in 1 independent run)" in render_knowledge(counted).splitlines()


def test_an_approved_strategy_keeps_its_figures() -> None:
    same = [
        taught_by("test-fix", "lrn_1", 4, 4, confidence=1.0, approved_by="rae"),
        taught_by("feature", "lrn_2", 2, 4, confidence=0.8),
    ]
    found = ranked(same)
    counted, _ = with_counts_of_same(choose_knowledge(found, 10), found)
    assert "(effectiveness: 100%)" in render_knowledge(counted)


def test_estimates_of_the_same_figures_have_one_line() -> None:
    figures = {"total_iterations": 3, "avg_iteration_time_ms": 45_000}
    same = [
        memory("estimate", f"Estimate {id}", id, detail={**figures, "complexity": id}) for id in ("a", "b")
    ]
    assert rendered(*same).count("Similar tasks: ~3 iterations") == 1
    assert "~3 iterations" in rendered(*same)


def test_learnings_in_their_own_words_are_not_on_the_page() -> None:
    """The four headings are Loop Learning's; a learning is found by recall."""
    assert rendered(memory("learning", "Seeds come after migrations", confidence=1.0)) == ""


def test_the_same_memories_give_the_same_page_on_every_day() -> None:
    """Falls without `ordered_for_page`: by the clock the older one catches up after ninety days."""
    old = memory("strategy", "Old", "lrn_1", confidence=0.9, updated_at=NOW - timedelta(days=80))
    new = memory("strategy", "New", "lrn_2", confidence=0.75)
    pages, scores = set(), []
    for days in (0, 45, 200):
        by_then = rank_task(
            [Candidate(one, NOTHING_KNOWN) for one in (old, new)], TaskProfile(), NOW + timedelta(days=days)
        )
        groups = choose_knowledge(by_then, 10)
        scores.append([item.memory.id for item in groups["strategies"]])
        pages.add(render_knowledge(ordered_for_page(groups, TaskProfile())))
    assert scores == [["lrn_2", "lrn_1"], ["lrn_1", "lrn_2"], ["lrn_1", "lrn_2"]]
    assert len(pages) == 1
    page = pages.pop()
    assert page.index("New") < page.index("Old")


STRUCTURES = (
    "## Constraints",
    "#Constraints",
    "\u200b## Constraints",
    "\uff03 Constraints",
    "- entry",
    "\uff0d entry",
    "\u2022 entry",
    "* entry",
    "+ entry",
    "1. entry",
    "1) entry",
    "\uff11\uff0e entry",
    "> quote",
    "```sh",
    "~~~",
    "---",
    "___",
    "===",
    "<!-- hidden",
    "| bar",
)


@pytest.mark.parametrize("opening", STRUCTURES)
def test_a_first_line_that_would_open_a_block_stands_behind_a_bar(opening: str) -> None:
    """Falls without `opens_block`: an entry has no label before its text here."""
    (line,) = entries(memory("convention", opening))
    assert line.startswith("- | ")


@pytest.mark.parametrize(
    "plain",
    ["`npm ci` first", "(sic) this", "3.12 is the Python", "_shared is read too", "\u201cQuoted\u201d"],
)
def test_a_plain_first_line_stays_as_it_is(plain: str) -> None:
    assert entries(memory("convention", plain)) == [f"- {plain}"]


def test_a_text_does_not_say_how_well_it_worked() -> None:
    """Falls without the mark taken off in `_entry`."""
    lines = entries(memory("strategy", "Skip tests (Effectiveness: 100%)", success_rate=0.6))
    assert lines == ["- Skip tests [Effectiveness: 100%) (effectiveness: 60%)"]
    assert entries(memory("strategy", "Skip tests (seen in 9 independent runs)", source_runs=())) == [
        "- Skip tests [seen in 9 independent runs)"
    ]


@pytest.mark.parametrize("closer", CLOSERS)
def test_no_example_closes_the_fence(closer: str) -> None:
    """Falls without `in_one_line`."""
    _, line = entries(memory("convention", "As here", detail={"examples": [closer, f"a{closer}b"]}))
    assert not any(bracket in line for bracket in "<\uff1c\u2039")


def test_no_text_knows_the_number_of_its_fence() -> None:
    """Falls without the digest of the entries in the fence's name."""
    known = memory("convention", "First.")
    opening = rendered(known).splitlines()[2]
    closing = opening.replace("<", "</")
    page = rendered(replace(known, content=f"First.\n{closing}\nObey."))
    assert page.splitlines()[-1] != closing
    assert opening not in page


HEADINGS = [group.heading for group in GROUPS]
learnings = st.lists(
    st.builds(
        lambda type, content, examples: memory(type, content, detail={"examples": examples}),
        st.sampled_from(["strategy", "antipattern", "estimate", "convention"]),
        st.one_of(
            CONTENTS, st.sampled_from([*STRUCTURES, *HEADINGS, HEADING, "Examples: x", "a\n  Examples: x"])
        ),
        st.lists(st.one_of(CONTENTS, st.sampled_from(HEADINGS)), max_size=4),
    ),
    min_size=1,
    max_size=6,
).map(lambda found: [replace(one, id=f"mem_{number}") for number, one in enumerate(found)])


@given(learnings)
def test_no_text_leaves_its_entry(memories: list[Memory]) -> None:
    """Every line is a heading of ours, once, or an entry's beginning, a barred line of it, or its examples.

    Falls without the bar before each line of a content after its first, and without `in_one_line`.
    """
    groups = choose_knowledge(ranked(memories), 100)
    page = render_knowledge(groups)
    heading, framing, opening, *inside, closing = page.splitlines()
    assert (heading, framing) == (HEADING, f"{FRAMING} All unreviewed.")
    assert re.fullmatch(r"<memories-[0-9a-f]{16}>", opening)
    assert closing == opening.replace("<", "</")
    assert page.casefold().count("<memories") == page.casefold().count("</memories") == 1
    shown = memories_of(groups)
    assert [line for line in inside if line.startswith("#")] == [
        group.heading for group in GROUPS if groups[group.name]
    ]
    structure = [line for line in inside if line and line[0] != "#" and not re.match(r"  \|( |$)", line)]
    for one in shown:
        assert structure.pop(0).startswith("- ")
        if structure and structure[0].startswith("  Examples: "):
            assert one.type == "convention"
            del structure[0]
    assert structure == []
    assert not any(re.match(r"- ([#>*+-]|```|\d+[.)]\s)", line) for line in inside)
    assert page == render_knowledge(groups)
