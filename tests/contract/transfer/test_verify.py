"""Verification reads everything, finds nothing wrong with what was written, and names whatever was damaged since."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from memory_layer.adapters.aws.table.record_items import bytes_of
from memory_layer.adapters.embedded.store import record_store
from memory_layer.adapters.stored_form.body_format import body_key, packed_body
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal
from memory_layer.domain.conflicts.pair import Pair
from memory_layer.domain.context.assembly_policy import AssemblyPolicy
from memory_layer.domain.context.feedback_tuning import Feedback, tune_by_feedback
from memory_layer.domain.integrity.digests import manifest_digest, manifest_line, record_digest
from memory_layer.domain.integrity.verification import StoredRecord
from memory_layer.domain.learning.author_records import AuthorRecords
from memory_layer.domain.learning.line_findings import LineFinding
from memory_layer.domain.memory import Memory, Ref, Scope, Tier
from memory_layer.domain.time.entity_events import EntityEvent
from memory_layer.errors import Forbidden, MemoryLayerError, StoreUnavailable
from memory_layer.ports.commit import Change, Commit, Quota, Vectors
from memory_layer.usecases.transfer.take_snapshot import take_snapshot
from memory_layer.usecases.transfer.verify import VerificationReport, verify
from memory_layer.usecases.world.manage_webhooks import add_webhook
from memory_layer.usecases.write.forget import erase_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import PROJECT, a_memory, created, with_parts
from tests.project_examples import fill, fill_beside
from tests.unit.adapters.embedded.test_version_packing import unpacks_to_the_same

AWS_ONLY = pytest.mark.parametrize(
    "open_backend", [pytest.param("aws", marks=pytest.mark.engines)], indirect=True
)
FLIPS = 600
PAGE_FLIPS = 300


def check(backend: EmbeddedBackend, admin: Principal) -> VerificationReport:
    return verify(backend.ports, admin, PROJECT)


def test_what_was_written_is_sound(backend: EmbeddedBackend, admin: Principal) -> None:
    ids = fill(backend, admin)
    found = check(backend, admin)
    assert (found.is_valid, found.broken, found.checked, found.unsealed) == (True, (), len(ids), 0)
    scope = admin.scope(PROJECT)
    records = [backend.ports.store.memories.get(scope, id) for id in ids]
    lines = [manifest_line(m.id, m.version, record_digest(m)) for m in records if m is not None]
    assert found.manifest == manifest_digest(sorted(lines))


def test_an_empty_project_is_sound_too(backend: EmbeddedBackend, admin: Principal) -> None:
    found = verify(backend.ports, admin, "nothing")
    assert (found.is_valid, found.checked, found.manifest) == (True, 0, manifest_digest([]))


def test_the_manifest_changes_with_every_change(backend: EmbeddedBackend, admin: Principal) -> None:
    fill(backend, admin)
    before = check(backend, admin).manifest
    assert check(backend, admin).manifest == before
    erase_memory(backend.ports, admin, PROJECT, "pnpm")
    assert check(backend, admin).manifest != before


def test_it_is_an_admins(backend: EmbeddedBackend, agent: Principal) -> None:
    with pytest.raises(Forbidden, match="admin"):
        verify(backend.ports, agent, PROJECT)


def test_progress_is_told_for_every_page(backend: EmbeddedBackend, admin: Principal) -> None:
    fill(backend, admin)
    told: list[tuple[int, int]] = []
    verify(backend.ports, admin, PROJECT, tell=lambda done, total: told.append((done, total)))
    assert told[-1][0] >= 7
    assert told == sorted(told)


def test_a_created_again_id_is_sound(backend: EmbeddedBackend, admin: Principal) -> None:
    fill(backend, admin)
    remember(
        backend.ports, admin, PROJECT, RememberRequest(fields={"id": "gone", "content": "Told anew, openly."})
    )
    assert check(backend, admin).broken == ()


def test_what_falls_silent_with_an_erased_turn_is_sealed_anew(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls where `strip_context` or `_rewriting` leave a version its old digest."""
    ids = fill(backend, admin)
    turns = [id for id in ids if id.startswith("mem_")]
    erase_memory(backend.ports, admin, PROJECT, turns[1])
    backend.drain()
    histories = [backend.ports.store.history.of(admin.scope(PROJECT), id) for id in (turns[0], turns[2])]
    assert not any(version.memory.context for history in histories for version in history[:-1])
    assert check(backend, admin).broken == ()


