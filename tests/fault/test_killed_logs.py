"""kill -9 between any two writes to the log: what it leaves half-written is no damage.

Falls where frames of an earlier generation, which the log is written over, are taken for damage.
"""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.sqlite.kept_logs import kept_logs, log_report

pytestmark = pytest.mark.fault

CYCLES = int(os.environ.get("KILL_CYCLES", "200"))
PAGES_BEFORE_THE_LOG_BEGINS_ANEW = 60


def test_a_killed_writer_raises_no_alarm(tmp_path: Path) -> None:
    """One alarm in a hundred kills may be of a last frame whose head was written without its page: where the page that
    lay there before differs in one bit from the new one, nothing tells it from a bit that flipped."""
    path, randomness = tmp_path / "memory.sqlite3", random.Random(20260301)
    alarms = []
    for cycle in range(CYCLES):
        _kill_a_writer(path, cycle, randomness.uniform(0.0, 0.01))
        report = log_report(path)
        if report.is_alarming:
            alarms.append((cycle, report))
            assert report.lost_frames == 1, alarms
    assert len(alarms) <= CYCLES // 100, alarms
    assert len(kept_logs(path)) <= len(alarms)


def _kill_a_writer(path: Path, cycle: int, grace_s: float) -> None:
    receiving, sending = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _write_for_ever(path, cycle, sending)
        finally:
            os._exit(1)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        assert pipe.read(1), "the writer died before it wrote anything"
        time.sleep(grace_s)
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _write_for_ever(path: Path, cycle: int, sending: int) -> None:
    """Writes over few rows, of one page or thirty, so that the log begins anew all the time."""
    database, randomness = Database(path), random.Random(cycle)
    with database.writing() as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS scraps (id INTEGER PRIMARY KEY, scrap BLOB)")
    connection.execute(f"PRAGMA wal_autocheckpoint = {PAGES_BEFORE_THE_LOG_BEGINS_ANEW}")
    os.write(sending, b"!")
    while True:
        with database.writing() as connection:
            scrap = (randomness.randrange(40), randomness.randbytes(randomness.choice([50, 5_000, 120_000])))
            connection.execute("INSERT OR REPLACE INTO scraps VALUES (?, ?)", scrap)
