"""Store a memory under the caller's own id, or replace what the one there says."""

from collections.abc import Mapping
from dataclasses import MISSING
from dataclasses import fields as fields_of
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory
from memory_layer.domain.text.classification import first_sentence
from memory_layer.errors import Conflict, IdTaken, Invalid, NotFound, StaleVersion, Violation
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import get_changeable, until_written
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from memory_layer.usecases.write.revise import revise

ORIGIN = frozenset({"source", "source_run_id", "source_runs", "source_recall_id"})
"""Said with the first write; a replacement changes what is said, not where it once came from."""

RESET = ("detail", "context", "tags", "entities", "relations", "success_rate", "valid_from", "valid_to")
"""What a replacement that does not mention it takes away again."""


def put_memory(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    said: Mapping[str, Any],
    *,
    expected: int | None = None,
) -> StoredMemory:
    """After it the record says what was sent, whether or not there was one before; an archived one is in use again.

    Evidence and approval stay; so does what it was before it expired, stale or inactive.

    Raises:
        StaleVersion: If-Match was sent, and there is no record.
        Conflict: the record was superseded or rejected; or the id is one that this caller may not know of.
        Forbidden, Invalid: as `remember` and `revise`; or it is said to come from elsewhere than it did.
    """
    return until_written(lambda: _put(ports, principal, project, id, said, expected))


def _put(
    ports: Ports, principal: Principal, project: str, id: str, said: Mapping[str, Any], expected: int | None
) -> StoredMemory:
    try:
        memory = get_changeable(ports, principal, project, id, expected)
    except NotFound:
        return _create(ports, principal, project, id, said, expected)
    if memory.status in ("superseded", "rejected"):
        raise Conflict(f"{id} is {memory.status}; {_WAY_ON[memory.status]}")
    _refuse_other_origin(memory, said)
    replaced = {name: value for name, value in said.items() if name not in ORIGIN}
    summary = {"summary": said.get("summary") or first_sentence(said["content"])}
    fields = {**_defaults(), **replaced, **summary}
    revised = revise(ports, principal, project, id, fields, expected=expected, revives=True)
    return StoredMemory(revised.memory, revised.redacted, is_new=False)


def _refuse_other_origin(memory: Memory, said: Mapping[str, Any]) -> None:
    other = tuple(
        Violation(f"/{name}", "where a memory came from is said with its first write; leave it out")
        for name in sorted(ORIGIN & said.keys())
        if said[name] != getattr(memory, name)
    )
    if other:
        raise Invalid(f"{other[0].pointer}: {other[0].detail}", other)


_WAY_ON = {
    "superseded": "change its successor instead, or undo that first",
    "rejected": "store what is right under another id, or ask a reviewer to undo that",
}


def _create(
    ports: Ports, principal: Principal, project: str, id: str, said: Mapping[str, Any], expected: int | None
) -> StoredMemory:
    """A caller's own id says that this is meant to be a record of its own: twins are not asked about."""
    if expected is not None:
        raise StaleVersion(f"there is no memory {id} to replace; send it without If-Match to store it")
    if ports.store.get(principal.scope(project), id) is not None:
        # another persona's: said as of any id that is not free, whoever has it
        raise IdTaken(id)
    stored = remember(
        ports, principal, project, RememberRequest(fields={**said, "id": id}, on_duplicate="create")
    )
    if isinstance(stored, IdempotencyRecord):
        raise TypeError("a PUT has no idempotency key")
    return stored


def _defaults() -> dict[str, Any]:
    return {
        field.name: field.default if field.default_factory is MISSING else field.default_factory()
        for field in fields_of(Memory)
        if field.name in RESET
    }
