"""Sweep that takes snapshots of changed projects, and removes outdated ones (SPEC 8.4)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.domain.integrity.snapshot import Snapshot
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import policy_text
from memory_layer.errors import DamagedSettings, MemoryLayerError, Unavailable
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.erasure_ledger import ErasureLedger
from memory_layer.usecases.sweeps.step import Step, StepReport, SweepWalk, over_projects
from memory_layer.usecases.transfer.snapshot_files import SnapshotFiles
from memory_layer.usecases.transfer.snapshot_in_steps import take_snapshot_step
from memory_layer.usecases.transfer.take_snapshot import remove_outdated_snapshots

NAMED_MAX: Final = 10
TAKEN, REMOVED = "snapshots taken", "snapshots removed"

SNAPSHOT_LOOKBACK: Final = timedelta(minutes=10)
"""Look-back before the last snapshot: a change bears the time of its decision, and may have been written later."""


def snapshot_part(ports: Ports, walk: SweepWalk, scope: Scope) -> StepReport:
    """Takes the next part of a changed project's snapshot: `SweepWalk.cursor` is the id of the one that is begun."""
    try:
        if walk.cursor is None and not _is_due(ports, walk, scope):
            return _unchanged(ports, walk, scope)
        if walk.is_dry_run:
            return StepReport(None, 1, {TAKEN: 1})
        step = take_snapshot_step(ports, _sweeper(walk, scope), scope.project, walk.cursor)
    except Unavailable:
        raise
    except MemoryLayerError as error:
        return StepReport(None, 1, failed=(f"{scope.project}: no snapshot: {error.detail}",))
    if step.taken is None:
        return StepReport(step.next_id)
    return StepReport(None, 1, {TAKEN: 1}, tuple(_left_out(scope, step.taken)))


def _is_due(ports: Ports, walk: SweepWalk, scope: Scope) -> bool:
    return _is_changed(ports, scope, SnapshotFiles(ports.blobs, scope).all(), walk.at)


def _unchanged(ports: Ports, walk: SweepWalk, scope: Scope) -> StepReport:
    """Removes the outdated snapshots of a project that has not changed since its last one."""
    files = SnapshotFiles(ports.blobs, scope)
    removed = [] if walk.is_dry_run else remove_outdated_snapshots(files, walk.at)
    return StepReport(None, 1, {REMOVED: len(removed)} if removed else {})


def _left_out(scope: Scope, taken: Snapshot) -> Iterator[str]:
    """Sentence about the records that a snapshot left out, with the first of them."""
    if taken.left_out_count:
        named = ", ".join(taken.left_out[:NAMED_MAX])
        more = "" if taken.left_out_count <= NAMED_MAX else f" and {taken.left_out_count - NAMED_MAX} more"
        yield (
            f"{scope.project}: damaged and not in snapshot {taken.id}: {named}{more};"
            f" run: mem verify -p {scope.project}"
        )


def _is_changed(ports: Ports, scope: Scope, there: list[Snapshot], now: datetime) -> bool:
    """True if a project changed since its last snapshot; one dated in the future, by another clock, does not count."""
    last = next((one for one in there if one.problem is None and one.created_at <= now), None)
    if last is None:
        page = ports.store.memories.every(scope, after=None, limit=1)
        return bool(page.memories or page.unread or page.frozen)
    since = last.created_at - SNAPSHOT_LOOKBACK
    return (
        ports.store.sweeps.written_since(scope, since)
        or ErasureLedger(ports.blobs, scope).has_since(since)
        or _settings(ports, scope) != last.policy
    )


def _settings(ports: Ports, scope: Scope) -> str | None:
    """Settings as the text that a snapshot holds; None: defaults or damaged ones."""
    try:
        policy = ports.store.projects.policy(scope)
    except DamagedSettings:
        return None
    return policy_text(policy) if policy.version else None


def _sweeper(walk: SweepWalk, scope: Scope) -> Principal:
    return Principal(tenant=scope.tenant, subject=walk.by, roles=frozenset({"admin"}))


snapshot_projects: Step = over_projects(snapshot_part)
