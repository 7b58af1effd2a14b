"""Start and stop of an engine: fetched once, started once, found again by its state file."""

from __future__ import annotations

import fcntl
import shutil
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.engines.engine import LOOPBACK, Engine, engines_folder
from tests.engines.errors import EngineError
from tests.engines.fetch import fetch
from tests.engines.jdk import Jdk, find_jdk
from tests.engines.process import (
    Process,
    birth_of,
    give_to_engines_user,
    is_root,
    launch,
    read_state,
    write_state,
)

_POLL_S = 0.1
_SHOWN_OF_LOG = 1_500


@contextmanager
def only_one() -> Iterator[None]:
    """One start or stop at a time on this machine, whichever working copy asks for it."""
    engines_folder().mkdir(parents=True, exist_ok=True)
    with (engines_folder() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def running(engine: Engine) -> Process | None:
    """The engine's process, if it runs and answers."""
    process = read_state(engine.state_file)
    return process if process and engine.answers(process.endpoint) else None


def start(engine: Engine) -> tuple[Process, bool]:
    """The engine's process, and whether it was started just now.

    Raises:
        EngineError: it cannot be fetched or started; the message says why.
    """
    process = running(engine)
    if process and process.home == str(engine.home):
        return process, False
    stop(engine)
    jdk = find_jdk(engine.title, engine.jdk_versions)
    ensure_home(engine, jdk)
    _require_free_port(engine)
    process = _launched(engine, jdk)
    _wait_until_it_answers(engine, process)
    return process, True


def stop(engine: Engine) -> Process | None:
    """Ends the engine if it runs; returns the process that it was."""
    process = read_state(engine.state_file)
    if process:
        process.stop()
    shutil.rmtree(engine.folder_in_memory, ignore_errors=True)
    engine.state_file.unlink(missing_ok=True)
    return process


def ensure_home(engine: Engine, jdk: Jdk) -> None:
    """Fetches the engine and lays out its home, unless it is there: it appears whole or not at all.

    Raises:
        EngineError: a file cannot be had or is not the pinned one, or the engine could not read it here.
    """
    _require_reachable(engines_folder())
    if engine.home.is_dir():
        return
    with tempfile.TemporaryDirectory(dir=engines_folder()) as folder:
        downloads, home = Path(folder, "downloads"), Path(folder, "home")
        downloads.mkdir()
        home.mkdir()
        engine.lay_out([fetch(artifact, downloads) for artifact in engine.artifacts], jdk, home)
        home.rename(engine.home)


def _require_reachable(folder: Path) -> None:
    """Root's engines run as a user of their own, which has to get there."""
    closed = [path for path in (folder, *folder.parents) if not path.stat().st_mode & 0o001]
    if closed and is_root():
        raise EngineError(
            f"The engines, which do not run as root, cannot read below {closed[-1]}. "
            "Name a cache that everybody can read: XDG_CACHE_HOME=/var/cache make engines"
        )


def _require_free_port(engine: Engine) -> None:
    with socket.socket() as probe:
        if probe.connect_ex((LOOPBACK, engine.port)) == 0:
            raise EngineError(
                f"Port {engine.port}, on which {engine.title} is to listen, is taken by another program. "
                f"Stop that, or name a free port: {engine.variable}_PORT={engine.port + 1} make engines"
            )


def _launched(engine: Engine, jdk: Jdk) -> Process:
    _write_settings(engine)
    command = engine.command(jdk, engine.home, engine.run_folder, engine.port)
    pid = launch(command, engine.home, engine.log_file)
    process = Process(pid, birth_of(pid) or 0, f"http://{LOOPBACK}:{engine.port}", str(engine.home))
    write_state(engine.state_file, process)
    return process


def _write_settings(engine: Engine) -> None:
    run, data = engine.run_folder, engine.data_folder()
    shutil.rmtree(run, ignore_errors=True)
    run.mkdir()
    data.mkdir()
    for name, text in engine.settings(run, data, engine.port).items():
        (run / name).parent.mkdir(exist_ok=True)
        (run / name).write_text(text, "utf-8")
    give_to_engines_user(run)
    give_to_engines_user(data)


def _wait_until_it_answers(engine: Engine, process: Process) -> None:
    give_up = time.monotonic() + engine.start_timeout_s
    while not engine.answers(process.endpoint):
        if not process.is_running():
            raise EngineError(f"{engine.title} ended while it started.\n{_end_of_log(engine)}")
        if time.monotonic() > give_up:
            stop(engine)
            raise EngineError(
                f"{engine.title} did not answer in {engine.start_timeout_s} s and was stopped.\n{_end_of_log(engine)}"
            )
        time.sleep(_POLL_S)


def _end_of_log(engine: Engine) -> str:
    return f"{engine.log_file} ends with:\n{engine.log_file.read_text('utf-8', 'replace')[-_SHOWN_OF_LOG:]}"
