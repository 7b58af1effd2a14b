"""Results of verifications, snapshots and restorations, as JSON and described."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from memory_layer.domain.integrity.snapshot import Snapshot
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.usecases.transfer.restore_snapshot import RestoreReport
from memory_layer.usecases.transfer.snapshot_records import ListedIds
from memory_layer.usecases.transfer.verify import VerificationReport


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotAnswer:
    """Snapshot of a project.

    Args:
        left_out: the first 1,000 records that were damaged when it was taken.
        problem: the reason that keeps it from being restored.
        by: who took it.
        parts: number of files that it is kept in.
        manifest: SHA-256 of the project, as a verification tells it.
        left_out_count: number of the damaged records that it lacks.
        records: how many it holds.
        bytes: size of its files.
    """

    id: str
    created_at: datetime
    by: str
    records: int
    bytes: int
    parts: int
    manifest: str
    left_out_count: int
    left_out: Sequence[str]
    problem: str | None


@dataclass(frozen=True, slots=True)
class SnapshotsAnswer:
    """Snapshots, newest first.

    Args:
        snapshots: the newest first.
    """

    snapshots: Sequence[SnapshotAnswer]


@dataclass(frozen=True, slots=True)
class LaterRecords:
    """Records newer than the snapshot: those that it does not know, which stay, and those that were put back.

    Args:
        created: records that it does not know; they stay.
        changed: records that were changed since; they were put back.
    """

    created: ListedIds
    changed: ListedIds


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreAnswer:
    """Result of a restoration.

    Args:
        left_out: records that were damaged in the snapshot's time.
        restored: records that said something else.
        recreated: records that were not there.
        erased: records that were erased since, and stay so.
        snapshot: id of the snapshot.
        records: how many it holds.
        unchanged: records that said the same.
        settings: they were kept, or restored as well.
    """

    snapshot: str
    is_dry_run: bool
    records: int
    left_out: int
    restored: int
    recreated: int
    unchanged: int
    erased: int
    settings: Literal["kept", "restored"]
    after: LaterRecords


def verified_json(verified: VerificationReport) -> dict[str, Any]:
    return document(verified)


def snapshot_json(snapshot: Snapshot) -> dict[str, Any]:
    return document(_answer(snapshot))


def snapshots_json(snapshots: Iterable[Snapshot]) -> dict[str, Any]:
    return document(SnapshotsAnswer([_answer(one) for one in snapshots]))


def _answer(snapshot: Snapshot) -> SnapshotAnswer:
    return answer_from(SnapshotAnswer, snapshot, parts=len(snapshot.parts))


def restored_json(restored: RestoreReport) -> dict[str, Any]:
    after = LaterRecords(restored.created_after, restored.changed_after)
    return document(answer_from(RestoreAnswer, restored, after=after))
