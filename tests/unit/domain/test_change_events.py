"""CloudEvents of changes: their types, and their form as CloudEvents 1.0 has it."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import get_args

import pytest

from memory_layer.domain.audit import AuditEvent, AuditHead, chained
from memory_layer.domain.change_events import (
    StateTold,
    as_cloud_event,
    change_event,
    change_type,
    event_of_link,
    source_of,
)
from memory_layer.domain.change_types import TYPES_BY_VERB, ChangeType
from memory_layer.domain.memory import Scope

SCOPE = Scope("acme", "web")
AT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
NOW = StateTold(version=3, status="active", standing="trusted", doubted=False)
PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
REQUIRED = {"specversion", "id", "source", "type"}
ATTRIBUTE = re.compile(r"[a-z0-9]{1,20}")


def an_event(what: str, **fields: object) -> AuditEvent:
    return AuditEvent(what=what, principal="ada", **{"about": "m1", **fields})  # type: ignore[arg-type]


def test_every_type_is_told_by_some_verb() -> None:
    reached = {
        change_type(an_event(verb, before=1)) for verb in (*TYPES_BY_VERB, "learning pending", "drifted")
    }
    assert reached == set(get_args(ChangeType))


@pytest.mark.parametrize(
    ("what", "before", "kind"),
    [
        ("merged", 0, "memory.created"),
        ("merged", 2, "memory.edited"),
        ("drifted", 2, "memory.changed"),
        ("seeded", 0, "memory.created"),
        ("quarantined", 0, "memory.quarantined"),
        ("learning promoted", 1, "learning.changed"),
        ("refused", None, None),
    ],
)
def test_the_type_goes_by_the_verb_and_by_what_is_new(
    what: str, before: int | None, kind: str | None
) -> None:
    assert change_type(an_event(what, before=before)) == kind


def test_a_change_is_a_cloud_event_with_its_required_attributes() -> None:
    event = change_event(SCOPE, 7, AT, an_event("approved", before=2, after=3), NOW)
    assert event is not None
    written = as_cloud_event(event)
    assert written == {
        "specversion": "1.0",
        "id": "7",
        "source": "urn:memory-layer:acme:web",
        "type": "memory.approved",
        "time": "2026-03-01T12:00:00.000000Z",
        "subject": "m1",
        "datacontenttype": "application/json",
        "data": {
            "id": "m1",
            "change": "approved",
            "version": 3,
            "by": "ada",
            "now": {"version": 3, "status": "active", "standing": "trusted", "doubted": False},
        },
    }
    assert written.keys() >= REQUIRED
    assert all(ATTRIBUTE.fullmatch(name) for name in written)


def test_a_change_names_the_trace_of_its_request_and_an_erasure_none() -> None:
    traced = an_event("approved", before=2, after=3, traceparent=PARENT)
    told, erased = (change_event(SCOPE, 7, AT, event) for event in (traced, replace(traced, what="erased")))
    assert told is not None
    assert erased is not None
    assert as_cloud_event(told)["traceparent"] == PARENT
    assert "traceparent" not in as_cloud_event(erased)


def test_an_erasure_tells_nobody_who_did_it_nor_the_persona() -> None:
    """Falls without `ERASURES`."""
    event = change_event(SCOPE, 8, AT, an_event("erased", before=3, after=4, persona="sam"), NOW)
    assert event is not None
    assert as_cloud_event(event)["data"] == {"id": "m1", "change": "erased"}


def test_an_entry_without_its_readable_part_is_no_event() -> None:
    (link,) = chained(
        AuditHead(), [an_event("created", before=0, after=1)], "2026-03-01T12:00:00Z", [b"salt"]
    )
    assert event_of_link(SCOPE, link) is not None
    for damage in ({"payload": None}, {"payload": "{"}, {"payload": "[]"}, {"at": "2026-0x"}):
        assert event_of_link(SCOPE, replace(link, **damage)) is None  # type: ignore[arg-type]


def test_a_source_is_one_uri_whatever_a_project_is_called() -> None:
    assert source_of(Scope("a b", "x:y/z")) == "urn:memory-layer:a%20b:x%3Ay%2Fz"
