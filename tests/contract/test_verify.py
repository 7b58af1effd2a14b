"""Verification reads everything, finds nothing wrong with what was written, and names whatever was damaged since."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memory_layer.adapters.aws import keys
from memory_layer.adapters.aws.items import bytes_of
from memory_layer.bootstrap import Embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.integrity import manifest_digest, manifest_line, record_digest
from memory_layer.domain.verification import Kept
from memory_layer.errors import Forbidden, MemoryLayerError
from memory_layer.ports import Change, Commit, Vectors
from memory_layer.usecases.forget import erase_memory
from memory_layer.usecases.remember import Asked, remember
from memory_layer.usecases.snapshots import take_snapshot
from memory_layer.usecases.verify import Verified, verify
from tests.contract.conftest import EMBEDDED_ONLY
from tests.project_examples import PROJECT, fill

AWS_ONLY = pytest.mark.parametrize(
    "open_backend", [pytest.param("aws", marks=pytest.mark.engines)], indirect=True
)
FLIPS = 600
PAGE_FLIPS = 300


def check(backend: Embedded, admin: Principal) -> Verified:
    return verify(backend.ports, admin, PROJECT)


def test_what_was_written_is_sound(backend: Embedded, admin: Principal) -> None:
    ids = fill(backend, admin)
    found = check(backend, admin)
    assert (found.is_valid, found.broken, found.checked, found.unsealed) == (True, (), len(ids), 0)
    scope = admin.scope(PROJECT)
    records = [backend.ports.store.get(scope, id) for id in ids]
    lines = [manifest_line(m.id, m.version, record_digest(m)) for m in records if m is not None]
    assert found.manifest == manifest_digest(sorted(lines))


def test_an_empty_project_is_sound_too(backend: Embedded, admin: Principal) -> None:
    found = verify(backend.ports, admin, "nothing")
    assert (found.is_valid, found.checked, found.manifest) == (True, 0, manifest_digest([]))


def test_the_manifest_changes_with_every_change(backend: Embedded, admin: Principal) -> None:
    fill(backend, admin)
    before = check(backend, admin).manifest
    assert check(backend, admin).manifest == before
    erase_memory(backend.ports, admin, PROJECT, "pnpm")
    assert check(backend, admin).manifest != before


def test_it_is_an_admins(backend: Embedded, agent: Principal) -> None:
    with pytest.raises(Forbidden, match="admin"):
        verify(backend.ports, agent, PROJECT)


def test_progress_is_told_for_every_page(backend: Embedded, admin: Principal) -> None:
    fill(backend, admin)
    told: list[tuple[int, int]] = []
    verify(backend.ports, admin, PROJECT, tell=lambda done, total: told.append((done, total)))
    assert told[-1][0] >= 7
    assert told == sorted(told)


def test_a_created_again_id_is_sound(backend: Embedded, admin: Principal) -> None:
    fill(backend, admin)
    remember(backend.ports, admin, PROJECT, Asked(fields={"id": "gone", "content": "Told anew, openly."}))
    assert check(backend, admin).broken == ()


def test_what_falls_silent_with_an_erased_turn_is_sealed_anew(backend: Embedded, admin: Principal) -> None:
    """Falls where `silence_versions` or `_rewriting` leave a version its old digest."""
    ids = fill(backend, admin)
    turns = [id for id in ids if id.startswith("mem_")]
    erase_memory(backend.ports, admin, PROJECT, turns[1])
    backend.drain()
    histories = [backend.ports.store.history(admin.scope(PROJECT), id) for id in (turns[0], turns[2])]
    assert not any(version.memory.context for history in histories for version in history[:-1])
    assert check(backend, admin).broken == ()


class WritesInBetween:
    """A record store in which a record is read before a write, and its history after it: once."""

    def __init__(self, store: Any, id: str) -> None:
        self._store = store
        self._id = id

    def kept(self, *where: Any, **how: Any) -> Any:
        page = self._store.kept(*where, **how)
        return replace(
            page, kept=tuple(self._torn(kept) if kept.id == self._id else kept for kept in page.kept)
        )

    def _torn(self, kept: Kept) -> Kept:
        newest = kept.versions[-1]
        return replace(kept, versions=(*kept.versions, replace(newest, number=newest.number + 1)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def test_a_write_in_the_middle_of_a_reading_is_no_damage(backend: Embedded, admin: Principal) -> None:
    """Falls without `_still_broken`."""
    fill(backend, admin)
    ports = replace(backend.ports, store=WritesInBetween(backend.ports.store, "pnpm"))
    assert verify(ports, admin, PROJECT).broken == ()


def test_vectors_that_are_none_are_named(backend: Embedded, admin: Principal) -> None:
    """Falls without `_has_unit_length` and without the comparison of dimensions in domain/verification.py."""
    fill(backend, admin)
    scope = admin.scope(PROJECT)
    memory = backend.ports.store.get(scope, "pnpm")
    assert memory is not None
    good = backend.ports.store.vectors(scope, ["pnpm"])["pnpm"].content
    for number, bad in enumerate(
        (good * 2, good * float("nan"), good[:100] / (good[:100] ** 2).sum() ** 0.5)
    ):
        version = memory.version + number
        after = replace(memory, version=version + 1)
        change = Change(after, version, "updated", "ada", memory.updated_at, vectors=Vectors(bad))
        backend.ports.store.commit(Commit(scope=scope, changes=(change,)))
        assert {(one.id, one.part) for one in check(backend, admin).broken} == {("pnpm", "vectors")}


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


class Rows:
    """The cells of a database file, and how to damage one."""

    TABLES = ("memories", "versions", "search_rows")

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA foreign_keys = OFF")
        self.cells = [
            (table, rowid, column, is_text, id)
            for table in self.TABLES
            for rowid, id in self.connection.execute(self._owners(table)).fetchall()
            for column, is_text in self._columns(table, rowid)
        ]

    @staticmethod
    def _owners(table: str) -> str:
        if table == "search_rows":
            return "SELECT s.rowid, m.id FROM search_rows s JOIN memories m ON m.key = s.memory_key"
        return f"SELECT rowid, id FROM {table}"

    def _columns(self, table: str, rowid: int) -> Iterator[tuple[str, bool]]:
        for _, name, kind, *_ in self.connection.execute(f"PRAGMA table_info({table})").fetchall():
            sql = f"SELECT length(CAST({name} AS BLOB)) FROM {table} WHERE rowid = ?"
            if self.connection.execute(sql, (rowid,)).fetchone()[0]:
                yield name, kind == "TEXT"

    @contextmanager
    def one_flipped(self, chance: random.Random) -> Iterator[tuple[str, str]]:
        """Gives: the record's id, and what was damaged; afterwards all is as before."""
        table, rowid, column, is_text, id = chance.choice(self.cells)
        read = f"CAST({column} AS BLOB)" if is_text else column
        before = self.connection.execute(f"SELECT {read} FROM {table} WHERE rowid = ?", (rowid,)).fetchone()[
            0
        ]
        after = flipped(before, chance)
        write = f"UPDATE {table} SET {column} = {'CAST(? AS TEXT)' if is_text else '?'} WHERE rowid = ?"
        self.connection.execute("BEGIN")
        try:
            self.connection.execute(write, (after, rowid))
        except sqlite3.IntegrityError:  # two rows would have the same key
            self.connection.execute("ROLLBACK")
            yield "", ""
            return
        self.connection.execute("COMMIT")
        moved = after if column in ("key", "memory_key") else rowid
        try:
            yield id, f"{table}.{column} of {id}: {before!r} -> {after!r}"
        finally:
            self.connection.execute(write, (before, moved))


