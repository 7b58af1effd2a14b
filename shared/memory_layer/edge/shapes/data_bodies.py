"""Bodies of exports, imports, merges and prunings: their requests, and their results as JSON and described."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, Field, Strict

from memory_layer.domain.prune_rule import PruneMatch, PruneRule
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.edge.shapes.requests import PROJECT, DryRun
from memory_layer.usecases.transfer.foreign_file import ForeignTally
from memory_layer.usecases.transfer.import_project import ImportReport
from memory_layer.usecases.transfer.merge_projects import MergeReport
from memory_layer.usecases.transfer.prune import PruneReport

Share = Annotated[float, Strict(), Field(ge=0, le=1)]
DAYS_MAX = 36_500


class MergeRequest(BaseModel):
    """Project that is brought into this one."""

    model_config = REFUSE_UNKNOWN
    source: Annotated[
        str,
        Field(alias="from", pattern=PROJECT, description="The project that is brought into this one."),
    ]
    dry_run: DryRun = False


class PruneRequest(BaseModel):
    """Rule for archiving: a memory goes when all that is given holds of it; with `match` any, when one of these does.

    Below `min_confidence`; below `min_success_rate`, where there is one; not changed for more than
    `older_than_days`; `unused`: no outcome was ever reported. Approved and pinned memories stay unless included.
    """

    model_config = REFUSE_UNKNOWN
    min_confidence: Annotated[Share | None, Field(description="Those below it.")] = None
    min_success_rate: Annotated[
        Share | None, Field(description="Those below it, of those that have one.")
    ] = None
    older_than_days: Annotated[
        int | None,
        Strict(),
        Field(ge=0, le=DAYS_MAX, description="Those not changed for more than so many days."),
    ] = None
    unused: Annotated[bool, Strict(), Field(description="Those whose outcome nobody ever reported.")] = False
    match: Annotated[
        PruneMatch, Field(description="all: every condition given has to hold; any: one of them is enough.")
    ] = "all"
    include_approved: Annotated[bool, Strict(), Field(description="Approved ones too.")] = False
    include_pinned: Annotated[bool, Strict(), Field(description="Pinned ones too.")] = False
    dry_run: DryRun = False

    def rule(self) -> PruneRule:
        return PruneRule(**self.model_dump(exclude={"dry_run"}))


@dataclass(frozen=True, slots=True)
class RefusedRecord:
    """A record that may not come in, and the reason.

    Args:
        problem: why it may not come in, in words.
    """

    id: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeAnswer(MergeReport):
    """Counts of a merge.

    Args:
        from_: the project whose records came in.
        known: the id is there, or the evidence is.
        differing_ids: known, but saying something else here.
        refused_ids: the first 1,000.
        records: how many the other project has.
        copied: records that are new here.
        refused: records that may not come in.
    """

    from_: str
    refused_ids: Sequence[RefusedRecord]  # type: ignore[assignment]  # each with its reason by name


def foreign_json(tally: ForeignTally) -> dict[str, Any]:
    return document(tally)


def imported_json(imported: ImportReport) -> dict[str, Any]:
    return document(imported)


def merged_json(merged: MergeReport, other: str) -> dict[str, Any]:
    refused = [RefusedRecord(id, problem) for id, problem in merged.refused_ids]
    return document(answer_from(MergeAnswer, merged, from_=other, refused_ids=refused))


def pruned_json(pruned: PruneReport) -> dict[str, Any]:
    return document(pruned)
