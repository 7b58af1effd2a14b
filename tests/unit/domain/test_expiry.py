"""Expired to the microsecond; what a record was before stays known, so that it comes back as no more than that."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memory_layer.domain.lifecycle import archive_if_expired, status_before_expiry
from memory_layer.domain.memory import REASON_MAX_CHARS, Memory, Status, as_of_now, content_hash

END = datetime(2028, 2, 29, 0, 0, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)
MEMORY = Memory(
    id="m1",
    tenant="acme",
    project="web",
    content="So.",
    content_hash=content_hash("So."),
    created_by="ada",
    expires_at=END,
    created_at=END - timedelta(days=30),
    updated_at=END - timedelta(days=30),
)
OUT_OF_USE = ("inactive", "pending", "quarantined", "stale")


def test_it_ends_at_its_expiry_and_not_a_moment_before() -> None:
    assert archive_if_expired(MEMORY, END - MOMENT) is MEMORY
    over = archive_if_expired(MEMORY, END)
    assert (over.status, over.status_reason, over.version) == ("archived", "expired", 2)
    assert over.updated_at == MEMORY.updated_at


def test_a_clock_set_back_brings_nothing_back() -> None:
    over = archive_if_expired(MEMORY, END)
    assert archive_if_expired(over, END - MOMENT) is over


@pytest.mark.parametrize("status", ["active", *OUT_OF_USE])
@pytest.mark.parametrize("reason", [None, "so; it was said: twice", "x" * 900])
def test_a_reader_sees_the_same_before_and_after_the_sweep(status: Status, reason: str | None) -> None:
    memory = replace(MEMORY, status=status, status_reason=reason)
    seen, swept = as_of_now(memory, END), archive_if_expired(memory, END)
    assert replace(swept, version=1) == seen
    assert as_of_now(swept, END) is swept


@pytest.mark.parametrize("status", OUT_OF_USE)
@pytest.mark.parametrize("reason", [None, "low: confidence", "it was stale"])
def test_what_it_was_before_stays_known(status: Status, reason: str | None) -> None:
    swept = archive_if_expired(replace(MEMORY, status=status, status_reason=reason), END)
    assert status_before_expiry(swept, END) == (status, reason)


def test_what_was_active_was_active() -> None:
    assert status_before_expiry(archive_if_expired(MEMORY, END), END) == ("active", None)


def test_a_long_reason_is_cut_and_the_status_is_not() -> None:
    swept = archive_if_expired(replace(MEMORY, status="pending", status_reason="x" * REASON_MAX_CHARS), END)
    assert len(swept.status_reason or "") == REASON_MAX_CHARS
    before = status_before_expiry(swept, END)
    assert before is not None
    assert before[0] == "pending"


@pytest.mark.parametrize("status", ["archived", "superseded", "rejected"])
def test_what_has_ended_otherwise_did_not_expire(status: Status) -> None:
    ended = replace(MEMORY, status=status, status_reason="by hand")
    assert archive_if_expired(ended, END) is ended
    assert status_before_expiry(ended, END) is None
    assert status_before_expiry(replace(ended, status_reason="expired"), END - MOMENT) is None
