"""kill -9 in the middle of an accepted import: nothing of it is there, and the next process carries it out, once.

Falls where an import is not resumed, where a resumed one writes again what is there, and where the end of the
operation is not in the transaction of its records: the counts of a second run would say that all was there before.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.fields import canonical_json
from memory_layer.edge.operations.data_jobs import IMPORT, import_arguments
from memory_layer.edge.operations.jobs import OPERATION_ACCEPTED, Ticket, Work, accept, resume
from memory_layer.edge.operations.runner import run_operation
from memory_layer.settings import DATABASE_NAME, read_settings
from memory_layer.usecases.ground.project_pages import every_record
from memory_layer.usecases.transfer.export_project import export_lines
from memory_layer.usecases.transfer.import_project import check_import
from tests.contract.transfer.test_export_import import line, sealed
from tests.fault.forked_process import assert_alive
from tests.given import ADMIN, SCOPE, NoEmbedder

pytestmark = pytest.mark.fault

CYCLES = int(os.environ.get("KILLED_IMPORTS", "5"))
RECORDS = 1_500


@pytest.mark.parametrize("on_existing", ["skip", "replace"])
def test_an_import_that_was_killed_is_completed_once(tmp_path: Path, on_existing: str) -> None:
    randomness = random.Random(20260301)
    file = sealed([line(id=f"m{number:04}", content=f"Fact {number}.") for number in range(RECORDS)])
    lasts_s = _killed_import(tmp_path / "whole", file, on_existing, after_s=None)
    for cycle in range(CYCLES):
        folder = tmp_path / str(cycle)
        _killed_import(folder, file, on_existing, after_s=randomness.uniform(0.0, 1.2 * lasts_s))
        backend = _opened(folder)
        stored = sum(1 for _ in every_record(backend.ports.store.memories, SCOPE))
        assert stored in (0, RECORDS)
        _completed(backend)
        assert list(export_lines(backend.ports, ADMIN, "web"))[:-1] == _canonical(file)
        for number in (0, RECORDS // 2, RECORDS - 1):
            assert len(backend.ports.store.history.of(SCOPE, f"m{number:04}")) == 1
        backend.close()


def _opened(folder: Path) -> EmbeddedBackend:
    settings = read_settings({}, data_dir=folder, model_dir=folder / "none")
    return open_embedded(settings, embedder=NoEmbedder())


def _killed_import(folder: Path, file: list[str], on_existing: str, *, after_s: float | None) -> float:
    """Accepts an import in a process that dies so long after; None: as soon as all is there. Returns the seconds."""
    receiving, sending = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            _import_until_killed(_opened(folder), file, on_existing, sending)
        finally:
            os._exit(1)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        assert pipe.read(1) == b"!", "the import was not accepted"
    began = time.monotonic()
    with closing(sqlite3.connect(folder / DATABASE_NAME)) as database:
        while not _is_over(database, time.monotonic() - began, after_s):
            assert_alive(pid)
            time.sleep(0.001)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return time.monotonic() - began


def _is_over(database: sqlite3.Connection, seconds: float, after_s: float | None) -> bool:
    if after_s is not None:
        return seconds >= after_s
    return bool(database.execute("SELECT count(*) FROM memories").fetchone()[0])


def _import_until_killed(backend: EmbeddedBackend, file: list[str], on_existing: str, sending: int) -> None:
    checked = check_import(backend.ports, ADMIN, "web", file, allow_unsealed=False)
    arguments = import_arguments(checked, is_dry_run=False, on_existing=on_existing)
    work = Work(kind=IMPORT, project="web", arguments=arguments, total=checked.records)
    operation = accept(backend.ports, ADMIN, Ticket("op_1", "f" * 64, None), work)
    os.write(sending, b"!")
    run_operation(backend.ports, {"tenant": "acme", "operation_id": operation.id})
    time.sleep(60)


def _completed(backend: EmbeddedBackend) -> None:
    """What a server does when it starts."""
    backend.subscribe(OPERATION_ACCEPTED, partial(run_operation, backend.ports))
    for operation in backend.unfinished_operations():
        resume(backend.ports, operation)
    backend.drain()
    ended = backend.ports.store.requests.operation("acme", "op_1")
    assert ended is not None
    assert (ended.status, (ended.result or {})["imported"]) == ("succeeded", RECORDS)


def _canonical(file: list[str]) -> list[str]:
    """The lines as an export writes them."""
    return [f"{canonical_json(json.loads(each))}\n" for each in file[:-1]]
