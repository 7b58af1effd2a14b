"""Erasures: their requests, their receipts, and those that take longer than a caller waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, model_validator

from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.domain.memory import LABEL_MAX_CHARS
from memory_layer.domain.remedies import give
from memory_layer.edge.operations.jobs import Job
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.edge.shapes.problems import refused
from memory_layer.edge.shapes.requests import DryRun
from memory_layer.ports.process import Ports
from memory_layer.usecases.transfer.erase import ErasureReceipt, erase

ERASE: Final = "erase"

Name = Annotated[str, Field(min_length=1, max_length=LABEL_MAX_CHARS)]


class ErasureRequest(BaseModel):
    """Memories to erase: those of an author or those of an entity, one of the two."""

    model_config = REFUSE_UNKNOWN
    created_by: Annotated[Name | None, Field(description="Whose memories, runs, receipts and notes.")] = None
    entity: Annotated[Name | None, Field(description="The URN that the memories name.")] = None
    dry_run: DryRun = False

    @model_validator(mode="after")
    def _asks_for_one(self) -> ErasureRequest:
        if (self.created_by is None) == (self.entity is None):
            reason = "one of the two says what to erase; a whole project is erased by DELETE of the project"
            raise refused(reason, give("/created_by"), give("/entity"))
        return self

    def rule(self) -> ErasureRule:
        return ErasureRule(created_by=self.created_by, entity=self.entity)


def receipt_json(receipt: ErasureReceipt) -> dict[str, Any]:
    return document(receipt)


def erasure_arguments(rule: ErasureRule, *, is_dry_run: bool) -> dict[str, Any]:
    """Arguments of `run_erasure`."""
    return {"rule": asdict(rule), "is_dry_run": is_dry_run}


def run_erasure(ports: Ports, job: Job) -> Mapping[str, Any]:
    """Erases under an id of the operation's own: a second run goes on with the same erasure."""
    receipt = erase(
        ports,
        job.principal,
        job.project,
        ErasureRule(**job.arguments["rule"]),
        id=job.operation.id.replace("op_", "ers_", 1),
        began_at=job.operation.created_at,
        is_dry_run=job.arguments["is_dry_run"],
        tell=job.tell,
    )
    return receipt_json(receipt)
