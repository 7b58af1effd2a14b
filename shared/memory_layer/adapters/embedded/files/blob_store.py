"""BlobStore in a folder: one file a key, there whole or not at all."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from memory_layer.domain.memory import Tier
from memory_layer.errors import StoreUnavailable

FOLDER: Final = ".drafts"
"""Beside all keys, which are paths of slugs: none has this name."""


class TemporaryFiles:
    """Those of one folder of files. Args: folder: the files' own; drafts lie in it, on the same disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / FOLDER

    @contextmanager
    def new(self) -> Iterator[tuple[BinaryIO, Path]]:
        """A file to write, for its owner alone, which nobody takes for a dead one; gone at the end if it was not moved.

        Raises:
            OSError: the disk is full or the folder cannot be written.
        """
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file, path = self._locked()
        try:
            with file:
                yield file, path
        finally:
            path.unlink(missing_ok=True)

    def _locked(self) -> tuple[BinaryIO, Path]:
        """Again, should somebody have taken it away before it was locked."""
        while True:
            path = self._folder / secrets.token_hex(8)
            file = open(path, "xb", opener=_for_the_owner_alone)  # noqa: SIM115 the caller closes it
            fcntl.flock(file, fcntl.LOCK_EX)
            if path.exists():
                return file, path
            file.close()

    def clear(self) -> None:
        """Delete what dead processes have left: it holds words that nobody would find to erase them.

        Raises:
            OSError: one cannot be deleted.
        """
        try:
            paths = list(self._folder.iterdir())
        except FileNotFoundError:
            return
        for path in paths:
            _delete_if_dead(path)


def _delete_if_dead(path: Path) -> None:
    """Who still writes holds its lock, and the kernel lets go of those of the dead."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        path.unlink(missing_ok=True)


def _for_the_owner_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class FileBlobStore:
    """Bodies too large for a row. Args: folder: made at the first write."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._drafts = TemporaryFiles(folder)

    def put(self, key: str, body: bytes, *, tier: Tier = "hot") -> None:  # noqa: ARG002 a disk has one price
        """Written elsewhere, flushed, then moved to its place, whose new folders are flushed as well.

        Raises:
            StoreUnavailable: the disk is full or the folder cannot be written.
        """
        path = self._folder / key
        try:
            unflushed = [*_made(self._folder), *_made(path.parent)]
            with self._drafts.new() as (file, draft):
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
                draft.replace(path)
            for folder in (path.parent, *unflushed):
                _flush_folder(folder)
        except OSError as error:
            raise StoreUnavailable(f"{path} cannot be written: {error.strerror}; run: mem doctor") from error

    def reclass(self, key: str, tier: Tier) -> None:
        """Nothing to do."""

    def get(self, key: str, *, thaws: bool = False) -> bytes | None:  # noqa: ARG002 no archive is deep here
        try:
            return (self._folder / key).read_bytes()
        except FileNotFoundError:
            return None

    def delete(self, key: str) -> None:
        (self._folder / key).unlink(missing_ok=True)

    def keys(self, prefix: str) -> list[str]:
        """As ports.BlobStore.keys. Whoever is about to erase asks first: what a crash left half-written goes now."""
        self._drafts.clear()
        files = (path for path in (self._folder / prefix).rglob("*") if path.is_file())
        found = (path.relative_to(self._folder) for path in files)
        return sorted(path.as_posix() for path in found if path.parts[0] != FOLDER)


def _made(folder: Path) -> list[Path]:
    """Make a folder; those whose lists of names are not on the disk yet."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return [one.parent for one in missing]


def _flush_folder(folder: Path) -> None:
    """The new name itself has to reach the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
