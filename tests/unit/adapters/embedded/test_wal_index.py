"""A log that lost its end, or all of it, is told by the index that a killed process leaves beside it."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.kept_logs import kept_logs, log_report
from memory_layer.adapters.embedded.sqlite.wal_frames import FRAME_HEADER_BYTES, HEADER_BYTES
from memory_layer.adapters.embedded.sqlite.wal_index import held_here, read_wal_index
from memory_layer.bootstrap.storage import open_to_read

NAME = "memory.sqlite3"
PARTS = ("", "-wal", "-shm")
WRITES = 12
FRAME_BYTES = FRAME_HEADER_BYTES + 4096


def written(database: Database, first: int, writes: int = WRITES) -> None:
    for number in range(first, first + writes):
        with database.writing() as connection:
            connection.execute(
                "INSERT INTO projects (tenant, project) VALUES ('t', ?)", (f"p{number}" * 300,)
            )


def copied(path: Path, folder: Path) -> Path:
    """What a process that is killed now leaves."""
    folder.mkdir()
    for part in PARTS:
        shutil.copy(f"{path}{part}", folder / f"{NAME}{part}")
    return folder / NAME


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    database = Database(tmp_path / NAME)
    written(database, 0)
    path = copied(tmp_path / NAME, tmp_path / "killed")
    database.close()
    return path


def part_of(path: Path, part: str) -> Path:
    return path.with_name(f"{NAME}{part}")


@pytest.mark.parametrize("frames", [None, 0, 1, 9])
def test_a_log_that_lost_its_end_is_told_and_stays_told(killed: Path, frames: int | None) -> None:
    """Falls without `_missing`: SQLite takes what is left for all that there was."""
    log = part_of(killed, "-wal")
    all_of_it = (log.stat().st_size - HEADER_BYTES) // FRAME_BYTES
    log.unlink() if frames is None else os.truncate(log, HEADER_BYTES + frames * FRAME_BYTES if frames else 0)
    report = log_report(killed)
    assert (report.verdict, report.is_alarming) == ("cut", True)
    assert report.lost_frames == all_of_it - report.frames
    with closing(Database(killed)) as database:
        assert database.log_report.verdict == "cut"
    assert len(kept_logs(killed)) == 1
    with closing(Database(killed)) as database:
        assert database.log_report.verdict == "sound"


def test_a_log_cut_in_the_frames_that_the_database_has_is_no_damage(killed: Path) -> None:
    """Falls where frames that a checkpoint has moved are counted as missing."""
    with closing(sqlite3.connect(killed)) as connection:
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        moved = copied(killed, killed.parent / "moved")
    part_of(moved, "-wal").unlink()
    assert log_report(moved).verdict == "sound"


def test_an_index_of_an_earlier_generation_tells_nothing(tmp_path: Path) -> None:
    """After a loss of power the index may be older than the log. Falls without the comparison of generations."""
    database = Database(tmp_path / NAME)
    written(database, 0)
    index = part_of(tmp_path / NAME, "-shm").read_bytes()
    assert database.empty_log()
    written(database, WRITES, 1)
    later = copied(tmp_path / NAME, tmp_path / "later")
    database.close()
    part_of(later, "-shm").write_bytes(index)
    assert log_report(later).verdict == "sound"


def test_an_index_that_is_none_tells_nothing(killed: Path) -> None:
    """Falls without the sum over the header: any bytes would tell of lost writes."""
    index, chance = part_of(killed, "-shm"), random.Random(7)
    whole = index.read_bytes()
    for damaged in (b"", whole[:90], bytes(len(whole)), chance.randbytes(len(whole))):
        index.write_bytes(damaged)
        assert read_wal_index(index) is None
        assert log_report(killed).verdict == "sound"
    for bit in chance.sample(range(8 * 96), 60):
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        index.write_bytes(bytes(flipped))
        assert read_wal_index(index) is None


def test_who_only_reads_leaves_what_tells_of_the_loss(killed: Path) -> None:
    """Falls without `leaves_index`: SQLite makes the index anew, and the next start knows of no loss."""
    part_of(killed, "-wal").unlink()
    with closing(open_to_read(killed)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    assert log_report(killed).verdict == "cut"


def test_the_index_of_a_database_in_use_here_is_not_read(tmp_path: Path) -> None:
    """Falls without `held_here`: to close the index would give up the locks that this process holds on it."""
    with closing(Database(tmp_path / NAME)) as database:
        written(database, 0, 1)
        part_of(tmp_path / NAME, "-wal").rename(tmp_path / "moved")
        assert log_report(tmp_path / NAME).verdict == "sound"
        (tmp_path / "moved").rename(part_of(tmp_path / NAME, "-wal"))
        assert held_here[(tmp_path / NAME).resolve()] == 1
    assert held_here[(tmp_path / NAME).resolve()] == 0