@EMBEDDED_ONLY
def test_any_flipped_bit_of_a_row_names_its_record(
    backend: Embedded, admin: Principal, tmp_path: Path
) -> None:
    """Falls without any one of the digests, and without the comparison of rows with what is written for them."""
    fill(backend, admin)
    chance, flips = random.Random(4), 0
    with closing(Rows(tmp_path / "data" / "memory.sqlite3").connection) as connection:
        rows = Rows(tmp_path / "data" / "memory.sqlite3")
        while flips < FLIPS:
            with rows.one_flipped(chance) as (id, what):
                if id:
                    flips += 1
                    found = check(backend, admin)
                    assert not found.is_valid, what
                    assert id in {one.id for one in found.broken}, f"{what}: {found.broken}"
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        rows.connection.close()
    assert check(backend, admin).is_valid


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
    backend: Embedded, admin: Principal, tmp_path: Path, turned: str
) -> None:
    """Falls without the comparison of rows with what is written for them."""
    fields = {"id": "m", "content": "Seconds are cheap.", "detail": {"n": 1.5}}
    remember(backend.ports, admin, PROJECT, Asked(fields=fields))
    set_pinned(backend, admin, "m")
    assert check(backend, admin).is_valid
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        connection.execute(f"UPDATE memories SET {turned}")
    assert [(one.id, one.what) for one in check(backend, admin).broken] == [
        ("m", f"{turned.split(' ')[0]} is not as it was written")
    ]


