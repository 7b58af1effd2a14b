"""Export copies of a project, kept until they are fetched: few, and none that outlives an erasure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.memory import Scope
from memory_layer.ports.blobs import BlobStore

PREFIX: Final = "operations/exports/"
LIFETIME: Final = timedelta(days=7)
COPIES_MAX: Final = 4
"""Copies of one project; the oldest makes room for the next."""

_BEGUN: Final = "0"
_BEGUN_AT: Final = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class ExportCopy:
    """Copy of a project for one export. Args: id: of the operation that makes it."""

    blobs: BlobStore
    scope: Scope
    id: str
    begun_at: datetime

    @property
    def name(self) -> str:
        """Name of the copy; names sort by time."""
        return f"{self.begun_at:{_BEGUN_AT}}-{self.id}"

    @property
    def _folder(self) -> str:
        return f"{_folder(self.scope)}{self.name}/"

    def begin(self) -> None:
        """Writes the note that a later erasure removes, and drops the oldest copies; to be called before any read."""
        others = {key.split("/")[4] for key in self.blobs.keys(_folder(self.scope))} - {self.name}
        for name in sorted(others)[: max(0, len(others) + 1 - COPIES_MAX)]:
            _delete(self.blobs, f"{_folder(self.scope)}{name}/")
        self.blobs.put(f"{self._folder}{_BEGUN}", b"{}")

    def put(self, number: int, body: bytes) -> None:
        self.blobs.put(f"{self._folder}{number}", body)

    def part(self, number: int) -> bytes | None:
        return self.blobs.get(f"{self._folder}{number}")

    def is_good(self) -> bool:
        """Tells if nothing was erased since the copy was begun."""
        return self.blobs.get(f"{self._folder}{_BEGUN}") is not None

    def delete(self) -> None:
        _delete(self.blobs, self._folder)


def forget_copies(blobs: BlobStore, scope: Scope) -> None:
    """Deletes all copies of a project after an erasure: they may hold erased words.

    The second pass takes the part that a copy in the making gained during the first; at its end that copy sees that
    its note is gone.
    """
    if _delete(blobs, _folder(scope)):
        _delete(blobs, _folder(scope))


def forget_old_copies(blobs: BlobStore, now: datetime) -> None:
    """Deletes the copies of every project that are past their lifetime, by the time in their name."""
    oldest = f"{now - LIFETIME:{_BEGUN_AT}}"
    for key in blobs.keys(PREFIX):
        if key.split("/")[4] < oldest:
            blobs.delete(key)


def _folder(scope: Scope) -> str:
    return f"{PREFIX}{scope.tenant}/{scope.project}/"


def _delete(blobs: BlobStore, folder: str) -> bool:
    """Deletes all blobs of a folder; tells if there were any."""
    found = blobs.keys(folder)
    for key in found:
        blobs.delete(key)
    return bool(found)
