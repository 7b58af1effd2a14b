"""Files that are being written, in a folder of their own: whoever died over one leaves it to the next who looks."""

import fcntl
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

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
