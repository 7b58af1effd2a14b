"""Where two parts of the lifecycle meet: drift and second thoughts, undo and twins, events and what was out of use."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.errors import Conflict, NotFound
from memory_layer.usecases.ground.idempotency import IdempotentRequest, answered_once
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.review.apply_memory import apply_memory
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.transfer.erase import erase
from memory_layer.usecases.transfer.restore_snapshot import restore_snapshot
from memory_layer.usecases.transfer.take_snapshot import list_snapshots, take_snapshot
from memory_layer.usecases.world.take_entity_events import ReportedEvent, take_entity_events
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.undo import undo_last_change
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import PROJECT, StandingClock, remembered


def add(backend: EmbeddedBackend, by: Principal, id: str, content: str, **fields: object) -> None:
    remembered(backend.ports, by, content, id=id, **fields)


def test_a_verdict_that_has_drifted_away_is_not_taken_back_twice(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where a withdrawal takes off what disuse has taken off already."""
    add(backend, admin, "m", "Retry uploads with backoff.")
    for run in range(4):
        report_outcome(backend.ports, admin, PROJECT, "m", OutcomeReport(result="worked", run_id=f"r{run}"))
    clock.advance(days=200)
    run_sweep(backend.ports, "decay", holder="test", seconds=60)
    drifted = backend.ports.store.memories.get(admin.scope(PROJECT), "m")
    assert drifted is not None
    assert drifted.outcome_score == 0.0
    for run in range(4):
        report_outcome(backend.ports, admin, PROJECT, "m", OutcomeReport(result="partial", run_id=f"r{run}"))
    judged = backend.ports.store.memories.get(admin.scope(PROJECT), "m")
    assert judged is not None
    assert (judged.outcome_score, judged.status) == (0.2, "active")


def test_an_undo_brings_no_twin_back(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `refuse_same_content`."""
    add(backend, admin, "a", "Retry uploads with backoff.")
    archive_memory(backend.ports, admin, PROJECT, "a")
    add(backend, admin, "b", "Retry uploads with backoff.")
    with pytest.raises(Conflict, match="b says the very same"):
        undo_last_change(backend.ports, admin, PROJECT, "a")


def test_what_was_out_of_use_when_its_thing_was_removed_comes_back_stale(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where only what is active at the time of an event is ever looked at."""
    add(backend, admin, "m", "The importer reads rates.csv.", entities=("urn:file:rates.csv",))
    revise(backend.ports, admin, PROJECT, "m", {"active": False})
    clock.advance(hours=1)
    told = ReportedEvent(urn="urn:file:rates.csv", event="removed")
    take_entity_events(backend.ports, admin, PROJECT, [told])
    back = revise(backend.ports, admin, PROJECT, "m", {"active": True}).memory
    assert back.status == "stale"
    assert "was removed" in (back.status_reason or "")
    said_anew = revise(
        backend.ports, admin, PROJECT, "m", {"content": "The importer reads rates.json."}
    ).memory
    assert said_anew.status == "stale"  # words alone lift nothing: a person confirms


def test_after_an_erasure_one_snapshot_is_taken_and_no_more(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where an erasure that nobody can date is one that may have just been."""
    add(backend, admin, "a", "Retry uploads with backoff.")
    add(backend, admin, "b", "Deploys go out on Tuesdays.")
    run_sweep(backend.ports, "snapshot", holder="test", seconds=60)
    clock.advance(days=1)
    erase_memory(backend.ports, admin, PROJECT, "a")
    for _ in range(5):
        clock.advance(days=1)
        run_sweep(backend.ports, "snapshot", holder="test", seconds=60)
    taken = list_snapshots(backend.ports, admin, PROJECT)
    assert [snapshot.records for snapshot in taken] in ([1, 2], [1, 1, 2])  # a store may know the day alone


def test_what_an_earlier_version_said_is_erased_too(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where an erasure asks what a record says now."""
    add(backend, admin, "m", "Jane prefers tabs.", entities=("urn:x:jane",))
    revise(backend.ports, admin, PROJECT, "m", {"entities": ()})
    rule, now = ErasureRule(entity="urn:x:jane"), backend.ports.clock.now()
    receipt = erase(backend.ports, admin, PROJECT, rule, id="ers_1", began_at=now)
    assert receipt.stores["records"] == 1
    assert backend.ports.store.history.of(admin.scope(PROJECT), "m") == []


def test_an_answer_that_made_no_memory_is_erased_with_the_rest(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `forget_answers`: the key would say the words again."""
    scope, now = admin.scope(PROJECT), backend.ports.clock.now()
    add(backend, admin, "m", "Deploys go out on Tuesdays.")
    once = IdempotentRequest("k", "k", "same", lambda told: (200, str(told)))
    answered_once(
        backend.ports.store.requests,
        backend.ports.store.writer,
        scope,
        once,
        now,
        lambda: {"urn": "urn:x:jane"},
    )
    rule = ErasureRule(entity="urn:x:jane")
    erase(backend.ports, admin, PROJECT, rule, id="ers_1", began_at=now)
    with pytest.raises(NotFound, match="erased"):
        answered_once(
            backend.ports.store.requests,
            backend.ports.store.writer,
            scope,
            once,
            now,
            lambda: {"urn": "none"},
        )


@EMBEDDED_ONLY
def test_a_damaged_row_of_one_project_keeps_no_other_waiting(
    backend: EmbeddedBackend, admin: Principal, tmp_path: Path
) -> None:
    """Falls where whatever a project's step raises ends the walk over all of them."""
    for project in ("aaa", "zzz"):
        remember(
            backend.ports, admin, project, RememberRequest(fields={"content": "Retry uploads.", "id": "m"})
        )
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        where = "project_key = (SELECT key FROM projects WHERE project = 'aaa')"
        connection.execute(f"UPDATE memories SET tags = '[broken' WHERE {where}")
        connection.execute(
            f"UPDATE versions SET packed = CAST(packed || x'00' AS BLOB) WHERE {where}"
        )  # nothing heals it
    report = run_sweep(backend.ports, "snapshot", holder="test", seconds=60)
    assert report.is_complete
    assert len(list_snapshots(backend.ports, admin, "zzz")) == 1
    assert any("aaa" in sentence for sentence in report.failed)


def test_what_was_shared_with_the_tenant_is_erased_with_its_original(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `_erase_shared`: every project would go on recalling it."""
    add(backend, admin, "m", "Jane prefers tabs.", entities=("urn:x:jane",))
    applied = apply_memory(backend.ports, admin, PROJECT, "m", "memory")
    assert backend.ports.store.memories.get(applied.shared.scope, applied.shared.id) is not None
    rule, now = ErasureRule(entity="urn:x:jane"), backend.ports.clock.now()
    receipt = erase(backend.ports, admin, PROJECT, rule, id="ers_1", began_at=now)
    assert receipt.stores["shared_copies"] == 1
    assert backend.ports.store.memories.get(applied.shared.scope, applied.shared.id) is None


def test_a_clock_that_was_set_back_brings_nothing_back(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock
) -> None:
    """Falls where the ledger says when it was erased, and that is before it was stored."""
    add(backend, admin, "m", "Jane prefers tabs.")
    take_snapshot(backend.ports, admin, PROJECT)
    clock.advance(seconds=-1)
    erase_memory(backend.ports, admin, PROJECT, "m")
    with closing(open_embedded(None, embedder=backend.ports.embedder, clock=clock)) as empty:
        other = replace(backend.ports, store=empty.ports.store)
        assert restore_snapshot(other, admin, PROJECT, "latest").erased == 1
