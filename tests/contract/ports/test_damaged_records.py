"""A damaged row is healed from its history, or refused by name; it is never served, and never sealed anew."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from memory_layer.adapters.embedded.sqlite.record_rows import SEALED_COLUMNS
from memory_layer.adapters.embedded.store.sound_reads import SOMEBODYS
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.conflicts.pair import Pair
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Ref
from memory_layer.edge.shapes.audit_answers import audit_json
from memory_layer.edge.shapes.entity_event_bodies import event_page_json
from memory_layer.errors import DamagedRecord, MemoryLayerError, StoreUnavailable
from memory_layer.ports.audit import AuditFilter
from memory_layer.ports.process import Ports
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.settings import DATABASE_NAME
from memory_layer.usecases.ground.audit_log import read_audit
from memory_layer.usecases.ground.known_damage import known_damage
from memory_layer.usecases.ground.queries import list_memories
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.review.list_pairs import list_pairs
from memory_layer.usecases.review.review import awaiting_review
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.transfer.take_snapshot import take_snapshot
from memory_layer.usecases.transfer.verify import verify
from memory_layer.usecases.world.list_changes import list_changes
from memory_layer.usecases.world.list_entity_events import list_entity_events
from memory_layer.usecases.world.manage_webhooks import add_webhook, list_webhooks, remove_webhook
from memory_layer.usecases.world.take_entity_events import ReportedEvent, take_entity_events
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.revise import revise
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import AGENT, PROJECT, StandingClock, put_as, recalled_ids
from tests.project_examples import fill, fill_beside

pytestmark = EMBEDDED_ONLY

OTHER = {"INTEGER": "coalesce({0}, 6) + 1", "TEXT": "coalesce({0}, '') || '!'", "BLOB": "x'00'"}
"""Another value of the same type."""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "data" / DATABASE_NAME


def changed_cells(database: Path, *statements: str) -> None:
    """Changes cells as a flipped bit does: what the row was found by is found still, and no trigger counts it."""
    with closing(sqlite3.connect(database)) as connection, connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        again = [sql for _, sql in triggers]
        for statement in (*(f"DROP TRIGGER {name}" for name, _ in triggers), *statements, *again):
            connection.execute(statement)


def damaged(database: Path, id: str, column: str = "content") -> None:
    """Changes a cell and every copy of the record."""
    changed_cells(
        database,
        f"UPDATE memories SET {column} = 'Nothing of this was said.' WHERE id = '{id}'",
        f"UPDATE versions SET packed = CAST(packed || x'00' AS BLOB) WHERE id = '{id}'",
    )


def test_every_cell_is_healed(backend: EmbeddedBackend, admin: Principal, database: Path) -> None:
    """Falls without the comparison with the seal in `_sound_memory`, and without `RecordRepair.heal`."""
    fill(backend, admin)
    with closing(sqlite3.connect(database)) as connection:
        types = {name: kind for _, name, kind, *_ in connection.execute("PRAGMA table_info(memories)")}
    scope, store = admin.scope(PROJECT), backend.ports.store
    before = store.memories.get(scope, "wal")
    for column in (*SEALED_COLUMNS, "seal"):
        if column in ("project_key", "id"):  # another row would have to answer for it: see the flipped bits
            continue
        changed_cells(
            database, f"UPDATE memories SET {column} = {OTHER[types[column]].format(column)} WHERE id = 'wal'"
        )
        assert store.memories.get(scope, "wal") == before, column
        assert store.integrity.known_damage() == []
    assert verify(backend.ports, admin, PROJECT).broken == ()


def test_whose_row_nobody_can_tell_is_named_to_those_alone_who_see_every_persona(
    backend: EmbeddedBackend, admin: Principal, database: Path
) -> None:
    """Falls where a row whose cells are misread is taken for one of nobody's persona, as it says by now."""
    hers, other = (replace(AGENT, persona=name) for name in ("ann", "ben"))
    put_as(backend.ports, hers, "ann-secret-plan", "Ann keeps her notes in the blue folder.")
    damaged(database, "ann-secret-plan", "times")
    changed_cells(database, "UPDATE memories SET persona = NULL")
    pages = [
        list_memories(backend.ports, who, PROJECT, Filters(), after=None, limit=50) for who in (admin, other)
    ]
    assert [page.unread for page in pages] == [("ann-secret-plan",), (SOMEBODYS,)]


