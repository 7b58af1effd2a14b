"""Merging loses nothing proven, and our own words coming back are known for what they are."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.duplicates import merge_duplicates, repeats_recalled
from memory_layer.domain.memory import Memory, Relation, content_hash

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SHORT = "use snake_case"
LONG = "always use snake_case for Python"


def memory(id: str, content: str, **values: object) -> Memory:
    return Memory(
        id=id,
        tenant="t",
        project="p",
        content=content,
        content_hash=content_hash(content),
        created_by=id,
        created_at=NOW - timedelta(days=9),
        updated_at=NOW - timedelta(days=9),
        **values,  # type: ignore[arg-type]
    )


def test_the_longer_content_stays_with_its_standing() -> None:
    into = memory("a", SHORT, source="human", confidence=1.0, approved_by="r", approved_at=NOW, persona="ops")
    other = memory("b", LONG, source="run", confidence=0.5, summary="snake_case")
    united = merge_duplicates(into, other, NOW)
    assert (united.id, united.created_by, united.persona) == ("a", "a", "ops")
    assert (united.content, united.content_hash, united.summary) == (LONG, content_hash(LONG), "snake_case")
    assert (united.source, united.confidence, united.approved_by) == ("run", 0.5, None)
    assert (united.version, united.updated_at) == (2, NOW)
    kept = merge_duplicates(other, into, NOW)
    assert (kept.content, kept.source, kept.updated_at) == (LONG, "run", other.updated_at)


def test_of_equally_long_ones_the_better_believed_stays() -> None:
    run, human = memory("a", LONG, source="run", confidence=0.5), memory("b", LONG)
    united = merge_duplicates(run, human, NOW)
    assert (united.source, united.confidence, united.updated_at) == ("human", 1.0, run.updated_at)


def test_evidence_is_summed() -> None:
    into = memory(
        "a",
        LONG,
        worked=3,
        failed=1,
        use_count=4,
        access_count=7,
        outcome_score=0.3,
        worked_weight=2.0,
        failed_weight=1.0,
        last_used_at=NOW - timedelta(days=90),
    )
    other = memory(
        "b", SHORT, worked=2, partial=1, use_count=3, outcome_score=0.9, worked_weight=2.5, last_used_at=NOW
    )
    united = merge_duplicates(into, other, NOW)
    assert (united.worked, united.failed, united.partial, united.use_count) == (5, 1, 1, 7)
    assert (united.outcome_score, united.access_count) == (1.0, 7)
    assert (united.worked_weight, united.failed_weight, united.last_used_at) == (3.5, 0.5, NOW)


def test_labels_are_united_and_bounded() -> None:
    tags = tuple(f"t{n}" for n in range(60))
    into = memory("a", LONG, tags=tags, entities=("urn:a",), relations=(Relation("uses", "urn:x"),))
    other = memory("b", SHORT, tags=(*tags[:2], *(f"u{n}" for n in range(60))), entities=("urn:b", "urn:a"))
    united = merge_duplicates(into, other, NOW)
    assert len(united.tags) == 64
    assert united.tags[:61] == (*tags, "u0")
    assert (united.entities, united.relations) == (("urn:a", "urn:b"), into.relations)


def test_both_ids_are_recorded_and_facts_kept() -> None:
    into = memory("a", LONG, detail={"x": 1, "merged_ids": ["z"]})
    other = memory("b", SHORT, detail={"x": 2, "y": 3, "merged_ids": ["c"]})
    assert merge_duplicates(into, other, NOW).detail == {"x": 1, "y": 3, "merged_ids": ["z", "b", "c"]}
    odd = replace(into, detail={"merged_ids": 7})
    assert merge_duplicates(odd, other, NOW).detail["merged_ids"] == ["b", "c"]
    full = replace(other, detail={"blob": "x" * 16_000})
    assert merge_duplicates(replace(into, detail={"note": "y" * 1_000}), full, NOW).detail == {
        "note": "y" * 1_000,
        "merged_ids": ["b"],
    }


def test_the_later_expiry_holds() -> None:
    soon, late = NOW + timedelta(days=1), NOW + timedelta(days=9)
    into, other = memory("a", LONG, expires_at=soon), memory("b", SHORT, expires_at=late)
    assert merge_duplicates(into, other, NOW).expires_at == late
    assert merge_duplicates(into, replace(other, expires_at=None), NOW).expires_at == soon
    assert merge_duplicates(replace(into, expires_at=None), other, NOW).expires_at is None


POOL = "Connection reset errors under load are fixed by raising the pool size to fifty."
CORE = "Full test execution is required for changes under src/core/"
RECALLED = [POOL, CORE, "Use Redis for caching"]


@pytest.mark.parametrize(
    "echo",
    [
        POOL,
        POOL.upper(),
        f"## Memories\n- [warning] {CORE}\n- [learning] {POOL}\n",
        f"```\n- [warning] {CORE}\n```",
        "According to memory: " + POOL,
        "Connection reset errors under load\nare fixed by raising the pool\nsize to fifty.",
        f"1. {CORE}\n2. {POOL}",
        "errors under load are fixed by raising the pool size",
        "use redis for caching!",
        "- [pattern] Use Redis for caching",
    ],
)
def test_our_own_words_coming_back(echo: str) -> None:
    assert repeats_recalled(echo, RECALLED)


@pytest.mark.parametrize(
    "news",
    [
        "Raising the pool size did not help; the resets came from the NAT gateway's idle timeout.",
        "The note that connection reset errors under load are fixed by a larger pool is wrong since the "
        "gateway now closes idle sockets itself.",
        "Use Redis",
        "Use Redis for caching sessions",
        "",
        "- [pattern]",
        "缓存使用Redis而不是内存",
    ],
)
def test_news_that_may_quote(news: str) -> None:
    assert not repeats_recalled(news, RECALLED)
    assert not repeats_recalled(news, [])


def test_scripts_without_spaces_repeat_too() -> None:
    assert repeats_recalled("数据库连接池大小必须是五十", ["数据库连接池大小必须是五十。请注意"])


WORDS = st.lists(st.text("abcdefgh", min_size=2, max_size=6), min_size=5, max_size=40).map(" ".join)


@given(WORDS, st.lists(WORDS, max_size=3))
def test_a_text_repeats_itself_and_every_part_of_it(text: str, others: list[str]) -> None:
    assert repeats_recalled(text, [*others, text])
    assert repeats_recalled(text, [f"before {text} after"])
    assert not repeats_recalled(text, [word * 3 for word in text.split()])
