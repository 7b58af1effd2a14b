"""Snapshot taken in steps, each of which ends in time whatever the size of the project; what is done is kept in blobs.

Until the last step has written the manifest there is no snapshot of this id, but a folder of parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.domain.integrity.digests import manifest_digest
from memory_layer.domain.integrity.snapshot import Snapshot, snapshot_id
from memory_layer.domain.integrity.snapshot_progress import SnapshotProgress
from memory_layer.domain.integrity.verification import StoredRecord
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import policy_text
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import require_admin
from memory_layer.usecases.ground.stored_state import PAGE_IDS
from memory_layer.usecases.transfer.snapshot_files import DamagedSnapshot, SnapshotFiles
from memory_layer.usecases.transfer.snapshot_taking import SnapshotTaking
from memory_layer.usecases.transfer.take_snapshot import remove_outdated_snapshots, settings_to_keep

STEP_PAGES: Final = 20
"""Pages of a step, of 200 records each: some ten seconds on either backend."""

LINES: Final = "lines"
"""Prefix of the blobs with the manifest lines of the steps before, which the last step puts in order."""


@dataclass(frozen=True, slots=True)
class SnapshotStep:
    """Result of a step. Args: taken: the snapshot, from the last step; next_id: for the next one."""

    records: int
    taken: Snapshot | None = None
    next_id: str | None = None


def take_snapshot_step(
    ports: Ports, principal: Principal, project: str, id: str | None, *, pages: int = STEP_PAGES
) -> SnapshotStep:
    """Takes the next part of a snapshot.

    Args:
        id: the `next_id` of the step before; None, or one whose progress is gone: a new snapshot begins.
        pages: of one step.

    Raises:
        Forbidden: the caller is no admin.
        StoreUnavailable: records cannot be read, or blobs not written; the step can be repeated.
    """
    require_admin(principal, f"a snapshot of project {project}")
    scope = principal.scope(project)
    files = SnapshotFiles(ports.blobs, scope)
    progress = (files.progress(id) if id is not None else None) or _beginning(ports)
    with closing(SnapshotTaking(ports, scope, progress.left_out, progress.left_out_count)) as taking:
        found, after = _pages(ports, scope, progress.after or None, pages)
        lines = (line for page in found for line in taking.record_lines(page))
        made = files.write_parts(progress.id, "part", lines, after=len(progress.parts))
        progress = replace(progress, parts=(*progress.parts, *made))
        read = sum(map(len, found))
        if after is not None:
            files.keep_progress(_kept(files, progress, taking, after))
            return SnapshotStep(read, next_id=progress.id)
        return SnapshotStep(read, taken=_finished(ports, principal, scope, progress, taking))


def _beginning(ports: Ports) -> SnapshotProgress:
    now = ports.clock.now()
    return SnapshotProgress(id=snapshot_id(now, ports.new_id("")[-8:]), created_at=now)


def _pages(
    ports: Ports, scope: Scope, after: str | None, most: int
) -> tuple[list[Sequence[StoredRecord]], str | None]:
    """Pages from a place on, and the place after them; None: there is nothing more."""
    found: list[Sequence[StoredRecord]] = []
    while len(found) < most:
        page = ports.store.integrity.kept(scope, after=after, limit=PAGE_IDS, with_history=False)
        found.append(page.kept)
        after = page.next_key
        if after is None:
            break
    return found, after


def _kept(
    files: SnapshotFiles, progress: SnapshotProgress, taking: SnapshotTaking, after: str
) -> SnapshotProgress:
    """Progress with the manifest lines of this step put aside."""
    made = files.write_parts(progress.id, LINES, taking.manifest_lines(), after=len(progress.lines))
    return replace(
        progress,
        after=after,
        lines=(*progress.lines, *made),
        left_out=tuple(taking.left_out),
        left_out_count=taking.left_out_count,
    )


def _finished(
    ports: Ports, principal: Principal, scope: Scope, progress: SnapshotProgress, taking: SnapshotTaking
) -> Snapshot:
    """Puts all manifest lines in order and writes the manifest; then there is a snapshot."""
    files = SnapshotFiles(ports.blobs, scope)
    _add_lines_before(files, progress, taking)
    lists = tuple(files.write_parts(progress.id, "list", taking.manifest_lines()))
    policy = settings_to_keep(ports, scope)
    snapshot = Snapshot(
        id=progress.id,
        created_at=progress.created_at,
        by=principal.name,
        records=sum(part.lines for part in lists),
        bytes=sum(part.bytes for part in (*progress.parts, *lists)),
        manifest=manifest_digest(taking.manifest_lines()),
        parts=progress.parts,
        lists=lists,
        left_out=tuple(taking.left_out),
        left_out_count=taking.left_out_count,
        policy=policy_text(policy) if policy and policy.version else None,
    )
    files.finish(snapshot)
    files.forget_progress(progress.id, [part.name for part in progress.lines])
    remove_outdated_snapshots(files, ports.clock.now())
    return snapshot


def _add_lines_before(files: SnapshotFiles, progress: SnapshotProgress, taking: SnapshotTaking) -> None:
    """Adds the manifest lines of the steps before.

    Raises:
        StoreUnavailable: a blob of them is damaged; what was done is thrown away, and the next step begins anew.
    """
    unfinished = Snapshot(id=progress.id, created_at=progress.created_at)
    try:
        for line in files.lines(unfinished, progress.lines):
            taking.add(line)
    except DamagedSnapshot as error:
        files.delete(progress.id)
        raise StoreUnavailable(
            f"snapshot {progress.id} was given up: its {error}; it is taken anew"
        ) from error
