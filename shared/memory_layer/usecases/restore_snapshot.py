"""Bring a project back to what a snapshot holds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Final, Literal

from memory_layer.domain.access import Principal
from memory_layer.domain.integrity import manifest_line, record_digest
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.policy import policy_of
from memory_layer.domain.snapshot import Snapshot, SnapshotLine, line_of
from memory_layer.domain.verification import UNREADABLE, Broken, Kept, broken_state
from memory_layer.errors import Conflict, MemoryLayerError, NotFound, VersionConflict
from memory_layer.ports import Change, Commit, Ports, Vectors
from memory_layer.usecases.changing import ATTEMPTS
from memory_layer.usecases.embedding import embed_memories
from memory_layer.usecases.kept_records import id_in, kept_records, place_of, require_admin
from memory_layer.usecases.progress import Progress, untold
from memory_layer.usecases.snapshot_files import DamagedSnapshot, SnapshotFiles
from memory_layer.usecases.sorted_lines import SortedLines

LATEST: Final = "latest"
VERB: Final = "restored"
CHUNK_RECORDS: Final = 200
LISTED_MAX: Final = 1_000

_ODD: Final = Broken("", None, "record", "is not as it was written")

Fate = Literal["unchanged", "restored", "recreated"]


@dataclass(slots=True)
class Listed:
    """Ids that something is true of: how many, and the first of them."""

    count: int = 0
    ids: list[str] = field(default_factory=list)

    def add(self, id: str) -> None:
        self.count += 1
        if len(self.ids) < LISTED_MAX:
            self.ids.append(id)


@dataclass(frozen=True, slots=True)
class Restored:
    """What a restoration did, or with a dry run would do.

    Args:
        records: that the snapshot holds; `left_out` were damaged when it was taken: an earlier one may have them.
        restored: were there and said something else; `recreated` were not there; `unchanged` were as they are in it.
        created_after: records that the snapshot does not know; they stay.
        changed_after: records that were put back, with a version that says so.
        settings: "restored" if the project had none of its own and the snapshot had some.
    """

    snapshot: str
    is_dry_run: bool
    records: int
    left_out: int
    restored: int
    recreated: int
    unchanged: int
    created_after: Listed
    changed_after: Listed
    settings: Literal["kept", "restored"]


def restore_snapshot(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    *,
    is_dry_run: bool = False,
    tell: Progress = untold,
) -> Restored:
    """Every record of the snapshot says again what it said then, as a new version; what came after it stays.

    Nothing is written unless the whole snapshot is sound. Done again, or after a crash, it writes what is missing.

    Args:
        id: of the snapshot, or `latest`: the newest one that is sound.

    Raises:
        Forbidden: the caller is no admin.
        NotFound: there is no such snapshot.
        Conflict: it is damaged.
        VersionConflict: others write the same record all the time.
    """
    snapshot = find_snapshot(ports, principal, project, id)
    scope = principal.scope(project)
    files = SnapshotFiles(ports.blobs, scope)
    snapshot = _sound(files, project, snapshot, is_any=id == LATEST)
    created_after = _unknown_to(files, snapshot, ports, scope)
    restoring = _Restoring(ports, scope, principal.name, snapshot.id, is_dry_run)
    for lines in _chunks(_coming_back(files, snapshot)):
        restoring.take(lines)
        tell(restoring.fates.total(), snapshot.records)
    return Restored(
        snapshot=snapshot.id,
        is_dry_run=is_dry_run,
        records=snapshot.records,
        left_out=snapshot.left_out_count,
        restored=restoring.fates["restored"],
        recreated=restoring.fates["recreated"],
        unchanged=restoring.fates["unchanged"],
        created_after=created_after,
        changed_after=restoring.changed_after,
        settings=_restore_settings(ports, scope, snapshot, is_dry_run),
    )


def find_snapshot(ports: Ports, principal: Principal, project: str, id: str) -> Snapshot:
    """What is asked for, as far as its manifest tells.

    Raises:
        Forbidden, NotFound: as `restore_snapshot`.
    """
    require_admin(principal, f"restoring project {project}")
    there = SnapshotFiles(ports.blobs, principal.scope(project)).all()
    wanted = (one for one in there if one.id == id or (id == LATEST and one.problem is None))
    found = next(wanted, None)
    if found is None:
        raise NotFound(f"project {project} has no snapshot {id}; list its snapshots, or say {LATEST}")
    return found


def _sound(files: SnapshotFiles, project: str, snapshot: Snapshot, *, is_any: bool) -> Snapshot:
    """The snapshot, checked to the last bit; if any will do, the newest one of which that can be said."""
    try:
        files.check(snapshot)
        return snapshot
    except DamagedSnapshot as error:
        good = _last_good(files, snapshot.id)
        if is_any and good is not None:
            return good
        if is_any:
            raise NotFound(f"project {project} has no sound snapshot") from error
        advice = (
            f"the last good one is {good.id}: restore that" if good else "there is no other that is sound"
        )
        said = f"snapshot {snapshot.id} is damaged: {error}; nothing was changed; {advice}"
        raise Conflict(said) from error


def _last_good(files: SnapshotFiles, but: str) -> Snapshot | None:
    return next((one for one in files.all() if one.id != but and _is_sound(files, one)), None)


def _is_sound(files: SnapshotFiles, snapshot: Snapshot) -> bool:
    try:
        files.check(snapshot)
    except DamagedSnapshot:
        return False
    return True


def _unknown_to(files: SnapshotFiles, snapshot: Snapshot, ports: Ports, scope: Scope) -> Listed:
    """Records that are there and not in the snapshot; both are read in the order of their ids."""
    found, known = Listed(), map(place_of, files.lines(snapshot, snapshot.lists))
    with closing(SortedLines()) as lines:
        for page in kept_records(ports.store, scope, with_history=False):
            for kept in page:
                if kept.is_there:
                    lines.add(manifest_line(kept.id, 0, ""))
        next_known = next(known, None)
        for line in lines:
            while next_known is not None and next_known < place_of(line):
                next_known = next(known, None)
            if place_of(line) != next_known:
                found.add(id_in(line))
    return found


def _coming_back(files: SnapshotFiles, snapshot: Snapshot) -> Iterator[SnapshotLine]:
    """What of a snapshot is brought back: here is where something that has to stay erased would be left out."""
    try:
        yield from map(line_of, files.lines(snapshot, snapshot.parts))
    except (*UNREADABLE, DamagedSnapshot) as error:
        said = f"snapshot {snapshot.id} cannot be read to its end: {error}; what was restored before stays so"
        raise Conflict(f"{said}; restore an earlier one") from error


def _chunks(lines: Iterator[SnapshotLine]) -> Iterator[list[SnapshotLine]]:
    """A record that was written while the snapshot was taken may be in it twice: its later state counts."""
    while chunk := list(islice(lines, CHUNK_RECORDS)):
        yield list({line.memory.id: line for line in chunk}.values())


class _Restoring:
    """Puts records back, a chunk at a time.

    Args:
        by: who wants it so.
        snapshot_id: the reason that the new versions give.
    """

    def __init__(self, ports: Ports, scope: Scope, by: str, snapshot_id: str, is_dry_run: bool) -> None:
        self._ports = ports
        self._scope = scope
        self._by = by
        self._reason = f"as in snapshot {snapshot_id}"
        self._is_dry_run = is_dry_run
        self.fates: Counter[Fate] = Counter()
        self.changed_after = Listed()

    def take(self, lines: Sequence[SnapshotLine]) -> None:
        """
        Raises:
            VersionConflict: others were faster every time.
        """
        waiting = list(lines)
        for _ in range(ATTEMPTS):
            waiting = self._attempt(waiting)
            if not waiting:
                return
        raise VersionConflict(f"{waiting[0].memory.id} is written by others all the time; restore again")

    def _attempt(self, lines: Sequence[SnapshotLine]) -> list[SnapshotLine]:
        """Those that others were faster with."""
        there = self._there([line.memory.id for line in lines])
        wanted = [line for line in lines if not _is_so(there[line.memory.id], line)]
        overtaken = set() if self._is_dry_run else self._write(wanted, there)
        self.fates["unchanged"] += len(lines) - len(wanted)
        for line in wanted:
            if line.memory.id not in overtaken:
                self._count(there[line.memory.id])
        return [line for line in wanted if line.memory.id in overtaken]

    def _there(self, ids: Collection[str]) -> dict[str, Kept]:
        """As they are; what is not, or is damaged, with its history: a number has to be found that is not in that."""
        store, scope = self._ports.store, self._scope
        found = {kept.id: kept for kept in store.kept_under(scope, ids, with_history=False)}
        odd = [id for id, kept in found.items() if not self._is_good(kept)]
        damaged = store.kept_under(scope, odd) if odd else ()
        return found | {kept.id: replace(kept, flaws=(*kept.flaws, _ODD)) for kept in damaged}

    def _is_good(self, kept: Kept) -> bool:
        embedder = self._ports.embedder
        broken = broken_state(kept, model=embedder.model, dimensions=embedder.dimensions)
        return kept.is_there and next(iter(broken), None) is None

    def _count(self, kept: Kept) -> None:
        self.fates["restored" if kept.is_there else "recreated"] += 1
        if kept.is_there:
            self.changed_after.add(kept.id)

    def _write(self, lines: Sequence[SnapshotLine], there: Mapping[str, Kept]) -> set[str]:
        """The ids that others were faster with."""
        damaged = [line.memory.id for line in lines if _is_unreadable(there[line.memory.id])]
        versions = self._ports.store.last_versions(self._scope, damaged) if damaged else {}
        changes = [
            self._change(memory, vectors, there[memory.id], versions.get(memory.id, 0))
            for memory, vectors in self._with_vectors(lines)
        ]
        errors = self._ports.store.commit_each(
            [Commit(scope=self._scope, changes=(change,)) for change in changes]
        )
        return {change.memory.id for change in _overtaken(changes, errors)}

    def _with_vectors(self, lines: Iterable[SnapshotLine]) -> Iterator[tuple[Memory, Vectors | None]]:
        """Made anew where the snapshot found them damaged."""
        lost = []
        for line in lines:
            if line.content_vector is not None:
                yield line.memory, Vectors(line.content_vector, line.context_vector)
            elif line.memory.embedding_model is None:
                yield line.memory, None
            else:
                lost.append(line.memory)
        yield from embed_memories(self._ports.embedder, lost) if lost else ()

    def _change(self, memory: Memory, vectors: Vectors | None, kept: Kept, last: int) -> Change:
        """Args: last: the version of a record that cannot be read."""
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


def _is_so(kept: Kept, line: SnapshotLine) -> bool:
    """It says what the snapshot says, under whichever version."""
    if kept.memory is None or kept.seal is None or kept.flaws:
        return False
    if kept.seal.found == line.digest:
        return True
    return record_digest(replace(kept.memory, version=line.memory.version)) == line.digest


def _is_unreadable(kept: Kept) -> bool:
    return kept.is_there and kept.memory is None


def _overtaken(changes: Iterable[Change], errors: Iterable[MemoryLayerError | None]) -> Iterator[Change]:
    """Raises: MemoryLayerError: one failed for another reason than that somebody was faster."""
    for change, error in zip(changes, errors, strict=True):
        if error is not None and not isinstance(error, VersionConflict):
            raise error
        if error is not None:
            yield change


def _restore_settings(
    ports: Ports, scope: Scope, snapshot: Snapshot, is_dry_run: bool
) -> Literal["kept", "restored"]:
    """A project that has settings of its own keeps them."""
    if snapshot.policy is None or ports.store.policy(scope).version:
        return "kept"
    if not is_dry_run:
        policy = replace(policy_of(snapshot.policy), version=1)
        ports.store.commit(Commit(scope=scope, policy=policy))
    return "restored"
