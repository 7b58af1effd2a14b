"""The blobs of a project's snapshots: parts of some megabytes, and a manifest that is written last."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

from memory_layer.domain.memory import Scope
from memory_layer.domain.snapshot import (
    Snapshot,
    SnapshotPart,
    is_snapshot_id,
    manifest_text,
    snapshot_of,
    time_of,
)
from memory_layer.domain.verification import UNREADABLE
from memory_layer.ports import BlobStore

PREFIX: Final = "snapshots/"
PART_BYTES: Final = 4_000_000
"""A part ends with the line that takes it over this."""

GZIP_LEVEL: Final = 1
"""Half of it is vectors, which do not shrink: level 6 saves 4 % of the bytes for half as much time again."""

_MANIFEST: Final = "manifest.json"


class DamagedSnapshot(Exception):
    """A snapshot is not as it was written; the text says what of it."""


class SnapshotFiles:
    """The snapshots of one project."""

    def __init__(self, blobs: BlobStore, scope: Scope) -> None:
        self._blobs = blobs
        self._folder = f"{PREFIX}{scope.tenant}/{scope.project}/"

    def all(self) -> list[Snapshot]:
        """Every snapshot that has a manifest, newest first; one that is damaged says so."""
        found = [self.manifest(id) for id, names in self._names().items() if _MANIFEST in names]
        return sorted(found, key=lambda snapshot: (snapshot.created_at, snapshot.id), reverse=True)

    def unfinished(self) -> list[str]:
        """Ids that have parts and no manifest: being taken right now, or never to be finished."""
        return [id for id, names in self._names().items() if _MANIFEST not in names]

    def manifest(self, id: str) -> Snapshot:
        """The snapshot of this id; one with a `problem` if its manifest cannot be read."""
        text = self._blobs.get(f"{self._folder}{id}/{_MANIFEST}")
        if text is None:
            return Snapshot(
                id=id, created_at=time_of(id), problem="it has no manifest, so it was never finished"
            )
        try:
            return snapshot_of(text.decode())
        except UNREADABLE as error:
            return Snapshot(id=id, created_at=time_of(id), problem=f"its manifest is damaged: {error}")

    def write_parts(self, id: str, kind: str, lines: Iterable[str]) -> Iterator[SnapshotPart]:
        """Put lines into as many blobs as it takes. Args: kind: before the number in their names."""
        remaining = iter(lines)
        number = 0
        while packed := _packed(remaining):
            number += 1
            body, count = packed
            name = f"{kind}-{number:05d}.gz"
            self._blobs.put(f"{self._folder}{id}/{name}", body)
            yield SnapshotPart(name, count, len(body), sha256(body).hexdigest())

    def finish(self, snapshot: Snapshot) -> None:
        """From now on it exists."""
        self._blobs.put(f"{self._folder}{snapshot.id}/{_MANIFEST}", manifest_text(snapshot).encode())

    def check(self, snapshot: Snapshot) -> None:
        """Every part is there, to the bit.

        Raises:
            DamagedSnapshot: one is not.
        """
        if snapshot.problem is not None:
            raise DamagedSnapshot(snapshot.problem)
        for part in (*snapshot.parts, *snapshot.lists):
            self._body(snapshot.id, part)

    def last_good(self, but: str = "") -> Snapshot | None:
        """The newest one that is sound to the last bit. Args: but: the id of one that is not asked for."""
        return next((one for one in self.all() if one.id != but and self._is_sound(one)), None)

    def _is_sound(self, snapshot: Snapshot) -> bool:
        try:
            self.check(snapshot)
        except DamagedSnapshot:
            return False
        return True

    def lines(self, snapshot: Snapshot, parts: Iterable[SnapshotPart]) -> Iterator[str]:
        """What was put into these parts, one part in memory at a time.

        Raises:
            DamagedSnapshot: a part is not as it was written.
        """
        for part in parts:
            body = self._body(snapshot.id, part)
            try:
                yield from io.StringIO(gzip.decompress(body).decode(), newline="\n")
            except (ValueError, OSError, EOFError, zlib.error) as error:
                raise DamagedSnapshot(f"{part.name} cannot be read: {error}") from error

    def delete(self, id: str) -> None:
        """The manifest first: what is left after a crash is no snapshot any more."""
        folder = f"{self._folder}{id}/"
        self._blobs.delete(f"{folder}{_MANIFEST}")
        for key in self._blobs.keys(folder):
            self._blobs.delete(key)

    def _body(self, id: str, part: SnapshotPart) -> bytes:
        body = self._blobs.get(f"{self._folder}{id}/{part.name}")
        if body is None:
            raise DamagedSnapshot(f"{part.name} is missing")
        if sha256(body).hexdigest() != part.sha256:
            raise DamagedSnapshot(f"{part.name} does not match its digest")
        return body

    def _names(self) -> dict[str, set[str]]:
        """Names of blobs by the snapshot that they belong to."""
        found: dict[str, set[str]] = {}
        for key in self._blobs.keys(self._folder):
            id, _, name = key.removeprefix(self._folder).partition("/")
            if is_snapshot_id(id):
                found.setdefault(id, set()).add(name)
        return found


def _packed(lines: Iterator[str]) -> tuple[bytes, int] | None:
    """As many lines as go into one part, compressed, and how many; None: there are no more."""
    body, count = io.BytesIO(), 0
    with gzip.GzipFile(fileobj=body, mode="wb", compresslevel=GZIP_LEVEL, mtime=0) as packing:
        for line in lines:
            packing.write(line.encode())
            count += 1
            if body.tell() >= PART_BYTES:
                break
    return (body.getvalue(), count) if count else None


def last_good_of_all(blobs: BlobStore) -> dict[Scope, Snapshot]:
    """The last good snapshot of every project that has one: for when the records cannot be read."""
    scopes = {Scope(*key.split("/")[1:3]) for key in blobs.keys(PREFIX) if key.endswith(f"/{_MANIFEST}")}
    found = {scope: SnapshotFiles(blobs, scope).last_good() for scope in sorted(scopes)}
    return {scope: snapshot for scope, snapshot in found.items() if snapshot is not None}
