"""Blobs as files: whole or not there, durable under a name that is, and nothing left of a writer that died."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from memory_layer.adapters.embedded.files.blob_store import DRAFTS_FOLDER, FileBlobStore, TemporaryFiles
from memory_layer.errors import StoreUnavailable

KEY = "bodies/acme/web/0a/1b.zst"

DIES_OVER_A_DRAFT = """
import os, signal, sys
from pathlib import Path
from memory_layer.adapters.embedded.files.blob_store import TemporaryFiles
with TemporaryFiles(Path(sys.argv[1])).new() as (file, _):
    file.write(b"what somebody said")
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def blobs(tmp_path: Path) -> FileBlobStore:
    return FileBlobStore(tmp_path)


def drafts(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in (folder / DRAFTS_FOLDER).iterdir()]


def test_what_a_killed_writer_has_left_goes_when_anybody_looks(blobs: FileBlobStore, tmp_path: Path) -> None:
    """Whoever erases looks first. Falls where `keys` clears no drafts: they would hold what was erased."""
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", DIES_OVER_A_DRAFT, str(tmp_path)], check=False, env=paths)
    assert drafts(tmp_path) == [b"what somebody said"]
    assert blobs.keys("bodies/") == []
    assert drafts(tmp_path) == []


def test_what_is_being_written_is_left_alone(blobs: FileBlobStore, tmp_path: Path) -> None:
    """Falls without the lock on a draft."""
    with TemporaryFiles(tmp_path).new() as (file, draft):
        file.write(b"half")
        assert blobs.keys("") == []
        assert draft.exists()
    assert drafts(tmp_path) == []


def test_a_draft_that_was_taken_away_before_it_was_locked_is_begun_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where a draft is not looked for once it is locked."""
    first = iter([True])
    lock = TemporaryFiles._locked.__globals__["fcntl"].flock

    def late(file: object, how: int) -> None:
        if next(first, False):
            for path in (tmp_path / DRAFTS_FOLDER).iterdir():
                path.unlink()
        lock(file, how)

    monkeypatch.setattr("memory_layer.adapters.embedded.files.blob_store.fcntl.flock", late)
    blobs = FileBlobStore(tmp_path)
    blobs.put(KEY, b"words")
    assert blobs.get(KEY) == b"words"


def test_every_new_folder_reaches_the_disk_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row says that its words are here: they must be, after a power cut. Falls where the last folder alone is."""
    flushed: set[Path] = set()
    fsync = os.fsync

    def noted(handle: int) -> None:
        flushed.add(Path(os.readlink(f"/proc/self/fd/{handle}")) if sys.platform == "linux" else Path())
        fsync(handle)

    monkeypatch.setattr(os, "fsync", noted)
    FileBlobStore(tmp_path / "data" / "blobs").put(KEY, b"words")
    place = (tmp_path / "data" / "blobs" / KEY).parent
    if sys.platform == "linux":
        assert {place, *place.parents} - set(tmp_path.parents) <= flushed


def test_what_cannot_be_written_leaves_what_was_there_and_no_draft(
    blobs: FileBlobStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blobs.put(KEY, b"before")
    full = OSError(28, "No space left on device")
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(full))
        with pytest.raises(StoreUnavailable, match="No space left on device; run: mem doctor"):
            blobs.put(KEY, b"after")
    assert (blobs.get(KEY), drafts(tmp_path), blobs.keys("")) == (b"before", [], [KEY])


def test_what_the_disk_does_not_give_back_is_told(blobs: FileBlobStore, tmp_path: Path) -> None:
    """Falls where an error of the disk is raised as it is: a request would end as our mistake."""
    (tmp_path / KEY).mkdir(parents=True)
    for work in (blobs.get, blobs.delete):
        with pytest.raises(StoreUnavailable, match="run: mem doctor"):
            work(KEY)
    (tmp_path / "file").write_bytes(b"no folder")
    with pytest.raises(StoreUnavailable, match="run: mem doctor"):
        FileBlobStore(tmp_path / "file").keys("")


def test_files_are_their_owners_alone(blobs: FileBlobStore, tmp_path: Path) -> None:
    blobs.put(KEY, b"words")
    assert stat.S_IMODE((tmp_path / KEY).stat().st_mode) == 0o600
