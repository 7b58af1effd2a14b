"""A log that lost acknowledged writes is told from one that a crash left half-written; SQLite itself is the judge."""

from __future__ import annotations

import logging
import random
import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.kept_logs import kept_logs, log_report
from memory_layer.adapters.embedded.sqlite.wal_frames import FRAME_HEADER_BYTES, HEADER_BYTES, examine_log
from memory_layer.errors import StoreUnavailable

WRITES = 30
FLIPS = 200
PAGE_BYTES = 4096
FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES
NAME = "memory.sqlite3"


@pytest.fixture
def crashed(tmp_path: Path) -> Path:
    """A database whose writer died with all that it wrote in the log."""
    folder = tmp_path / "crashed"
    database = Database(tmp_path / NAME)
    for number in range(WRITES):
        with database.writing() as connection:
            connection.execute(
                "INSERT INTO projects (tenant, project) VALUES ('t', ?)", (f"p{number}" * 300,)
            )
    folder.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(tmp_path / f"{NAME}{suffix}", folder / f"{NAME}{suffix}")
    database.close()
    return folder / NAME


def read_by_sqlite(path: Path) -> int:
    """The writes that SQLite finds, in a copy: it empties the log."""
    folder = path.parent / "judged"
    folder.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", folder / f"{NAME}{suffix}")
    try:
        with closing(sqlite3.connect(folder / NAME)) as connection:
            return int(connection.execute("SELECT count(*) FROM projects").fetchone()[0])
    except sqlite3.DatabaseError:  # of a new file the schema is in the log as well
        return 0
    finally:
        shutil.rmtree(folder)


def log_of(path: Path) -> Path:
    return path.with_name(f"{NAME}-wal")


