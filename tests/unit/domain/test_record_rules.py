"""A JSON object is a record if every field keeps to its annotation; the same bounds hold at the edge."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from memory_layer.domain.fields import memory_from_json, memory_to_json, record_fields
from memory_layer.domain.memory import Memory, Relation, content_hash
from memory_layer.domain.record_rules import RecordFlaw, record_flaws, record_of
from memory_layer.edge.shapes.requests import NewMemory

AT = datetime(2026, 3, 1, 12, 0, 0, 5, tzinfo=UTC)
MEMORY = Memory(
    id="a:1",
    tenant="acme",
    project="web",
    content="Said.",
    content_hash=content_hash("Said."),
    created_by="ada",
    created_at=AT,
    updated_at=AT,
    detail={"n": [1, 2.5, None]},
    relations=(Relation("about", "urn:x"),),
    tags=("a",),
    success_rate=0.125,
    outcome_score=-1.0,
    position=3,
    session_id="s",
    last_accessed_at=AT,
    superseded_by="b",
    approved_by="ada",
    approved_at=AT,
)


def document(**changed: Any) -> dict[str, Any]:
    return {**memory_to_json(MEMORY), **changed}


def pointers(**changed: Any) -> list[str]:
    return [flaw.pointer for flaw in record_flaws(document(**changed))]


def test_what_was_written_is_read_back() -> None:
    assert list(record_flaws(document())) == []
    assert record_of(document()) == MEMORY == memory_from_json(document())


def test_what_has_a_default_may_be_missing() -> None:
    whole = document()
    needed = ("id", "tenant", "project", "content", "content_hash", "created_by", "created_at", "updated_at")
    short = {name: whole[name] for name in needed}
    assert list(record_flaws(short)) == []
    assert record_of(short).status == "active"
    for name in needed:
        assert RecordFlaw(f"/{name}", "is missing") in record_flaws(_without(short, name))


def _without(fields: dict[str, Any], name: str) -> dict[str, Any]:
    fields = dict(fields)
    del fields[name]
    return fields


@pytest.mark.parametrize("field", record_fields(), ids=lambda field: field.name)
def test_no_field_takes_what_it_does_not_hold(field: Any) -> None:
    """Falls where a kind of field has no check."""
    wrong: dict[str, Any] = {
        "text": 1,
        "integer": "1",
        "score": "1",
        "boolean": 0,
        "instant": 7,
        "labels": "x",
        "relations": [["a", "b"]],
        "document": [],
        "doubt": {"since": 7},
        "times": [{"words": "yesterday"}],
    }
    assert f"/{field.name}" in [
        pointer[: len(field.name) + 1] for pointer in pointers(**{field.name: wrong[field.kind]})
    ]
    assert (f"/{field.name}" in pointers(**{field.name: None})) is not field.is_nullable


@pytest.mark.parametrize(
    "changed",
    [
        {"confidence": 1.001},
        {"confidence": True},
        {"confidence": float("inf")},
        {"outcome_score": -1.1},
        {"worked": -1},
        {"use_count": 2**31},
        {"worked_weight": 1e12},
        {"position": 2**31 - 1},
        {"tags": ["x"] * 65},
        {"tags": ["x" * 257]},
        {"relations": [{"type": "a", "target": "b", "more": 1}]},
        {"doubted": {"since": "2026-03-01T12:00:00Z"}},
        {"doubted": {"since": "2026-03-01", "by": [], "reasons": [], "runs": []}},
        {"doubted": {"since": "2026-03-01T12:00:00Z", "by": [7], "reasons": [], "runs": []}},
        {"doubted": {"since": "2026-03-01T12:00:00Z", "by": [], "reasons": ["x" * 1025], "runs": []}},
        {"doubted": {"since": "2026-03-01T12:00:00Z", "by": [], "reasons": [], "runs": ["x"] * 65}},
        {"summary": "x" * 1025},
        {"status_reason": "x" * 1025},
        {"approved_by": "x" * 257},
        {"created_at": "2026-03-01T12:00:00"},
        {"created_at": "2026-03-01"},
        {"created_at": "20260301T120000Z"},
        {"created_at": "0001-01-01T00:00:00+01:00"},
        {"tier": "tepid"},
        {"supersedes": "a b"},
        {"active": False},
        {"active": 1},
        {"embedding_text_hash": "x"},
        {"last_accessed_at": None, "access_count": 1},
    ],
    ids=str,
)
def test_bounds_hold(changed: dict[str, Any]) -> None:
    name = next(iter(changed))
    assert any(pointer.startswith(f"/{name}") for pointer in pointers(**changed)), changed


def test_what_the_edge_refuses_is_no_record_either() -> None:
    """The same annotations, read by two: no bound of one is unknown to the other."""
    incoming = TypeAdapter(NewMemory)
    for name, value in [
        *(("tags", [""]), ("tags", ["x"] * 65), ("content", ""), ("confidence", -0.1), ("position", -1)),
        *(("type", "idea"), ("category", "x"), ("task_type", "x"), ("session_id", ""), ("persona", "")),
        *(("relevance_score", 2), ("pinned", "yes"), ("expires_at", "soon"), ("summary", "x" * 2000)),
    ]:
        with pytest.raises(ValidationError):
            incoming.validate_python({"content": "Said.", name: value})
        assert any(pointer.startswith(f"/{name}") for pointer in pointers(**{name: value})), name


def test_scores_are_exact_and_times_in_utc() -> None:
    east = AT.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat()
    read = record_of(document(confidence=0.12345, outcome_score=-0.0, relevance_score=1, created_at=east))
    assert read == replace(MEMORY, confidence=0.123, outcome_score=0.0, relevance_score=1.0)
    assert str(read.outcome_score) == "0.0"
    assert isinstance(read.relevance_score, float)
    assert read.created_at.tzinfo is UTC
