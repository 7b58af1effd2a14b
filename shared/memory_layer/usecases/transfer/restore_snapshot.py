"""Restoration of a project from a snapshot."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal

from memory_layer.domain.access import Principal
from memory_layer.domain.audit import SNAPSHOT_RESTORED
from memory_layer.domain.integrity.digests import manifest_line
from memory_layer.domain.integrity.snapshot import Snapshot, SnapshotLine
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import policy_of
from memory_layer.errors import Conflict, DamagedSettings, NotFound
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.audit_log import enter
from memory_layer.usecases.ground.change_record import require_admin
from memory_layer.usecases.ground.erasure_ledger import ErasureLedger
from memory_layer.usecases.ground.project_pages import Progress, ignore_progress
from memory_layer.usecases.ground.stored_state import id_in, kept_records, sort_key_of
from memory_layer.usecases.transfer.all_or_nothing import all_or_nothing
from memory_layer.usecases.transfer.snapshot_files import DamagedSnapshot, SnapshotFiles
from memory_layer.usecases.transfer.snapshot_records import ListedIds, SnapshotRestore
from memory_layer.usecases.transfer.sorted_lines import SortedLines

LATEST: Final = "latest"
CHUNK_RECORDS: Final = 200


@dataclass(frozen=True, slots=True)
class RestoreReport:
    """Report of what a restoration did, or with a dry run would do.

    Args:
        records: number in the snapshot; `left_out` were damaged when it was taken: an earlier one may have them.
        restored: records that differed from the snapshot; `recreated` were missing; `unchanged` were as in it.
        erased: records that were erased since, and stay so.
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
    erased: int
    created_after: ListedIds
    changed_after: ListedIds
    settings: Literal["kept", "restored"]


def restore_snapshot(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    *,
    is_dry_run: bool = False,
    tell: Progress = ignore_progress,
) -> RestoreReport:
    """Restores every record of a snapshot as a new version, all or nothing; records created after it stay.

    Nothing is written unless the whole snapshot is sound.

    Args:
        id: of the snapshot, or `latest`: the newest one that is sound.

    Raises:
        Forbidden: the caller is no admin.
        NotFound: there is no such snapshot.
        Conflict: the snapshot is damaged.
        VersionConflict: others write the same record all the time.
    """
    found = find_snapshot(ports, principal, project, id)
    scope = principal.scope(project)
    snapshot = _sound(SnapshotFiles(ports.blobs, scope), project, found, is_any=id == LATEST)

    def restored(ports: Ports) -> RestoreReport:
        return _restored(ports, scope, principal.name, snapshot, is_dry_run, tell)

    return restored(ports) if is_dry_run else all_or_nothing(ports, restored)


def _restored(
    ports: Ports, scope: Scope, by: str, snapshot: Snapshot, is_dry_run: bool, tell: Progress
) -> RestoreReport:
    files = SnapshotFiles(ports.blobs, scope)
    created_after = _unknown_to(files, snapshot, ports, scope)
    if not is_dry_run:
        enter(ports, scope, by, SNAPSHOT_RESTORED, about=snapshot.id)
    restoring = SnapshotRestore(ports, scope, by, snapshot.id, is_dry_run)
    gone = ErasureLedger(ports.blobs, scope).gone()
    for lines in _chunks(_coming_back(files, snapshot)):
        restoring.take(lines, gone)
        tell(restoring.fates.total(), snapshot.records)
    return RestoreReport(
        snapshot=snapshot.id,
        is_dry_run=is_dry_run,
        records=snapshot.records,
        left_out=snapshot.left_out_count,
        restored=restoring.fates["restored"],
        recreated=restoring.fates["recreated"],
        unchanged=restoring.fates["unchanged"],
        erased=restoring.fates["erased"],
        created_after=created_after,
        changed_after=restoring.changed_after,
        settings=_restore_settings(ports, scope, snapshot, is_dry_run),
    )


def find_snapshot(ports: Ports, principal: Principal, project: str, id: str) -> Snapshot:
    """Finds the snapshot of an id, or the latest one, by the manifests.

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
    """Checks a snapshot to the last bit and returns it, or, if any will do, the newest sound one."""
    try:
        files.check(snapshot)
        return snapshot
    except DamagedSnapshot as error:
        good = files.last_good(but=snapshot.id)
        if is_any and good is not None:
            return good
        if is_any:
            raise NotFound(f"project {project} has no sound snapshot") from error
        advice = (
            f"the last good one is {good.id}: restore that" if good else "there is no other that is sound"
        )
        said = f"snapshot {snapshot.id} is damaged: {error}; nothing was changed; {advice}"
        raise Conflict(said) from error


def _unknown_to(files: SnapshotFiles, snapshot: Snapshot, ports: Ports, scope: Scope) -> ListedIds:
    """Stored records that are not in the snapshot; both are read in the order of their ids."""
    found, known = ListedIds(), map(sort_key_of, files.lines(snapshot, snapshot.lists))
    with closing(SortedLines()) as lines:
        for page in kept_records(ports.store.integrity, scope, with_history=False):
            for kept in page:
                if kept.is_there:
                    lines.add(manifest_line(kept.id, 0, ""))
        next_known = next(known, None)
        for line in lines:
            while next_known is not None and next_known < sort_key_of(line):
                next_known = next(known, None)
            if sort_key_of(line) != next_known:
                found.add(id_in(line))
    return found


def _coming_back(files: SnapshotFiles, snapshot: Snapshot) -> Iterator[SnapshotLine]:
    """Reads the records of a snapshot. Raises: Conflict: it turns out damaged on the way."""
    try:
        yield from files.records(snapshot)
    except DamagedSnapshot as error:
        said = f"snapshot {snapshot.id} cannot be read to its end: {error}"
        raise Conflict(f"{said}; restore an earlier one") from error


def _chunks(lines: Iterator[SnapshotLine]) -> Iterator[list[SnapshotLine]]:
    """Splits lines into chunks; a record written while the snapshot was taken may be twice in it: the later counts."""
    while chunk := list(islice(lines, CHUNK_RECORDS)):
        yield list({line.memory.id: line for line in chunk}.values())


def _restore_settings(
    ports: Ports, scope: Scope, snapshot: Snapshot, is_dry_run: bool
) -> Literal["kept", "restored"]:
    """Restores a project's settings, unless it has sound ones of its own."""
    try:
        present, version = ports.store.projects.policy(scope), 0
    except DamagedSettings as error:
        present, version = None, error.version
    if snapshot.policy is None or (present is not None and present.version):
        return "kept"
    if not is_dry_run:
        policy = replace(policy_of(snapshot.policy), version=version + 1)
        ports.store.writer.commit(Commit(scope=scope, policy=policy))
    return "restored"
