"""Operations: work that outlives its request, accepted, done in the background, queried at /v1/operations.

Accepted work outlives the process: its arguments lie in a blob until the operation has ended.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.memory import Scope
from memory_layer.edge.http.principals import claims_of
from memory_layer.edge.shapes.answers import to_text
from memory_layer.edge.shapes.problems import problem
from memory_layer.errors import Forbidden, KeyReused, MemoryLayerError, NotFound, Unavailable
from memory_layer.ports.commit import ANSWER_LIFETIME
from memory_layer.ports.event_kinds import OPERATION_ACCEPTED as OPERATION_ACCEPTED
from memory_layer.ports.process import NewId, Ports
from memory_layer.ports.records import Operation
from memory_layer.usecases.ground.export_copies import COPIES_MAX, LIFETIME, ExportCopy, forget_old_copies
from memory_layer.usecases.ground.idempotency import storage_key
from memory_layer.usecases.ground.project_pages import Progress
from memory_layer.usecases.transfer.all_or_nothing import all_or_nothing

RESULTS_PREFIX: Final = "operations/results/"
"""Prefix of results, kept as long as an export's parts; the bucket's own rule ends them in any case."""

RESULT_MAX_BYTES: Final = 100_000
"""Largest result in the record, as JSON; an item of the cloud's table holds 400 KB."""

KEPT_IN: Final = "kept_in"
"""Member that stands in the place of a larger result: the name of its blob."""

LONGEST_RUN: Final = timedelta(minutes=30)
"""Three attempts of the function that carries operations out."""

SEEN_BY: Final = "seen_by"
"""Member of an export's result: its requester, who may have fewer rights when it is fetched."""

PROJECT: Final = "project"
"""Member of an export's result: the project of its parts."""

UNAVAILABLE: Final = 503


@dataclass(frozen=True, slots=True)
class Ticket:
    """Id for the work of a request: the same for the same idempotency key."""

    id: str
    fingerprint: str
    key: str | None

    @property
    def blob(self) -> str:
        return f"operations/{self.id}/{self.fingerprint}.json"


def ticket(new_id: NewId, holder: str, path: str, fingerprint: str, key: str | None) -> Ticket:
    """Ticket of a request. Args: fingerprint: of the whole request: the same key with another one is a mistake."""
    id = new_id("op_") if key is None else f"op_{storage_key(holder, f'operation {path}', key)[:32]}"
    return Ticket(id, fingerprint, key)


def known_operation(ports: Ports, principal: Principal, ticket: Ticket) -> Operation | None:
    """Operation that this very request began before; resumed if a part that was down ended it.

    Raises:
        KeyReused: the key came with another request.
        Unavailable: it cannot be taken up yet.
    """
    now = ports.clock.now()
    known = ports.store.requests.operation(principal.tenant, ticket.id)
    if known is not None and known.status != "running" and known.created_at + ANSWER_LIFETIME <= now:
        return None  # the key is forgotten by now, as those of other requests are
    if known is not None and known.input != ticket.blob:
        raise KeyReused(
            f"idempotency key {ticket.key!r} was used for another request; use a new key for a new one"
        )
    if known is not None and _was_held_up(known, now):
        known = replace(known, status="running", problem=None)
        _begin(ports, known)
    return known


def _was_held_up(operation: Operation, now: datetime) -> bool:
    """Tells if it failed for a part that was down, or runs for too long for anybody to be at it still."""
    if operation.status == "running":
        return operation.created_at + LONGEST_RUN < now
    return operation.status == "failed" and is_unavailable(operation.problem)


def is_unavailable(problem: Mapping[str, Any] | None) -> bool:
    """Tells if a problem is worth another attempt."""
    return problem is not None and problem["status"] == UNAVAILABLE


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """Work to do. `arguments` are JSON, and lie on a disk: no secret is in them. `total`: an estimate of its size."""

    kind: str
    project: str
    arguments: Mapping[str, Any]
    total: int = 0


def accept(ports: Ports, principal: Principal, ticket: Ticket, work: Work) -> Operation:
    """Keeps the work as an operation and leaves it to the bus."""
    speaker = {"claims": claims_of(principal), "user": principal.user}
    kept = {**speaker, "project": work.project, "arguments": work.arguments}
    ports.blobs.put(ticket.blob, to_text(kept).encode())
    operation = Operation(
        id=ticket.id,
        tenant=principal.tenant,
        principal=principal.holder,
        kind=work.kind,
        status="running",
        done=0,
        total=work.total,
        created_at=ports.clock.now(),
        input=ticket.blob,
    )
    _begin(ports, operation)
    return operation


