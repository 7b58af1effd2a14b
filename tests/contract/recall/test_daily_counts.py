"""Numbers of a project by day, on every backend: what was stored, asked, and answered with nothing."""

from __future__ import annotations

from datetime import timedelta

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Ref, Scope
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.ground import daily_counts
from memory_layer.usecases.ground.daily_counts import counts_by_day
from memory_layer.usecases.write.forget import archive_memory
from tests.given import START, StandingClock, remembered

PROJECT = "counted"


def note(backend: EmbeddedBackend, by: Principal, name: str, days_ago: int, *refs: Ref) -> None:
    at = START - timedelta(days=days_ago)
    receipt = RecallReceipt(f"rcl_{name}", Scope(by.tenant, PROJECT), by.name, refs, at)
    backend.ports.store.receipts.note(receipt)


def test_days_begin_with_the_first_and_end_with_today(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where a day without anything is left out, or where what is out of use is no growth."""
    first = remembered(backend.ports, admin, "The price cache keeps entries for an hour.", project=PROJECT)
    remembered(backend.ports, admin, "Invoices are printed by the night shift.", project=PROJECT)
    archive_memory(backend.ports, admin, PROJECT, first.id)
    clock.advance(days=2)
    remembered(backend.ports, admin, "The depot opens at seven on weekdays.", project=PROJECT)
    remembered(backend.ports, admin, "Another project counts for itself.", project="elsewhere")
    backend.drain()
    found = counts_by_day(backend.ports, admin, PROJECT, 4)
    assert [one.created for one in found.days] == [0, 2, 0, 1]
    assert found.days[-1].day == clock.now().date()
    assert [one.created for one in counts_by_day(backend.ports, admin, PROJECT, 1).days] == [1]


def test_what_the_caller_does_not_see_is_not_counted(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where the counts are those of the whole project."""
    remembered(backend.ports, admin, "Ada's notes on the depot.", project=PROJECT, persona="ada")
    remembered(backend.ports, admin, "The depot opens at seven on weekdays.", project=PROJECT)
    backend.drain()
    somebody = Principal(admin.tenant, "agent-9")
    counts = [counts_by_day(backend.ports, one, PROJECT, 1).days[0].created for one in (admin, somebody)]
    assert counts == [2, 1]


def test_recalls_are_counted_by_day_and_so_are_those_that_found_nothing(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    remembered(backend.ports, admin, "The depot opens at seven on weekdays.", project=PROJECT)
    note(backend, admin, "1", 9, Ref(PROJECT, "m1"))
    note(backend, admin, "2", 2, Ref(PROJECT, "m1"))
    note(backend, admin, "3", 2)
    note(backend, admin, "4", 0, Ref(PROJECT, "m1"))
    found = counts_by_day(backend.ports, admin, PROJECT, 3)
    assert [(one.recalls, one.abstained) for one in found.days] == [(2, 1), (0, 0), (1, 0)]
    assert found.recalls_since is None


def test_a_context_counts_once_and_as_empty_only_if_it_showed_nothing(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where the note of its request is counted beside its receipt: two recalls, one of them with nothing."""
    known = remembered(
        backend.ports, admin, "The price cache keeps entries for an hour.", project=PROJECT
    ).ref
    gone = remembered(backend.ports, admin, "Invoices are printed by the night shift.", project="emptied")
    archive_memory(backend.ports, admin, "emptied", gone.id)
    backend.drain()
    for project in (PROJECT, "emptied"):
        asked = ContextRequest(intent="how long does the price cache keep entries?", time_ms=20_000)
        shown = assemble_context(backend.ports, admin, project, asked).assembled.fragments
        assert bool(shown) is (project == PROJECT)
    found = [counts_by_day(backend.ports, admin, one, 1).days[0] for one in (PROJECT, "emptied")]
    assert [(one.recalls, one.abstained) for one in found] == [(1, 0), (1, 1)]
    assert backend.ports.store.receipts.times_shown(admin.scope(PROJECT), known, 1) == 1


def test_of_very_many_recalls_the_newest_are_counted_and_it_is_told(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without the bound: a busy project's day has a million."""
    monkeypatch.setattr(daily_counts, "RECALLS_COUNTED_MAX", 2)
    remembered(backend.ports, admin, "The depot opens at seven on weekdays.", project=PROJECT)
    for number, days_ago in enumerate((2, 1, 0)):
        note(backend, admin, str(number), days_ago)
    found = counts_by_day(backend.ports, admin, PROJECT, 3)
    assert [one.recalls for one in found.days] == [0, 1, 1]
    assert found.recalls_since == START - timedelta(days=1)
