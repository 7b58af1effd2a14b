"""Results of verifications, snapshots and restorations, as JSON and described."""

from dataclasses import asdict
from typing import Any, Literal

from pydantic import BaseModel

from memory_layer.domain.fields import rfc3339
from memory_layer.domain.integrity.snapshot import Snapshot
from memory_layer.domain.integrity.verification import Part
from memory_layer.usecases.transfer.restore_snapshot import RestoreReport
from memory_layer.usecases.transfer.snapshot_records import ListedIds
from memory_layer.usecases.transfer.verify import VerificationReport


def verified_json(verified: VerificationReport) -> dict[str, Any]:
    return asdict(verified)


def snapshot_json(snapshot: Snapshot) -> dict[str, Any]:
    return {
        "id": snapshot.id,
        "created_at": rfc3339(snapshot.created_at),
        "by": snapshot.by,
        "records": snapshot.records,
        "bytes": snapshot.bytes,
        "parts": len(snapshot.parts),
        "manifest": snapshot.manifest,
        "left_out_count": snapshot.left_out_count,
        "left_out": list(snapshot.left_out),
        "problem": snapshot.problem,
    }


def restored_json(restored: RestoreReport) -> dict[str, Any]:
    document = asdict(restored)
    after = {"created": _listed_json(restored.created_after), "changed": _listed_json(restored.changed_after)}
    del document["created_after"], document["changed_after"]
    return {"dry_run": document.pop("is_dry_run"), **document, "after": after}


def _listed_json(listed: ListedIds) -> dict[str, Any]:
    return {"count": listed.count, "ids": listed.ids}


class BrokenAnswer(BaseModel):
    """Defect and its place; `id` is that of the part (a memory, a run…), empty for the storage as a whole."""

    id: str
    version: int | None
    part: Part
    what: str


class VerifyAnswer(BaseModel):
    """Verification: the first 10,000 defects; `unsealed` is older than digests; `manifest` is the project's SHA-256.

    `compared_with`: the snapshot whose records all had to be there still.
    """

    is_valid: bool
    checked: int
    unsealed: int
    broken: list[BrokenAnswer]
    broken_count: int
    manifest: str
    compared_with: str | None


class SnapshotAnswer(BaseModel):
    """Snapshot; `left_out`: the first 1,000 records that were damaged; `problem`: why it cannot be restored."""

    id: str
    created_at: str
    by: str
    records: int
    bytes: int
    parts: int
    manifest: str
    left_out_count: int
    left_out: list[str]
    problem: str | None


class SnapshotsAnswer(BaseModel):
    """Snapshots, newest first."""

    snapshots: list[SnapshotAnswer]


class ListedAnswer(BaseModel):
    """Number of records; the ids are the first 1,000."""

    count: int
    ids: list[str]


class AfterAnswer(BaseModel):
    """Records newer than the snapshot: those that it does not know, which stay, and those that were put back."""

    created: ListedAnswer
    changed: ListedAnswer


class RestoreAnswer(BaseModel):
    """Result of a restoration. `restored`: said something else; `recreated`: were not there; `erased`: were erased
    since, and stay so; `left_out`: were damaged in the snapshot's time."""

    snapshot: str
    dry_run: bool
    records: int
    left_out: int
    restored: int
    recreated: int
    unchanged: int
    erased: int
    settings: Literal["kept", "restored"]
    after: AfterAnswer
