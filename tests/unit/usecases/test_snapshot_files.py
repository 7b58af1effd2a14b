"""Parts of a snapshot: cut, sealed, read back line by line; lines put in order beyond what memory holds."""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from memory_layer.adapters.embedded.files.blob_store import FileBlobStore, TemporaryFiles
from memory_layer.domain.integrity.digests import record_digest
from memory_layer.domain.integrity.snapshot import (
    Snapshot,
    SnapshotLine,
    SnapshotPart,
    line_of,
    line_text,
    manifest_text,
    snapshot_of,
)
from memory_layer.domain.memory import Memory, Scope, content_hash
from memory_layer.errors import StoreUnavailable
from memory_layer.usecases.transfer.snapshot_files import DamagedSnapshot, SnapshotFiles, last_good_of_all
from memory_layer.usecases.transfer.sorted_lines import SortedLines
from tests.given import SCOPE, START

ID = "snp_20260301T120000Z_00000001"
SNAPSHOT = Snapshot(
    id=ID,
    created_at=START,
    by="ada",
    records=2,
    bytes=9,
    manifest="ab",
    parts=(SnapshotPart("part-00001.gz", 2, 9, "cd"),),
    left_out=("x",),
    left_out_count=1,
    policy="{}",
)
MEMORY = Memory(
    id="m",
    tenant="acme",
    project="web",
    content="Zeile\u2028zwei 🦆\r",
    content_hash=content_hash("Zeile\u2028zwei 🦆\r"),
    created_by="ada",
    created_at=START,
    updated_at=START,
)


def text_of(scope: Scope) -> str:
    """A line with a record of this project."""
    memory = replace(MEMORY, tenant=scope.tenant, project=scope.project)
    return line_text(SnapshotLine(memory, record_digest(memory)))


class Unreadable(FileBlobStore):
    """Says of one blob what a disk, or a bucket, says of it. Args: part_of_key: of that blob's key."""

    def __init__(self, folder: Path, part_of_key: str, error: Exception) -> None:
        super().__init__(folder)
        self._part_of_key = part_of_key
        self._error = error

    def get(self, key: str) -> bytes | None:
        if self._part_of_key in key:
            raise self._error
        return super().get(key)


@pytest.fixture
def files(tmp_path: Path) -> SnapshotFiles:
    return SnapshotFiles(FileBlobStore(tmp_path), SCOPE)


def test_a_manifest_reads_back_and_no_bit_of_it_may_be_another() -> None:
    text = manifest_text(SNAPSHOT)
    assert snapshot_of(text) == SNAPSHOT
    for place in range(len(text)):
        turned = f"{text[:place]}{chr(ord(text[place]) ^ 1)}{text[place + 1 :]}"
        with pytest.raises((ValueError, LookupError, TypeError)):
            snapshot_of(turned)


def test_a_line_reads_back_with_its_vectors() -> None:
    content, context = np.float32([0.5, -0.25]), np.float32([1, 0])
    line = SnapshotLine(MEMORY, record_digest(MEMORY), content, context)
    back = line_of(line_text(line))
    assert back.memory == MEMORY
    assert back.content_vector is not None
    assert back.context_vector is not None
    assert (back.content_vector.tolist(), back.context_vector.tolist()) == ([0.5, -0.25], [1, 0])
    assert line_of(line_text(replace(line, content_vector=None, context_vector=None))).content_vector is None
    with pytest.raises(ValueError, match="m does not match"):
        line_of(line_text(line).replace("zwei", "drei"))


def test_lines_go_into_as_many_parts_as_it_takes(files: SnapshotFiles) -> None:
    chance = random.Random(1)
    lines = [f"{chance.randbytes(chance.randrange(900)).hex()}\u2028\r{number}\n" for number in range(900)]
    parts = tuple(files.write_parts(ID, "part", lines, part_bytes=40_000))
    assert len(parts) > 5
    assert max(part.bytes for part in parts) < 40_000 + 70_000
    assert list(files.lines(SNAPSHOT, parts)) == lines
    assert sum(part.lines for part in parts) == len(lines)
    assert tuple(files.write_parts(ID, "none", [])) == ()


def test_a_part_that_is_another_or_missing_is_damage(files: SnapshotFiles, tmp_path: Path) -> None:
    (part,) = files.write_parts(ID, "part", [text_of(SCOPE), text_of(SCOPE)])
    snapshot = replace(SNAPSHOT, parts=(part,))
    files.check(snapshot)
    path = tmp_path / f"snapshots/acme/web/{ID}/{part.name}"
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    with pytest.raises(DamagedSnapshot, match="does not match"):
        list(files.lines(snapshot, [part]))
    path.unlink()
    with pytest.raises(DamagedSnapshot, match="missing"):
        files.check(snapshot)


ERRORS = (
    PermissionError(13, "Permission denied"),
    OSError(5, "Input/output error"),
    StoreUnavailable("manifest.json in bucket blobs cannot be read (AccessDenied)"),
)


