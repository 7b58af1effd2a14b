"""A server process that outlives the command that started it, and is stopped by a later one."""

from __future__ import annotations

import grp
import json
import os
import pwd
import shutil
import signal
import subprocess
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.engines.errors import EngineError

USER = "memory-layer-engines"
"""Runs the engines where root starts them: OpenSearch refuses to run as root."""

_START_TIME = 19  # of the fields after the name: field 22 of proc_pid_stat(5)
_STOP_TIMEOUT_S = 20.0
_POLL_S = 0.1


@dataclass(frozen=True)
class Process:
    """A process and what it serves.

    Args:
        pid: its id.
        born: its start in clock ticks since boot, by which it is told from a later one with the same id.
        endpoint: base URL.
        home: the folder of its program.
    """

    pid: int
    born: int
    endpoint: str
    home: str

    def is_running(self) -> bool:
        return birth_of(self.pid) == self.born

    def stop(self) -> None:
        """Ends it, and nothing else that may have its id by now."""
        for signal_ in (signal.SIGTERM, signal.SIGKILL):
            if self.is_running():
                os.kill(self.pid, signal_)
                self._wait_for_end()

    def _wait_for_end(self) -> None:
        give_up = time.monotonic() + _STOP_TIMEOUT_S
        while self.is_running() and time.monotonic() < give_up:
            time.sleep(_POLL_S)


def birth_of(pid: int) -> int | None:
    """When a process started, in clock ticks since boot; none if it has ended."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else int(fields[_START_TIME])


def is_root() -> bool:
    return os.geteuid() == 0


def launch(command: list[str], home: Path, log: Path) -> int:
    """Starts a server in its home, not as root; returns its process id."""
    user = USER if is_root() else None
    with log.open("wb") as output:
        return subprocess.Popen(
            command,
            cwd=home,
            env={"LANG": "C.UTF-8", "PATH": os.defpath},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=user,
            group=user,
            extra_groups=[] if user else None,
        ).pid


def give_to_engines_user(folder: Path) -> None:
    """Lets the user that runs the engines write here; where root starts them, that is one of their own."""
    if is_root():
        _ensure_user()
        for path in (folder, *folder.rglob("*")):
            shutil.chown(path, USER, USER)


def _ensure_user() -> None:
    try:
        pwd.getpwnam(USER), grp.getgrnam(USER)
    except KeyError:
        command = [
            "useradd",
            "--system",
            "--user-group",
            "--no-create-home",
            "--shell",
            "/usr/sbin/nologin",
            USER,
        ]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        if ended.returncode:
            raise EngineError(
                f"OpenSearch refuses to run as root, and {USER} cannot be made: {ended.stderr}"
            ) from None


def read_state(file: Path) -> Process | None:
    """The process that a state file tells of, if it still runs."""
    try:
        process = Process(**json.loads(file.read_text("utf-8")))
    except FileNotFoundError:
        return None
    return process if process.is_running() else None


def write_state(file: Path, process: Process) -> None:
    file.write_text(json.dumps(asdict(process)), "utf-8")
