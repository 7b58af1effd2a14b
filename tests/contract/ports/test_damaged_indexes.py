"""What the file takes from its rows (indexes, counts, vectors) may be damaged: it is built anew, and hides no row."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.memory import Ref
from memory_layer.errors import StoreUnavailable
from memory_layer.settings import DATABASE_NAME
from memory_layer.usecases.ground.projects import list_projects
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.transfer.verify import verify
from memory_layer.usecases.write.revise import revise
from tests.contract.conftest import EMBEDDED_ONLY
from tests.fault.flipped_bits import flip_in_cell
from tests.given import PROJECT, StandingClock, recalled_ids
from tests.project_examples import fill

pytestmark = EMBEDDED_ONLY

Open = Callable[..., EmbeddedBackend]


@pytest.fixture
def database(open_backend: Open, admin: Principal, tmp_path: Path) -> Path:
    """A file that nobody has open."""
    backend = open_backend()
    fill(backend, admin)
    revise(backend.ports, admin, PROJECT, "pnpm", {"tags": ("tooling",)})
    backend.drain()
    backend.close()
    return tmp_path / "data" / DATABASE_NAME


def flaws(backend: EmbeddedBackend) -> list[str]:
    return backend.ports.store.integrity.damage()


def test_a_record_that_no_index_leads_to_is_recalled(
    database: Path, open_backend: Open, admin: Principal
) -> None:
    """Falls without `_lost` in `SoundReads.of_ids`: the others would be all that there is."""
    flip_in_cell(database, "sqlite_autoindex_memories_1", b"pnpm")
    backend = open_backend()
    asked = {Ref(PROJECT, id) for id in ("pnpm", "wal")}
    assert backend.ports.store.memories.get_many(admin.tenant, asked).keys() == asked
    assert "pnpm" in recalled_ids(backend.ports, admin, "which package manager, pnpm or npm?")
    assert flaws(backend) == []


@pytest.mark.parametrize("part", ["tier", "key"])
def test_a_record_that_the_log_does_not_lead_to_is_recalled(
    database: Path, open_backend: Open, admin: Principal, part: str
) -> None:
    """Falls without `log_fits_rows` in `PackedQuery.chunks`: what is loaded would lack it, and say nothing."""
    with closing(sqlite3.connect(database)) as connection:
        sql = "SELECT log_position, tier, key FROM memories WHERE id = 'wal'"
        position, tier, key = connection.execute(sql).fetchone()
        (count,) = connection.execute("SELECT count(*) FROM memories").fetchone()
    entry = bytes([position]) + tier.encode()
    flip_in_cell(database, "memories_by_log", entry + (bytes([key]) if part == "key" else b""))
    backend = open_backend()
    assert "wal" in recalled_ids(backend.ports, admin, "WAL")
    stats = backend.ports.index.stats(admin.scope(PROJECT), Viewer(), now=backend.ports.clock.now())
    assert sum(records for records, _ in stats.tiers.values()) == count


def test_a_version_that_no_index_leads_to_is_shown(
    database: Path, open_backend: Open, admin: Principal
) -> None:
    """Falls without the chain in `StoredVersions._whole`: a history without it looks whole."""
    flip_in_cell(database, "sqlite_autoindex_versions_1", b"pnpm")
    history = open_backend().ports.store.history.of(admin.scope(PROJECT), "pnpm")
    assert [version.memory.version for version in history] == [1, 2]


def test_a_version_of_another_record_is_not_shown(
    database: Path, open_backend: Open, admin: Principal
) -> None:
    """Falls without the comparison of ids in `StoredVersions._whole`: an index may lead to another record's row."""
    with closing(sqlite3.connect(database)) as connection:
        sql = "SELECT rowid FROM versions WHERE id = 'deploy' AND version = 1"
        (row,) = connection.execute(sql).fetchone()
    flip_in_cell(database, "sqlite_autoindex_versions_1", b"deploy" + bytes([row]))
    history = open_backend().ports.store.history.of(admin.scope(PROJECT), "deploy")
    assert [(one.memory.id, one.memory.version) for one in history] == [("deploy", 1), ("deploy", 2)]


def test_a_version_that_is_gone_is_told(database: Path, open_backend: Open, admin: Principal) -> None:
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("DELETE FROM versions WHERE id = 'pnpm' AND version = 1")
    with pytest.raises(StoreUnavailable, match="the history of pnpm is damaged"):
        open_backend().ports.store.history.of(admin.scope(PROJECT), "pnpm")