@pytest.mark.parametrize("error", ERRORS)
def test_what_cannot_be_read_is_told_of_its_snapshot_alone(tmp_path: Path, error: Exception) -> None:
    """Falls without `_read` in usecases/transfer/snapshot_files.py: one blob would hide the others."""
    first, second = ID, ID.replace("0301", "0302")
    for id in (first, second):
        files = SnapshotFiles(FileBlobStore(tmp_path), SCOPE)
        parts = tuple(files.write_parts(id, "part", [text_of(SCOPE)]))
        files.finish(replace(SNAPSHOT, id=id, parts=parts))
    files = SnapshotFiles(Unreadable(tmp_path, f"{second}/manifest", error), SCOPE)
    broken, sound = sorted(files.all(), key=lambda one: one.problem is None)
    assert (broken.id, broken.is_unreadable, sound.id) == (second, True, first)
    assert "its manifest.json cannot be read" in str(broken.problem)
    assert files.unfinished() == []
    assert getattr(files.last_good(), "id", None) == first
    with pytest.raises(DamagedSnapshot, match="cannot be read"):
        files.check(broken)
    files = SnapshotFiles(Unreadable(tmp_path, f"{first}/part-", error), SCOPE)
    with pytest.raises(DamagedSnapshot, match=r"part-00001.gz cannot be read"):
        files.check(sound)
    assert getattr(files.last_good(), "id", None) == second


def test_a_folder_in_the_place_of_a_blob_is_damage(files: SnapshotFiles, tmp_path: Path) -> None:
    parts = tuple(files.write_parts(ID, "part", [text_of(SCOPE)]))
    files.finish(replace(SNAPSHOT, parts=parts))
    for name in (parts[0].name, "manifest.json"):
        path = tmp_path / f"snapshots/acme/web/{ID}/{name}"
        path.unlink()
        path.mkdir()
        (path / "x").write_bytes(b"")
        (found,) = files.all()
        with pytest.raises(DamagedSnapshot, match=f"{name} cannot be read"):
            files.check(found)


@pytest.mark.parametrize("scope", [Scope("acme", "shop"), Scope("other", "web")])
def test_records_of_another_project_are_damage(files: SnapshotFiles, scope: Scope) -> None:
    """Falls where only digests are compared: a folder that was copied is sound to the last bit."""
    snapshot = replace(SNAPSHOT, parts=tuple(files.write_parts(ID, "part", [text_of(scope)])))
    with pytest.raises(
        DamagedSnapshot, match=f"m is a record of project {scope.project} of tenant {scope.tenant}"
    ):
        files.check(snapshot)
    mixed = replace(SNAPSHOT, parts=tuple(files.write_parts(ID, "part", [text_of(SCOPE), text_of(scope)])))
    with pytest.raises(DamagedSnapshot, match="m is a record"):
        list(files.records(mixed))


def test_the_last_good_one_of_every_project_is_found(tmp_path: Path) -> None:
    blobs = FileBlobStore(tmp_path)
    blobs.put("operations/op_1/x.json", b"{}")
    for scope in (SCOPE, Scope("acme", "shop")):
        for number, day in enumerate(("01", "02")):
            files = SnapshotFiles(blobs, scope)
            id = ID.replace("0301", f"03{day}")
            parts = tuple(files.write_parts(id, "part", [text_of(scope)]))
            files.finish(replace(SNAPSHOT, id=id, created_at=START.replace(day=number + 1), parts=parts))
    blobs.put(f"snapshots/acme/shop/{ID.replace('0301', '0302')}/part-00001.gz", b"")
    found = {scope.project: snapshot.id for scope, snapshot in last_good_of_all(blobs).items()}
    assert found == {"web": ID.replace("0301", "0302"), "shop": ID}


def test_keys_are_those_below_a_path_and_nothing_that_is_being_written(tmp_path: Path) -> None:
    blobs = FileBlobStore(tmp_path / "blobs")
    assert blobs.keys("snapshots/acme/web/") == []
    for key in ("snapshots/acme/web/b", "snapshots/acme/web/a/c", "snapshots/acme/webshop/d"):
        blobs.put(key, b"x")
    with TemporaryFiles(tmp_path / "blobs").new():
        assert blobs.keys("snapshots/acme/web/") == ["snapshots/acme/web/a/c", "snapshots/acme/web/b"]
        assert len(blobs.keys("")) == 3


@pytest.mark.parametrize("piece_lines", [1, 7, 1_000])
def test_lines_come_sorted_and_once_as_often_as_asked(piece_lines: int) -> None:
    chance = random.Random(3)
    given = [f"m{chance.randrange(60)}\t{number % 3}\n" for number in range(200)]
    with closing(SortedLines(piece_lines)) as lines:
        for line in given:
            lines.add(line)
        assert list(lines) == sorted(set(given))
        assert list(lines) == sorted(set(given))
