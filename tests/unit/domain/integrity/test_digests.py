"""A digest changes with what a record says, and with nothing else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.fields import canonical_json, memory_to_json
from memory_layer.domain.integrity.digests import (
    document_digest,
    record_digest,
    request_fingerprint,
    search_digest,
)
from memory_layer.domain.memory import Doubt, Memory, Relation, content_hash

NOW = datetime(2026, 2, 5, 10, 0, tzinfo=UTC)
MEMORY = Memory(
    id="mem_1",
    tenant="local",
    project="shop",
    content="This project uses pnpm",
    created_by="ann@example.com",
    content_hash=content_hash("This project uses pnpm"),
    created_at=NOW,
    updated_at=NOW,
)


def test_being_read_does_not_change_a_record() -> None:
    assert record_digest(replace(MEMORY, access_count=7, last_accessed_at=NOW)) == record_digest(MEMORY)


@pytest.mark.parametrize(
    "change",
    [
        {"content": "This project uses npm"},
        {"detail": {"effectiveness": 0.5}},
        {"relations": (Relation("about", "urn:x"),)},
        {"confidence": 0.999},
        {"version": 2},
        {"status": "archived"},
        {"updated_at": NOW + timedelta(microseconds=1)},
    ],
)
def test_any_other_change_shows(change: dict[str, object]) -> None:
    assert record_digest(replace(MEMORY, **change)) != record_digest(MEMORY)  # type: ignore[arg-type]


def test_equal_records_have_equal_digests_whatever_the_order_of_their_detail() -> None:
    one, two = replace(MEMORY, detail={"a": 1, "b": 2}), replace(MEMORY, detail={"b": 2, "a": 1})

    assert record_digest(one) == record_digest(two)


def test_a_fingerprint_keeps_method_path_and_body_apart() -> None:
    asked = [
        ("POST", "/v1/a", b"b"),
        ("PUT", "/v1/a", b"b"),
        ("POST", "/v1/ab", b""),
        ("POST", "/v1/a", b"B"),
    ]

    assert len({request_fingerprint(*request) for request in asked}) == len(asked)
    assert request_fingerprint("post", "/v1/a", b"b") == request_fingerprint("POST", "/v1/a", b"b")


def test_a_doubt_without_proposals_has_the_digest_that_it_had_before_there_were_any() -> None:
    """Falls without `_as_before`: seals of an earlier release would break."""
    doubted = replace(MEMORY, doubted=Doubt(since=NOW, by=("bot",)))
    document = memory_to_json(doubted)
    earlier = {
        **document,
        "doubted": {key: document["doubted"][key] for key in ("since", "by", "reasons", "runs")},
    }
    earlier.pop("standing")
    assert document_digest(document) == document_digest(earlier) == record_digest(doubted)
    proposed = replace(doubted, doubted=Doubt(since=NOW, by=("bot",), proposals=("mem_1",)))
    assert record_digest(proposed) != record_digest(doubted)


@given(id=st.text(), parts=st.lists(st.none() | st.binary(max_size=8), max_size=4))
def test_a_digest_of_search_data_is_that_of_its_sizes_and_bytes(id: str, parts: list[bytes | None]) -> None:
    """Falls where stored digests would hold no more."""
    sizes = [None if part is None else len(part) for part in parts]
    told = canonical_json([id, *sizes]).encode() + b"".join(part or b"" for part in parts)
    assert search_digest(id, *parts) == sha256(told).hexdigest()
