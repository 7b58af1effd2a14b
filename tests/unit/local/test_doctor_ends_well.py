"""`mem doctor` on whatever a folder can be: it ends with findings and never with a traceback."""

from __future__ import annotations

import os
import random
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.bootstrap.embedded import open_embedded
from memory_layer.cli.app import app
from memory_layer.local import doctor
from memory_layer.manifest import env
from memory_layer.settings import DATABASE_NAME, read_settings
from memory_layer.usecases.transfer.take_snapshot import take_snapshot
from tests.given import ADMIN, NoEmbedder, put_as

PAGE_BYTES = 4096


def nothing(_: Path) -> None:
    """Leaves the folder as it was filled."""


def remove_the_folder(folder: Path) -> None:
    for file in sorted(folder.rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()
    folder.rmdir()


def empty_the_file(folder: Path) -> None:
    (folder / DATABASE_NAME).write_bytes(b"")


def write_something_else(folder: Path) -> None:
    (folder / DATABASE_NAME).write_bytes(b"\x00garbage\xff" * 1000)


def keep_the_header_alone(folder: Path) -> None:
    raw = (folder / DATABASE_NAME).read_bytes()
    (folder / DATABASE_NAME).write_bytes(raw[:16] + os.urandom(len(raw) - 16))


def cut_the_file(folder: Path) -> None:
    raw = (folder / DATABASE_NAME).read_bytes()
    (folder / DATABASE_NAME).write_bytes(raw[: len(raw) // 2 + 100])


def put_a_folder_in_its_place(folder: Path) -> None:
    (folder / DATABASE_NAME).unlink()
    (folder / DATABASE_NAME).mkdir()


def put_a_loop_in_its_place(folder: Path) -> None:
    (folder / DATABASE_NAME).unlink()
    (folder / DATABASE_NAME).symlink_to(folder / DATABASE_NAME)


def overwrite_a_page(number: int) -> Callable[[Path], None]:
    def overwrite(folder: Path) -> None:
        randomness = random.Random(number)
        raw = bytearray((folder / DATABASE_NAME).read_bytes())
        start = number * (len(raw) // PAGE_BYTES) // 12 * PAGE_BYTES
        raw[start : start + PAGE_BYTES] = randomness.randbytes(PAGE_BYTES)
        (folder / DATABASE_NAME).write_bytes(raw)

    overwrite.__name__ = f"overwrite_page_{number}_of_12"
    return overwrite


def change(*statements: str) -> Callable[[Path], None]:
    def changed(folder: Path) -> None:
        with closing(sqlite3.connect(folder / DATABASE_NAME, isolation_level=None)) as connection:
            for statement in statements:
                connection.execute(statement)

    changed.__name__ = statements[-1].partition(" WHERE")[0].replace(" ", "_")
    return changed


def write_garbage_into_the_log(folder: Path) -> None:
    (folder / f"{DATABASE_NAME}-wal").write_bytes(os.urandom(100_000))


def put_a_folder_in_the_place_of_the_log(folder: Path) -> None:
    (folder / f"{DATABASE_NAME}-wal").mkdir()


def write_garbage_for_the_index_of_the_log(folder: Path) -> None:
    (folder / f"{DATABASE_NAME}-shm").write_bytes(os.urandom(100))


def remove_the_blobs(folder: Path) -> None:
    for file in sorted((folder / "blobs").rglob("*"), reverse=True):
        file.rmdir() if file.is_dir() else file.unlink()


def put_a_file_in_the_place_of_the_blobs(folder: Path) -> None:
    remove_the_blobs(folder)
    (folder / "blobs").rmdir()
    (folder / "blobs").write_text("")
    cut_the_file(folder)


def spoil_the_snapshots(folder: Path) -> None:
    for file in (folder / "blobs").rglob("*"):
        if file.is_file():
            file.write_bytes(os.urandom(50))
    cut_the_file(folder)


def lock_the_file(folder: Path) -> None:
    (folder / DATABASE_NAME).chmod(0o000)


def lock_the_folder(folder: Path) -> None:
    folder.chmod(0o000)


def allow_reading_alone(folder: Path) -> None:
    (folder / DATABASE_NAME).chmod(0o444)
    folder.chmod(0o555)


def put_a_folder_in_the_place_of_the_secret(folder: Path) -> None:
    (folder / "token-secret").mkdir()


WELL = (nothing, remove_the_folder, remove_the_blobs)
"""Those that nothing is wrong with, or that a first start would make."""

ILL = (
    empty_the_file,
    write_something_else,
    keep_the_header_alone,
    cut_the_file,
    put_a_folder_in_its_place,
    *map(overwrite_a_page, range(12)),
    change("PRAGMA user_version = 9999"),
    change("DROP TABLE memories"),
    change("DROP TABLE versions"),
    change("UPDATE versions SET changed_at = 'never'"),
    change("PRAGMA ignore_check_constraints = 1", "UPDATE memories SET content = CAST(x'ff00fe' AS TEXT)"),
    put_a_file_in_the_place_of_the_blobs,
    spoil_the_snapshots,
)
ANY = (
    put_a_loop_in_its_place,
    write_garbage_into_the_log,
    put_a_folder_in_the_place_of_the_log,
    write_garbage_for_the_index_of_the_log,
    lock_the_file,
    lock_the_folder,
    allow_reading_alone,
    put_a_folder_in_the_place_of_the_secret,
)
"""Those that are well or ill by who looks: root reads everything."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with memories and a snapshot, closed in order."""
    monkeypatch.setenv(env.MODEL_DIR, str(tmp_path / "none"))
    folder = tmp_path / "data"
    backend = open_embedded(
        read_settings({}, data_dir=folder, model_dir=tmp_path / "none"), embedder=NoEmbedder()
    )
    for number in range(40):
        put_as(backend.ports, ADMIN, f"m{number}", f"Fact {number} is told at some length. " * 20)
    take_snapshot(backend.ports, ADMIN, "web")
    backend.close()
    return folder


def examined(folder: Path) -> tuple[int, str]:
    try:
        done = CliRunner().invoke(app, ["doctor", "--data", str(folder)])
    finally:
        if folder.is_dir():
            folder.chmod(0o755)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout


@pytest.mark.parametrize("harm", WELL + ILL + ANY, ids=lambda harm: harm.__name__)
def test_it_ends_with_findings(folder: Path, harm: Callable[[Path], None]) -> None:
    harm(folder)
    code, said = examined(folder)
    assert "Python 3" in said
    if harm in WELL:
        assert (code, "error" in said) == (0, False)
    elif harm in ILL:
        assert (code, "error" in said) == (1, True)


def test_a_part_that_nobody_foresaw_does_not_keep_the_others_from_being_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls without `_examined`."""

    def fail(*_: object) -> None:
        raise RuntimeError("never heard of")

    Database(folder / DATABASE_NAME).close()
    monkeypatch.setattr(doctor, "database_findings", fail)
    (folder / "token-secret").write_text("abc")
    code, said = examined(folder)
    assert code == 1
    assert "the database could not be examined: RuntimeError: never heard of" in said
    assert "token-secret" in said
