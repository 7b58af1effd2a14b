"""kill -9 in the middle of an import, a merge or a restoration: all of it is there, or nothing of it.

Somebody reads all the while, from a process of its own, and never sees a part. Falls where `all_or_nothing` does not
put the writes into one transaction.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.ports.process import Ports
from memory_layer.settings import DATABASE_NAME, read_settings
from memory_layer.usecases.transfer.import_project import OnExisting, import_lines
from memory_layer.usecases.transfer.merge_projects import merge_project
from memory_layer.usecases.transfer.restore_snapshot import restore_snapshot
from memory_layer.usecases.transfer.take_snapshot import take_snapshot
from tests.contract.transfer.test_export_import import line, sealed
from tests.given import ADMIN, NoEmbedder

pytestmark = pytest.mark.fault

CYCLES = int(os.environ.get("KILLED_TRANSFERS", "4"))
RECORDS = int(os.environ.get("TRANSFERRED_RECORDS", "500"))

ARRIVED: Final = (
    "SELECT count(*) FROM versions v JOIN projects p ON p.key = v.project_key"
    " WHERE p.project = 'web' AND v.changed_by = 'ada@acme.test'"
    " AND v.verb IN ('imported', 'copied', 'merged', 'restored')"
)
"""Changes that the transfers of this file make, counted in the versions that they write."""


def _file(project: str, word: str, prefix: str = "m") -> list[str]:
    """Lines of an export; words that differ make records that differ."""
    return sealed(
        [
            line(id=f"{prefix}{number:04}", content=f"Fact {number}, {word}.", project=project)
            for number in range(RECORDS)
        ],
        project,
    )


def _import(ports: Ports, *, word: str, on_existing: OnExisting = "skip") -> None:
    import_lines(ports, ADMIN, "web", _file("web", word), on_existing=on_existing)


def _merge(ports: Ports) -> None:
    merge_project(ports, ADMIN, "web", "shop")


def _restore(ports: Ports) -> None:
    restore_snapshot(ports, ADMIN, "web", "latest")


def _nothing(ports: Ports) -> None:
    """A project begins with its first write."""


def _a_project(ports: Ports) -> None:
    _import(ports, word="first")


def _twins_and_others(ports: Ports) -> None:
    """Half of the other project's records are known here, under other ids."""
    half = [
        line(id=f"w{number:04}", content=f"Fact {number}, second.", created_by="bob")
        for number in range(0, RECORDS, 2)
    ]
    import_lines(ports, ADMIN, "web", sealed(half))
    import_lines(ports, ADMIN, "shop", _file("shop", "second"))


def _a_snapshot_of_another_state(ports: Ports) -> None:
    _import(ports, word="second")
    take_snapshot(ports, ADMIN, "web")
    _import(ports, word="first", on_existing="replace")


@dataclass(frozen=True, slots=True)
class Transfer:
    """Args: prepare: makes the data folder that it begins with."""

    work: Callable[[Ports], None]
    prepare: Callable[[Ports], None]


TRANSFERS: Final[Mapping[str, Transfer]] = {
    "import": Transfer(partial(_import, word="second"), _nothing),
    "import over records": Transfer(partial(_import, word="second", on_existing="replace"), _a_project),
    "merge": Transfer(_merge, _twins_and_others),
    "restore": Transfer(_restore, _a_snapshot_of_another_state),
}


@dataclass
class Kills:
    """Moments and results of the kills. Args: before, after: changes in the folder without and with the whole."""

    before: int
    after: int
    seconds: float
    seen: list[int] = field(default_factory=list)
    left: list[int] = field(default_factory=list)

    @property
    def partial(self) -> list[int]:
        return [count for count in (*self.seen, *self.left) if count not in (self.before, self.after)]


@pytest.mark.parametrize("name", TRANSFERS)
def test_a_transfer_that_was_killed_is_there_whole_or_not_at_all(tmp_path: Path, name: str) -> None:
    transfer, randomness = TRANSFERS[name], random.Random(20260301)
    template = tmp_path / "template"
    _in_a_process(template, transfer.prepare, tmp_path)
    before = _arrived(template)
    whole = shutil.copytree(template, tmp_path / "whole")
    seconds = _in_a_process(whole, transfer.work, tmp_path)
    kills = Kills(before, _arrived(whole), seconds)
    assert kills.before < kills.after
    for cycle in range(CYCLES):
        folder = shutil.copytree(template, tmp_path / str(cycle))
        _killed(folder, transfer.work, kills, randomness.uniform(0.0, 1.5 * seconds))
        left = _arrived(folder)
        kills.left.append(left)
        _in_a_process(folder, transfer.work, tmp_path)
        assert _arrived(folder) == kills.after, f"repeated after {left} of {kills.after} changes"
        shutil.rmtree(folder)
    print(
        f"{name}: {len(kills.left)} kills within {seconds:.1f} s left {kills.left} of {kills.before} or {kills.after}"
    )
    assert kills.partial == []


def _opened(folder: Path) -> EmbeddedBackend:
    settings = read_settings({}, data_dir=folder, model_dir=folder / "none")
    return open_embedded(settings, embedder=NoEmbedder())


def _forked(folder: Path, work: Callable[[Ports], None], ready: int) -> int:
    """Starts a process that opens the folder, says so, and works."""
    pid = os.fork()
    if pid:
        return pid
    failed = 1
    try:
        backend = _opened(folder)
        os.write(ready, b"!")
        work(backend.ports)
        backend.close()
        failed = 0
    finally:
        os._exit(failed)


def _in_a_process(folder: Path, work: Callable[[Ports], None], _: Path) -> float:
    """Has the work done to its end, and returns the seconds that it took."""
    receiving, sending = os.pipe()
    pid = _forked(folder, work, sending)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        assert pipe.read(1) == b"!"
        began = time.monotonic()
        _, status = os.waitpid(pid, 0)
    assert status == 0
    return time.monotonic() - began


def _killed(folder: Path, work: Callable[[Ports], None], kills: Kills, after_s: float) -> None:
    """Reads while the work goes on, until the kill."""
    receiving, sending = os.pipe()
    pid = _forked(folder, work, sending)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe, closing(sqlite3.connect(folder / DATABASE_NAME)) as database:
        assert pipe.read(1) == b"!"
        end = time.monotonic() + after_s
        while time.monotonic() < end:
            kills.seen.append(database.execute(ARRIVED).fetchone()[0])
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def _arrived(folder: Path) -> int:
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as database:
        return int(database.execute(ARRIVED).fetchone()[0])