def test_two_damaged_copies_are_told_and_not_served(
    backend: EmbeddedBackend, admin: Principal, database: Path
) -> None:
    """Falls without the comparison with the version's digest in `_newest_copy`, and without `damaged_among`."""
    fill(backend, admin)
    damaged(database, "pnpm")
    ports, scope = backend.ports, admin.scope(PROJECT)
    with pytest.raises(DamagedRecord, match=r"pnpm is damaged.*mem verify -p web.*mem restore latest -p web"):
        ports.store.memories.get(scope, "pnpm")
    page = list_memories(ports, admin, PROJECT, Filters(), after=None, limit=50)
    assert "pnpm" not in {memory.id for memory in page.memories}
    assert (page.unread, page.note) == (
        ("pnpm",),
        "pnpm: damaged and left out: mem verify names what is broken",
    )
    answer = recall(ports, admin, PROJECT, RecallRequest(query="which package manager, pnpm or npm?"))
    assert "pnpm" not in {item.memory.id for item in answer.memories}
    assert answer.degraded
    assert answer.note == "pnpm: damaged and left out: mem verify names what is broken"
    assert ports.store.memories.damaged_among(scope.tenant, [Ref(PROJECT, "pnpm"), Ref(PROJECT, "wal")]) == [
        Ref(PROJECT, "pnpm")
    ]
    assert ports.store.integrity.known_damage() == [(scope, "pnpm")]
    assert known_damage(ports).records == 1


def test_a_page_goes_on_behind_damaged_records(
    backend: EmbeddedBackend, admin: Principal, database: Path
) -> None:
    """Falls where the next page begins behind the last sound record of this one, and this one has none."""
    ids = fill(backend, admin)
    for id in ids[1:]:
        damaged(database, id)
    found, named, after = list[str](), list[str](), None
    for _ in range(2 * len(ids)):
        page = list_memories(backend.ports, admin, PROJECT, Filters(status=()), after=after, limit=1)
        found, named, after = [*found, *(m.id for m in page.memories)], [*named, *page.unread], page.next_key
        if after is None:
            break
    assert (found, sorted(named)) == (ids[:1], ids[1:])


