"""Who may be shown, which status leads where, and what each refusal tells its reader to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.lifecycle import (
    StatusChange,
    activate,
    approve,
    archive,
    confirm,
    deactivate,
    default_expiry,
    hidden_because,
    reject,
    supersede,
)
from memory_layer.domain.memory import Memory, Status, content_hash
from memory_layer.domain.outcome import LOW_CONFIDENCE
from memory_layer.domain.policy import Policy

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
POLICY = Policy()
AGENT = Principal(tenant="t", subject="a")
REVIEWER = Principal(tenant="t", subject="r@x", roles=frozenset({"reviewer"}))
MEMORY = Memory(
    id="m1",
    tenant="t",
    project="p",
    content="text",
    content_hash=content_hash("text"),
    created_by="a",
    source="run",
    confidence=0.5,
    created_at=NOW - timedelta(days=10),
    updated_at=NOW - timedelta(days=10),
)


def later(days: float) -> datetime:
    return NOW + timedelta(days=days)


def hidden(
    memory: Memory, policy: Policy = POLICY, viewer: Viewer | None = None, **how: object
) -> str | None:
    return hidden_because(memory, viewer=viewer or Viewer(), now=NOW, policy=policy, **how)  # type: ignore[arg-type]


def hidden_at(memory: Memory, moment: datetime) -> str | None:
    return hidden_because(memory, viewer=Viewer(), now=moment, policy=POLICY)


@pytest.mark.parametrize(
    ("type_", "days"),
    [
        ("pattern", None),
        ("warning", 90),
        ("learning", 180),
        ("context", 30),
        ("convention", None),
        ("strategy", 180),
        ("antipattern", 180),
        ("estimate", 90),
    ],
)
def test_default_expiry(type_: str, days: int | None) -> None:
    expected = None if days is None else later(days)
    assert default_expiry(type_, POLICY, NOW) == expected  # type: ignore[arg-type]
    assert default_expiry("warning", Policy(default_expiry_days={"warning": 7}), NOW) == later(7)


def test_an_active_memory_is_shown() -> None:
    assert hidden(MEMORY) is None


@pytest.mark.parametrize(
    "unfit",
    [
        replace(MEMORY, persona="ops"),
        replace(MEMORY, expires_at=NOW),
        replace(MEMORY, outcome_score=-0.501),
        replace(MEMORY, valid_from=later(1)),
        replace(MEMORY, valid_to=NOW),
        *(replace(MEMORY, status=status) for status in get_args(Status) if status != "active"),
    ],
)
def test_what_recall_must_not_show(unfit: Memory) -> None:
    assert hidden(unfit)


def test_what_is_just_fit_to_be_shown() -> None:
    assert hidden(replace(MEMORY, outcome_score=-0.5)) is None
    assert hidden(replace(MEMORY, expires_at=later(0.001))) is None
    assert hidden(replace(MEMORY, persona="ops"), viewer=Viewer.of("ops")) is None
    assert hidden(replace(MEMORY, persona="ops"), viewer=Viewer(sees_all_personas=True)) is None


def test_a_policy_that_asks_for_approval_hides_what_has_none() -> None:
    policy = Policy(review_sources=("run",))
    assert hidden(MEMORY, policy)
    assert hidden(replace(MEMORY, approved_by="r"), policy) is None
    assert hidden(replace(MEMORY, source="human"), policy) is None


def test_stale_ones_are_shown_on_request() -> None:
    stale = replace(MEMORY, status="stale")
    assert hidden(stale, include_stale=True) is None
    assert hidden(replace(MEMORY, status="pending"), include_stale=True)


def test_a_version_is_judged_by_the_clock_of_its_time() -> None:
    """To the second: at `expires_at` and at `valid_to` it is over, at `valid_from` it has begun."""
    for bounded in (replace(MEMORY, expires_at=NOW), replace(MEMORY, valid_to=NOW)):
        assert hidden(bounded)
        assert hidden_at(bounded, NOW - timedelta(microseconds=1)) is None
    begun = replace(MEMORY, valid_from=NOW)
    assert hidden(begun) is None
    assert hidden_at(begun, NOW - timedelta(microseconds=1))


@pytest.mark.parametrize("status", ["active", "inactive", "pending", "quarantined", "stale"])
def test_approve_lifts(status: Status) -> None:
    memory, problem = approve(replace(MEMORY, status=status, status_reason="why"), "r@x", NOW)
    assert problem is None
    assert (memory.status, memory.status_reason, memory.confidence) == ("active", None, 1.0)
    assert (memory.approved_by, memory.approved_at) == ("r@x", NOW)
    assert (memory.version, memory.updated_at) == (MEMORY.version + 1, MEMORY.updated_at)


REFUSED: list[tuple[Callable[[Memory], StatusChange], list[Status]]] = [
    (lambda m: approve(m, "r", NOW), ["rejected", "superseded", "archived"]),
    (lambda m: reject(m, "r", NOW), ["superseded", "archived"]),
    (
        lambda m: activate(m, REVIEWER),
        ["pending", "quarantined", "stale", "rejected", "superseded", "archived"],
    ),
    (lambda m: confirm(m, NOW), ["inactive", "pending", "quarantined", "rejected", "superseded", "archived"]),
]


@pytest.mark.parametrize(
    ("change", "status"), [(change, s) for change, statuses in REFUSED for s in statuses]
)
def test_refusals_leave_the_memory_and_say_what_to_do(
    change: Callable[[Memory], StatusChange], status: Status
) -> None:
    before = replace(MEMORY, status=status)
    after, problem = change(before)
    assert after is before
    assert problem is not None
    assert problem.startswith(f"m1 is {status}")


def test_an_expired_memory_counts_as_archived_before_any_sweep() -> None:
    expired = replace(MEMORY, expires_at=NOW, status="stale")
    assert approve(expired, "r", NOW).problem
    assert reject(expired, "r", NOW).problem
    assert confirm(expired, NOW).problem


def test_reject_withdraws_an_approval() -> None:
    memory, problem = reject(replace(MEMORY, approved_by="r", approved_at=NOW), "s", NOW, "wrong since v2")
    assert problem is None
    assert (memory.status, memory.status_reason) == ("rejected", "wrong since v2")
    assert (memory.approved_by, memory.approved_at) == (None, None)
    assert reject(memory, "s", NOW) == (memory, None)


def test_active_toggles_with_inactive_alone() -> None:
    off = deactivate(MEMORY, REVIEWER)
    assert (off.status, off.status_reason, off.version) == ("inactive", "deactivated by r@x", 2)
    on, problem = activate(off, REVIEWER)
    assert (on.status, on.status_reason, problem) == ("active", None, None)
    assert activate(MEMORY, AGENT).memory is MEMORY
    pending = replace(MEMORY, status="pending")
    assert deactivate(pending, REVIEWER) is pending
    assert "approve" in (activate(replace(off, confidence=0.199), REVIEWER).problem or "")


@pytest.mark.parametrize("reason", ["deactivated by r@x", LOW_CONFIDENCE, None])
def test_an_agent_brings_back_what_it_took_out_itself_and_nothing_else(reason: str | None) -> None:
    own = deactivate(MEMORY, AGENT)
    assert activate(own, AGENT).memory.is_active
    others = replace(MEMORY, status="inactive", status_reason=reason)
    assert activate(others, AGENT).memory is others
    assert "a reviewer brings it back" in (activate(others, AGENT).problem or "")
    assert activate(others, REVIEWER).memory.is_active


def test_a_reviewers_word_replaces_an_agents_and_not_the_other_way_round() -> None:
    ordered = deactivate(deactivate(MEMORY, AGENT), REVIEWER)
    assert (ordered.status, ordered.status_reason) == ("inactive", "deactivated by r@x")
    assert deactivate(ordered, AGENT) is ordered
    assert deactivate(ordered, REVIEWER) is ordered


def test_archive_and_confirm_change_once() -> None:
    archived = archive(MEMORY, "not needed")
    assert (archived.status, archived.status_reason, archived.version) == ("archived", "not needed", 2)
    assert archive(archived, "again") is archived
    aside = archive(deactivate(MEMORY, REVIEWER), "not needed")
    assert aside.status_reason == "not needed; it was inactive: deactivated by r@x"
    confirmed, problem = confirm(replace(MEMORY, status="stale", status_reason="schema changed"), NOW)
    assert (confirmed.status, confirmed.status_reason, problem) == ("active", None, None)
    assert confirm(MEMORY, NOW).memory is MEMORY


def test_supersede_links_both_ends() -> None:
    old, new, problem = supersede(MEMORY, replace(MEMORY, id="m2"), NOW, "moved to OAuth 2.0")
    assert problem is None
    assert (old.status, old.superseded_by, old.status_reason) == ("superseded", "m2", "moved to OAuth 2.0")
    assert (old.valid_to, old.version) == (NOW, 2)
    assert (new.status, new.supersedes, new.version) == ("active", "m1", 2)


def test_corrections_never_close_into_a_ring() -> None:
    a, b, _ = supersede(MEMORY, replace(MEMORY, id="m2"), NOW)
    b, c, _ = supersede(b, replace(MEMORY, id="m3"), NOW)
    for new in (a, b):
        assert supersede(c, new, NOW).problem
    assert supersede(MEMORY, MEMORY, NOW).problem
    assert "by m2; supersede that one" in (supersede(a, replace(MEMORY, id="m4"), NOW).problem or "")


@pytest.mark.parametrize(
    "new",
    [
        replace(MEMORY, id="m2", status="pending"),
        replace(MEMORY, id="m2", expires_at=NOW),
        replace(MEMORY, id="m2", project="q"),
        replace(MEMORY, id="m2", supersedes="m0"),
        replace(MEMORY, id="m2", superseded_by="m1"),
    ],
)
def test_who_cannot_take_anothers_place(new: Memory) -> None:
    assert supersede(MEMORY, new, NOW)[:2] == (MEMORY, new)
    assert supersede(MEMORY, new, NOW).problem
