"""Create or replace of a memory under the caller's own id."""

from collections.abc import Mapping
from dataclasses import MISSING
from dataclasses import fields as fields_of
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory
from memory_layer.domain.remedies import omit
from memory_layer.domain.text.classification import first_sentence
from memory_layer.errors import (
    Conflict,
    Forbidden,
    IdJustTaken,
    IdTaken,
    Invalid,
    NotFound,
    StaleVersion,
    Violation,
)
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import check_version, get_changeable, retry_on_conflict
from memory_layer.usecases.ground.queries import get_memory, may_read
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.take_over import may_take_over, take_over

PROVENANCE_FIELDS = frozenset({"source", "source_run_id", "source_runs", "source_recall_id"})
"""Provenance fields, set by the first write; a replacement changes the content, not its provenance."""

RESET_FIELDS = (
    "detail",
    "context",
    "tags",
    "entities",
    "relations",
    "success_rate",
    "valid_from",
    "valid_to",
)
"""Fields that a replacement resets if it does not name them."""


def put_memory(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    said: Mapping[str, Any],
    *,
    expected: int | None = None,
) -> StoredMemory:
    """Creates the record or replaces what it says; an archived record is in use again.

    Evidence and approval stay; so does the status, stale or inactive, that it had before it expired. Under an id that
    an agent took first, what a person says is a new memory (`take_over`).

    Raises:
        StaleVersion: If-Match was sent, and there is no record.
        Conflict: the record was superseded or rejected; or the id belongs to a record hidden from this caller.
        Forbidden, Invalid: as `remember` and `revise`; or the request names another provenance.
    """
    return retry_on_conflict(lambda: _put(ports, principal, project, id, said, expected))


def _put(
    ports: Ports, principal: Principal, project: str, id: str, said: Mapping[str, Any], expected: int | None
) -> StoredMemory:
    try:
        memory = get_changeable(ports, principal, project, id, expected)
    except NotFound:
        return _create(ports, principal, project, id, said, expected)
    except Forbidden:
        held = get_memory(ports, principal, project, id)
        if not may_take_over(principal, held):
            raise
        check_version(held, expected)
        return take_over(ports, principal, held, said)
    if memory.status in ("superseded", "rejected"):
        raise Conflict(f"{id} is {memory.status}; {_WAY_ON[memory.status]}")
    _refuse_other_origin(memory, said)
    replaced = {name: value for name, value in said.items() if name not in PROVENANCE_FIELDS}
    summary = {"summary": said.get("summary") or first_sentence(said["content"])}
    fields = {**_defaults(), **replaced, **summary}
    revised = revise(ports, principal, project, id, fields, expected=expected, revives=True)
    return StoredMemory(revised.memory, revised.redacted, is_new=False, proposed_for=revised.proposed_for)


def _refuse_other_origin(memory: Memory, said: Mapping[str, Any]) -> None:
    other = tuple(
        Violation(
            f"/{name}",
            "where a memory came from is said with its first write",
            remedies=(omit(f"/{name}"),),
        )
        for name in sorted(PROVENANCE_FIELDS & said.keys())
        if said[name] != getattr(memory, name)
    )
    if other:
        raise Invalid.each(other)


_WAY_ON = {
    "superseded": "change its successor instead, or undo that first",
    "rejected": "store what is right under another id, or ask a reviewer to undo that",
}


def _create(
    ports: Ports, principal: Principal, project: str, id: str, said: Mapping[str, Any], expected: int | None
) -> StoredMemory:
    """Creates a record under the caller's id, which asks for a record of its own: twins do not matter."""
    if expected is not None:
        raise StaleVersion(f"there is no memory {id} to replace; send it without If-Match to store it")
    found = ports.store.memories.get(principal.scope(project), id, with_body=False)
    if (
        found is not None
    ):  # stored since it was looked for; or hidden: the same words, so that they give nothing away
        raise IdJustTaken(id) if may_read(principal, found) else IdTaken(id)
    stored = remember(
        ports,
        principal,
        project,
        RememberRequest(fields={**said, "id": id}, on_duplicate="create", is_said_now=True),
    )
    if isinstance(stored, IdempotencyRecord):
        raise TypeError("a PUT has no idempotency key")
    return stored


def _defaults() -> dict[str, Any]:
    return {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields_of(Memory)
        if field.name in RESET_FIELDS
    }
