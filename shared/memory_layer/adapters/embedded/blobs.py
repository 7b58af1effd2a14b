"""BlobStore in a folder: one file a key, there whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from memory_layer.domain.memory import Tier
from memory_layer.errors import StoreUnavailable


class FileBlobStore:
    """Bodies too large for a row. Args: folder: made at the first write."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, key: str, body: bytes, *, tier: Tier = "hot") -> None:  # noqa: ARG002 a disk has one price
        """Written beside its place, flushed, then moved there.

        Raises:
            StoreUnavailable: the disk is full or the folder cannot be written.
        """
        path = self._folder / key
        draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(draft, "wb", opener=_for_the_owner_alone) as file:
                file.write(body)
                file.flush()
                os.fsync(file.fileno())
            draft.replace(path)
            _flush_folder(path.parent)
        except OSError as error:
            draft.unlink(missing_ok=True)
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
        """As ports.BlobStore.keys; what is still being written is none yet."""
        files = (path for path in (self._folder / prefix).rglob("*") if path.is_file())
        return sorted(
            path.relative_to(self._folder).as_posix() for path in files if not path.name.startswith(".")
        )


def _for_the_owner_alone(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _flush_folder(folder: Path) -> None:
    """The new name itself has to reach the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
