"""Profiles give the designs' numbers, and fame never beats relevance by more than the margin."""

from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.memory import Category, Memory, content_hash, to_thousandths
from memory_layer.domain.ranking import (
    CATEGORY_BOOSTS,
    LEARNED_WEIGHTS,
    RELEVANCE_MARGIN,
    Candidate,
    RankedMemory,
    Signals,
    TaskProfile,
    error_matcher,
    rank_governed,
    rank_task,
    task_score,
)
from memory_layer.domain.scope_tags import WriteScope, tags_match
from tests.single_rows import learned_score, rank_learned, signals_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MEMORY = Memory(
    id="m0",
    tenant="t",
    project="p",
    content="text",
    content_hash=content_hash("text"),
    created_by="a",
    created_at=NOW,
    updated_at=NOW,
)
PLAIN = Signals(0.5, 0.0, 0.5, 1.0, 0.0, 1.0, 1.0)


def aged(days: float) -> datetime:
    return NOW - timedelta(days=days)


def signals(memory: Memory, intent: Category | None = None, semantic: float = 0.5) -> Signals:
    return signals_of(memory, semantic=semantic, lexical=0.1, intent=intent, now=NOW, outcome_model="fixed")


def candidate(id: str, **values: float) -> Candidate:
    return Candidate(replace(MEMORY, id=id), replace(PLAIN, **values))


def ids(ranked: list[RankedMemory]) -> list[str]:
    return [item.memory.id for item in ranked]


def test_the_learned_formula() -> None:
    assert sum(LEARNED_WEIGHTS.values()) == pytest.approx(1.0)
    score = learned_score(Signals(0.8, 0.3, 0.6, 0.4, 0.2, 0.9, 1.5))
    assert score == pytest.approx((0.28 + 0.15 + 0.06 + 0.03 + 0.09) * 1.5)


def test_signals_of_a_memory() -> None:
    used = replace(
        MEMORY, outcome_score=0.2, use_count=9, confidence=0.7, updated_at=aged(30.9), category="gotcha"
    )
    got = signals(used, "gotcha")
    assert (got.semantic, got.lexical, got.outcome, got.confidence, got.boost) == (0.5, 0.1, 0.6, 0.7, 1.4)
    assert got.recency == pytest.approx(math.exp(-1))  # whole days
    assert got.frequency == pytest.approx(0.5)
    assert signals(replace(used, use_count=10_000)).frequency == 1.0
    assert signals(replace(used, updated_at=NOW + timedelta(hours=5))).recency == 1.0


def test_boosts_are_for_memories_of_the_category_asked_for() -> None:
    assert {
        category: signals(replace(MEMORY, category=category), category).boost for category in CATEGORY_BOOSTS
    } == {
        "troubleshooting": 1.5,
        "gotcha": 1.4,
        "decision": 1.4,
        "pattern": 1.3,
        "convention": 1.3,
        "architecture": 1.2,
        "command": 1.2,
        "workaround": 1.1,
    }
    assert signals(replace(MEMORY, category="todo"), "todo").boost == 1.0
    assert signals(replace(MEMORY, category="gotcha"), "decision").boost == 1.0
    assert signals(replace(MEMORY, category="gotcha")).boost == 1.0


def test_the_design_example_of_a_boost() -> None:
    """A fix is promoted over a slightly better match when the query asks about errors."""
    pattern, fix = candidate("pattern", semantic=0.72), candidate("fix", semantic=0.68)
    assert ids(rank_learned([pattern, fix])) == ["pattern", "fix"]
    boosted = candidate("fix", semantic=0.68, boost=1.5)
    assert ids(rank_learned([pattern, boosted])) == ["fix", "pattern"]


unit = st.floats(0.0, 1.0)
candidate_lists = st.lists(
    st.builds(Signals, unit, unit, unit, unit, unit, unit, st.sampled_from([1.0, 1.1, 1.2, 1.3, 1.4, 1.5])),
    max_size=20,
).map(lambda found: [Candidate(replace(MEMORY, id=f"m{n:02}"), s) for n, s in enumerate(found)])


@given(candidate_lists, st.floats(0.0, 1.0), st.randoms())
def test_fame_never_beats_relevance_by_more_than_the_margin(
    found: list[Candidate], margin: float, random: object
) -> None:
    ranked = rank_learned(found, margin=margin)
    for before, after in combinations(ranked, 2):
        assert after.signals.semantic <= before.signals.semantic + margin + 1e-9
    random.shuffle(found)  # type: ignore[attr-defined]
    assert rank_learned(found, margin=margin) == ranked


@given(candidate_lists)
def test_equal_relevance_leaves_it_to_experience(found: list[Candidate]) -> None:
    level = [Candidate(c.memory, replace(c.signals, semantic=0.5, boost=1.0)) for c in found]
    scores = [item.score for item in rank_learned(level)]
    assert scores == pytest.approx(sorted(scores, reverse=True))


