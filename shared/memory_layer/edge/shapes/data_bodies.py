"""Bodies of exports, imports, merges and prunings: their requests, and their results as JSON and described."""

from dataclasses import asdict
from typing import Annotated, Any

from pydantic import BaseModel, Field, Strict

from memory_layer.domain.prune_rule import PruneRule
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.edge.shapes.requests import PROJECT
from memory_layer.usecases.transfer.import_project import ImportReport
from memory_layer.usecases.transfer.merge_projects import MergeReport
from memory_layer.usecases.transfer.prune import PruneReport

Share = Annotated[float, Strict(), Field(ge=0, le=1)]
DAYS_MAX = 36_500


class MergeRequest(BaseModel):
    """Project that is brought into this one."""

    model_config = REFUSE_UNKNOWN
    source: Annotated[str, Field(alias="from", pattern=PROJECT)]
    dry_run: Annotated[bool, Strict()] = False


class PruneRequest(BaseModel):
    """Rule for archiving: a memory goes when all that is given holds of it.

    Below `min_confidence`; below `min_success_rate`, where there is one; not changed for more than
    `older_than_days`; `unused`: no outcome was ever reported. Approved and pinned memories stay unless included.
    """

    model_config = REFUSE_UNKNOWN
    min_confidence: Share | None = None
    min_success_rate: Share | None = None
    older_than_days: Annotated[int, Strict(), Field(ge=0, le=DAYS_MAX)] | None = None
    unused: Annotated[bool, Strict()] = False
    include_approved: Annotated[bool, Strict()] = False
    include_pinned: Annotated[bool, Strict()] = False
    dry_run: Annotated[bool, Strict()] = False

    def rule(self) -> PruneRule:
        return PruneRule(**self.model_dump(exclude={"dry_run"}))


def imported_json(imported: ImportReport) -> dict[str, Any]:
    return _document(asdict(imported))


def merged_json(merged: MergeReport, other: str) -> dict[str, Any]:
    refused = [{"id": id, "problem": problem} for id, problem in merged.refused_ids]
    return {"from": other, **_document(asdict(merged)), "refused_ids": refused}


def pruned_json(pruned: PruneReport) -> dict[str, Any]:
    return _document(asdict(pruned))


def _document(fields: dict[str, Any]) -> dict[str, Any]:
    return {"dry_run": fields.pop("is_dry_run"), **fields}


class ImportAnswer(BaseModel):
    """Counts of an import. `skipped`: the id was there; `unchanged`: it said the same, where others are replaced;
    `erased`: left out, since it was erased here after it was exported; `shared_positions`: came in at a position of
    its conversation where another turn stands, of which the first 1,000 are named."""

    dry_run: bool
    records: int
    imported: int
    replaced: int
    skipped: int
    unchanged: int
    erased: int
    redacted: int
    redacted_ids: list[str]
    shared_positions: int
    shared_position_ids: list[str]


class RefusedRecord(BaseModel):
    id: str
    problem: str


class MergeAnswer(BaseModel):
    """Counts of a merge. `known`: the id is there, or the evidence is; `differing_ids`: known, but saying something
    else here."""

    dry_run: bool
    records: int
    copied: int
    merged: int
    known: int
    redacted: int
    refused: int
    differing_ids: list[str]
    refused_ids: list[RefusedRecord]


class PruneAnswer(BaseModel):
    """Archived memories; the ids are the first 1,000."""

    dry_run: bool
    matched: int
    archived: int
    ids: list[str]
