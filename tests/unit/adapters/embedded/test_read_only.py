"""A database that this user may not write: it is read as it is, in each state that a writer can leave it in."""

from __future__ import annotations

import os
import pwd
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory_layer.adapters.embedded.sqlite import database as database_module
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.reading_connection import connect_read_only
from memory_layer.errors import ReadOnlyStore, StoreUnavailable

NAME = "memory.sqlite3"
INSERT = "INSERT INTO projects (tenant, project) VALUES ('t', ?)"
COUNT = "SELECT count(*) FROM projects"


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that others may enter: pytest's own are for their owner."""
    made = Path(tempfile.mkdtemp(prefix="memory-layer-read-only-"))
    made.chmod(0o755)
    yield made
    made.chmod(0o755)
    shutil.rmtree(made)


def written(path: Path, *projects: str) -> Database:
    database = Database(path)
    for project in projects:
        with database.writing() as connection:
            connection.execute(INSERT, (project,))
    return database


def lock_up(folder: Path) -> None:
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)


def told_to_a_reader(work: Callable[[], object]) -> str:
    """What the work says to a user who may read alone; root may write everywhere, so a child gives that up."""
    receiving, sending = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            if os.getuid() == 0:
                os.setuid(pwd.getpwnam("nobody").pw_uid)
            os.write(sending, str(work()).encode())
        except BaseException as error:
            os.write(sending, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(sending)
    with os.fdopen(receiving) as pipe:
        said = pipe.read()
    os.waitpid(pid, 0)
    return said


def read_and_write(path: Path) -> str:
    database = Database(path)
    try:
        with database.writing() as connection:
            connection.execute(INSERT, ("another",))
    except ReadOnlyStore as error:
        (count,) = database.reader().execute(COUNT).fetchone()
        return f"{count} and {error.detail}"
    return "written"


@pytest.mark.parametrize("left", ["closed in order", "in use", "crashed", "crashed without its index"])
def test_what_a_writer_left_is_read_with_its_log(folder: Path, left: str) -> None:
    """Falls where a log without its index is passed over (immutable), and where a folder has to be written."""
    database = written(folder / NAME, "one", "two")
    data = folder
    if left == "closed in order":
        database.close()
    elif left.startswith("crashed"):
        data = folder / "crashed"
        data.mkdir()
        for suffix in ("", "-wal", "-shm")[: 2 if "without" in left else 3]:
            shutil.copy(folder / f"{NAME}{suffix}", data)
    lock_up(data)
    before = {file.name for file in data.iterdir()}
    said = told_to_a_reader(lambda: read_and_write(data / NAME))
    assert said.startswith("2 and nothing was written: ")
    assert str(data) in said
    assert {file.name for file in data.iterdir()} == before
    data.chmod(0o755)
    database.close()


def test_an_older_schema_that_cannot_be_migrated_is_told(folder: Path) -> None:
    Database(folder / NAME).close()
    with closing(sqlite3.connect(folder / NAME)) as connection:
        connection.execute("PRAGMA user_version = 3")
    lock_up(folder)
    said = told_to_a_reader(lambda: Database(folder / NAME))
    assert said.startswith("ReadOnlyStore: ")
    assert "has schema 3, has to be migrated" in said


def test_a_file_that_may_not_be_read_is_told(folder: Path) -> None:
    Database(folder / NAME).close()
    (folder / NAME).chmod(0o000)
    folder.chmod(0o555)
    assert told_to_a_reader(lambda: Database(folder / NAME)).startswith("StoreUnavailable: ")


def test_a_folder_without_a_database_that_cannot_be_written_is_told(folder: Path) -> None:
    folder.chmod(0o555)
    assert told_to_a_reader(lambda: Database(folder / NAME)).startswith("StoreUnavailable: ")


def test_a_file_that_was_still_is_read_anew_when_somebody_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without `_is_outdated`: of a file opened as immutable SQLite does not ask if it changed."""
    written(tmp_path / NAME, "one").close()
    can_write = database_module.can_write
    monkeypatch.setattr(database_module, "can_write", lambda _: False)
    reading = Database(tmp_path / NAME)
    assert reading.reader().execute(COUNT).fetchone() == (1,)
    monkeypatch.setattr(database_module, "can_write", can_write)
    writing = written(tmp_path / NAME, "two")
    assert reading.reader().execute(COUNT).fetchone() == (2,)
    writing.close()
    written(tmp_path / NAME, "three").close()
    assert reading.reader().execute(COUNT).fetchone() == (3,)
    reading.close()


@pytest.mark.parametrize("gone", ["-wal", "-shm"])
def test_a_log_that_goes_while_it_is_looked_at_keeps_nobody_from_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, gone: str
) -> None:
    """Falls where a file that was there is asked once: the last other process takes its log along when it closes."""
    other = written(tmp_path / NAME, "one")
    access = os.access

    def closed_meanwhile(file: Path, mode: int) -> bool:
        if str(file).endswith(gone):
            other.close()
        return access(file, mode)

    monkeypatch.setattr(os, "access", closed_meanwhile)
    database = Database(tmp_path / NAME)
    assert not database.is_read_only
    with database.writing() as connection:
        connection.execute(INSERT, ("two",))
    database.close()


def test_a_name_with_any_letters_is_opened(tmp_path: Path) -> None:
    path = tmp_path / "what? #50% ö"
    Database(path).close()
    with closing(connect_read_only(path)) as connection:
        assert connection.execute(COUNT).fetchone() == (0,)


def test_the_folder_is_not_made_writable_by_a_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Database(tmp_path / NAME).close()
    monkeypatch.setattr(database_module, "can_write", lambda _: False)
    reading = Database(tmp_path / NAME)
    with pytest.raises(StoreUnavailable, match="nothing was written"):
        reading.empty_log()
    with pytest.raises(StoreUnavailable, match="nothing was written"):
        reading.rewrite()
    reading.close()
