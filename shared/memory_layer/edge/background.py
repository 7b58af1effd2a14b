"""Batches that somebody does not want to wait for: accepted, done behind, asked about at /v1/operations.

What is accepted outlives the process: the lines lie in a blob, redacted, until the operation has ended.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from memory_layer.domain.access import Principal
from memory_layer.domain.policy import Policy
from memory_layer.domain.redaction import Finding, redact_json
from memory_layer.edge.answers import stored_answer, to_text
from memory_layer.edge.claims import claims_of, principal_of
from memory_layer.edge.lines import (
    Line,
    Posted,
    broken_line,
    good_lines,
    read_lines,
    refuse_reused_key,
    tell_line,
)
from memory_layer.edge.problems import document, problem
from memory_layer.edge.schemas import BatchLine, said
from memory_layer.errors import KeyReused, MemoryLayerError
from memory_layer.ports import Operation, Ports
from memory_layer.usecases.gate import admit
from memory_layer.usecases.idempotency import Once, storage_key
from memory_layer.usecases.remember import Asked, remember_many

BATCH_ACCEPTED = "batch.accepted"
"""Published with `tenant` and `operation_id`; a repeated or resumed run stores nothing twice."""

CHUNK_LINES = 100
"""Lines stored between two notes of how far the operation is."""

_log = logging.getLogger(__name__)


def accept_batch(ports: Ports, principal: Principal, project: str, posted: Posted) -> Operation:
    """Keep a batch as an operation and leave the work to the bus; the same key is the same operation.

    Raises:
        Malformed, TooLarge: as `read_lines`; what is wrong with one line is told in the result.
        KeyReused: the key came with another body.
    """
    id = ports.new_id("op_") if posted.key is None else _operation_id(posted, posted.key)
    blob = f"operations/{id}/{posted.fingerprint}.json"
    known = ports.store.operation(principal.tenant, id)
    if known is not None and known.input != blob:
        raise KeyReused(
            f"idempotency key {posted.key!r} was used for another batch; use a new key for a new one"
        )
    if known is not None:
        return known
    posted = replace(posted, key=posted.key or id)
    lines, policy = read_lines(posted, BatchLine), ports.store.policy(principal.scope(project))
    refuse_reused_key(ports, principal.scope(project), posted, lines)
    kept = [_kept(posted, line, policy) for line in lines]
    where = {
        "claims": claims_of(principal),
        "project": project,
        "posted": asdict(replace(posted, body="", key=None)),
    }
    ports.blobs.put(blob, to_text({**where, "lines": kept}).encode())
    operation = Operation(
        id=id,
        tenant=principal.tenant,
        principal=principal.name,
        kind="memories:batch",
        status="running",
        done=0,
        total=len(lines),
        created_at=ports.clock.now(),
        input=blob,
    )
    ports.store.put_operation(operation)
    resume(ports, operation)
    return operation


def resume(ports: Ports, operation: Operation) -> None:
    """Have an operation that is not at its end carried out."""
    ports.bus.publish(BATCH_ACCEPTED, {"tenant": operation.tenant, "operation_id": operation.id})


def run_batch(ports: Ports, detail: Mapping[str, Any]) -> None:
    """Do what `accept_batch` promised, and say in the operation how it ended."""
    operation = ports.store.operation(detail["tenant"], detail["operation_id"])
    if operation is None or operation.status != "running" or operation.input is None:
        return
    ports.store.put_operation(_carried_out(ports, operation, operation.input))
    ports.blobs.delete(operation.input)


def _carried_out(ports: Ports, operation: Operation, blob: str) -> Operation:
    try:
        return _stored(ports, operation, json.loads(ports.blobs.get(blob) or b"{}"))
    except MemoryLayerError as error:
        found = problem(error, instance=f"/v1/operations/{operation.id}", request_id=operation.id)
    except Exception:
        _log.exception("operation %s failed", operation.id)
        told = f"look for operation {operation.id} in the server's log; what was stored before stays stored"
        found = document(
            500,
            "internal",
            "Our mistake",
            told,
            instance=f"/v1/operations/{operation.id}",
            request_id=operation.id,
        )
    return replace(operation, status="failed", problem=found)


def _stored(ports: Ports, operation: Operation, work: Mapping[str, Any]) -> Operation:
    principal, posted = principal_of(work["claims"]), Posted(**work["posted"])
    told: list[dict[str, Any]] = []
    for start in range(0, len(work["lines"]), CHUNK_LINES):
        chunk = work["lines"][start : start + CHUNK_LINES]
        lines = [_line(operation, line) for line in chunk]
        results = iter(remember_many(ports, principal, work["project"], good_lines(lines)))
        told += _told(posted, start + 1, chunk, lines, results)
        operation = replace(operation, done=start + len(chunk))
        ports.store.put_operation(operation)
    return replace(operation, status="succeeded", result={"results": told})


def _told(
    posted: Posted,
    first: int,
    chunk: Sequence[Mapping[str, Any]],
    lines: Sequence[Line | None],
    results: Iterator[Any],
) -> Iterator[dict[str, Any]]:
    for number, (kept, line) in enumerate(zip(chunk, lines, strict=True), first):
        if line is None:
            yield {"line": number, "status": kept["problem"]["status"], "problem": kept["problem"]}
        else:
            told = tell_line(posted, number, next(results) if isinstance(line, Asked) else line)
            yield {**told, "problem": _storable(told["problem"])} if "problem" in told else told


def _kept(posted: Posted, line: Line, policy: Policy) -> dict[str, Any]:
    """A line as it may lie on a disk: its secrets taken out, or only what is wrong with it."""
    if isinstance(line, Asked):
        try:
            admitted = admit(line.fields, policy)
        except MemoryLayerError as error:
            line = error
        else:
            return {
                "fields": to_jsonable_python(admitted.fields),
                "on_duplicate": line.on_duplicate,
                "once": [line.once.key, line.once.fingerprint] if line.once else None,
                "redacted": [asdict(finding) for finding in admitted.redacted],
            }
    return {"problem": _storable(problem(line, instance=posted.path, request_id=posted.request_id))}


def _storable(found: dict[str, Any]) -> Any:
    """A problem without the secrets that its words repeat: an operation's result lies on a disk."""
    return redact_json(found, "secrets")[0]


def _line(operation: Operation, line: Mapping[str, Any]) -> Line | None:
    """What a kept line asks for, or why it cannot be done; None where its problem is kept instead of it."""
    if "problem" in line:
        return None
    try:
        return _asked(operation, line)
    except ValidationError as error:
        return broken_line(error)


def _asked(operation: Operation, line: Mapping[str, Any]) -> Asked:
    key, fingerprint = line["once"]
    return Asked(
        fields=said(BatchLine.model_validate(line["fields"])),
        on_duplicate=line["on_duplicate"],
        once=Once(key, operation.id, fingerprint, stored_answer),
        redacted=tuple(Finding(**finding) for finding in line["redacted"]),
    )


def _operation_id(posted: Posted, key: str) -> str:
    return f"op_{storage_key(posted.principal, f'operation {posted.path}', key)[:32]}"
