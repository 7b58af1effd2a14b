"""Versions lie packed; those of older folders stay readable, and digests tell damage to either."""

from __future__ import annotations

import hashlib
import sqlite3
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import closing
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.adapters.embedded.files.blob_store import FileBlobStore
from memory_layer.adapters.embedded.sqlite import version_packing
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.store.record_store import SqliteRecordStore, open_record_store
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.fields import canonical_json, memory_to_json
from memory_layer.domain.integrity.verification import StoredRecord
from memory_layer.ports.commit import Commit, Erasure
from tests.given import a_memory, changed, commit_all, created, new_scope

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

FROZEN = "d29affda8fb3fea0fdebf77e2d163d5cb039d43e72f59abf905db9b1eeb6b0e6"
SCOPE = new_scope()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteRecordStore]:
    store = open_record_store(Database(tmp_path / "db"), Bodies(FileBlobStore(tmp_path / "blobs")))
    first = a_memory(SCOPE, context="said before")
    commit_all(store, [created(first)])
    commit_all(store, [changed(first, confidence=0.25)])
    commit_all(store, [created(a_memory(SCOPE, "m2", content="another"))])
    yield store
    store.close()


def test_the_dictionary_is_the_one_that_rows_were_packed_with() -> None:
    """Falls where the file is trained anew: no version packed before could be read."""
    text = files(version_packing.__package__).joinpath(version_packing.DICTIONARY_FILE).read_bytes()
    assert hashlib.sha256(b64decode(text)).hexdigest() == FROZEN


@given(content=st.text(min_size=1, max_size=3_000), context=st.none() | st.text(max_size=500))
def test_a_record_comes_back_as_it_was_packed(content: str, context: str | None) -> None:
    content = content.encode(errors="replace").decode()
    context = context and context.encode(errors="replace").decode()
    record = canonical_json(memory_to_json(a_memory(SCOPE, content=content, context=context)))
    assert version_packing.unpacked_record(version_packing.packed_record(record)) == record


@pytest.mark.parametrize(
    "damaged",
    [b"", b"\x02" + version_packing.packed_record("{}")[1:], version_packing.packed_record("{}")[:-2]],
    ids=["empty", "unknown", "torn"],
)
def test_what_is_not_packed_whole_is_refused(damaged: bytes) -> None:
    with pytest.raises(ValueError, match="packed"):
        version_packing.unpacked_record(damaged)


def test_a_version_takes_a_third_of_its_text(store: SqliteRecordStore, tmp_path: Path) -> None:
    """Falls where the record is written as JSON, or without the dictionary."""
    (version, *_) = store.history.of(SCOPE, "m1")
    with closing(sqlite3.connect(tmp_path / "db")) as connection:
        (lies,) = connection.execute(
            "SELECT length(record) + length(packed) FROM versions WHERE id = 'm1' AND version = 1"
        ).fetchone()
    assert 3 * lies < len(canonical_json(memory_to_json(version.memory)))


def test_versions_of_older_folders_are_read_beside_packed_ones(
    store: SqliteRecordStore, tmp_path: Path
) -> None:
    """Falls where a version is read from `packed` alone."""
    before = store.history.of(SCOPE, "m1")
    unpack(tmp_path / "db", "m1")
    assert store.history.of(SCOPE, "m1") == before
    commit_all(store, [changed(before[-1].memory, confidence=0.5)])
    assert [version.memory.confidence for version in store.history.of(SCOPE, "m1")][-2:] == [0.25, 0.5]
    assert not any(broken(one) for one in store.integrity.kept_under(SCOPE, ["m1"]))


def unpack(database: Path, id: str) -> None:
    """Writes a record's first version as it lay before it was packed."""
    with closing(sqlite3.connect(database)) as connection, connection:
        (packed,) = connection.execute(
            "SELECT packed FROM versions WHERE id = ? AND version = 1", (id,)
        ).fetchone()
        connection.execute(
            "UPDATE versions SET record = ?, packed = NULL WHERE id = ? AND version = 1",
            (version_packing.unpacked_record(packed), id),
        )


def broken(kept: StoredRecord) -> list[object]:
    seals = [version.seal for version in kept.versions]
    return [*(seal for seal in seals if seal is None or seal.is_broken), *kept.flaws]


def unpacks_to_the_same(flipped: bytes, packed: bytes) -> bool:
    """Whether a bit was flipped that fills up a byte and tells nothing."""
    try:
        return version_packing.unpacked_record(flipped) == version_packing.unpacked_record(packed)
    except (ValueError, zstd.ZstdError):
        return False


def test_a_flipped_bit_is_told_and_keeps_no_other_record_from_being_read(
    store: SqliteRecordStore, tmp_path: Path
) -> None:
    """Falls where the SQL function raises, or where the digest is taken of what lies and not of what is read."""
    with closing(sqlite3.connect(tmp_path / "db")) as connection, connection:
        (packed,) = connection.execute("SELECT packed FROM versions WHERE id = 'm2'").fetchone()
        for at in range(1, len(packed), 7):
            flipped = packed[:at] + bytes([packed[at] ^ 4]) + packed[at + 1 :]
            connection.execute("UPDATE versions SET packed = ? WHERE id = 'm2'", (flipped,))
            connection.commit()
            kept = {one.id: one for one in store.integrity.kept_under(SCOPE, ["m1", "m2"])}
            assert broken(kept["m2"]) or unpacks_to_the_same(flipped, packed), f"byte {at}"
            assert not broken(kept["m1"])


def test_contexts_leave_packed_versions(store: SqliteRecordStore) -> None:
    """Falls where `strip_context` looks into `record` alone."""
    (first, *_) = store.history.of(SCOPE, "m1")
    assert first.memory.context == "said before"
    second = a_memory(SCOPE, "m2", content="another")
    store.writer.commit(Commit(scope=SCOPE, erasures=(Erasure(second.id, second.version, echoes=("m1",)),)))
    assert {version.memory.context for version in store.history.of(SCOPE, "m1")} == {None}
    assert not any(broken(one) for one in store.integrity.kept_under(SCOPE, ["m1"]))
