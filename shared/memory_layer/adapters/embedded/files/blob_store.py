"""Blob store in a folder, one file a key, each whole or absent; and the temporary files it writes first."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from memory_layer.domain.memory import Tier
from memory_layer.errors import StoreUnavailable

DRAFTS_FOLDER: Final = ".drafts"
"""Folder of temporary files, beside all keys: these are paths of slugs, and none has this name."""


class TemporaryFiles:
    """Temporary files of one blob folder. Args: folder: the blobs' own; drafts lie in it, on the same disk."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / DRAFTS_FOLDER

    @contextmanager
    def new(self) -> Iterator[tuple[BinaryIO, Path]]:
        """New file for its owner alone, locked so that `clear` spares it; deleted at the end if it was not moved.

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
        """Creates and locks a file; tries again if `clear` of another process deleted it before it was locked."""
        while True:
            path = self._folder / secrets.token_hex(8)
            file = open(path, "xb", opener=_for_the_owner_alone)  # noqa: SIM115 the caller closes it
            fcntl.flock(file, fcntl.LOCK_EX)
            if path.exists():
                return file, path
            file.close()

    def clear(self) -> None:
        """Deletes the files that dead processes have left: they hold words that nobody would find to erase.

        Raises:
            OSError: a file cannot be deleted.
        """
        try:
            paths = list(self._folder.iterdir())
        except FileNotFoundError:
            return
        for path in paths:
            _delete_if_dead(path)


def _delete_if_dead(path: Path) -> None:
    """Deletes a file that no process has locked: a writer holds its lock, and the kernel releases those of the dead."""
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
    """Blob store in a folder, for bodies too large for a row. Args: folder: made at the first write."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._drafts = TemporaryFiles(folder)

    def put(self, key: str, body: bytes, *, tier: Tier = "hot") -> None:  # noqa: ARG002 a disk has one price
        """Writes a body to a draft, flushes it, moves it to its place, and flushes the folders that are new.

        Raises:
            StoreUnavailable: the disk is full or the folder cannot be written.
        """
        path = self._folder / key
        try:
            unflushed = [*_make_folder(self._folder), *_make_folder(path.parent)]
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
        """Does nothing: a disk has one price."""

    def get(self, key: str, *, thaws: bool = False) -> bytes | None:  # noqa: ARG002 no archive is deep here
        path = self._folder / key
        try:
            return path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreUnavailable(f"{path} cannot be read: {error.strerror}; run: mem doctor") from error

    def delete(self, key: str) -> None:
        path = self._folder / key
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise StoreUnavailable(f"{path} cannot be deleted: {error.strerror}; run: mem doctor") from error

    def keys(self, prefix: str) -> list[str]:
        """Keys under a prefix, in order. An erasure asks for them first: half-written files of a crash go now.

        Raises:
            StoreUnavailable: the folder cannot be read.
        """
        try:
            self._drafts.clear()
            files = [path for path in (self._folder / prefix).rglob("*") if path.is_file()]
        except OSError as error:
            raise StoreUnavailable(
                f"{self._folder} cannot be read: {error.strerror}; run: mem doctor"
            ) from error
        found = (path.relative_to(self._folder) for path in files)
        return sorted(path.as_posix() for path in found if path.parts[0] != DRAFTS_FOLDER)


def _make_folder(folder: Path) -> list[Path]:
    """Makes a folder and returns those folders whose lists of names are not on the disk yet."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return [one.parent for one in missing]


def _flush_folder(folder: Path) -> None:
    """Flushes a folder's list of names, so that a new name reaches the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
