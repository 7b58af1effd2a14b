"""How often a memory was shown lately: among the newest recalls of its project (SPEC 3.37)."""

from __future__ import annotations

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Ref, Scope
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.usecases.ground import read_memory
from memory_layer.usecases.ground.read_memory import times_shown
from tests.given import START, recalled_ids, remembered

PROJECT = "shown"


def test_recalls_that_showed_it_are_counted(backend: EmbeddedBackend, admin: Principal) -> None:
    memory = remembered(backend.ports, admin, "The price cache keeps entries for an hour.", project=PROJECT)
    other = remembered(backend.ports, admin, "Invoices are printed by the night shift.", project=PROJECT)
    for _ in range(3):
        assert recalled_ids(backend.ports, admin, "price cache", project=PROJECT, limit=1) == [memory.id]
    recalled_ids(backend.ports, admin, "price cache", project="elsewhere")
    assert [times_shown(backend.ports, one) for one in (memory, other)] == [3, 0]


def test_only_the_newest_recalls_are_looked_at(
    backend: EmbeddedBackend, admin: Principal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without the bound, and where an id that begins as another is taken for it."""
    monkeypatch.setattr(read_memory, "RECALLS_COUNTED", 2)
    scope = Scope(admin.tenant, PROJECT)
    memory = remembered(backend.ports, admin, "The price cache keeps entries.", project=PROJECT, id="m1")
    for number, id in enumerate(("m1", "m1", "m1", "m11")):
        shown = RecallReceipt(
            f"rcl_{number}", scope, "ada", (Ref(PROJECT, id),), START.replace(second=number)
        )
        backend.ports.store.receipts.note(shown)
    assert times_shown(backend.ports, memory) == 1
