"""A disk that fails to flush at a commit: the answer is neither yes nor no, and the same key has one effect.

Falls where `Database._commit` calls every failure "nothing was written".
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_layer import errors
from memory_layer.adapters.embedded.sqlite import database as database_module
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.edge.shapes.problems import headers_of, problem
from tests.given import REPOSITORY

FAILING_FLUSH = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int fails(int file) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 4 || access(getenv("FLUSH_FAILS_WHILE"), F_OK) != 0) return 0;
    return memcmp(path + length - 4, "-wal", 4) == 0;
}
#define FLUSH(name) int name(int file) { \\
    if (fails(file)) { errno = EIO; return -1; } \\
    return ((int (*)(int)) dlsym(RTLD_NEXT, #name))(file); }
FLUSH(fsync)
FLUSH(fdatasync)
"""

WRITER = """
import json, os, signal, sys
from pathlib import Path
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.domain.filters import Filters
from memory_layer.edge.shapes.problems import headers_of, problem
from memory_layer.errors import MemoryLayerError
from memory_layer.settings import read_settings
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.ground.queries import list_memories
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from tests.given import ADMIN, NoEmbedder

folder, flag, steps = Path(sys.argv[1]), Path(os.environ["FLUSH_FAILS_WHILE"]), sys.argv[2:]
backend = open_embedded(read_settings({}, data_dir=folder, model_dir=folder / "none"), embedder=NoEmbedder())

def said(step):
    once = IdempotentRequest("key", "key", "same", lambda stored: (201, stored.memory.id))
    asked = RememberRequest(fields={"content": "Herons nest in April."}, once=once)
    try:
        told = remember(backend.ports, ADMIN, "web", asked)
        return "stored" if isinstance(told, StoredMemory) else "answered again"
    except MemoryLayerError as error:
        return {**problem(error, instance="", request_id=""), "headers": headers_of(error)}

for step in steps:
    flag.touch() if step == "fail" else flag.unlink(missing_ok=True)
    told = said(step)
    count = len(list_memories(backend.ports, ADMIN, "web", Filters(), after=None, limit=10).memories)
    print(json.dumps({"told": told, "count": count}), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(scope="module")
def failing_flush(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library that stands before the C library's fsync."""
    compiler = shutil.which("cc")
    if compiler is None or sys.platform != "linux":
        pytest.skip("the disk's failure is made by a library, which wants a C compiler and Linux")
    folder = tmp_path_factory.mktemp("flush")
    (folder / "flush.c").write_text(FAILING_FLUSH)
    command = [compiler, "-shared", "-fPIC", "-o", str(folder / "flush.so"), str(folder / "flush.c"), "-ldl"]
    subprocess.run(command, check=True, timeout=60)
    return folder / "flush.so"


def told_by_a_writer(library: Path, folder: Path, *steps: str) -> list[dict[str, Any]]:
    """What a process is told that writes the same under the same key, step by step, and is killed then."""
    environment = {
        **os.environ,
        "PYTHONPATH": f"{REPOSITORY / 'shared'}:{REPOSITORY}",
        "LD_PRELOAD": str(library),
        "FLUSH_FAILS_WHILE": str(folder.with_name("fails")),
    }
    command = [sys.executable, "-c", WRITER, str(folder), *steps]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=False)
    assert done.stdout, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.fault
def test_a_flush_that_fails_leaves_the_outcome_open(failing_flush: Path, tmp_path: Path) -> None:
    folder = tmp_path / "data"
    failed, again, once_more = told_by_a_writer(failing_flush, folder, "fail", "write", "write")
    assert failed["told"]["type"].endswith(":outcome_unknown")
    assert failed["told"]["status"] == 503
    assert failed["told"]["headers"] == {"Retry-After": str(errors.REPEAT_S)}
    assert "Idempotency-Key" in failed["told"]["detail"]
    assert (again, once_more["told"], once_more["count"]) == (
        {"told": "stored", "count": 1},
        "answered again",
        1,
    )


@pytest.mark.fault
def test_after_a_crash_the_same_key_finds_what_was_stored_all_the_same(
    failing_flush: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "data"
    (failed,) = told_by_a_writer(failing_flush, folder, "fail")
    assert failed["told"]["type"].endswith(":outcome_unknown")
    (after,) = told_by_a_writer(failing_flush, folder, "write")
    assert after == {"told": "answered again", "count": 1}, "the log held the commit"


class FailingConnection(sqlite3.Connection):
    """A connection whose next commit fails."""

    code: int = 0

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if sql == "COMMIT" and self.code:
            error, self.code = sqlite3.OperationalError("it fails"), 0
            error.sqlite_errorcode = FailingConnection.code
            raise error
        return super().execute(sql, parameters)


@contextmanager
def failing_commit(path: Path, code: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    connect = database_module._connect
    monkeypatch.setattr(
        database_module, "_connect", lambda path, _, **how: connect(path, FailingConnection, **how)
    )
    database = Database(path)
    monkeypatch.setattr(FailingConnection, "code", code)
    yield database
    database.close()


@pytest.mark.parametrize(
    ("code", "type"),
    [
        (sqlite3.SQLITE_IOERR_FSYNC, errors.OutcomeUnknown),
        (sqlite3.SQLITE_IOERR_SHMSIZE, errors.OutcomeUnknown),
        (
            sqlite3.SQLITE_FULL,
            errors.StoreUnavailable,
        ),  # it is written before the last frame: nothing is there
    ],
)
def test_a_commit_that_fails_leaves_a_connection_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, type: type[Exception]
) -> None:
    with failing_commit(tmp_path / "a.sqlite3", code, monkeypatch) as database:
        with pytest.raises(errors.StoreUnavailable) as told, database.writing() as connection:
            connection.execute("INSERT INTO projects (tenant, project) VALUES ('t', 'first')")
        assert told.type is type
        monkeypatch.setattr(FailingConnection, "code", 0)
        with database.writing() as connection:
            connection.execute("INSERT INTO projects (tenant, project) VALUES ('t', 'second')")
        assert database.reader().execute("SELECT project FROM projects").fetchall() == [("second",)]


def test_the_outcome_is_told_as_a_problem_of_its_own() -> None:
    error = errors.OutcomeUnknown("the disk failed")
    told = problem(error, instance="/", request_id="req_1")
    assert (told["status"], told["type"]) == (503, "urn:memory-layer:problem:outcome_unknown")
    assert headers_of(error) == {"Retry-After": str(errors.REPEAT_S)}
