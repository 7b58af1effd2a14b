"""`mem serve --workers`: processes that answer for one folder on one address, and end together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from memory_layer.cli.handover.socket_file import SOCKET_NAME
from tests.e2e.test_serve_process import MEMORIES, PROGRAM, address_in

WORKERS = 2
RECALL = "/v1/projects/web/recall"
QUESTION = {"query": "how long are messages kept?"}
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks up processes in /proc")


class Served:
    """A server of several processes. Args: process: the one that watches."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process, self._address = process, address

    @property
    def workers(self) -> list[int]:
        """Process ids of the workers, as they were started: the kernel lists them so, and its numbers begin anew."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        commands = {int(child): Path(f"/proc/{child}/cmdline").read_text() for child in children}
        return [pid for pid, command in commands.items() if "spawn_main" in command]

    def asked(self, ask: Callable[[httpx2.Client], httpx2.Response]) -> httpx2.Response:
        """Asks over a new connection."""
        with httpx2.Client(base_url=self._address, timeout=30.0) as client:
            return ask(client)

    @contextmanager
    def connected_to(self, worker: int) -> Iterator[httpx2.Client]:
        """A connection that this worker has taken: the others stood still meanwhile."""
        others = [pid for pid in self.workers if pid != worker]
        with httpx2.Client(base_url=self._address, timeout=30.0) as client:
            for pid in others:
                os.kill(pid, signal.SIGSTOP)
            try:
                client.post(RECALL, json=QUESTION).raise_for_status()
            finally:
                for pid in others:
                    os.kill(pid, signal.SIGCONT)
            yield client


@contextmanager
def served(data: Path) -> Iterator[Served]:
    command = [sys.executable, "-c", PROGRAM, "serve", "--workers", str(WORKERS), "--port", "0"]
    process = subprocess.Popen(
        [*command, "--data", str(data)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        address = address_in(process.stdout.readline())
        assert address is not None, process.communicate()
        assert process.stdout.readline().startswith(f"Console: {address} ")
        yield Served(process, address)
    finally:
        process.kill()
        process.wait()


def has_ended(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z"


def all_ended(pids: list[int], seconds: float = 20.0) -> bool:
    until = time.monotonic() + seconds
    while not all(map(has_ended, pids)) and time.monotonic() < until:
        time.sleep(0.05)
    return all(map(has_ended, pids))


def test_every_worker_sees_at_once_what_another_has_stored_and_recalled(
    model_dir: Path, tmp_path: Path
) -> None:
    """Safeguards: the index looks at the log before each search; a receipt on its way is waited for."""
    assert model_dir.is_dir()
    with served(tmp_path) as server:
        first, second = server.workers
        with server.connected_to(first) as one, server.connected_to(second) as other:
            for writer, reader, content in (
                (one, other, "The queue keeps messages for four days."),
                (other, one, "The topic keeps messages for a week."),
            ):
                id = writer.post(MEMORIES, json={"content": content}).json()["id"]
                found = reader.post(RECALL, json=QUESTION).json()
                assert id in [memory["id"] for memory in found["memories"]]
                said = {"result": "worked", "recall_id": found["recall_id"]}
                noted = writer.post(f"{MEMORIES}/{id}/outcome", json=said)
                assert noted.status_code == 200, noted.text
        assert (tmp_path / SOCKET_NAME).exists(), "commands are handed over to the first"


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_stop_ends_all_within_ten_seconds_and_loses_nothing(
    model_dir: Path, tmp_path: Path, how: signal.Signals
) -> None:
    assert model_dir.is_dir()
    with served(tmp_path) as server:
        server.asked(lambda client: client.post(MEMORIES, json={"content": "Kept."})).raise_for_status()
        workers = server.workers
        begun = time.monotonic()
        server.process.send_signal(how)
        output, errors = server.process.communicate(timeout=30)
        assert server.process.returncode == 128 + how
        assert time.monotonic() - begun < 10
        assert (output, errors) == ("", ""), "the ready lines are said once, and nothing more"
        assert all(map(has_ended, workers))
        assert not (tmp_path / SOCKET_NAME).exists()
    with served(tmp_path) as server:
        listed = server.asked(lambda client: client.get(MEMORIES)).json()["memories"]
        assert [memory["content"] for memory in listed] == ["Kept."]


@pytest.mark.parametrize("which", range(WORKERS))
def test_a_worker_that_is_killed_ends_the_server_which_says_so(
    model_dir: Path, tmp_path: Path, which: int
) -> None:
    """Safeguard: `_watch`; connections of the dead one would be taken by nobody who does its work."""
    assert model_dir.is_dir()
    with served(tmp_path) as server:
        workers = server.workers
        os.kill(workers[which], signal.SIGKILL)
        _, errors = server.process.communicate(timeout=30)
        assert server.process.returncode != 0
        assert f"worker {which + 1} (process {workers[which]}) ended by signal 9" in errors
        assert "Traceback" not in errors
        assert all_ended(workers)


def test_workers_end_with_the_process_that_watches_them(model_dir: Path, tmp_path: Path) -> None:
    """Safeguard: `_end_with`; they would hold the address and the folder with nobody to stop them."""
    assert model_dir.is_dir()
    with served(tmp_path) as server:
        workers = server.workers
        server.process.kill()
        assert all_ended(workers)


def test_a_folder_that_cannot_be_opened_is_said_once(tmp_path: Path) -> None:
    (tmp_path / "memory.sqlite3").write_bytes(b"no database " * 1000)
    command = [sys.executable, "-c", PROGRAM, "serve", "--workers", "2", "--port", "0"]
    ended = subprocess.run(
        [*command, "--data", str(tmp_path)], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode != 0
    assert ended.stdout == ""
    assert "Traceback" not in ended.stderr
    assert ended.stderr.count("cannot be opened") == 1
