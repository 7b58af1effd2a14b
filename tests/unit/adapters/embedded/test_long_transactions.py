"""A long transaction: its thread reads what it writes, the index and all others what is committed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from memory_layer.adapters.embedded.sqlite.long_transactions import TransactionalDatabase
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.memory import Memory
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.process import Ports
from tests.given import SCOPE, a_memory, put_records

COUNT = "SELECT count(*) FROM projects"


def _add(database: TransactionalDatabase, name: str, *, fails: bool = False) -> None:
    with database.writing() as connection:
        connection.execute("INSERT INTO projects (tenant, project) VALUES ('t', ?)", (name,))
        if fails:
            raise RuntimeError("in the middle")


def _add_after_its_end(database: TransactionalDatabase) -> None:
    with database.begin():
        _add(database, "p")
        database.reader().execute("ROLLBACK")
        _add(database, "q")


def _covered_inside(ports: Ports, memory: Memory) -> int:
    """The index's position in a transaction that adds a record."""
    assert ports.transactions is not None
    with ports.transactions.begin():
        put_records(ports.store, memory)
        return ports.index.covered(SCOPE)


@pytest.fixture
def transactional() -> TransactionalDatabase:
    return TransactionalDatabase(None)


def test_its_own_thread_reads_it_and_the_committed_state_too(transactional: TransactionalDatabase) -> None:
    with transactional.begin():
        _add(transactional, "p")
        with transactional.reading() as connection:
            assert connection.execute(COUNT).fetchone() == (1,)
        assert transactional.reader().execute(COUNT).fetchone() == (1,)
        assert transactional.committed().execute(COUNT).fetchone() == (0,)
    assert transactional.committed().execute(COUNT).fetchone() == (1,)
    transactional.close()


def test_a_part_fails_by_itself(transactional: TransactionalDatabase) -> None:
    with transactional.begin():
        _add(transactional, "kept")
        with pytest.raises(RuntimeError):
            _add(transactional, "lost", fails=True)
        _add(transactional, "kept too")
    names = transactional.reader().execute("SELECT project FROM projects ORDER BY 1").fetchall()
    assert names == [("kept",), ("kept too",)]
    transactional.close()


def test_nothing_is_written_after_sqlite_has_ended_it(transactional: TransactionalDatabase) -> None:
    """As when the disk is full; falls where the next part would begin a transaction of its own."""
    with pytest.raises(StoreUnavailable):
        _add_after_its_end(transactional)
    assert transactional.reader().execute(COUNT).fetchone() == (0,)
    transactional.close()


def test_the_index_reads_what_is_committed(open_backend: Callable[..., EmbeddedBackend]) -> None:
    """Falls where the index follows the thread's own reader: a rollback could leave records in it."""
    ports = open_backend().ports
    put_records(ports.store, a_memory(SCOPE, "m1"))
    assert _covered_inside(ports, a_memory(SCOPE, "m2")) == 1
    assert ports.index.covered(SCOPE) is None
