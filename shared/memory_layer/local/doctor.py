"""Diagnosis of a data folder (`mem doctor`), with remedies. It changes nothing.

The expectations of a folder (its schema, its model) are read off a fresh one, made aside and
thrown away.
"""

import os
import shutil
import sqlite3
import stat
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.bootstrap.embedding_model import chosen_embedder
from memory_layer.bootstrap.storage import is_writable, open_to_read
from memory_layer.errors import EmbedderUnavailable
from memory_layer.local.database_findings import (
    DatabaseFinding,
    ExpectedDatabase,
    database_findings,
    log_findings,
    schema_of,
    tables_of,
)
from memory_layer.local.tokens import SECRET_BYTES, SECRET_NAME
from memory_layer.local.waiting_findings import waiting_findings
from memory_layer.ports.process import Embedder
from memory_layer.settings import EmbeddedSettings

MIN_PYTHON = (3, 11)
MIN_SQLITE = (3, 37)
"""First version of SQLite with STRICT tables."""
NO_SPACE_BYTES = 50_000_000
BUILD_MODEL = "mem model build"


def diagnose(settings: EmbeddedSettings, *, now: datetime | None = None) -> list[DatabaseFinding]:
    """Examines a data folder and its model, in the order in which things build on each other."""
    program = list(_program(sys.version_info[:2], sqlite3.sqlite_version_info))
    if any(finding.level == "error" for finding in program):
        return program
    moment = now or datetime.now(UTC)
    return [
        *program,
        *_examined("the folder", lambda: _folder(settings)),
        *_examined("the log", lambda: log_findings(settings)),
        *_examined("the database", lambda: _with_expectations(settings, moment)),
        *_examined("what waits", lambda: waiting_findings(settings, moment)),
        *_examined("the token secret", lambda: _token_secret(settings.data_dir / SECRET_NAME)),
    ]


def _examined(part: str, examine: Callable[[], Iterator[DatabaseFinding]]) -> Iterator[DatabaseFinding]:
    """Findings about one part; whatever ends its examination is a finding as well, and the others go on."""
    try:
        yield from examine()
    except Exception as error:  # a doctor is asked when things are broken in ways that nobody has thought of
        yield DatabaseFinding(
            "error",
            f"{part} could not be examined: {type(error).__name__}: {error}",
            "check the disk, and who may read the folder; if it is none of these, tell us these words",
        )


def _with_expectations(settings: EmbeddedSettings, now: datetime) -> Iterator[DatabaseFinding]:
    with _expectations(settings) as expected:
        yield from database_findings(settings, expected, now)
        yield from _model(settings, expected.embedder)


def report_json(findings: Sequence[DatabaseFinding]) -> dict[str, Any]:
    return {
        "healthy": all(finding.level != "error" for finding in findings),
        "findings": [asdict(finding) for finding in findings],
    }


@contextmanager
def _expectations(settings: EmbeddedSettings) -> Iterator[ExpectedDatabase]:
    with TemporaryDirectory(prefix="memory-layer-doctor-") as folder:
        fresh = EmbeddedSettings(Path(folder), settings.model_dir)
        backend = open_embedded(fresh)
        try:
            with closing(open_to_read(fresh.database)) as connection:
                schema, tables = schema_of(connection), tables_of(connection)
            yield ExpectedDatabase(schema, tables, chosen_embedder(settings, frozenset))
        finally:
            backend.close()


def _program(python: tuple[int, ...], sqlite: tuple[int, ...]) -> Iterator[DatabaseFinding]:
    for name, version, least in (("Python", python, MIN_PYTHON), ("SQLite", sqlite, MIN_SQLITE)):
        found, needed = (".".join(map(str, numbers)) for numbers in (version, least))
        if version < least:
            yield DatabaseFinding("error", f"{name} {found} is too old", f"install {name} {needed} or newer")
        else:
            yield DatabaseFinding("ok", f"{name} {found}")


def _folder(settings: EmbeddedSettings) -> Iterator[DatabaseFinding]:
    folder = settings.data_dir
    if not folder.exists():
        yield DatabaseFinding(
            "warning", f"there is no folder {folder}", "nothing, if it is new: the first start makes it"
        )
    elif not folder.is_dir():
        yield DatabaseFinding("error", f"{folder} is no folder", "choose another one with --data")
    elif not os.access(folder, os.R_OK | os.X_OK):
        yield DatabaseFinding(
            "error", f"{folder} cannot be read by this user", f"chown or chmod u+rwx {folder}"
        )
    elif not is_writable(settings.database):
        what = f"{folder} can only be read by this user: memories are recalled, and nothing is written"
        yield DatabaseFinding(
            "warning", what, f"nothing, if that is meant; else chown or chmod u+rwX {folder}"
        )
    else:
        yield DatabaseFinding("ok", f"folder {folder}")
    yield from _disk(
        next(part for part in (folder, *folder.parents) if part.is_dir()), settings.low_disk_bytes
    )


def _disk(folder: Path, low_below_bytes: int) -> Iterator[DatabaseFinding]:
    free = shutil.disk_usage(folder).free
    what = f"{free / 1e9:.1f} GB free on the disk of {folder}"
    if free < NO_SPACE_BYTES:
        yield DatabaseFinding("error", what, "make room: writes will be refused")
    elif free < low_below_bytes:
        yield DatabaseFinding("warning", what, "make room soon")
    else:
        yield DatabaseFinding("ok", what)


def _token_secret(path: Path) -> Iterator[DatabaseFinding]:
    if not path.exists():
        return
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        yield DatabaseFinding(
            "warning", f"others may read {path}", f"chmod 600 {path}; if they did, delete it and mint anew"
        )
    elif path.stat().st_size < SECRET_BYTES:
        yield DatabaseFinding(
            "error", f"{path} is too short to sign tokens", "delete it, then mint every token anew"
        )
    else:
        yield DatabaseFinding("ok", "the token secret is its owner's alone")


def _model(settings: EmbeddedSettings, embedder: Embedder) -> Iterator[DatabaseFinding]:
    """Finding about the model: a missing one leaves recall by words; an unusable one is a defect."""
    try:
        embedder.embed(["is it there?"])
    except EmbedderUnavailable as error:
        is_there = any(settings.model_dir.rglob("*.onnx"))
        what, _, remedy = error.detail.rpartition("; ")
        yield DatabaseFinding(
            "error" if is_there else "warning", what or remedy, remedy if what else f"run: {BUILD_MODEL}"
        )
    else:
        yield DatabaseFinding("ok", f"model {embedder.model} in {settings.model_dir}")
