"""Verifications, snapshots and restorations that take longer than a caller waits."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from memory_layer.domain.integrity.snapshot import snapshot_id
from memory_layer.edge.operations.jobs import Job, done_at_once
from memory_layer.edge.shapes.snapshot_answers import restored_json, snapshot_json, verified_json
from memory_layer.ports.process import Ports
from memory_layer.usecases.transfer.restore_snapshot import restore_snapshot
from memory_layer.usecases.transfer.take_snapshot import take_snapshot
from memory_layer.usecases.transfer.verify import verify

VERIFY: Final = "verify"
SNAPSHOT: Final = "snapshot"
RESTORE: Final = "restore"


def run_verify(ports: Ports, job: Job) -> dict[str, Any]:
    """Reads every record against its digest; a second run reads them again."""
    return verified_json(verify(ports, job.principal, job.project, tell=job.tell))


def run_snapshot(ports: Ports, job: Job) -> dict[str, Any]:
    """Takes a snapshot under an id of the operation's own: a second run writes the same blobs, or finds it taken."""
    id = snapshot_id(job.operation.created_at, job.operation.id[-8:])
    return snapshot_json(take_snapshot(ports, job.principal, job.project, id=id, tell=job.tell))


def run_restore(ports: Ports, job: Job) -> Mapping[str, Any]:
    """Writes each record that differs from the snapshot."""
    id, is_dry_run = job.arguments["snapshot"], job.arguments["is_dry_run"]
    restoring = partial(restore_snapshot, is_dry_run=is_dry_run, tell=job.tell)
    return done_at_once(
        ports,
        job,
        lambda within: restored_json(restoring(within, job.principal, job.project, id)),
        is_dry_run=is_dry_run,
    )