CHANGES: dict[str, Callable[[Ports, Principal], object]] = {
    "revise": lambda ports, by: revise(ports, by, PROJECT, "pnpm", {"tags": ("seen",)}),
    "outcome": lambda ports, by: report_outcome(ports, by, PROJECT, "pnpm", OutcomeReport(result="worked")),
    "archive": lambda ports, by: archive_memory(ports, by, PROJECT, "pnpm"),
    "approve": lambda ports, by: approve_memory(ports, by, PROJECT, "pnpm"),
    "put": lambda ports, by: put_as(ports, by, "pnpm", "Something quite different is said here."),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_damaged_is_never_written_again_as_if_it_were_sound(
    backend: EmbeddedBackend, admin: Principal, database: Path, change: Callable[[Ports, Principal], object]
) -> None:
    """Falls without the comparison with the seal in `_sound_memory`."""
    fill(backend, admin)
    damaged(database, "pnpm", "summary")
    before = {one.part for one in verify(backend.ports, admin, PROJECT).broken if one.id == "pnpm"}
    with pytest.raises(DamagedRecord):
        change(backend.ports, admin)
    assert {one.part for one in verify(backend.ports, admin, PROJECT).broken if one.id == "pnpm"} == before
    assert before >= {"record", "version"}


def test_a_change_heals_first(backend: EmbeddedBackend, admin: Principal, database: Path) -> None:
    fill(backend, admin)
    changed_cells(database, "UPDATE memories SET summary = 'No.', confidence = 3 WHERE id = 'pnpm'")
    revised = revise(backend.ports, admin, PROJECT, "pnpm", {"tags": ("seen",)}).memory
    assert (revised.tags, revised.confidence > 0.4, revised.summary != "No.") == (("seen",), True, True)
    assert verify(backend.ports, admin, PROJECT).broken == ()


def test_a_healed_record_is_judged_again_by_what_it_says(
    backend: EmbeddedBackend, admin: Principal, database: Path
) -> None:
    """Falls without the second reading in `select`: a damaged cell had let it into the list."""
    fill(backend, admin)
    changed_cells(database, "UPDATE memories SET category = 'bug' WHERE id = 'pnpm'")
    page = list_memories(backend.ports, admin, PROJECT, Filters(category=("bug",)), after=None, limit=9)
    assert (page.memories, page.unread) == ((), ())


def test_rows_older_than_seals_are_held_against_their_digests_and_sealed_by_the_sweep(
    backend: EmbeddedBackend, admin: Principal, database: Path
) -> None:
    """Falls without `_holds_digest`, and without the seals that `mend` makes."""
    fill(backend, admin)
    changed_cells(
        database, "UPDATE memories SET seal = NULL", "UPDATE memories SET failed = 9 WHERE id = 'pnpm'"
    )
    report = run_sweep(backend.ports, "verify", holder="test", seconds=60)
    assert (report.did, report.failed, report.is_complete) == ({"healed": 1}, (), True)
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("SELECT count(*) FROM memories WHERE seal IS NULL").fetchone() == (0,)
    pnpm = backend.ports.store.memories.get(admin.scope(PROJECT), "pnpm")
    assert pnpm is not None
    assert pnpm.failed == 0


def test_the_sweep_reads_everything_once_a_month_and_daily_until_what_it_found_is_healed(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock, database: Path
) -> None:
    """Falls where it does not look at `is_first_of_month`, and where /readyz does not look at its report."""
    ids, ports = fill(backend, admin), backend.ports
    assert run_sweep(ports, "verify", holder="test", seconds=60).looked_at >= len(ids)
    clock.advance(days=1)
    assert run_sweep(ports, "verify", holder="test", seconds=60).looked_at == 0
    assert known_damage(ports).sentence is None
    damaged(database, "pnpm")
    clock.advance(days=40)
    for _ in range(2):
        report = run_sweep(ports, "verify", holder="test", seconds=60)
        assert any(sentence.startswith("web: record pnpm") for sentence in report.failed)
        assert known_damage(ports).found == report.failed_count > 0
        clock.advance(days=1)


def test_a_snapshot_names_what_it_left_out(
    backend: EmbeddedBackend, admin: Principal, database: Path, clock: StandingClock
) -> None:
    fill(backend, admin)
    damaged(database, "pnpm")
    assert take_snapshot(backend.ports, admin, PROJECT).left_out == ("pnpm",)
    clock.advance(days=1)
    put_as(backend.ports, admin, "new", "Something new is said.")
    report = run_sweep(backend.ports, "snapshot", holder="test", seconds=60)
    assert any("damaged and not in snapshot" in one and ": pnpm;" in one for one in report.failed)


def test_what_cannot_be_read_keeps_no_other_from_an_answer(
    backend: EmbeddedBackend, admin: Principal, database: Path
) -> None:
    """Falls where a text that is none any more stops the reading of all: `_rows` reads one by one then."""
    fill(backend, admin)
    changed_cells(
        database,
        "UPDATE memories SET content = CAST(x'ff' AS TEXT) WHERE id = 'pnpm'",
        "UPDATE versions SET packed = CAST(packed || x'00' AS BLOB) WHERE id = 'pnpm'",
    )
    assert "wal" in recalled_ids(backend.ports, admin, "SQLite in WAL mode")
    page = list_memories(backend.ports, admin, PROJECT, Filters(), after=None, limit=50)
    assert page.unread == ("pnpm",)
    assert {"wal", "deploy"} <= {memory.id for memory in page.memories}


@pytest.mark.parametrize(
    ("table", "column", "path"),
    [("runs", "objective", "run"), ("staged", "learning", "staged"), ("receipts", "principal", "receipt")],
)
def test_rows_beside_the_records_are_held_against_their_digests(
    backend: EmbeddedBackend, admin: Principal, database: Path, table: str, column: str, path: str
) -> None:
    """Falls without the comparison in `sound_cells`."""
    fill(backend, admin)
    fill_beside(backend, admin, "wal")
    changed_cells(database, f"UPDATE {table} SET {column} = {column} || ' '")
    store, scope = backend.ports.store, admin.scope(PROJECT)
    reads: dict[str, Callable[[], object]] = {
        "run": lambda: store.learnings.run(scope, "r-1"),
        "staged": lambda: store.learnings.staged(scope, ["stg_1"]),
        "receipt": lambda: store.receipts.get(scope, "rcl_1"),
    }
    with pytest.raises(StoreUnavailable, match="mem verify"):
        reads[path]()


def test_a_damaged_version_is_not_shown(backend: EmbeddedBackend, admin: Principal, database: Path) -> None:
    """Falls without the comparison in `_version_in`."""
    fill(backend, admin)
    changed_cells(database, "UPDATE versions SET reason = 'because' WHERE id = 'wal' AND version = 1")
    with pytest.raises(MemoryLayerError, match="version 1 of wal is damaged"):
        backend.ports.store.history.of(admin.scope(PROJECT), "wal")


def test_damaged_accesses_are_counted_anew(
    backend: EmbeddedBackend, admin: Principal, database: Path
) -> None:
    """Falls without `_DROP_DAMAGED`: a new digest would vouch for a count that nobody counted."""
    fill(backend, admin)
    store, scope = backend.ports.store, admin.scope(PROJECT)
    at = backend.ports.clock.now()

    def shown(recall_id: str) -> None:
        store.receipts.note(RecallReceipt(recall_id, scope, "ada", (Ref(PROJECT, "wal"),), at))
        store.receipts.get(scope, recall_id)  # which writes what waits

    shown("rcl_1")
    changed_cells(database, "UPDATE accesses SET access_count = 900")
    shown("rcl_2")
    kept = store.memories.get(scope, "wal")
    assert kept is not None
    assert kept.access_count == 1
    assert verify(backend.ports, admin, PROJECT).broken == ()


@pytest.mark.parametrize(
    "damage", ["at = 'no time'", "about = 'wal'", "payload = replace(payload, 'created', 'deleted')"]
)
def test_damaged_entries_of_the_audit_log_are_named_and_not_shown(
    backend: EmbeddedBackend, admin: Principal, database: Path, damage: str
) -> None:
    """Falls without `sound_page`, and without the digest before in `_READ`: a time or an id has no other proof."""
    fill(backend, admin)
    changed_cells(database, f"UPDATE audit SET {damage} WHERE position = 1")
    page = read_audit(backend.ports, admin, PROJECT, AuditFilter(), before=None, limit=200)
    assert page.damaged == (1,)
    assert min(link.position for link in page.links) == 2
    note = audit_json(page, None)["note"]
    assert note == "entries 1: damaged and left out: mem audit --verify names the first"
    assert "1" not in {event.id for event in list_changes(backend.ports, admin, PROJECT).events}


def test_damaged_pairs_and_events_are_named_by_their_lists(
    backend: EmbeddedBackend, admin: Principal, database: Path
) -> None:
    """Falls without `damaged` of a page: the list would look whole."""
    ports, scope = backend.ports, admin.scope(PROJECT)
    fill(backend, admin)
    now = ports.clock.now()
    pair = Pair(
        id=f"par_{0:032x}", tenant=scope.tenant, project=PROJECT, kind="conflict", ids=("deploy", "wal"),
        content_hashes=("a" * 64, "b" * 64), similarity=0.9, severity=0.5, reason="They differ.", found_at=now,
    )  # fmt: skip
    assert ports.store.pairs.put([pair]) == [True]
    take_entity_events(
        ports, admin, PROJECT, [ReportedEvent(urn="urn:tech:sqlite", event="schema_changed", occurred_at=now)]
    )
    changed_cells(database, "UPDATE pairs SET reason = 'No.'", "UPDATE entity_events SET created_by = 'eve'")
    conflicts = list_pairs(ports, admin, PROJECT, "conflict", after=None, limit=9)
    assert (conflicts.items, conflicts.damaged) == ((), (pair.id,))
    assert pair.id in awaiting_review(ports, admin, PROJECT, after=None, limit=9).damaged
    page = list_entity_events(ports, admin, PROJECT, "urn:tech:sqlite", after=None, limit=9)
    assert (page.events, len(page.damaged)) == ((), 1)
    assert "damaged and left out" in event_page_json(page, None)["note"]


def test_a_damaged_webhook_is_told(backend: EmbeddedBackend, admin: Principal, database: Path) -> None:
    """Falls where it is left out of the list: nothing is sent, and nobody knows why."""
    fill(backend, admin)
    made = add_webhook(backend.ports, admin, PROJECT, "https://hooks.example.com/memory").webhook
    changed_cells(database, "UPDATE webhooks SET state = replace(state, 'hooks', 'kooks')")
    with pytest.raises(
        StoreUnavailable, match=f"webhook {made.id} of project {PROJECT} is damaged: remove it"
    ):
        list_webhooks(backend.ports, admin, PROJECT)
    remove_webhook(backend.ports, admin, PROJECT, made.id)
    assert list(list_webhooks(backend.ports, admin, PROJECT)) == []


def test_a_receipt_of_no_day_is_told(
    backend: EmbeddedBackend, admin: Principal, database: Path, clock: StandingClock
) -> None:
    """Falls where a day is read as it lies: the counts of all days would end as our mistake."""
    fill(backend, admin)
    fill_beside(backend, admin, "wal")
    changed_cells(database, "UPDATE receipts SET at = 'no day' || at")
    with pytest.raises(StoreUnavailable, match="the time of a receipt is damaged"):
        backend.ports.store.receipts.by_day(admin.scope(PROJECT), clock.now() - timedelta(days=9), 100)
