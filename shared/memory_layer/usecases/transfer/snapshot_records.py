"""Restoration of a snapshot's records, a chunk at a time."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from memory_layer.domain.integrity.digests import record_digest
from memory_layer.domain.integrity.snapshot import SnapshotLine
from memory_layer.domain.integrity.verification import BrokenPart, StoredRecord, broken_state
from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import MemoryLayerError, VersionConflict
from memory_layer.ports.commit import Change, Commit, Vectors
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import WRITE_ATTEMPTS
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.erasure_ledger import ErasedVersions
from memory_layer.usecases.ground.stored_state import with_bodies

VERB: Final = "restored"
LISTED_MAX: Final = 1_000

_ODD: Final = BrokenPart("", None, "record", "is not as it was written")

Fate = Literal["unchanged", "restored", "recreated", "erased"]


@dataclass(slots=True)
class ListedIds:
    """Count of ids, with the first 1,000 of them."""

    count: int = 0
    ids: list[str] = field(default_factory=list)

    def add(self, id: str) -> None:
        self.count += 1
        if len(self.ids) < LISTED_MAX:
            self.ids.append(id)


class SnapshotRestore:
    """Restores records, a chunk at a time.

    Args:
        by: author of the new versions.
        snapshot_id: named as the reason of the new versions.
    """

    def __init__(self, ports: Ports, scope: Scope, by: str, snapshot_id: str, is_dry_run: bool) -> None:
        self._ports = ports
        self._scope = scope
        self._by = by
        self._reason = f"as in snapshot {snapshot_id}"
        self._is_dry_run = is_dry_run
        self.fates: Counter[Fate] = Counter()
        self.changed_after = ListedIds()

    def take(self, lines: Sequence[SnapshotLine], gone: ErasedVersions) -> None:
        """Restores a chunk of records.

        Args:
            gone: erased records, which stay erased whatever the snapshot says.

        Raises:
            VersionConflict: others were faster every time.
        """
        waiting = [_without_echoes(line, gone) for line in lines if not gone.has(line.memory)]
        self.fates["erased"] += len(lines) - len(waiting)
        for _ in range(WRITE_ATTEMPTS):
            waiting = self._attempt(waiting)
            if not waiting:
                return
        raise VersionConflict(f"{waiting[0].memory.id} is written by others all the time; restore again")

    def _attempt(self, lines: Sequence[SnapshotLine]) -> list[SnapshotLine]:
        """Writes records once, and returns those that a concurrent write overtook."""
        there = self._there([line.memory.id for line in lines])
        erased = [line for line in lines if _is_erased(there[line.memory.id], line)]
        lines = [line for line in lines if line not in erased] if erased else lines
        self.fates["erased"] += len(erased)
        wanted = [line for line in lines if not _is_as_in(there[line.memory.id], line)]
        overtaken = set() if self._is_dry_run else self._write(wanted, there)
        self.fates["unchanged"] += len(lines) - len(wanted)
        for line in wanted:
            if line.memory.id not in overtaken:
                self._count(there[line.memory.id])
        return [line for line in wanted if line.memory.id in overtaken]

    def _there(self, ids: Collection[str]) -> dict[str, StoredRecord]:
        """Reads stored records; missing or damaged ones with their history, whose version numbers stay taken."""
        store, scope = self._ports.store, self._scope
        lying = store.integrity.kept_under(scope, ids, with_history=False)
        stubs = [kept for kept in lying if kept.body_bytes is not None]
        lost = {flaw.id for flaw in store.integrity.body_flaws(scope, stubs)} if stubs else set()
        found = {kept.id: kept for kept in with_bodies(store.memories, store.integrity, scope, lying)}
        odd = [id for id, kept in found.items() if id in lost or not self._is_good(kept)]
        damaged = store.integrity.kept_under(scope, odd) if odd else ()
        return found | {kept.id: replace(kept, flaws=(*kept.flaws, _ODD)) for kept in damaged}

    def _is_good(self, kept: StoredRecord) -> bool:
        embedder = self._ports.embedder
        broken = broken_state(kept, model=embedder.model, dimensions=embedder.dimensions)
        return kept.is_there and next(iter(broken), None) is None

    def _count(self, kept: StoredRecord) -> None:
        self.fates["restored" if kept.is_there else "recreated"] += 1
        if kept.is_there:
            self.changed_after.add(kept.id)

    def _write(self, lines: Sequence[SnapshotLine], there: Mapping[str, StoredRecord]) -> set[str]:
        """Writes lines, and returns the ids that a concurrent write overtook."""
        damaged = [line.memory.id for line in lines if _is_unreadable(there[line.memory.id])]
        versions = self._ports.store.memories.last_versions(self._scope, damaged) if damaged else {}
        changes = [
            self._change(memory, vectors, there[memory.id], versions.get(memory.id, 0))
            for memory, vectors in self._with_vectors(lines)
        ]
        errors = self._ports.store.writer.commit_each(
            [Commit(scope=self._scope, changes=(change,)) for change in changes]
        )
        return {change.memory.id for change in _overtaken(changes, errors)}

    def _with_vectors(self, lines: Iterable[SnapshotLine]) -> Iterator[tuple[Memory, Vectors | None]]:
        """Records with their vectors, made anew where the snapshot has none, or those of another model."""
        lost = []
        for line in lines:
            if line.content_vector is not None and line.memory.embedding_model == self._ports.embedder.model:
                yield line.memory, Vectors(line.content_vector, line.context_vector)
            else:
                lost.append(line.memory)
        yield from embed_memories(self._ports.embedder, lost) if lost else ()

    def _change(self, memory: Memory, vectors: Vectors | None, kept: StoredRecord, last: int) -> Change:
        """Builds the change that restores a record. Args: last: the version of a record that cannot be read."""
        before = (kept.memory.version if kept.memory else last) if kept.is_there else 0
        used = (before, kept.erased_at or 0, memory.version, *(line.number for line in kept.versions))
        return Change(
            replace(memory, version=max(used) + 1),
            before,
            VERB,
            self._by,
            self._ports.clock.now(),
            self._reason,
            vectors,
            brings_accesses=not kept.is_there,
        )


def _without_echoes(line: SnapshotLine, gone: ErasedVersions) -> SnapshotLine:
    memory = gone.without_echoes(line.memory)
    if memory is line.memory:
        return line
    return SnapshotLine(memory, record_digest(memory), line.content_vector)


def _is_erased(kept: StoredRecord, line: SnapshotLine) -> bool:
    """True if the record's own tombstone says so: of an erasure that is older than the ledger."""
    return not kept.is_there and kept.erased_at is not None and kept.erased_at > line.memory.version


def _is_as_in(kept: StoredRecord, line: SnapshotLine) -> bool:
    """True if the record says what the snapshot says, under whichever version."""
    if kept.memory is None or kept.seal is None or kept.flaws:
        return False
    if kept.seal.found == line.digest:
        return True
    stamps = {name: getattr(line.memory, name) for name in ("embedding_model", "embedding_text_hash")}
    return record_digest(replace(kept.memory, version=line.memory.version, **stamps)) == line.digest


def _is_unreadable(kept: StoredRecord) -> bool:
    return kept.is_there and kept.memory is None


def _overtaken(changes: Iterable[Change], errors: Iterable[MemoryLayerError | None]) -> Iterator[Change]:
    """Changes that a concurrent write overtook. Raises: MemoryLayerError: any other error."""
    for change, error in zip(changes, errors, strict=True):
        if error is not None and not isinstance(error, VersionConflict):
            raise error
        if error is not None:
            yield change
