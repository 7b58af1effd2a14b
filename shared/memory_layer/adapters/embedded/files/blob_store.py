"""BlobStore in a folder: one file a key, there whole or not at all."""

import os
from pathlib import Path

from memory_layer.adapters.embedded.files.temporary_files import FOLDER as DRAFTS_FOLDER
from memory_layer.adapters.embedded.files.temporary_files import TemporaryFiles
from memory_layer.domain.memory import Tier
from memory_layer.errors import StoreUnavailable


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
        return sorted(path.as_posix() for path in found if path.parts[0] != DRAFTS_FOLDER)


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
