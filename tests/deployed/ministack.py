"""AWS on loopback for one test run: ministack in an environment of its own, with a state that is thrown away."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import boto3
from botocore.config import Config

LOOPBACK: Final = "127.0.0.1"
REGION: Final = "us-east-1"
ACCOUNT: Final = "000000000000"
"""Ministack's, for credentials that name none."""

_START_TIMEOUT_S: Final = 30.0
_STOP_TIMEOUT_S: Final = 10.0
_POLL_S: Final = 0.05


class NotStarted(Exception):
    """Ministack ended or does not answer; the message has the end of its log."""


@dataclass(frozen=True)
class Ministack:
    """A running server.

    Args:
        port: of every service.
        log: what server and functions wrote.
    """

    port: int
    log: Path

    @property
    def endpoint(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    @cached_property
    def _session(self) -> boto3.Session:
        return boto3.Session(aws_access_key_id="test", aws_secret_access_key="test", region_name=REGION)

    def client(self, service: str) -> Any:
        """A boto3 client; a call is made once, so that a test sees what failed."""
        config = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
        return self._session.client(service, endpoint_url=self.endpoint, config=config)


@contextmanager
def running(program: Path, folder: Path) -> Iterator[Ministack]:
    """Ministack from its start to its end, with its state and its log in a folder.

    Raises:
        NotStarted: it does not answer.
    """
    server = Ministack(_free_port(), folder / "ministack.log")
    with server.log.open("wb") as output:
        process = subprocess.Popen(
            [program],
            cwd=folder,
            env=_environment(folder, server.port),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # its functions' processes are in its group
        )
    try:
        _wait_for(server, process)
        yield server
    finally:
        _end(process)


def _environment(folder: Path, port: int) -> dict[str, str]:
    """Nothing of ours: functions inherit what the server has."""
    for name in ("temporary", "state", "objects"):
        (folder / name).mkdir()
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": str(folder),
        "TMPDIR": str(folder / "temporary"),
        "STATE_DIR": str(folder / "state"),
        "S3_DATA_DIR": str(folder / "objects"),
        "BIND_HOST": LOOPBACK,
        "GATEWAY_PORT": str(port),
        "MINISTACK_REGION": REGION,
        "MINISTACK_COGNITO_PRETOKEN_STRICT": "1",  # as in the cloud: no token if its function fails
        "AUTH": "true",  # a function may do what its role's policies say, and nothing else
        "IOT_MTLS_ENABLED": "0",  # it would listen on all interfaces
        "SFTP_ENABLED": "0",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(server: Ministack, process: subprocess.Popen[bytes]) -> None:
    give_up = time.monotonic() + _START_TIMEOUT_S
    while not _is_ready(server):
        if process.poll() is not None or time.monotonic() > give_up:
            raise NotStarted(f"ministack does not answer on {server.endpoint}:\n{end_of(server.log)}")
        time.sleep(_POLL_S)


def _is_ready(server: Ministack) -> bool:
    try:
        with urllib.request.urlopen(f"{server.endpoint}/_ministack/ready", timeout=1) as answer:
            return bool(json.load(answer)["status"] == "completed")
    except (OSError, urllib.error.URLError):
        return False


def _end(process: subprocess.Popen[bytes]) -> None:
    """First the server, which ends its functions; then what is left of its group."""
    process.terminate()
    try:
        process.wait(_STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def end_of(log: Path, lines: int = 60) -> str:
    """The last lines of a log."""
    return "\n".join(log.read_text("utf-8", "replace").splitlines()[-lines:])
