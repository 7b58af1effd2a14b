"""A data folder that is not ours, or cannot be, is refused in words and left as it is."""

from __future__ import annotations

import gc
import sqlite3
import stat
import weakref
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from memory_layer.adapters.embedded.files.blob_store import FileBlobStore
from memory_layer.adapters.embedded.sqlite.database import Database, migrations, schema_version
from memory_layer.adapters.embedded.sqlite.migration import check_schema
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.errors import StoreUnavailable
from memory_layer.settings import read_settings


def test_a_new_file_gets_the_newest_schema(tmp_path: Path) -> None:
    database = Database(tmp_path / "new.sqlite3")
    assert schema_version(database.reader()) == migrations()[-1][0]
    database.close()


def test_another_programs_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StoreUnavailable, match="another program"):
        Database(path)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("theirs",)]


def test_a_database_that_another_process_makes_meanwhile_is_ours(tmp_path: Path) -> None:
    """Falls where `check_schema` goes by the schema of before it saw the tables: of eight first commands some fail."""
    path, made = tmp_path / "new.sqlite3", list[Database]()

    class Overtaken(sqlite3.Connection):
        def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
            if "sqlite_master" in sql and not made:
                made.append(Database(path))
            return super().execute(sql, *given)

    with closing(sqlite3.connect(path, factory=Overtaken)) as connection:
        check_schema(connection)
    made[0].close()


def test_a_newer_schema_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "newer.sqlite3"
    Database(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    with pytest.raises(StoreUnavailable, match="9999"):
        Database(path)


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("")
    with pytest.raises(StoreUnavailable, match="cannot be made"):
        open_embedded(read_settings({}, data_dir=in_the_way))


def test_what_fails_inside_a_transaction_leaves_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.sqlite3")

    def fail_in_the_middle() -> None:
        with database.writing() as connection:
            connection.execute("INSERT INTO projects (tenant, project) VALUES ('t', 'p')")
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        fail_in_the_middle()
    assert database.reader().execute("SELECT count(*) FROM projects").fetchone() == (0,)
    database.close()


def test_every_commit_reaches_the_disk(tmp_path: Path) -> None:
    database = Database(tmp_path / "a.sqlite3")
    with database.writing() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    database.close()


def test_nobody_else_on_the_machine_reads_the_files(tmp_path: Path) -> None:
    """Falls without `_make_for_the_owner_alone` in database.py, and the opener in blobs.py."""
    database = Database(tmp_path / "a.sqlite3")
    with database.writing() as connection:
        connection.execute("INSERT INTO projects (tenant, project) VALUES ('t', 'p')")
    FileBlobStore(tmp_path / "blobs").put("operations/op_1/x.json", b"{}")
    modes = {
        path.relative_to(tmp_path).as_posix(): stat.S_IMODE(path.stat().st_mode)
        for path in tmp_path.rglob("*")
        if path.is_file() or path.name == "blobs"
    }
    assert {"a.sqlite3", "a.sqlite3-wal", "blobs/operations/op_1/x.json"} <= modes.keys()
    assert {name: oct(mode) for name, mode in modes.items() if mode & 0o077} == {}
    database.close()


def test_a_file_that_its_owner_shares_stays_shared(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite3"
    Database(path).close()
    path.chmod(0o660)
    Database(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_a_read_that_fails_is_told_as_the_stores_and_stays_sqlites(tmp_path: Path) -> None:
    """Falls without `_ReadingCursor`: the index goes on without the database, and callers get a 503."""
    database = Database(tmp_path / "a.sqlite3")
    for error in (StoreUnavailable, sqlite3.DatabaseError):
        with pytest.raises(error, match="mem doctor"):
            database.reader().execute("SELECT * FROM no_such_table")
    with pytest.raises(sqlite3.ProgrammingError):
        database.reader().execute("SELECT ?")
    database.close()


def test_reads_leave_nothing_behind(tmp_path: Path) -> None:
    """A connection notes its cursors; those made past its `cursor` it would note for ever."""
    database = Database(tmp_path / "a.sqlite3")
    for _ in range(1_000):
        database.reader().execute("SELECT 1").fetchone()
    noted = [each for each in gc.get_referents(database.reader()) if isinstance(each, list)]
    assert noted, "sqlite3 notes its cursors elsewhere: how many does it keep?"
    assert max(map(len, noted)) < 500
    database.close()


def test_each_thread_reads_by_a_connection_of_its_own() -> None:
    """One for all locks itself out: one thread waits in SQLite for the other's call, and that one for Python."""
    database = Database(None)
    with ThreadPoolExecutor(1) as other, database.writing() as writer:
        readers = [database.reader(), other.submit(database.reader).result()]
    assert len({*map(id, readers), id(writer)}) == 3
    folder = database.path.parent
    database.close()
    assert not folder.exists()


def test_a_thread_takes_its_connection_with_it(tmp_path: Path) -> None:
    """Falls where `close` alone closes readers: a server's idle threads end, and new ones come."""
    database = Database(tmp_path / "a.sqlite3")
    with ThreadPoolExecutor(1) as other:
        reader = weakref.ref(other.submit(database.reader).result())
    gc.collect()
    assert reader() is None
    database.close()


def test_rows_that_are_being_read_keep_the_connection_of_a_thread_that_has_ended(tmp_path: Path) -> None:
    """Falls where a thread's end closes what another one still reads."""
    database = Database(tmp_path / "a.sqlite3")
    with ThreadPoolExecutor(1) as other:
        rows = other.submit(lambda: database.reader().execute("VALUES (1), (2)")).result()
    assert rows.fetchall() == [(1,), (2,)]
    database.close()


@pytest.mark.parametrize("script", ["PRAGMA user_version = 9999", "CREATE TABLE theirs (x)"])
def test_what_is_refused_is_not_kept_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str
) -> None:
    """Falls without `_closed_on_failure`."""
    with closing(sqlite3.connect(tmp_path / "a.sqlite3")) as connection:
        connection.execute(script)
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect
    monkeypatch.setattr(sqlite3, "connect", lambda *a, **k: opened.append(connect(*a, **k)) or opened[-1])
    with pytest.raises(StoreUnavailable):
        Database(tmp_path / "a.sqlite3")
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[0].execute("SELECT 1")
