"""`mem serve` as a process of its own: ready line, a stop that loses nothing, data that survives it."""

from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.fault.flipped_bits import flip_in_cell

PROGRAM = "from memory_layer.cli.main import main; main()"
MEMORIES = "/v1/projects/web/memories"


def address_in(ready: str) -> str | None:
    """Address that a server's ready line tells."""
    told = re.match(r"Memory Layer is ready: (http://127\.0\.0\.1:[1-9]\d*) ", ready)
    return told and told[1]


@contextmanager
def serving(data: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], httpx2.Client]]:
    command = [sys.executable, "-c", PROGRAM, "serve", "--port", "0", "--data", str(data), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        address = address_in(process.stdout.readline())
        assert address is not None, process.communicate()
        with httpx2.Client(base_url=address, timeout=30.0) as client:
            yield process, client
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_writes_what_waits(model_dir: Path, tmp_path: Path, how: signal.Signals) -> None:
    assert model_dir.is_dir()
    with serving(tmp_path) as (process, client):
        client.post(MEMORIES, json={"content": "The queue keeps messages for four days."})
        accepted = client.post(
            f"{MEMORIES}:batch", json=[{"content": "Done behind."}], headers={"prefer": "respond-async"}
        )
        shown = client.post("/v1/projects/web/recall", json={"query": "how long are messages kept?"}).json()
        process.send_signal(how)
        assert process.wait(timeout=30) == 128 + how
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
    connection = sqlite3.connect(tmp_path / "memory.sqlite3")
    receipts = [row[0] for row in connection.execute("SELECT recall_id FROM receipts")]
    connection.close()
    assert receipts == [shown["recall_id"]]
    with serving(tmp_path) as (_, client):
        contents = {memory["content"] for memory in client.get(MEMORIES).json()["memories"]}
        assert contents == {"The queue keeps messages for four days.", "Done behind."}
        assert client.get(accepted.headers["location"]).json()["status"] == "succeeded"


def test_a_start_builds_damaged_indexes_anew(model_dir: Path, tmp_path: Path) -> None:
    """Falls without `mend_storage` at the start: a list would lack a memory until the next verification."""
    assert model_dir.is_dir()
    facts = ["The queue keeps messages for four days.", "Deploys go out on Tuesdays."]
    with serving(tmp_path) as (process, client):
        ids = [client.post(MEMORIES, json={"content": fact}).json()["id"] for fact in facts]
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 128 + signal.SIGTERM
    flip_in_cell(tmp_path / "memory.sqlite3", "memories_by_age", ids[1].encode() + b"\x02")
    with serving(tmp_path) as (process, client):
        found: list[str] = []
        for _ in range(600):
            found = [one["id"] for one in client.get(MEMORIES).json()["memories"]]
            if sorted(found) == sorted(ids):
                break
            time.sleep(0.05)
    assert sorted(found) == sorted(ids)
