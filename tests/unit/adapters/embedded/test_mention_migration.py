"""Records older than the table of what they are tied to are in it after the migration, as if written now."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from memory_layer.adapters.embedded.sqlite.database import Database, migrations
from memory_layer.adapters.embedded.sqlite.mention_rows import add_mention_functions, encode_keys
from memory_layer.adapters.embedded.sqlite.row_digests import add_digest_function
from memory_layer.adapters.embedded.store.record_store import SqliteRecordStore, open_record_store
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import Memory, Relation
from memory_layer.domain.retrieval.mentions import mention_keys
from memory_layer.ports.commit import Commit, Erasure
from tests.given import SCOPE, BlobsInMemory, a_memory, created


def examples() -> list[Memory]:
    return [
        a_memory(SCOPE, "m1", content="We met Amy Nutt in Paris.", entities=("urn:x:y", "team")),
        a_memory(SCOPE, "m2", content="Nothing.", relations=(Relation("refines", "m1"),), supersedes="m0"),
        a_memory(SCOPE, "m3", content="See src/a.py.", source_recall_id="rcl_1", source_runs=("r1", "r2")),
    ]


@pytest.fixture
def store(empty_database: Database) -> SqliteRecordStore:
    store = open_record_store(empty_database, Bodies(BlobsInMemory()))
    commits = [
        Commit(scope=SCOPE, changes=(replace(created(memory), at=memory.created_at),))
        for memory in examples()
    ]
    assert not any(store.writer.commit_each(commits))
    return store


@pytest.fixture
def connection(empty_database: Database) -> Iterator[sqlite3.Connection]:
    """One that may change the schema, beside the store's."""
    with closing(sqlite3.connect(empty_database.path, isolation_level=None)) as connection:
        add_digest_function(connection)
        add_mention_functions(connection)
        yield connection


@pytest.mark.usefixtures("store")
def test_old_rows_are_tied_to_the_same_things(connection: sqlite3.Connection) -> None:
    stored = "SELECT memory_key, said, named, digest FROM mentions ORDER BY memory_key"
    written = connection.execute(stored).fetchall()
    (script,) = (script for number, script in migrations() if number == 12)
    connection.execute("DROP TABLE mentions")
    connection.executescript(script)
    assert connection.execute(stored).fetchall() == written
    ties = {hash for _, said, named, _ in written for hash in (said, named) if hash}
    assert len(ties) >= 4
    for memory, (_, said, named, _) in zip(examples(), written, strict=True):
        assert {*_hashes(said), *_hashes(named)} == set(_hashes(encode_keys(mention_keys(memory))))


@pytest.mark.usefixtures("store")
def test_a_row_that_cannot_be_read_stops_no_migration(connection: sqlite3.Connection) -> None:
    connection.execute(
        "UPDATE memories SET entities = '{', relations = '[1]', source_runs = 'null' WHERE id = 'm1'"
    )
    (script,) = (script for number, script in migrations() if number == 12)
    connection.execute("DROP TABLE mentions")
    connection.executescript(script)
    assert connection.execute("SELECT count(*) FROM mentions").fetchone() == (3,)


def test_what_is_erased_leaves_no_tie(empty_database: Database, store: SqliteRecordStore) -> None:
    """Falls without ON DELETE CASCADE."""
    store.writer.commit(Commit(scope=SCOPE, erasures=(Erasure("m1", before=1),)))
    assert empty_database.reader().execute("SELECT count(*) FROM mentions").fetchone() == (2,)


def _hashes(blob: bytes) -> list[bytes]:
    return [blob[start : start + 4] for start in range(0, len(blob), 4)]
