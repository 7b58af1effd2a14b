"""Work that outlives its request: accepted, done behind, asked about at /v1/operations.

What is accepted outlives the process: what is to be done lies in a blob until the operation has ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from memory_layer.domain.access import Principal
from memory_layer.edge.answers import to_text
from memory_layer.edge.claims import claims_of
from memory_layer.errors import KeyReused, NotFound
from memory_layer.ports import NewId, Operation, Ports
from memory_layer.usecases.idempotency import storage_key
from memory_layer.usecases.progress import Progress

OPERATION_ACCEPTED: Final = "operation.accepted"
"""Published with `tenant` and `operation_id`; a repeated or resumed run does nothing twice."""

PARTS_PREFIX: Final = "operations/parts/"
PART_LIFETIME: Final = timedelta(days=7)
"""What an operation made for its caller to fetch is kept that long; the bucket's own rule ends it in any case."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """Under which id the work of a request goes: the same for the same idempotency key."""

    id: str
    fingerprint: str
    key: str | None

    @property
    def blob(self) -> str:
        return f"operations/{self.id}/{self.fingerprint}.json"


def ticket(new_id: NewId, principal: str, path: str, fingerprint: str, key: str | None) -> Ticket:
    """Args: fingerprint: of the whole request: the same key with another one is a mistake."""
    id = new_id("op_") if key is None else f"op_{storage_key(principal, f'operation {path}', key)[:32]}"
    return Ticket(id, fingerprint, key)


def known_operation(ports: Ports, principal: Principal, ticket: Ticket) -> Operation | None:
    """The operation that this very request began before.

    Raises:
        KeyReused: the key came with another request.
    """
    known = ports.store.operation(principal.tenant, ticket.id)
    if known is not None and known.input != ticket.blob:
        raise KeyReused(
            f"idempotency key {ticket.key!r} was used for another request; use a new key for a new one"
        )
    return known


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What is to be done. `arguments` are JSON, and lie on a disk: no secret is in them. `total`: what of, about."""

    kind: str
    project: str
    arguments: Mapping[str, Any]
    total: int = 0


def accept(ports: Ports, principal: Principal, ticket: Ticket, work: Work) -> Operation:
    """Keep the work as an operation and leave it to the bus."""
    kept = {"claims": claims_of(principal), "project": work.project, "arguments": work.arguments}
    ports.blobs.put(ticket.blob, to_text(kept).encode())
    operation = Operation(
        id=ticket.id,
        tenant=principal.tenant,
        principal=principal.name,
        kind=work.kind,
        status="running",
        done=0,
        total=work.total,
        created_at=ports.clock.now(),
        input=ticket.blob,
    )
    ports.store.put_operation(operation)
    resume(ports, operation)
    return operation


def resume(ports: Ports, operation: Operation) -> None:
    """Have an operation that is not at its end carried out."""
    ports.bus.publish(OPERATION_ACCEPTED, {"tenant": operation.tenant, "operation_id": operation.id})


@dataclass(frozen=True, slots=True)
class Job:
    """An operation as whoever carries it out sees it."""

    operation: Operation
    principal: Principal
    project: str
    arguments: Mapping[str, Any]
    tell: Progress


def part_key(operation: Operation, number: int) -> str:
    """Where a part of an operation's result lies. The day stands first, so that old ones are found by their names."""
    return f"{PARTS_PREFIX}{operation.created_at:%Y-%m-%d}/{operation.id}/{number}"


def read_part(ports: Ports, operation: Operation, number: int) -> tuple[str, bytes]:
    """Format and body of a part.

    Raises:
        NotFound: there is none, or no more.
    """
    body = None
    if operation.created_at + PART_LIFETIME > ports.clock.now():
        body = ports.blobs.get(part_key(operation, number))
    if body is None or operation.result is None:
        raise NotFound(
            f"operation {operation.id} has no part {number}; parts are kept {PART_LIFETIME.days} days, "
            "from when the operation has succeeded"
        )
    return operation.result["format"], body


def forget_old_parts(ports: Ports) -> None:
    """Delete what nobody can fetch any more: by the day that is in its name."""
    oldest = f"{PARTS_PREFIX}{ports.clock.now() - PART_LIFETIME:%Y-%m-%d}"
    for key in ports.blobs.keys(PARTS_PREFIX):
        if key < oldest:
            ports.blobs.delete(key)
