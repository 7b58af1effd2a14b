"""kill -9 at any moment: what was acknowledged is there, and nothing is there by half.

Falls without one transaction for record, version, verdict and idempotency answer, committed before the acknowledgement.
That a commit outlives the power as well is synchronous = FULL, which
tests/unit/adapters/embedded/test_database.py holds.
"""

from __future__ import annotations

import json
import os
import random
import signal
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memory_layer.adapters.embedded.files.blob_store import FileBlobStore
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.store.record_store import SqliteRecordStore, open_record_store
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Scope
from memory_layer.settings import read_settings
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.learn.report_outcome import OutcomeAnswer, OutcomeReport, report_outcome
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import ADMIN, NoEmbedder

pytestmark = pytest.mark.fault

CYCLES = int(os.environ.get("KILL_CYCLES", "200"))
SCOPE = Scope("acme", "killed")
EVERYTHING = Viewer(sees_all_personas=True)


def test_nothing_acknowledged_is_lost(tmp_path: Path) -> None:
    randomness = random.Random(20260301)
    acknowledged: dict[str, dict[str, Any]] = {}
    keys: set[str] = set()
    for cycle in range(CYCLES):
        for line in _killed_writer(tmp_path, cycle, randomness.uniform(0.0, 0.04)):
            acknowledged[line["id"]] = line
            if line["key"]:
                keys.add(line["key"])
        _check(tmp_path, acknowledged, keys)
    assert len(acknowledged) > CYCLES


def _killed_writer(folder: Path, cycle: int, grace_s: float) -> list[dict[str, Any]]:
    """Run a writer until its first acknowledgement and a moment longer, then kill it; what it acknowledged."""
    receiving, sending = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(receiving)
        try:
            _write_for_ever(folder, cycle, sending)
        finally:
            os._exit(1)
    os.close(sending)
    with os.fdopen(receiving, "rb") as pipe:
        first = pipe.readline()
        assert first, "the writer died before it wrote anything"
        time.sleep(grace_s)
        os.kill(pid, signal.SIGKILL)
        rest = pipe.read()
    os.waitpid(pid, 0)
    complete = (first + rest).rpartition(b"\n")[0]
    return [json.loads(line) for line in complete.splitlines()]


def _write_for_ever(folder: Path, cycle: int, sending: int) -> None:
    backend = open_embedded(
        read_settings({}, data_dir=folder, model_dir=folder / "none"), embedder=NoEmbedder()
    )
    randomness = random.Random(cycle)
    number = 0
    while True:
        number += 1
        id = f"c{cycle}-{number}"
        put_memory(backend.ports, ADMIN, SCOPE.project, id, {"content": f"memory {id}", "type": "pattern"})
        _acknowledge(sending, id, 1, None)
        key = f"key-{id}"
        once = IdempotentRequest(key, key, "same", lambda reported: (200, reported.memory.id))
        judged = report_outcome(
            backend.ports, ADMIN, SCOPE.project, id, OutcomeReport(result="worked"), once=once
        )
        assert isinstance(judged, OutcomeAnswer)
        _acknowledge(sending, id, judged.memory.version, key)
        if randomness.random() < 0.3:
            supersede_memory(backend.ports, ADMIN, SCOPE.project, id, {"content": f"instead of {id}"})
            _acknowledge(sending, id, judged.memory.version + 1, None)


def _acknowledge(sending: int, id: str, version: int, key: str | None) -> None:
    os.write(sending, json.dumps({"id": id, "version": version, "key": key}).encode() + b"\n")


def _check(folder: Path, acknowledged: dict[str, dict[str, Any]], keys: set[str]) -> None:
    database = Database(folder / "memory.sqlite3")
    assert not database.log_report.is_alarming
    store = open_record_store(database, Bodies(FileBlobStore(folder / "blobs")))
    try:
        found = {memory.id: memory for memory in _all(store)}
        lost = [
            id for id, line in acknowledged.items() if id not in found or found[id].version < line["version"]
        ]
        assert not lost
        now = datetime.now(UTC)
        assert store.requests.answers(SCOPE, keys, now).keys() == keys
        for memory in list(found.values())[-20:]:
            _check_whole(store, memory, found)
    finally:
        store.close()


def _all(store: SqliteRecordStore) -> list[Memory]:
    memories: list[Memory] = []
    after = None
    while True:
        page = store.memories.page(
            SCOPE,
            Filters(status=()),
            EVERYTHING,
            now=datetime.now(UTC),
            after=after,
            limit=200,
            oldest_first=True,
        )
        memories += page.memories
        if page.next_key is None:
            return memories
        after = page.next_key


def _check_whole(store: SqliteRecordStore, memory: Memory, found: dict[str, Memory]) -> None:
    """Record, versions, verdicts and both ends of a correction tell the same story."""
    verdicts = store.history.verdicts(SCOPE, memory.id)
    assert memory.use_count == len(verdicts)
    assert memory.outcome_score == pytest.approx(sum(verdict.score_moved for verdict in verdicts))
    assert [version.memory.version for version in store.history.of(SCOPE, memory.id)] == list(
        range(1, memory.version + 1)
    )
    if memory.superseded_by is not None:
        assert found[memory.superseded_by].supersedes == memory.id
