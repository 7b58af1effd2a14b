"""Copies of a project that wait for whoever asked for an export: few, and none that outlives an erasure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.memory import Scope
from memory_layer.ports.blobs import BlobStore

PREFIX: Final = "operations/exports/"
LIFETIME: Final = timedelta(days=7)
COPIES_MAX: Final = 4
"""Of one project; the oldest makes room for the next."""

_BEGUN: Final = "0"
_BEGUN_AT: Final = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class ExportCopy:
    """One copy. Args: id: of the operation that makes it."""

    blobs: BlobStore
    scope: Scope
    id: str
    begun_at: datetime

    @property
    def name(self) -> str:
        """Sorts by time."""
        return f"{self.begun_at:{_BEGUN_AT}}-{self.id}"

    @property
    def _folder(self) -> str:
        return f"{_folder(self.scope)}{self.name}/"

    def begin(self) -> None:
        """Before anything is read: whoever erases from here on takes this note away, too."""
        others = {key.split("/")[4] for key in self.blobs.keys(_folder(self.scope))} - {self.name}
        for name in sorted(others)[: max(0, len(others) + 1 - COPIES_MAX)]:
            _delete(self.blobs, f"{_folder(self.scope)}{name}/")
        self.blobs.put(f"{self._folder}{_BEGUN}", b"{}")

    def put(self, number: int, body: bytes) -> None:
        self.blobs.put(f"{self._folder}{number}", body)

    def part(self, number: int) -> bytes | None:
        return self.blobs.get(f"{self._folder}{number}")

    def is_good(self) -> bool:
        """Nothing was erased since it was begun."""
        return self.blobs.get(f"{self._folder}{_BEGUN}") is not None

    def delete(self) -> None:
        _delete(self.blobs, self._folder)


def forget_copies(blobs: BlobStore, scope: Scope) -> None:
    """After an erasure: copies of the project may hold what was erased.

    Twice: one that is being written may get a part while the others go, and sees at its end that its note is gone.
    """
    if _delete(blobs, _folder(scope)):
        _delete(blobs, _folder(scope))


def forget_old_copies(blobs: BlobStore, now: datetime) -> None:
    """Of every project, what nobody can fetch any more: by the time in its name."""
    oldest = f"{now - LIFETIME:{_BEGUN_AT}}"
    for key in blobs.keys(PREFIX):
        if key.split("/")[4] < oldest:
            blobs.delete(key)


def _folder(scope: Scope) -> str:
    return f"{PREFIX}{scope.tenant}/{scope.project}/"


def _delete(blobs: BlobStore, folder: str) -> bool:
    """Whether there was anything."""
    found = blobs.keys(folder)
    for key in found:
        blobs.delete(key)
    return bool(found)
