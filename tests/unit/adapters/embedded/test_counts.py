"""Counts agree with what a reader sees: what has expired counts as archived before any sweep has come by."""

from __future__ import annotations

from datetime import timedelta

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.usecases.ground.queries import project_stats
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.put import put_memory
from tests.given import StandingClock


def test_what_has_expired_counts_as_archived(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where `_codes` in adapters/project_index/column_statistics.py counts by the stored status."""
    ports = backend.ports
    soon = clock.now() + timedelta(seconds=2)
    put_memory(ports, admin, "web", "stays", {"content": "Herons nest in April."})
    put_memory(ports, admin, "web", "expires", {"content": "Otters swim at night.", "expires_at": soon})
    put_memory(ports, admin, "web", "ended", {"content": "Moles dig by day.", "expires_at": soon})
    archive_memory(ports, admin, "web", "ended")
    assert project_stats(ports, admin, "web").by["status"] == {"active": 2, "archived": 1}
    clock.advance(seconds=2)
    assert project_stats(ports, admin, "web").by["status"] == {"archived": 2, "active": 1}