def flip(path: Path, bit: int) -> None:
    raw = bytearray(path.read_bytes())
    raw[bit // 8] ^= 1 << bit % 8
    path.write_bytes(raw)


def flips(raw: bytes) -> Iterator[int]:
    """Bits everywhere, and as many in the last frame and in the header, where nothing stands behind them."""
    randomness = random.Random(20260301)
    bits = 8 * len(raw)
    for start in (0, bits - 8 * FRAME_BYTES):
        yield from (randomness.randrange(start, bits) for _ in range(FLIPS // 2))
    yield from range(0, 8 * HEADER_BYTES, 5)


def test_every_flipped_bit_of_a_live_frame_is_noticed(crashed: Path) -> None:
    """Falls without `_is_one_bit` for the last frame, and without `_without_header` for the header."""
    log = log_of(crashed)
    whole = log.read_bytes()
    assert examine_log(log).verdict == "sound"
    silent, told = [], 0
    for bit in flips(whole):
        flip(log, bit)
        report = examine_log(log)
        lost = WRITES - read_by_sqlite(crashed)
        assert lost, "SQLite reads on: the bit is of no live frame"
        told += report.lost_commits >= lost
        silent += [] if report.verdict == "damaged" else [bit]
        log.write_bytes(whole)
    assert (silent, told) == ([], FLIPS + len(range(0, 8 * HEADER_BYTES, 5)))


def test_a_cut_anywhere_is_an_unfinished_write(crashed: Path) -> None:
    whole = log_of(crashed).read_bytes()
    randomness = random.Random(20260301)
    for _ in range(FLIPS):
        log_of(crashed).write_bytes(whole[: randomness.randrange(len(whole))])
        assert not examine_log(log_of(crashed)).is_alarming


def test_a_last_frame_whose_page_was_not_written_is_an_unfinished_write(crashed: Path) -> None:
    """The head of a frame goes before its page; in a log that is written over, an older page lies there."""
    whole = log_of(crashed).read_bytes()
    randomness = random.Random(20260301)
    for _ in range(FLIPS):
        rest = randomness.randrange(PAGE_BYTES - 100)
        torn = whole[: -PAGE_BYTES + rest] + randomness.randbytes(PAGE_BYTES - rest)
        log_of(crashed).write_bytes(torn)
        assert examine_log(log_of(crashed)).verdict == "torn"


def test_frames_of_an_earlier_generation_are_no_damage(tmp_path: Path) -> None:
    database = Database(tmp_path / NAME)
    longest = 0
    for number in range(WRITES):
        with database.writing() as connection:
            connection.execute(
                "INSERT INTO projects (tenant, project) VALUES ('t', ?)", (f"p{number}" * 300,)
            )
        if number == WRITES // 2:
            longest = log_of(database.path).stat().st_size
            with closing(sqlite3.connect(database.path)) as other:
                other.execute("PRAGMA wal_checkpoint(RESTART)").fetchone()
    report = examine_log(log_of(database.path))
    assert longest == log_of(database.path).stat().st_size, "nothing was written over"
    assert (report.verdict, report.frames * FRAME_BYTES < longest) == ("sound", True)
    database.close()


def test_unfinished_writes_of_a_bad_order_are_no_damage(crashed: Path) -> None:
    """A power cut may keep the end of the last commit and not its beginning; nobody was told of it."""
    log = log_of(crashed)
    with closing(sqlite3.connect(crashed, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)"
            " INSERT INTO projects (tenant, project) SELECT 'u', 'q' || i FROM n"
        )
        whole = bytearray(log.read_bytes())
    first = HEADER_BYTES + examine_log_frames(whole) * FRAME_BYTES
    start = first - 3 * FRAME_BYTES + FRAME_HEADER_BYTES
    whole[start : start + PAGE_BYTES] = bytes(PAGE_BYTES)
    log.write_bytes(whole)
    assert examine_log(log).verdict in ("torn", "doubtful")


def examine_log_frames(raw: bytes | bytearray) -> int:
    return (len(raw) - HEADER_BYTES) // FRAME_BYTES


def test_a_damaged_log_is_kept_and_told_before_it_is_written_over(
    crashed: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Falls without `keep_damaged_log` in database.py: SQLite opens the file without a word."""
    log = log_of(crashed)
    flip(log, 8 * (HEADER_BYTES + 20 * FRAME_BYTES + 500))
    damaged = log.read_bytes()
    with caplog.at_level(logging.ERROR):
        database = Database(crashed)
    (kept,) = kept_logs(crashed)
    assert kept.read_bytes() == damaged
    assert "writes that were acknowledged are not read any more" in caplog.text
    with database.writing() as connection:
        connection.execute("INSERT INTO projects (tenant, project) VALUES ('t', 'after')")
    database.close()
    caplog.clear()
    Database(crashed).close()
    assert (caplog.text, kept_logs(crashed)) == ("", [kept])


def test_a_log_that_cannot_be_kept_is_not_written_over(
    crashed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flip(log_of(crashed), 8 * (HEADER_BYTES + 20 * FRAME_BYTES + 500))
    damaged = log_of(crashed).read_bytes()

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("memory_layer.adapters.embedded.sqlite.kept_logs.copy_file", refuse)
    with pytest.raises(StoreUnavailable, match="No space left"):
        Database(crashed)
    assert log_of(crashed).read_bytes() == damaged
    assert log_report(crashed).verdict == "damaged"


def test_writers_killed_one_after_another_leave_no_damage(tmp_path: Path) -> None:
    """Each goes on behind the last commit, over what the one before it left unfinished, its last frame's head too.

    Falls without `_goes_on`: a commit is flushed where a frame goes on from it, and not where just any lies behind.
    """
    path, randomness = tmp_path / NAME, random.Random(20260301)
    Database(path).close()
    log = log_of(path)
    for kill in range(FLIPS):
        before = log.read_bytes() if kill % 40 else b""
        log.write_bytes(before)
        first = HEADER_BYTES + examine_log(log).frames * FRAME_BYTES
        after = written_to_log(
            path, [randomness.randbytes(1_500).hex() for _ in range(randomness.choice((1, 1, 2, 12)))]
        )
        unwritten = randomness.choice((0, PAGE_BYTES, PAGE_BYTES, randomness.randrange(len(after) - first)))
        log.write_bytes(after[: len(after) - unwritten] + before[len(after) - unwritten :])
        report = examine_log(log)
        assert not report.is_alarming, (kill, report)


def test_a_flipped_bit_before_the_frames_of_a_killed_writer_is_noticed(crashed: Path) -> None:
    """Falls where the last commit counts as flushed only if a frame goes on from it."""
    log, randomness = log_of(crashed), random.Random(20260301)
    names = [randomness.randbytes(1_500).hex() for _ in range(12)]
    killed = written_to_log(crashed, names)[:-PAGE_BYTES] + bytes(PAGE_BYTES)
    read = written_to_log(crashed, ["the next writer's"])
    whole = read + killed[len(read) :]
    for bit in [*flips(read)][: 2 * FLIPS]:
        log.write_bytes(whole)
        assert not examine_log(log).is_alarming
        flip(log, bit)
        assert examine_log(log).verdict == "damaged", bit


def written_to_log(path: Path, names: Sequence[str]) -> bytes:
    """The log after one write more, up to the end of that write, made in a copy."""
    folder = path.parent / "writing"
    folder.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", folder / f"{NAME}{suffix}")
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT INTO projects (tenant, project) VALUES ('t', ?)", [(name,) for name in names]
        )
        connection.execute("COMMIT")
        log = log_of(folder / NAME)
        raw = log.read_bytes()[: HEADER_BYTES + examine_log(log).frames * FRAME_BYTES]
    shutil.rmtree(folder)
    return raw
