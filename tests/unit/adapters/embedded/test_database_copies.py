"""Before a migration a copy of the database is put aside, and a command goes back to it."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_layer.adapters.embedded.sqlite import database as database_module
from memory_layer.adapters.embedded.sqlite import migration
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.database_copies import COPY_LIFETIME, copies_of, go_back
from memory_layer.adapters.embedded.sqlite.migration import migrations, newest_schema, schema_version
from memory_layer.cli.app import app
from memory_layer.errors import Conflict, NotFound, StoreUnavailable

NAME = "memory.sqlite3"
NEXT = newest_schema() + 1
INSERT = "INSERT INTO projects (tenant, project) VALUES ('t', ?)"
PROJECTS = "SELECT project FROM projects ORDER BY project"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A database of today's schema, with a project, and a second one in a log that nobody emptied."""
    path = tmp_path / NAME
    write(path, "one")
    alive = tmp_path / "alive"
    alive.mkdir()
    shutil.copy(path, alive)
    database = Database(alive / NAME)
    with database.writing() as connection:
        connection.execute(INSERT, ("two",))
    for suffix in ("", "-wal"):
        shutil.copy(alive / f"{NAME}{suffix}", tmp_path)
    database.close()
    return path


def write(path: Path, project: str) -> None:
    database = Database(path)
    with database.writing() as connection:
        connection.execute(INSERT, (project,))
    database.close()


def projects_of(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [project for (project,) in connection.execute(PROJECTS)]


def update_the_program(monkeypatch: pytest.MonkeyPatch, *scripts: str) -> None:
    """A newer version of it, with more migrations."""
    newer = [*migrations(), *enumerate(scripts or ["ALTER TABLE projects ADD COLUMN colour TEXT;"], NEXT)]
    monkeypatch.setattr(migration, "migrations", lambda: newer)


def test_a_copy_is_kept_with_the_writes_in_the_log(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls without `keep_copy` in `migrate`."""
    update_the_program(monkeypatch)
    write(path, "three")
    (copy,) = copies_of(path)
    assert (copy.schema, projects_of(copy.path)) == (NEXT - 1, ["one", "two"])
    assert stat.S_IMODE(copy.path.stat().st_mode) == 0o600
    assert projects_of(path) == ["one", "three", "two"]


def test_where_nothing_is_migrated_nothing_is_copied(path: Path) -> None:
    write(path, "three")
    assert copies_of(path) == []


def test_a_disk_without_room_for_the_copy_stops_the_migration(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without `_check_room`."""
    update_the_program(monkeypatch)
    usage = shutil._ntuple_diskusage(0, 0, 1_000)
    monkeypatch.setattr(
        "memory_layer.adapters.embedded.sqlite.database_copies.shutil.disk_usage", lambda _: usage
    )
    with pytest.raises(StoreUnavailable, match="make room"):
        Database(path)
    with closing(sqlite3.connect(path)) as connection:
        assert schema_version(connection) == NEXT - 1


def test_a_migration_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls where each script is a transaction of its own."""
    update_the_program(monkeypatch, "CREATE TABLE colours (x);", "CREATE TABLE colours (x);")
    with pytest.raises(StoreUnavailable, match="already exists"):
        Database(path)
    with closing(sqlite3.connect(path)) as connection:
        assert schema_version(connection) == NEXT - 1
        assert connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'colours'").fetchone() is None


def test_the_last_two_copies_are_kept_and_none_too_long(path: Path) -> None:
    """Falls without `prune_copies`; what is erased must not lie in a copy for ever."""
    now = datetime.now(UTC)
    ages = [timedelta(days=1), timedelta(days=2), timedelta(days=3), COPY_LIFETIME + timedelta(days=1)]
    for age in ages:
        (path.parent / f"{NAME}.schema-3.{now - age:%Y%m%dT%H%M%SZ}").write_bytes(b"")
    Database(path).close()
    assert [(now - copy.at).days for copy in copies_of(path)] == [1, 2]
    for copy in copies_of(path):
        copy.path.rename(path.parent / f"{NAME}.schema-3.{now - COPY_LIFETIME * 2:%Y%m%dT%H%M%SZ}")
    Database(path).close()
    assert copies_of(path) == []


def migrated(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as updated:
        update_the_program(updated)
        write(path, "three")


def test_the_command_goes_back_and_sets_aside_what_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    migrated(path, monkeypatch)
    with pytest.raises(StoreUnavailable, match="mem admin rollback"):
        Database(path)
    done = CliRunner().invoke(app, ["admin", "rollback", "--data", str(path.parent), "--json"])
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)
    assert (told["schema"], projects_of(Path(told["set_aside"]))) == (NEXT - 1, ["one", "three", "two"])
    write(path, "four")
    assert projects_of(path) == ["four", "one", "two"]


def test_it_says_what_to_do_next(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    migrated(path, monkeypatch)
    done = CliRunner().invoke(app, ["admin", "rollback", "--data", str(path.parent)])
    assert "set-aside" in done.stdout
    assert "would migrate it again" in done.stdout


def test_it_is_refused_while_somebody_has_the_database_open(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without `_take`."""
    migrated(path, monkeypatch)
    with monkeypatch.context() as updated:
        update_the_program(updated)
        database = Database(path)
    with pytest.raises(Conflict, match="open in another process"):
        go_back(path, datetime.now(UTC))
    database.close()
    assert projects_of(path) == ["one", "three", "two"]
    go_back(path, datetime.now(UTC))
    assert projects_of(path) == ["one", "two"]


def test_without_a_copy_there_is_no_way_back(path: Path) -> None:
    with pytest.raises(NotFound, match="no copy"):
        go_back(path, datetime.now(UTC))


def test_a_damaged_copy_is_not_gone_back_to(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    migrated(path, monkeypatch)
    (copy,) = copies_of(path)
    raw = copy.path.read_bytes()
    copy.path.write_bytes(raw[: len(raw) // 2])
    with pytest.raises(StoreUnavailable):
        go_back(path, datetime.now(UTC))
    assert projects_of(path) == ["one", "three", "two"]


def test_a_database_that_cannot_be_read_is_gone_back_from(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    migrated(path, monkeypatch)
    damaged = b"\x00garbage\xff" * 1000
    path.write_bytes(damaged)
    went = go_back(path, datetime.now(UTC))
    assert went.set_aside.read_bytes() == damaged
    assert projects_of(path) == ["one", "two"]


def test_only_what_is_whole_is_called_a_copy(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A copy that a killed process had begun has another name."""

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    update_the_program(monkeypatch)
    monkeypatch.setattr("memory_layer.adapters.embedded.sqlite.database_copies.flush_folder", die)
    (path.parent / f"{NAME}.schema-3.20260101T000000Z.part").write_bytes(b"")
    with pytest.raises(KeyboardInterrupt):
        database_module.Database(path)
    with closing(sqlite3.connect(path)) as connection:
        assert schema_version(connection) == NEXT - 1
    assert all(not copy.path.name.endswith(".part") for copy in copies_of(path))