@given(candidate_lists)
def test_where_score_and_place_disagree_the_first_is_more_relevant(found: list[Candidate]) -> None:
    unboosted = [Candidate(c.memory, replace(c.signals, boost=1.0)) for c in found]
    for before, after in combinations(rank_learned(unboosted), 2):
        if before.score < after.score - 1e-9:
            assert before.signals.semantic > after.signals.semantic


@given(candidate_lists.filter(len), st.sampled_from(["semantic", "outcome", "recency", "confidence"]))
def test_a_better_signal_never_costs_a_place(found: list[Candidate], name: str) -> None:
    first = found[0]
    place = ids(rank_learned(found)).index("m00")
    better = Candidate(first.memory, replace(first.signals, **{name: 1.0}))
    assert ids(rank_learned([better, *found[1:]])).index("m00") <= place


def test_ties_break_by_id() -> None:
    assert ids(rank_learned([candidate("b"), candidate("a"), candidate("c")])) == ["a", "b", "c"]
    assert RELEVANCE_MARGIN > 0.0


def test_governed_puts_the_scope_first_then_standing() -> None:
    found = [
        Candidate(replace(MEMORY, id="far", confidence=1.0, tags=("docs",)), PLAIN),
        Candidate(replace(MEMORY, id="low", confidence=0.3, tags=("src/core/**",)), PLAIN),
        Candidate(
            replace(MEMORY, id="near", confidence=0.9, relevance_score=0.5, tags=("src/core/**",)), PLAIN
        ),
        Candidate(replace(MEMORY, id="out", confidence=0.299, tags=("src/core/**",)), PLAIN),
        Candidate(replace(MEMORY, id="far2", confidence=1.0), PLAIN),
    ]
    ranked = rank_governed(found, WriteScope(["src/core/pool.py"]))
    assert ids(ranked) == ["near", "low", "far", "far2"]
    assert [item.score for item in ranked] == pytest.approx([2.45, 2.3, 1.0, 1.0])


@pytest.mark.parametrize(
    ("tag", "scope", "match"),
    [
        ("src/core/**", "src/core/db.py", True),
        ("src/core/db.py", "src/core/**", True),
        ("Testing", "testing", True),
        ("testing", "tests", False),
        ("src/**", "src/core/**", True),
        ("docs/**", "src/core/**", False),
    ],
)
def test_tags_and_scope_meet_both_ways(tag: str, scope: str, match: bool) -> None:
    assert tags_match([tag], [scope]) is match
    assert not tags_match([], [scope])
    assert not tags_match([tag], [])


def test_the_design_example_of_task_relevance() -> None:
    """0.859 against 0.563, as Loop Learning computes them."""
    task = TaskProfile(task_type="test-fix")
    a = replace(
        MEMORY, confidence=0.8, task_type="test-fix", success_rate=0.75, updated_at=aged(10), type="strategy"
    )
    b = replace(
        MEMORY, confidence=0.9, task_type="feature", success_rate=0.85, updated_at=aged(60), type="strategy"
    )
    assert to_thousandths(task_score(a, task, None, NOW)) == 0.859
    assert to_thousandths(task_score(b, task, None, NOW)) == 0.563


def test_parts_of_task_relevance() -> None:
    bare = replace(MEMORY, confidence=0.0, updated_at=aged(90))
    assert task_score(bare, TaskProfile(), None, NOW) == pytest.approx(0.1)  # success unknown counts one half
    assert task_score(replace(bare, updated_at=aged(500)), TaskProfile(), None, NOW) == pytest.approx(0.1)


def test_a_known_error_lifts_its_anti_pattern() -> None:
    known = error_matcher(["Module  not found", " "])
    text = "Avoid: module not found - verify dependencies installed"
    anti = replace(MEMORY, type="antipattern", content=text)
    base = task_score(anti, TaskProfile(), None, NOW)
    assert task_score(anti, TaskProfile(), known, NOW) == pytest.approx(base + 0.3)
    assert task_score(replace(anti, type="strategy"), TaskProfile(), known, NOW) == pytest.approx(base)
    fragment = error_matcher(["odule not found"])
    assert task_score(anti, TaskProfile(), fragment, NOW) == pytest.approx(base)
    assert error_matcher([]) is None


def test_task_puts_conventions_of_the_files_first() -> None:
    tests = replace(
        MEMORY, id="z", type="convention", confidence=0.4, detail={"examples": ["src/auth/login.test.ts"]}
    )
    other = replace(tests, id="y", detail={"examples": ["lib/x.mjs", 7]})
    strategy = replace(MEMORY, id="a", type="strategy", task_type="feature")
    found = [Candidate(memory, PLAIN) for memory in (other, strategy, tests)]
    for pattern in (".test.ts", "src/", "src/**"):
        task = TaskProfile(task_type="feature", file_patterns=(pattern,))
        assert ids(rank_task(found, task, NOW)) == ["z", "a", "y"]
    assert ids(rank_task(found, TaskProfile(), NOW))[0] == "a"
