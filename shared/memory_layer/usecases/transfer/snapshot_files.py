"""Blobs of a project's snapshots: parts of some megabytes, and a manifest that is written last."""

import gzip
import io
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Final

from memory_layer.domain.integrity.snapshot import (
    Snapshot,
    SnapshotLine,
    SnapshotPart,
    is_snapshot_id,
    line_of,
    manifest_text,
    snapshot_of,
    time_of,
)
from memory_layer.domain.integrity.snapshot_progress import SnapshotProgress, progress_of, progress_text
from memory_layer.domain.integrity.verification import UNREADABLE
from memory_layer.domain.memory import Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.blobs import BlobStore

PREFIX: Final = "snapshots/"
PART_BYTES: Final = 4_000_000
"""Size at which a part ends, with the line that exceeds it."""

GZIP_LEVEL: Final = 1
"""Half of a part is vectors, which do not shrink: level 6 saves 4 % of the bytes for half as much time again."""

_MANIFEST: Final = "manifest.json"
_PROGRESS: Final = "progress.json"
_NEVER_FINISHED: Final = "it has no manifest, so it was never finished"


class DamagedSnapshot(Exception):
    """Error for a snapshot that is not as it was written; the text names the damaged part."""


class SnapshotFiles:
    """Snapshots of one project, as blobs."""

    def __init__(self, blobs: BlobStore, scope: Scope) -> None:
        self._blobs = blobs
        self._scope = scope
        self._folder = f"{PREFIX}{scope.tenant}/{scope.project}/"

    def all(self) -> list[Snapshot]:
        """Lists snapshots that have a manifest, newest first; a damaged one has a `problem`."""
        found = [one for id in self._ids() if (one := self.manifest(id)).problem != _NEVER_FINISHED]
        return sorted(found, key=lambda snapshot: (snapshot.created_at, snapshot.id), reverse=True)

    def unfinished(self) -> list[str]:
        """Lists ids with parts and no manifest: snapshots being taken right now, or never finished."""
        return [id for id in self._ids() if self.manifest(id).problem == _NEVER_FINISHED]

    def manifest(self, id: str) -> Snapshot:
        """Reads the snapshot of this id; it has a `problem` if its manifest cannot be read."""
        nothing = Snapshot(id=id, created_at=time_of(id), problem=_NEVER_FINISHED)
        try:
            text = self._read(id, _MANIFEST)
            return nothing if text is None else snapshot_of(text.decode())
        except DamagedSnapshot as error:
            return replace(nothing, problem=f"its {error}", is_unreadable=True)
        except UNREADABLE as error:
            return replace(nothing, problem=f"its manifest is damaged: {error}")

    def write_parts(
        self, id: str, kind: str, lines: Iterable[str], *, part_bytes: int = PART_BYTES, after: int = 0
    ) -> Iterator[SnapshotPart]:
        """Writes lines into as many blobs as it takes.

        Args:
            kind: prefix of the number in their names.
            after: number of blobs of this kind that are there.
        """
        remaining = iter(lines)
        number = after
        while packed := _packed(remaining, part_bytes):
            number += 1
            body, count = packed
            name = f"{kind}-{number:05d}.gz"
            self._blobs.put(f"{self._folder}{id}/{name}", body)
            yield SnapshotPart(name, count, len(body), sha256(body).hexdigest())

    def finish(self, snapshot: Snapshot) -> None:
        """Writes the manifest: from now on the snapshot exists."""
        self._blobs.put(f"{self._folder}{snapshot.id}/{_MANIFEST}", manifest_text(snapshot).encode())

    def progress(self, id: str) -> SnapshotProgress | None:
        """Reads the progress of an unfinished snapshot; None: there is none that can be read."""
        try:
            text = self._read(id, _PROGRESS)
            return None if text is None else progress_of(text.decode())
        except (DamagedSnapshot, *UNREADABLE):
            return None

    def keep_progress(self, progress: SnapshotProgress) -> None:
        """Writes the progress of a snapshot, after its parts."""
        self._blobs.put(f"{self._folder}{progress.id}/{_PROGRESS}", progress_text(progress).encode())

    def forget_progress(self, id: str, names: Iterable[str]) -> None:
        """Deletes the progress of a finished snapshot, and the blobs that only its steps needed."""
        for name in (*names, _PROGRESS):
            self._blobs.delete(f"{self._folder}{id}/{name}")

    def check(self, snapshot: Snapshot) -> None:
        """Checks that every part is there, to the bit, and is of this project.

        Raises:
            DamagedSnapshot: a part is missing, changed or another project's.
        """
        if snapshot.problem is not None:
            raise DamagedSnapshot(snapshot.problem)
        for part in (*snapshot.parts, *snapshot.lists):
            self._body(snapshot.id, part)
        next(self.records(snapshot), None)

    def last_good(self, but: str = "") -> Snapshot | None:
        """Finds the newest snapshot that is sound to the last bit. Args: but: id to leave out."""
        return next((one for one in self.all() if one.id != but and self._is_sound(one)), None)

    def _is_sound(self, snapshot: Snapshot) -> bool:
        try:
            self.check(snapshot)
        except DamagedSnapshot:
            return False
        return True

    def records(self, snapshot: Snapshot) -> Iterator[SnapshotLine]:
        """Reads the records in a snapshot's parts.

        Raises:
            DamagedSnapshot: a part, or a record in it, is not as it was written, or is another project's.
        """
        for text in self.lines(snapshot, snapshot.parts):
            try:
                line = line_of(text)
            except UNREADABLE as error:
                raise DamagedSnapshot(f"a record cannot be read: {error}") from error
            if line.memory.scope != self._scope:
                tenant, project = line.memory.scope
                raise DamagedSnapshot(f"{line.memory.id} is a record of project {project} of tenant {tenant}")
            yield line

    def lines(self, snapshot: Snapshot, parts: Iterable[SnapshotPart]) -> Iterator[str]:
        """Reads the lines of these parts, one part in memory at a time.

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
        """Deletes a snapshot, its manifest first: the rest after a crash is no snapshot any more."""
        folder = f"{self._folder}{id}/"
        self._blobs.delete(f"{folder}{_MANIFEST}")
        for key in self._blobs.keys(folder):
            self._blobs.delete(key)

    def _body(self, id: str, part: SnapshotPart) -> bytes:
        body = self._read(id, part.name)
        if body is None:
            raise DamagedSnapshot(f"{part.name} is missing")
        if sha256(body).hexdigest() != part.sha256:
            raise DamagedSnapshot(f"{part.name} does not match its digest")
        return body

    def _read(self, id: str, name: str) -> bytes | None:
        """Reads a blob of a snapshot; None: there is none.

        Raises:
            DamagedSnapshot: the blob may be there, and cannot be read.
        """
        try:
            return self._blobs.get(f"{self._folder}{id}/{name}")
        except OSError as error:
            raise DamagedSnapshot(f"{name} cannot be read: {error.strerror}") from error
        except StoreUnavailable as error:
            raise DamagedSnapshot(f"{name} cannot be read: {error.detail}") from error

    def _ids(self) -> list[str]:
        """Ids of all snapshots that have a blob."""
        ids = (key.removeprefix(self._folder).partition("/")[0] for key in self._blobs.keys(self._folder))
        return [id for id in dict.fromkeys(ids) if is_snapshot_id(id)]


def _packed(lines: Iterator[str], part_bytes: int) -> tuple[bytes, int] | None:
    """Compresses as many lines as go into one part, and counts them; None: there are no more."""
    body, count = io.BytesIO(), 0
    with gzip.GzipFile(fileobj=body, mode="wb", compresslevel=GZIP_LEVEL, mtime=0) as packing:
        for line in lines:
            packing.write(line.encode())
            count += 1
            if body.tell() >= part_bytes:
                break
    return (body.getvalue(), count) if count else None


def last_good_of_all(blobs: BlobStore) -> dict[Scope, Snapshot]:
    """Finds the last good snapshot of every project that has one, for a store that cannot be read."""
    scopes = {Scope(*key.split("/")[1:3]) for key in blobs.keys(PREFIX) if key.endswith(f"/{_MANIFEST}")}
    found = {scope: SnapshotFiles(blobs, scope).last_good() for scope in sorted(scopes)}
    return {scope: snapshot for scope, snapshot in found.items() if snapshot is not None}
