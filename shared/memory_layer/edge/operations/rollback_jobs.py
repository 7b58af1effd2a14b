"""Rollbacks: their requests, their receipts, and those that take longer than a caller waits."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field

from memory_layer.domain.fields import instant, rfc3339
from memory_layer.edge.operations.erasure_jobs import Name
from memory_layer.edge.operations.jobs import Job
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN, Instant
from memory_layer.edge.shapes.requests import DryRun
from memory_layer.ports.process import Ports
from memory_layer.usecases.review.rollback import RollbackReceipt, roll_back, undo_rollback

ROLLBACK: Final = "rollback"
ROLLBACK_UNDO: Final = "rollback_undo"


class RollbackRequest(BaseModel):
    """A principal, all that it did, and from when on."""

    model_config = REFUSE_UNKNOWN
    principal: Annotated[Name, Field(description="E-mail or subject of the token, as histories name it.")]
    since: Annotated[Instant | None, Field(description="From when on; omitted: all.")] = None
    dry_run: DryRun = False


def receipt_json(receipt: RollbackReceipt) -> dict[str, Any]:
    return document(receipt)


def rollback_arguments(principal: str, since: datetime | None, *, is_dry_run: bool) -> dict[str, Any]:
    """Arguments of `run_rollback`."""
    return {"principal": principal, "since": since and rfc3339(since), "is_dry_run": is_dry_run}


def run_rollback(ports: Ports, job: Job) -> Mapping[str, Any]:
    """Takes back under an id of the operation's own: a second run goes on with the same rollback."""
    since = job.arguments["since"]
    receipt = roll_back(
        ports,
        job.principal,
        job.project,
        job.arguments["principal"],
        id=job.operation.id.replace("op_", "rbk_", 1),
        since=since and instant(since),
        is_dry_run=job.arguments["is_dry_run"],
        tell=job.tell,
    )
    return receipt_json(receipt)


def run_rollback_undo(ports: Ports, job: Job) -> Mapping[str, Any]:
    """Brings back what a rollback took; a second run goes on."""
    receipt = undo_rollback(ports, job.principal, job.project, job.arguments["id"], tell=job.tell)
    return receipt_json(receipt)
