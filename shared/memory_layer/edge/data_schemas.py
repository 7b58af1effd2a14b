"""What callers may ask of the data of a project."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, Strict

from memory_layer.domain.prune_rule import PruneRule
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.edge.shapes.requests import PROJECT

Share = Annotated[float, Strict(), Field(ge=0, le=1)]
DAYS_MAX = 36_500


class MergeRequest(BaseModel):
    """Which project is brought into this one."""

    model_config = REFUSE_UNKNOWN
    source: Annotated[str, Field(alias="from", pattern=PROJECT)]
    dry_run: Annotated[bool, Strict()] = False


class PruneRequest(BaseModel):
    """What to archive: memories of which all that is given holds.

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