def set_pinned(backend: Embedded, admin: Principal, id: str) -> None:
    memory = backend.ports.store.get(admin.scope(PROJECT), id)
    assert memory is not None
    after = replace(memory, pinned=True, version=memory.version + 1)
    change = Change(after, memory.version, "pinned", "ada", memory.updated_at)
    backend.ports.store.commit(Commit(scope=memory.scope, changes=(change,)))


@EMBEDDED_ONLY
@pytest.mark.parametrize(
    ("damage", "told"),
    [
        ("DELETE FROM sqlite_master WHERE name = 'memories_by_content'", "is damaged"),
        (
            "UPDATE projects SET project = 'wob' WHERE project = 'other'",
            "'wob' of tenant 'acme' holds records of",
        ),
        ("INSERT INTO search_rows (memory_key, content_terms) VALUES (99, x'')", "row 99 of search_rows"),
    ],
)
def test_damage_beside_the_rows_of_a_project_is_told(
    open_backend: Callable[..., Embedded], admin: Principal, tmp_path: Path, damage: str, told: str
) -> None:
    """Falls without a part of `damage` in adapters/embedded/damage.py."""
    backend = open_backend()
    fill(backend, admin)
    remember(backend.ports, admin, "other", Asked(fields={"content": "Of another project."}))
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3", isolation_level=None)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(damage)
    found = check(open_backend(), admin)
    assert {(one.id, one.part) for one in found.broken} == {("", "file")}
    assert any(told in one.what for one in found.broken), found.broken


def dumped(path: Path) -> list[Any]:
    """All that a verification answers for."""
    with closing(sqlite3.connect(path)) as connection:
        connection.text_factory = bytes
        return [
            connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall() for table in Rows.TABLES
        ]


@EMBEDDED_ONLY
def test_any_flipped_bit_of_the_file_is_told_or_changes_nothing(
    open_backend: Callable[..., Embedded], admin: Principal, tmp_path: Path
) -> None:
    """Falls without `damage`: what SQLite keeps beside the rows is not in their digests."""
    backend = open_backend()
    fill(backend, admin)
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


def _is_told(open_backend: Callable[..., Embedded], admin: Principal) -> bool:
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


@AWS_ONLY
def test_any_changed_attribute_names_its_record(backend: Embedded, admin: Principal) -> None:
    """Falls without the digests, without `_odd_attributes`, and without the comparison with the last snapshot."""
    fill(backend, admin)
    take_snapshot(backend.ports, admin, PROJECT)
    table = backend.ports.store._table  # type: ignore[attr-defined]
    chance = random.Random(2)
    for id in ("wal", "secret-ish"):
        partition = keys.record_partition(admin.scope(PROJECT), id)
        answer = table._client.query(
            TableName=table._name,
            KeyConditionExpression="pk = :pk",
            ExpressionAttributeValues={":pk": {"S": partition}},
        )
        for stored in answer["Items"]:
            item = {name: {"B": bytes_of(value)} if "B" in value else value for name, value in stored.items()}
            if not item["sk"]["S"].startswith(("record", "version")):
                continue
            for name in sorted(item.keys() - {"pk", "sk", "access_count", "last_accessed_at"}):
                changed = {**item, name: _changed(item[name], chance)}
                table._client.put_item(TableName=table._name, Item=changed)
                found = check(backend, admin)
                assert id in {one.id for one in found.broken}, f"{item['sk']} {name} {changed[name]}"
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


# --- what is not there any more -----------------------------------------------------------------------------------


@EMBEDDED_ONLY
def test_what_a_snapshot_knows_and_nobody_erased_is_missed(
    backend: Embedded, admin: Principal, tmp_path: Path
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
    backend: Embedded, admin: Principal, tmp_path: Path
) -> None:
    fill(backend, admin)
    with closing(sqlite3.connect(tmp_path / "data" / "memory.sqlite3")) as connection, connection:
        for table in ("memories", "versions", "search_rows"):
            connection.execute(f"UPDATE {table} SET digest = NULL")
        connection.execute("UPDATE versions SET before_version = NULL, log_position = NULL")
    found = check(backend, admin)
    assert (found.is_valid, found.unsealed) == (True, found.checked)
    scope = admin.scope(PROJECT)
    memory = backend.ports.store.get(scope, "pnpm")
    assert memory is not None
    vectors = backend.ports.store.vectors(scope, ["pnpm"])["pnpm"]
    after = replace(memory, version=memory.version + 1)
    change = Change(after, memory.version, "updated", "ada", memory.updated_at, vectors=vectors)
    backend.ports.store.commit(Commit(scope=scope, changes=(change,)))
    (kept,) = backend.ports.store.kept_under(scope, ["pnpm"], with_history=False)
    assert not kept.is_unsealed
