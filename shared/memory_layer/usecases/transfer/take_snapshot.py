"""Snapshots of a project: taking one, listing them, and removing outdated ones."""

from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.domain.audit import SNAPSHOT_TAKEN
from memory_layer.domain.integrity.digests import manifest_digest
from memory_layer.domain.integrity.snapshot import (
    Snapshot,
    is_outdated,
    snapshot_id,
    time_of,
)
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import Policy, policy_text
from memory_layer.errors import DamagedSettings
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.audit_log import enter
from memory_layer.usecases.ground.change_record import require_admin
from memory_layer.usecases.ground.project_pages import Progress, ignore_progress
from memory_layer.usecases.ground.stored_state import kept_records
from memory_layer.usecases.transfer.snapshot_files import SnapshotFiles
from memory_layer.usecases.transfer.snapshot_taking import SnapshotTaking

ABANDONED_AFTER: Final = timedelta(days=1)
"""Age of a snapshot without a manifest that is abandoned: no snapshot takes that long."""


def list_snapshots(ports: Ports, principal: Principal, project: str) -> list[Snapshot]:
    """Lists the project's snapshots, newest first; one with a damaged manifest says so in `problem`.

    Raises:
        Forbidden: the caller is no admin.
    """
    require_admin(principal, f"the list of snapshots of project {project}")
    return SnapshotFiles(ports.blobs, principal.scope(project)).all()


def take_snapshot(
    ports: Ports,
    principal: Principal,
    project: str,
    *,
    id: str | None = None,
    tell: Progress = ignore_progress,
) -> Snapshot:
    """Takes a snapshot of every record, with all its words and its vectors; then deletes outdated snapshots.

    A damaged record is left out and named: earlier snapshots have it still. A record written meanwhile is in it as it
    was before or after. Histories, verdicts and receipts are not part of it.

    Args:
        id: the snapshot's own, made by `snapshot_id`; a finished snapshot of this id is returned as it is.

    Raises:
        Forbidden: the caller is no admin.
        StoreUnavailable: records cannot be read, or blobs not written; then there is no snapshot.
    """
    require_admin(principal, f"a snapshot of project {project}")
    scope, now = principal.scope(project), ports.clock.now()
    files = SnapshotFiles(ports.blobs, scope)
    taken = files.manifest(id) if id is not None else None
    if taken is not None and taken.problem is None:
        return taken
    id = id or snapshot_id(now, ports.new_id("")[-8:])
    enter(ports, scope, principal.name, SNAPSHOT_TAKEN, about=id)
    policy = settings_to_keep(ports, scope)
    with closing(SnapshotTaking(ports, scope)) as taking:
        parts = tuple(files.write_parts(id, "part", _record_lines(ports, scope, taking, tell)))
        lists = tuple(files.write_parts(id, "list", taking.manifest_lines()))
        snapshot = Snapshot(
            id=id,
            created_at=now,
            by=principal.name,
            records=sum(part.lines for part in lists),
            bytes=sum(part.bytes for part in (*parts, *lists)),
            manifest=manifest_digest(taking.manifest_lines()),
            parts=parts,
            lists=lists,
            left_out=tuple(taking.left_out),
            left_out_count=taking.left_out_count,
            policy=policy_text(policy) if policy and policy.version else None,
        )
    files.finish(snapshot)
    remove_outdated_snapshots(files, now)
    return snapshot


def remove_outdated_snapshots(files: SnapshotFiles, now: datetime) -> list[str]:
    """Deletes snapshots older than KEPT_DAYS, but never the last good one nor the last whole one.

    Returns:
        Ids of the deleted snapshots.
    """
    there = files.all()
    good = [one.id for one in there if one.problem is None][:1]
    whole = [one.id for one in there if one.is_whole][:1]
    old = [
        one.id
        for one in there
        if is_outdated(one.id, now) and one.id not in (*good, *whole) and not one.is_unreadable
    ]
    abandoned = [id for id in files.unfinished() if time_of(id) + ABANDONED_AFTER < now]
    for id in (*old, *abandoned):
        files.delete(id)
    return [*old, *abandoned]


def _record_lines(ports: Ports, scope: Scope, taking: SnapshotTaking, tell: Progress) -> Iterator[str]:
    done = 0
    for page in kept_records(ports.store.integrity, scope, with_history=False):
        yield from taking.record_lines(page)
        done += len(page)
        tell(done, done)


def settings_to_keep(ports: Ports, scope: Scope) -> Policy | None:
    """Settings to store; None for damaged ones: they are not sealed as good."""
    try:
        return ports.store.projects.policy(scope)
    except DamagedSettings:
        return None
