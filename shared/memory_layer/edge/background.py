"""Batches that somebody does not want to wait for: accepted, done behind, asked about at /v1/operations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.edge.claims import principal_of
from memory_layer.edge.lines import Posted, good_lines, read_lines, tell_lines
from memory_layer.edge.problems import problem
from memory_layer.edge.schemas import BatchLine
from memory_layer.errors import MemoryLayerError, Unavailable
from memory_layer.ports import Operation, Ports
from memory_layer.usecases.remember import remember_many

BATCH_ACCEPTED = "batch.accepted"
"""Published with the operation's id, the caller's claims, the project and the posted lines."""


def accept_batch(ports: Ports, principal: Principal, project: str, posted: Posted) -> Operation:
    """Note a batch as an operation and leave the work to the bus.

    Raises:
        Malformed, TooLarge: as `read_lines`; what is wrong with one line is told in the result.
    """
    total = len(read_lines(posted, BatchLine))
    operation = Operation(
        id=ports.new_id("op_"),
        tenant=principal.tenant,
        principal=principal.name,
        kind="memories:batch",
        status="running",
        done=0,
        total=total,
        created_at=ports.clock.now(),
    )
    ports.store.put_operation(operation)
    claims = {
        "tenant": principal.tenant,
        "sub": principal.subject,
        "email": principal.email,
        "persona": principal.persona,
        "roles": sorted(principal.roles),
    }
    detail = {"operation_id": operation.id, "claims": claims, "project": project, "posted": asdict(posted)}
    ports.bus.publish(BATCH_ACCEPTED, detail)
    return operation


def run_batch(ports: Ports, detail: Mapping[str, Any]) -> None:
    """Do what `accept_batch` promised, and say so in the operation."""
    principal, posted = principal_of(detail["claims"]), Posted(**detail["posted"])
    operation = ports.store.operation(principal.tenant, detail["operation_id"])
    if operation is None:
        raise Unavailable(f"operation {detail['operation_id']} is not in the store")
    try:
        lines = read_lines(posted, BatchLine)
        results = remember_many(ports, principal, detail["project"], good_lines(lines))
        told = {"results": tell_lines(posted, lines, results)}
        ended = replace(operation, status="succeeded", done=operation.total, result=told)
    except MemoryLayerError as error:
        found = problem(error, instance=posted.path, request_id=posted.request_id)
        ended = replace(operation, status="failed", problem=found)
    ports.store.put_operation(ended)