def _begin(ports: Ports, operation: Operation) -> None:
    """Publishes the operation to the bus. Raises: Unavailable: the bus is down; the same key resumes it."""
    ports.store.requests.put_operation(operation)
    try:
        resume(ports, operation)
    except Unavailable as error:
        ports.store.requests.put_operation(
            replace(operation, status="failed", problem=problem_of(operation, error))
        )
        raise


def problem_of(operation: Operation, error: MemoryLayerError) -> dict[str, Any]:
    return problem(error, instance=f"/v1/operations/{operation.id}", request_id=operation.id)


def kept_result(ports: Ports, operation: Operation, result: Mapping[str, Any]) -> Mapping[str, Any]:
    """Result as the operation may carry it: a large one lies beside it."""
    text = to_text(result).encode()
    if len(text) <= RESULT_MAX_BYTES:
        return result
    key = f"{RESULTS_PREFIX}{operation.created_at:%Y-%m-%d}/{operation.id}.json"
    ports.blobs.put(key, text)
    return {KEPT_IN: key}


def with_result(ports: Ports, operation: Operation) -> Operation:
    """Operation with its whole result; a large one is no more than a sentence after a week."""
    key = (operation.result or {}).get(KEPT_IN)
    if key is None:
        return operation
    text = ports.blobs.get(key)
    gone = {"note": f"so long a result is kept {LIFETIME.days} days; what was stored stays stored"}
    return replace(operation, result=gone if text is None else json.loads(text))


def resume(ports: Ports, operation: Operation) -> None:
    """Has an unfinished operation carried out."""
    ports.bus.publish(OPERATION_ACCEPTED, {"tenant": operation.tenant, "operation_id": operation.id})


@dataclass(frozen=True, slots=True)
class Job:
    """Operation as its runner sees it. Args: succeeded: the operation as it ends with a result."""

    operation: Operation
    principal: Principal
    project: str
    arguments: Mapping[str, Any]
    tell: Progress
    succeeded: Callable[[Mapping[str, Any]], Operation]


def done_at_once(
    ports: Ports, job: Job, work: Callable[[Ports], Mapping[str, Any]], *, is_dry_run: bool
) -> Mapping[str, Any]:
    """Does the work of an operation all or nothing, its end included: a run after a kill counts nothing anew."""
    if is_dry_run:
        return work(ports)

    def concluded(within: Ports) -> Mapping[str, Any]:
        result = work(within)
        within.store.requests.put_operation(job.succeeded(result))
        return result

    return all_or_nothing(ports, concluded)


def operation_export(ports: Ports, operation: Operation, project: str) -> ExportCopy:
    """Blobs in which an operation keeps its export of a project."""
    return ExportCopy(ports.blobs, Scope(operation.tenant, project), operation.id, operation.created_at)


def read_part(ports: Ports, operation: Operation, number: int, viewer: Viewer) -> tuple[str, bytes]:
    """Format and body of a part.

    Raises:
        NotFound: there is none, or no more.
        Forbidden: its requester saw more than this viewer may see now.
    """
    seen_by = (operation.result or {}).get(SEEN_BY, {})
    made_for = Viewer(frozenset(seen_by.get("personas", ())), seen_by.get("all_personas", False))
    if operation.result and not viewer.sees_all_personas and viewer != made_for:
        raise Forbidden(
            f"operation {operation.id} was begun with other rights; export again with those of now"
        )
    body, result = None, operation.result or {}
    if PROJECT in result and operation.created_at + LIFETIME > ports.clock.now():
        body = operation_export(ports, operation, result[PROJECT]).part(number)
    if body is None:
        raise NotFound(
            f"operation {operation.id} has no part {number}; parts are there from when it has succeeded, for "
            f"{LIFETIME.days} days, unless {COPIES_MAX} later exports or an erasure ended them: export again"
        )
    return result["format"], body


def forget_old_parts(ports: Ports) -> None:
    """Deletes parts that nobody can fetch any more: by the day that is in their name."""
    now = ports.clock.now()
    forget_old_copies(ports.blobs, now)
    oldest = f"{RESULTS_PREFIX}{now - LIFETIME:%Y-%m-%d}"
    for key in ports.blobs.keys(RESULTS_PREFIX):
        if key < oldest:
            ports.blobs.delete(key)