@pytest.mark.parametrize("part", ["sqlite_autoindex_projects_1", "projects"])
def test_a_project_is_found_by_its_name(
    database: Path, open_backend: Open, admin: Principal, part: str
) -> None:
    """Falls without `mend_projects`: nobody would have written to it."""
    name = f"{admin.tenant}{PROJECT}".encode()
    flip_in_cell(database, part, name)
    backend = open_backend()
    assert backend.ports.store.memories.get(admin.scope(PROJECT), "pnpm") is not None
    listed = list_projects(backend.ports, admin, after=None, limit=9)
    assert [one.project for one in listed[0]] == [PROJECT]
    assert flaws(backend) == []
    assert verify(backend.ports, admin, PROJECT).is_valid


@pytest.mark.parametrize(
    ("name", "cell"),
    [("memories_by_age", b"pnpm"), ("memories_by_session", b"talk"), ("memories_by_log", b"hot")],
)
def test_the_sweep_builds_damaged_indexes_anew(
    database: Path, open_backend: Open, name: str, cell: bytes
) -> None:
    """Falls without `mend_storage` in `verify_stored`: lists would lack a record for good."""
    flip_in_cell(database, name, cell)
    backend = open_backend()
    assert any(name in flaw for flaw in flaws(backend))
    report = run_sweep(backend.ports, "verify", holder="test", seconds=60)
    assert (report.did.get("healed"), report.failed) == (1, ())
    assert flaws(backend) == []


def test_an_index_that_proves_what_a_row_said_is_built_anew_behind_the_row(
    database: Path, open_backend: Open, admin: Principal
) -> None:
    """Falls where `StorageRepair` does not heal records first: the index has the one sound copy of an id."""
    flip_in_cell(database, "memories", b"pnpm")
    backend = open_backend()
    assert run_sweep(backend.ports, "verify", holder="test", seconds=60).failed == ()
    assert backend.ports.store.memories.get(admin.scope(PROJECT), "pnpm") is not None
    assert flaws(backend) == []


def test_counts_and_the_counter_of_keys_are_made_anew(
    database: Path, open_backend: Open, admin: Principal
) -> None:
    """Falls without `_count_anew`, and without `_number_anew`: a key would be used twice."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE record_counts SET records = records + 7 WHERE status = 'active'")
        connection.execute("UPDATE sqlite_sequence SET name = 'memoriez'")
    backend = open_backend()
    assert any("counter of records" in flaw for flaw in flaws(backend))
    assert run_sweep(backend.ports, "verify", holder="test", seconds=60).failed == ()
    assert flaws(backend) == []
    assert verify(backend.ports, admin, PROJECT).is_valid


def test_what_a_record_is_found_by_is_made_anew(database: Path, open_backend: Open, admin: Principal) -> None:
    """Falls without `_found_again`: one bit of a vector would keep the project from its index for good."""
    with closing(sqlite3.connect(database)) as connection, connection:
        one = "memory_key = (SELECT key FROM memories WHERE id = 'pnpm')"
        connection.execute(
            f"UPDATE search_rows SET content_terms = CAST(content_terms || x'01' AS BLOB) WHERE {one}"
        )
        two = "memory_key = (SELECT key FROM memories WHERE id = 'wal')"
        connection.execute(
            f"UPDATE mentions SET named = CAST(named || x'0101010101010101' AS BLOB) WHERE {two}"
        )
    backend = open_backend()
    report = run_sweep(backend.ports, "verify", holder="test", seconds=60)
    assert (report.did.get("embedded"), report.failed) == (2, ())
    assert verify(backend.ports, admin, PROJECT).is_valid
    assert "pnpm" in recalled_ids(backend.ports, admin, "which package manager, pnpm or npm?")


def test_a_verification_that_somebody_asks_for_is_made_whatever_the_month(
    database: Path, open_backend: Open, clock: StandingClock
) -> None:
    """Falls without `is_asked`: what is damaged since the last one would wait for the next month."""
    backend = open_backend()
    assert run_sweep(backend.ports, "verify", holder="test", seconds=60).failed == ()
    clock.advance(days=1)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE memories SET summary = 'Nothing of this.' WHERE id = 'pnpm'")
    assert run_sweep(backend.ports, "verify", holder="test", seconds=60).did == {}
    asked = run_sweep(backend.ports, "verify", holder="test", seconds=60, is_asked=True)
    assert asked.did == {"healed": 1}


def test_the_state_of_a_sweep_that_is_damaged_is_named(database: Path, open_backend: Open) -> None:
    backend = open_backend()
    run_sweep(backend.ports, "expiry", holder="test", seconds=60)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE sweep_states SET state = state || ' '")
    assert any("the state of the sweep expiry" in flaw for flaw in flaws(backend))
