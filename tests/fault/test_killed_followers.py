"""kill -9 of the server while changes are followed and delivered: none is lost, and the order stays.

Falls without positions that are the log's own, and without a place that is stored after each delivery.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import httpx2
import pytest

from memory_layer.manifest import env
from tests.given import REPOSITORY
from tests.receivers import LOOPBACK, Receiver, receiving

pytestmark = pytest.mark.fault

KILLS = int(os.environ.get("FOLLOWER_KILLS", "4"))
A_ROUND = 25
PATH = "/v1/projects/web"


def test_a_stream_and_a_webhook_go_on_over_kills(tmp_path: Path) -> None:
    acknowledged: list[str] = []
    followed: list[tuple[str, str]] = []
    with receiving() as receiver:
        for kill in range(KILLS):
            process, http = _started(tmp_path)
            if kill == 0:
                body = {"url": receiver.url, "after": 0}
                assert http.post(f"{PATH}/webhooks", json=body).status_code == 201
            followed += _written_and_followed(http, kill, acknowledged, followed)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        process, http = _started(tmp_path)
        rest = len(acknowledged) - len(followed)
        followed += _events(http, followed, rest)
        _await(receiver, len(acknowledged))
        process.terminate()
        process.wait()
    assert [subject for _, subject in followed] == acknowledged
    places = range(2, len(acknowledged) + 2)  # the first entry tells that the webhook was added
    assert [int(place) for place, _ in followed] == list(places)
    assert receiver.subjects() == acknowledged


def _written_and_followed(
    http: httpx2.Client, kill: int, acknowledged: list[str], followed: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Writes a round, and follows a part of it only: what is left the next server tells."""
    for number in range(A_ROUND):
        id = f"m{kill}-{number}"
        said = {"content": f"Rule {id}: close file {id} after use."}
        assert http.put(f"{PATH}/memories/{id}", json=said).status_code == 201
        acknowledged.append(id)
    return _events(http, followed, len(acknowledged) - len(followed) - kill - 3)


def _events(http: httpx2.Client, followed: list[tuple[str, str]], count: int) -> list[tuple[str, str]]:
    headers = {"accept": "text/event-stream", "last-event-id": followed[-1][0] if followed else "0"}
    with http.stream("GET", f"{PATH}/events", headers=headers) as answer:
        return list(islice(_read(answer), count))


def _read(answer: httpx2.Response) -> Iterator[tuple[str, str]]:
    for line in answer.iter_lines():
        if line.startswith("data: "):
            event = json.loads(line.removeprefix("data: "))
            yield event["id"], event["subject"]


def _await(receiver: Receiver, count: int) -> None:
    while len(receiver.subjects()) < count:
        time.sleep(0.02)


def _started(folder: Path) -> tuple[subprocess.Popen[str], httpx2.Client]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environ = {
        **os.environ,
        env.DATA_DIR: str(folder / "data"),
        env.MODEL_DIR: str(folder / "no-model"),
        env.WEBHOOK_NETWORKS: LOOPBACK,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "memory_layer.cli.main", "serve", "--port", str(port)],
        cwd=REPOSITORY,
        env=environ,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "ready" in process.stdout.readline()
    return process, httpx2.Client(base_url=f"http://127.0.0.1:{port}", timeout=30.0)