class WritesInBetween:
    """A record store in which a record is read before a write, and its history after it: once."""

    def __init__(self, integrity: Any, id: str) -> None:
        self._integrity = integrity
        self._id = id

    def kept(self, *where: Any, **how: Any) -> Any:
        page = self._integrity.kept(*where, **how)
        return replace(
            page, kept=tuple(self._torn(kept) if kept.id == self._id else kept for kept in page.kept)
        )

    def _torn(self, kept: StoredRecord) -> StoredRecord:
        newest = kept.versions[-1]
        return replace(kept, versions=(*kept.versions, replace(newest, number=newest.number + 1)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._integrity, name)


def test_a_write_in_the_middle_of_a_reading_is_no_damage(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `_still_broken`."""
    fill(backend, admin)
    ports = with_parts(backend.ports, integrity=WritesInBetween(backend.ports.store.integrity, "pnpm"))
    assert verify(ports, admin, PROJECT).broken == ()


def test_vectors_that_are_none_are_named(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without `_has_unit_length` and without the comparison of dimensions in domain/integrity/verification.py."""
    fill(backend, admin)
    scope = admin.scope(PROJECT)
    memory = backend.ports.store.memories.get(scope, "pnpm")
    assert memory is not None
    good = backend.ports.store.memories.vectors(scope, ["pnpm"])["pnpm"].content
    for number, bad in enumerate(
        (good * 2, good * float("nan"), good[:100] / (good[:100] ** 2).sum() ** 0.5)
    ):
        version = memory.version + number
        after = replace(memory, version=version + 1)
        change = Change(after, version, "updated", "ada", memory.updated_at, vectors=Vectors(bad))
        backend.ports.store.writer.commit(Commit(scope=scope, changes=(change,)))
        assert {(one.id, one.part) for one in check(backend, admin).broken} == {("pnpm", "vectors")}


@EMBEDDED_ONLY
def test_ties_that_are_lost_are_named(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls where only the rows that are there are looked at."""
    fill(backend, admin)
    store: Any = backend.ports.store
    with store.memories._database.writing() as connection:
        connection.execute(
            "DELETE FROM mentions WHERE memory_key = (SELECT key FROM memories WHERE id = 'pnpm')"
        )
    (told,) = check(backend, admin).broken
    assert (told.id, told.part, "reconcile" in told.what) == ("pnpm", "mentions", True)
    memory = store.memories.get(admin.scope(PROJECT), "pnpm")
    cold = replace(memory, tier="cold", version=memory.version + 1)
    change = Change(cold, memory.version, "moved", "ada", memory.updated_at)
    store.writer.commit(Commit(scope=memory.scope, changes=(change,)))
    assert check(backend, admin).broken == ()  # no graph would find it, and reconcile leaves it alone


# --- one bit, anywhere -------------------------------------------------------------------------------------------


def flipped(value: Any, chance: random.Random) -> Any:
    """The same with one bit turned over."""
    if isinstance(value, int):
        bit = chance.randrange(64)
        turned = (value ^ (1 << bit)) & (2**64 - 1)
        return turned - 2**64 if turned >= 2**63 else turned
    body = bytearray(value)
    body[chance.randrange(len(body))] ^= 1 << chance.randrange(8)
    return bytes(body)


PARTS = {
    "tombstones": "tombstone",
    "accesses": "accesses",
    "mentions": "mentions",
    "verdicts": "verdict",
    "sessions": "positions",
    "answers": "answer",
    "receipts": "receipt",
    "runs": "run",
    "staged": "staged",
    "implicit_feedback": "feedback",
    "operations": "operation",
    "quotas": "quota",
    "entity_events": "event",
    "activity": "activity",
    "pairs": "pair",
    "audit": "audit",
    "record_counts": "counts",
    "erased_bodies": "body",
    "webhooks": "webhook",
    "projects": "file",
    "sqlite_sequence": "file",
}
"""What damage to a row of each table is told as; of a record's own tables it is told under the record's id."""

OWNED = ("memories", "versions", "search_rows")
LOST = {
    ("accesses", "memory_key"): "file",
    ("mentions", "memory_key"): "file",
    ("projects", "position"): "project",
    ("projects", "audit_position"): "audit",
    ("projects", "audit_digest"): "audit",
    ("projects", "policy"): "settings",
    ("projects", "assembly"): "settings",
    ("projects", "authors"): "settings",
}
NEVER_UNSEALED = {
    "record_counts",
    "audit",
    "entity_events",
    "activity",
    "pairs",
    "erased_bodies",
    "webhooks",
    "mentions",
    "sqlite_sequence",
}
"""Younger than digests, or SQLite's own."""

NO_PROJECTS = {"sweep_states"}
"""Of all tenants: with a digest of their own, by which a damaged one counts as none and begins anew."""

SAYS_NOTHING = {("sqlite_sequence", "name"), ("projects", "writes")}
"""Cells that mean nothing by themselves: a counter of another name is none, and SQLite makes it anew; how often a
project was written is only ever compared with what it was a moment ago."""


class Cell(NamedTuple):
    """Where one is: `row` says its row's own key, by column."""

    table: str
    column: str
    is_text: bool
    row: dict[str, Any]
    id: str | None

    @property
    def part(self) -> str | None:
        return LOST.get((self.table, self.column)) or PARTS.get(self.table)


class Rows:
    """The cells of a database file, and how to damage one."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA foreign_keys = OFF")
        tables = self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        self.tables = sorted(name for (name,) in tables)
        self.cells = [cell for table in self.tables for cell in self._cells(table)]

    def columns(self, table: str) -> dict[str, tuple[bool, bool]]:
        """By name: whether it is a text, and whether it is in the key."""
        told = self.connection.execute(f"PRAGMA table_info({table})").fetchall()
        return {name: (kind == "TEXT" or (table == "sqlite_sequence" and name == "name"), bool(key))
                for _, name, kind, _, _, key in told}  # fmt: skip

    def _keys(self, table: str) -> list[tuple[str, bool]]:
        """With whether each is a text."""
        return [(name, is_text) for name, (is_text, is_key) in self.columns(table).items() if is_key]

    def _cells(self, table: str) -> Iterator[Cell]:
        columns = self.columns(table)
        has_rowid = "WITHOUT ROWID" not in self.connection.execute(
            "SELECT sql FROM sqlite_master WHERE name = ?", (table,)).fetchone()[0]  # fmt: skip
        named = ["rowid"] if has_rowid else [name for name, (_, is_key) in columns.items() if is_key]
        for row in self.connection.execute(f"SELECT {', '.join(named)} FROM {table}").fetchall():
            where = dict(zip(named, row, strict=True))
            id = self._value(self._owner(table), "id", where) if table in OWNED else None
            for name, (is_text, _) in columns.items():
                if self._value(table, f"length(CAST({name} AS BLOB))", where):
                    yield Cell(table, name, is_text, where, id)

    @staticmethod
    def _owner(table: str) -> str:
        return "(SELECT s.rowid, m.id FROM search_rows s JOIN memories m ON m.key = s.memory_key)" if (
            table == "search_rows") else table  # fmt: skip

    def _value(self, table: str, what: str, where: dict[str, Any]) -> Any:
        sql = f"SELECT {what} FROM {table} WHERE {_is(where)}"
        (value,) = self.connection.execute(sql, list(where.values())).fetchone()
        return value

    @contextmanager
    def one_flipped(self, cell: Cell, chance: random.Random) -> Iterator[str]:
        """Gives what was damaged ("": no word of it, or another row has that key); afterwards all is as before."""
        table, column, is_text, where, _ = cell
        before = self._value(table, f"CAST({column} AS BLOB)" if is_text else column, where)
        after = flipped(before, chance)
        if column == "packed" and unpacks_to_the_same(after, before):
            yield ""
            return
        change = f"UPDATE {table} SET {column} = {'CAST(? AS TEXT)' if is_text else '?'} WHERE "
        try:
            self.connection.execute(change + _is(where), (after, *where.values()))
        except sqlite3.IntegrityError:
            yield ""
            return
        moved = {name: after if name == column else value for name, value in where.items()}
        if "rowid" in where and self._keys(table) == [(column, False)]:  # then the key is the rowid
            moved = {"rowid": after}
        try:
            yield f"{table}.{column} of {where}: {before!r} -> {after!r}"
        finally:
            self.connection.execute(change + _is(moved), (before, *moved.values()))


def _is(where: dict[str, Any]) -> str:
    return " AND ".join(f"CAST({name} AS BLOB) = CAST(? AS BLOB)" for name in where)


def fill_lifecycle(backend: EmbeddedBackend, admin: Principal) -> None:
    """An event, the activity of its project, a pair, no field empty; a persona's record, a warm one; feedback."""
    store: Any = backend.ports.store
    scope, now = admin.scope(PROJECT), backend.ports.clock.now()
    event = EntityEvent(
        id="evt_1", tenant=scope.tenant, project=scope.project, urn="urn:tech:a", event="renamed",
        target="urn:tech:b", detail={"n": 1}, occurred_at=now, received_at=now, created_by="ada",
        by_agent=True, persona="coder",
    )  # fmt: skip
    assert store.events.add([event]) == [True]
    applied = replace(event, applied_at=now, marked=1, is_known=True, version=2)
    assert store.events.mark_applied([applied]) == [True]
    store.projects.note_activity(scope, now)
    pair = Pair(
        id="pair_1", tenant=scope.tenant, project=scope.project, kind="conflict", ids=("pnpm", "wal"),
        content_hashes=("a" * 64, "b" * 64), similarity=0.9, severity=0.5, reason="One says no.", status="resolved",
        resolution="kept_both", resolved_by="ada", resolved_at=now, persona="coder", found_at=now,
    )  # fmt: skip
    assert store.pairs.put([pair]) == [True]
    if backend.ports.webhooks is not None:
        add_webhook(backend.ports, admin, PROJECT, "https://hooks.example.com/")
    own = a_memory(scope, "own", persona="coder")
    store.writer.commit(Commit(scope=scope, changes=(created(own),)))
    fill_tuning(backend, admin)
    fill_body(backend, admin)


def fill_tuning(backend: EmbeddedBackend, admin: Principal) -> None:
    """What feedback on a context has changed, and what was found of an author."""
    said, now = Feedback(coherence_score=0.5), backend.ports.clock.now()
    after = tune_by_feedback(AssemblyPolicy(), said, at=now, by="ada", request_id="ctx_1")
    found = LineFinding("0" * 12, "1" * 12, was_wrong=True, found_by="decision", day=now.toordinal())
    authors = AuthorRecords((found,), version=1)
    backend.ports.store.writer.commit(Commit(scope=admin.scope(PROJECT), assembly=after, authors=authors))


LONG = "When the build hangs on the third worker, raise its memory to 4 GB first. " * 20


def fill_body(backend: EmbeddedBackend, admin: Principal, tier: Tier = "warm") -> Memory:
    """A record with its words in a body, and in none of its versions; as it lies."""
    store, ref = backend.ports.store, Ref(PROJECT, "long")
    memory = a_memory(admin.scope(PROJECT), "long", content=LONG, tier=tier)
    after = replace(memory, version=2)
    for change in (created(memory), Change(after, 1, "moved", "ada", memory.updated_at)):
        store.writer.commit(Commit(scope=memory.scope, changes=(change,)))
    return store.memories.get_many(admin.tenant, [ref], with_bodies=False)[ref]


def test_a_body_is_read_and_what_is_wrong_with_it_is_named(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without `body_flaws` in usecases/transfer/verify.py, and any check of `_words` and `_flaw`."""
    fill(backend, admin)
    stub = fill_body(backend, admin)
    assert check(backend, admin).broken == ()
    blobs, key = backend.ports.blobs, body_key(stub.scope, stub.id, stub.content_hash)
    good = blobs.get(key)
    assert good is not None
    for bad, told in (
        (None, "is missing"),
        (good[: len(good) // 2], "does not match its content_hash"),
        (b"", "does not match its content_hash"),
        (b"no zstd at all", "cannot be read: "),
        (packed_body(f"{LONG}!".encode()), "does not match its content_hash"),
        (packed_body(LONG.encode("utf-16")), "cannot be read: "),
    ):
        blobs.delete(key)
        if bad is not None:
            blobs.put(key, bad)
        (broken,) = check(backend, admin).broken
        assert (broken.id, broken.version, broken.part) == ("long", 2, "body")
        assert broken.what.startswith(told)
        with pytest.raises(StoreUnavailable, match="the body of long"):
            backend.ports.store.memories.get(stub.scope, "long")
    blobs.put(key, good)
    assert check(backend, admin).broken == ()


def test_any_flipped_bit_of_a_body_is_named_or_changes_no_word(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    """Falls without the comparison with content_hash in adapters/stored_form/bodies.py."""
    fill(backend, admin)
    stub = fill_body(backend, admin)
    blobs, key = backend.ports.blobs, body_key(stub.scope, stub.id, stub.content_hash)
    good = blobs.get(key)
    assert good is not None
    named = 0
    for place in range(len(good)):
        for bit in range(8):
            bad = bytearray(good)
            bad[place] ^= 1 << bit
            blobs.put(key, bytes(bad))
            if flaws := backend.ports.store.integrity.body_flaws(stub.scope, kept_stub(backend, stub)):
                named += 1
                assert [(flaw.id, flaw.part) for flaw in flaws] == [("long", "body")]
            else:
                assert backend.ports.store.memories.whole([stub])[0].content == LONG
    assert named > 0.8 * 8 * len(good)


def kept_stub(backend: EmbeddedBackend, stub: Memory) -> list[StoredRecord]:
    return backend.ports.store.integrity.kept_under(stub.scope, [stub.id], with_history=False)


@EMBEDDED_ONLY
@pytest.mark.parametrize(
    ("turned", "part", "told"),
    [
        ("body_bytes = body_bytes + 1", "body", "has 1480 bytes, and the record says 1481"),
        ("body_bytes = NULL", "content", "does not match its content_hash"),
    ],
)
def test_how_long_a_body_is_said_to_be_is_held_against_it(
    backend: EmbeddedBackend, admin: Principal, tmp_path: Path, turned: str, part: str, told: str
) -> None:
    """Falls without the comparison in `_flaw`, and without `_broken_words`."""
    fill_body(backend, admin)
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        connection.execute(f"UPDATE memories SET {turned}, seal = NULL WHERE id = 'long'")
    assert [(one.part, one.what) for one in check(backend, admin).broken] == [(part, told)]


def cells_to_flip(rows: Rows, chance: random.Random) -> Iterator[Cell]:
    """One of every column of every table, then any."""
    whole = list(rows.cells)
    chance.shuffle(whole)
    yield from {(cell.table, cell.column): cell for cell in whole}.values()
    while True:
        yield chance.choice(whole)


@EMBEDDED_ONLY
def test_any_flipped_bit_of_a_row_is_named(
    backend: EmbeddedBackend, admin: Principal, tmp_path: Path
) -> None:
    """Falls without any one of the digests, and without the comparison of rows with what is written for them.

    Tried: without the comparison with a digest in each of `_project`, `_of_records`, `_rows`, `_numbering` and
    `_projects`, and without the search for rows of nobody.
    """
    fill(backend, admin)
    fill_beside(backend, admin, "pnpm")
    fill_lifecycle(backend, admin)
    assert check(backend, admin).is_valid
    chance = random.Random(4)
    rows = Rows(tmp_path / "data" / "memory.sqlite3")
    with closing(rows.connection) as connection:
        told = {(cell.table, cell.column) for cell in rows.cells}
        assert set(rows.tables) == {*OWNED, *PARTS, *NO_PROJECTS}, "say what damage to a new table is told as"
        unfilled = {(table, name) for table in PARTS for name in rows.columns(table)} - told
        assert unfilled == set(), "no bit of them is flipped"
        for cell in islice(cells_to_flip(rows, chance), FLIPS):
            if (cell.table, cell.column) in SAYS_NOTHING:
                continue
            with rows.one_flipped(cell, chance) as what:
                found = check(backend, admin) if what else None
                if found is not None:
                    assert not found.is_valid, what
                    said = (
                        {one.part for one in found.broken} if cell.part else {one.id for one in found.broken}
                    )
                    assert (cell.part or cell.id) in said, f"{what}: {found.broken}"
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert check(backend, admin).is_valid


@EMBEDDED_ONLY
def test_damage_to_another_tenants_rows_is_not_named(
    backend: EmbeddedBackend, admin: Principal, tmp_path: Path
) -> None:
    """Falls where `beside` does not ask whose a row is."""
    fill(backend, admin)
    fill_beside(backend, admin, "pnpm")
    other = replace(admin, tenant="zeta")
    assert verify(backend.ports, other, PROJECT).is_valid
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        for table in PARTS.keys() - {"audit", "projects", "record_counts", "sqlite_sequence"}:
            connection.execute(f"UPDATE {table} SET digest = x'00'")
        connection.execute("UPDATE audit SET digest = '00'")
        connection.execute("UPDATE record_counts SET records = records + 1")
    assert not check(backend, admin).is_valid
    assert verify(backend.ports, other, PROJECT).broken == ()


@EMBEDDED_ONLY
@pytest.mark.parametrize(
    "turned",
    [
        "created_at = replace(created_at, 'T', 't')",  # one bit, and the same moment
        "detail = replace(detail, '1.5', '1.50')",
        "pinned = 3",
    ],
)
def test_what_reads_the_same_and_was_not_written_so_is_named(
    backend: EmbeddedBackend, admin: Principal, tmp_path: Path, turned: str
) -> None:
    """Falls without the comparison of rows with what is written for them."""
    fields = {"id": "m", "content": "Seconds are cheap.", "detail": {"n": 1.5}}
    remember(backend.ports, admin, PROJECT, RememberRequest(fields=fields))
    set_pinned(backend, admin, "m")
    assert check(backend, admin).is_valid
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        connection.execute(f"UPDATE memories SET {turned}")
    assert [(one.id, one.what) for one in check(backend, admin).broken] == [
        ("m", f"{turned.split(' ')[0]} is not as it was written")
    ]


def set_pinned(backend: EmbeddedBackend, admin: Principal, id: str) -> None:
    memory = backend.ports.store.memories.get(admin.scope(PROJECT), id)
    assert memory is not None
    after = replace(memory, pinned=True, version=memory.version + 1)
    change = Change(after, memory.version, "pinned", "ada", memory.updated_at)
    backend.ports.store.writer.commit(Commit(scope=memory.scope, changes=(change,)))


@EMBEDDED_ONLY
@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DELETE FROM sqlite_master WHERE name = 'memories_by_content'", "is damaged"),
        ("UPDATE projects SET project = 'wob' WHERE project = 'other'", "row 2 of projects does not match"),
        (
            "UPDATE projects SET project = 'wob', digest = NULL WHERE project = 'other'",
            "row 2 of projects has another name than its records say",
        ),
        ("INSERT INTO search_rows (memory_key, content_terms) VALUES (99, x'')", "row 99 of search_rows"),
    ],
)
def test_damage_beside_the_rows_of_a_project_is_told(
    open_backend: Callable[..., EmbeddedBackend],
    admin: Principal,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    damage: str,
    told: str,
) -> None:
    """Falls without a part of `damage` in adapters/embedded/store/file_verification.py."""
    backend = open_backend()
    fill(backend, admin)
    remember(backend.ports, admin, "other", RememberRequest(fields={"content": "Of another project."}))
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3", isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(damage)
    monkeypatch.setattr(record_store, "mend_projects", lambda _: None)  # a start heals names
    found = check(open_backend(), admin)
    assert {(one.id, one.part) for one in found.broken} == {("", "file")}
    assert any(told in one.what for one in found.broken), found.broken


def dumped(path: Path) -> list[Any]:
    """All that a verification answers for."""
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        return [
            connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall()
            for table in (*OWNED, *sorted(PARTS))
        ]


@EMBEDDED_ONLY
def test_any_flipped_bit_of_the_file_is_told_or_changes_nothing(
    open_backend: Callable[..., EmbeddedBackend], admin: Principal, tmp_path: Path
) -> None:
    """Falls without `damage`: what SQLite keeps beside the rows is not in their digests."""
    backend = open_backend()
    fill(backend, admin)
    fill_beside(backend, admin, "pnpm")
    backend.close()
    path, chance = tmp_path / "data" / "memory.sqlite3", random.Random(8)
    sound, rows, told = path.read_bytes(), dumped(path), 0
    for _ in range(PAGE_FLIPS):
        body = bytearray(sound)
        place = chance.randrange(len(body))
        body[place] ^= 1 << chance.randrange(8)
        path.write_bytes(body)
        for beside in tmp_path.glob("data/memory.sqlite3-*"):
            beside.unlink()
        if _is_told(open_backend, admin):
            told += 1
        else:
            assert dumped(path) == rows, f"byte {place}"
    assert told > PAGE_FLIPS / 10
    shutil.rmtree(tmp_path / "data")


def _is_told(open_backend: Callable[..., EmbeddedBackend], admin: Principal) -> bool:
    try:
        backend = open_backend()
    except MemoryLayerError:
        return True
    try:
        return not check(backend, admin).is_valid
    except MemoryLayerError:
        return True
    finally:
        backend.close()


KINDS = {
    "memory": "record",
    "version": "version",
    "tombstone": "tombstone",
    "verdict": "verdict",
    "answer": "answer",
    "answer_body": "answer",
    "positions": "positions",
    "receipt": "receipt",
    "run": "run",
    "staged": "staged",
    "feedback": "feedback",
    "entry": "run",
    "operation": "operation",
    "quota": "quota",
    "log": "log",
    "policy": "settings",
    "assembly": "settings",
    "authors": "settings",
    "audit": "audit",
    "audit_head": "audit",
}
"""What damage to an item of each kind is told as, among others."""

UNKEPT = {
    "accesses",
    "audit_erased",
    "audit_forgotten",
    "audit_source",
    "claim",
    "index mark",
    "news",
    "note",
    "project",
    "run_recall",
    "sweep",
    "write_mark",
}
"""Counts that are added to in place; the mark of a receipt that is verified itself; a minute's claim to a content; what
means nothing by itself but that it is another than before; and no project's: the mark of the index, names of projects,
states of sweeps; what the projector looks at before it chains an event."""

ONLY_LISTED = {"tombstone", "answer", "positions", "operation", "quota"}
"""Found through the index by age alone: one that has left it is no longer there for a verification."""


def items_of_every_kind(table: Any) -> list[dict[str, Any]]:
    """One of each, bytes as the client wants them back."""
    found: dict[str, dict[str, Any]] = {}
    stored = [
        item
        for page in table._client.get_paginator("scan").paginate(TableName=table._name)
        for item in page["Items"]
    ]
    for item in sorted(stored, key=lambda item: "replaced_by" not in item):
        kind = item["kind"]["S"]
        found.setdefault(kind, {n: {"B": bytes_of(v)} if "B" in v else v for n, v in item.items()})
    return [item for kind, item in found.items() if kind not in UNKEPT]


@AWS_ONLY
def test_any_changed_attribute_is_named(backend: EmbeddedBackend, admin: Principal) -> None:
    """Falls without the digests, without `_unexpected_attributes`, `_with_due` and `_with_replaced`, and without the
    comparison with the last snapshot."""
    fill(backend, admin)
    fill_beside(backend, admin, "pnpm")
    fill_tuning(backend, admin)
    take_snapshot(backend.ports, admin, PROJECT)
    assert check(backend, admin).broken == ()
    table = backend.ports.store.memories._table  # type: ignore[attr-defined]
    chance = random.Random(2)
    items = items_of_every_kind(table)
    assert {item["kind"]["S"] for item in items} == KINDS.keys()
    for item in items:
        kind = item["kind"]["S"]
        unnamed = {"pk", "sk", "access_count", "last_accessed_at"} | (
            {"age_pk"} if kind in ONLY_LISTED else set()
        )
        unnamed |= {"kind"} if KINDS[kind] == "audit" else set()  # the partition says it
        for name in sorted(item.keys() - unnamed):
            changed = {**item, name: _changed(item[name], chance)}
            table._client.put_item(TableName=table._name, Item=changed)
            found = check(backend, admin)
            assert found.broken, f"{item['sk']} {name} {changed[name]}"
            if kind not in ("memory", "entry") and name != "kind":
                assert KINDS[kind] in {one.part for one in found.broken}, (
                    f"{item['sk']} {name}: {found.broken}"
                )
        table._client.put_item(TableName=table._name, Item=item)
    assert check(backend, admin).is_valid


def _changed(value: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    ((kind, content),) = value.items()
    if kind == "N":
        return {"N": str(int(content) ^ 1 << chance.randrange(20))}
    if kind == "BOOL":
        return {"BOOL": not content}
    if kind == "B":
        return {"B": flipped(content, chance)}
    if kind == "S":
        place = chance.randrange(len(content))
        return {"S": f"{content[:place]}{chr(ord(content[place]) ^ 1)}{content[place + 1 :]}"}
    if kind == "L":
        return {"L": [_changed(content[0], chance), *content[1:]]}
    name = sorted(content)[0]
    return {"M": {**content, name: _changed(content[name], chance)}}


@EMBEDDED_ONLY
@pytest.mark.parametrize(
    ("damage", "read"),
    [
        ("UPDATE verdicts SET at = 'no time'", lambda store, scope: store.history.verdicts(scope, "pnpm")),
        (
            "UPDATE verdicts SET note = CAST(x'ff' AS TEXT)",
            lambda store, scope: store.history.verdicts(scope, "pnpm"),
        ),
        ("UPDATE runs SET received_at = 'no time'", lambda store, scope: store.learnings.run(scope, "r-1")),
        ("UPDATE staged SET learning = '{'", lambda store, scope: store.learnings.staged(scope, ["stg_1"])),
        ("UPDATE receipts SET refs = '{'", lambda store, scope: store.receipts.get(scope, "rcl_1")),
        (
            "UPDATE operations SET result = '{'",
            lambda store, scope: store.requests.operation(scope.tenant, "op_1"),
        ),
        (
            "UPDATE answers SET expires_at = '~'",
            lambda store, scope: store.requests.answers(scope, ["key-1"], datetime(2026, 3, 1, tzinfo=UTC)),
        ),
    ],
)
def test_who_reads_what_is_damaged_is_told_so(
    backend: EmbeddedBackend,
    admin: Principal,
    tmp_path: Path,
    damage: str,
    read: Callable[[Any, Scope], object],
) -> None:
    """Falls without `read` in adapters/stored_form/stored_values.py, and where rows are iterated over."""
    fill(backend, admin)
    fill_beside(backend, admin, "pnpm")
    read(backend.ports.store, admin.scope(PROJECT))
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        connection.execute(damage)
    with pytest.raises(StoreUnavailable, match=r"is damaged|cannot be read|can be read"):
        read(backend.ports.store, admin.scope(PROJECT))
    assert not check(backend, admin).is_valid


@EMBEDDED_ONLY
def test_damage_does_not_stop_an_erasure_nor_a_quota(
    backend: EmbeddedBackend, admin: Principal, tmp_path: Path
) -> None:
    """Falls without `json_valid` in _SILENCE_ANSWER, and without `_uses`, in adapters/embedded/store/transaction.py."""
    turns = [id for id in fill(backend, admin) if id.startswith("mem_")]
    fill_beside(backend, admin, turns[0])
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        connection.execute("UPDATE answers SET body = '{'")
        connection.execute("UPDATE quotas SET uses = '{'")
    erase_memory(backend.ports, admin, PROJECT, turns[1])
    now = backend.ports.clock.now()
    backend.ports.store.writer.commit(
        Commit(scope=admin.scope(PROJECT), quotas=(Quota("outcome:ada", 1, 3600, now, "ada"),))
    )
    assert {one.part for one in check(backend, admin).broken} == {"answer"}


# --- what is not there any more -----------------------------------------------------------------------------------


@EMBEDDED_ONLY
def test_what_a_snapshot_knows_and_nobody_erased_is_missed(
    backend: EmbeddedBackend, admin: Principal, tmp_path: Path
) -> None:
    """Falls without `look_for_lost`."""
    fill(backend, admin)
    snapshot = take_snapshot(backend.ports, admin, PROJECT)
    erase_memory(backend.ports, admin, PROJECT, "pnpm")
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        connection.execute("PRAGMA foreign_keys = ON")
        for table in ("versions", "memories"):
            connection.execute(f"DELETE FROM {table} WHERE id = 'wal'")
    found = check(backend, admin)
    assert {(one.id, one.part) for one in found.broken} == {("wal", "record")}
    assert snapshot.id in found.broken[0].what
    assert found.compared_with == snapshot.id


@EMBEDDED_ONLY
def test_rows_older_than_digests_are_counted_and_sealed_when_written(
    backend: EmbeddedBackend, admin: Principal, tmp_path: Path
) -> None:
    fill(backend, admin)
    fill_beside(backend, admin, "wal")
    beside = 0
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        for table in OWNED:
            connection.execute(f"UPDATE {table} SET digest = NULL")
        for table in PARTS.keys() - NEVER_UNSEALED:
            beside += connection.execute(f"UPDATE {table} SET digest = NULL").rowcount
        connection.execute("UPDATE versions SET before_version = NULL, log_position = NULL")
        connection.execute("UPDATE memories SET seal = NULL")
    found = check(backend, admin)
    assert (found.is_valid, found.unsealed) == (True, found.checked + beside)
    scope = admin.scope(PROJECT)
    backend.ports.store.sessions.take_positions(scope, "talk", 1)
    assert check(backend, admin).unsealed == found.unsealed - 2, "the conversation and its project are sealed"
    memory = backend.ports.store.memories.get(scope, "pnpm")
    assert memory is not None
    vectors = backend.ports.store.memories.vectors(scope, ["pnpm"])["pnpm"]
    after = replace(memory, version=memory.version + 1)
    change = Change(after, memory.version, "updated", "ada", memory.updated_at, vectors=vectors)
    backend.ports.store.writer.commit(Commit(scope=scope, changes=(change,)))
    (kept,) = backend.ports.store.integrity.kept_under(scope, ["pnpm"], with_history=False)
    assert not kept.is_unsealed
