"""Projects as stores of files: what they are called and are for is a memory of theirs that nobody recalls."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.fields import instant_said, rfc3339
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.portability.file_paths import STORE_ID
from memory_layer.errors import Conflict, Forbidden, IdTaken, Invalid, NotFound
from memory_layer.ports.process import Ports
from memory_layer.ports.records import NEVER_WRITTEN
from memory_layer.usecases.ground.admission import without_order
from memory_layer.usecases.ground.projects import list_projects
from memory_layer.usecases.ground.queries import get_memory, may_read
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember
from memory_layer.usecases.write.revise import revise

NAME_MAX_CHARS: Final = 255
DESCRIPTION_MAX_CHARS: Final = 1_024
PAIRS_MAX: Final = 16
KEY_MAX_CHARS: Final = 64
VALUE_MAX_CHARS: Final = 512

_NO_SLUG: Final = re.compile(r"[^a-z0-9]+")
_SLUG_MAX_CHARS: Final = 48
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStoreInfo:
    """Store of files: a project, with what it is called and is for.

    Args:
        archived_at: from then on no file is written here through this view.
    """

    project: str
    name: str
    description: str = ""
    metadata: Mapping[str, str]
    created_at: datetime
    updated_at: datetime
    archived_at: datetime | None = None


def create_store(
    ports: Ports, principal: Principal, name: str, description: str, metadata: Mapping[str, str]
) -> MemoryStoreInfo:
    """Begins a project that is called so; its slug is made of the name, with an ending where that is taken.

    Words that read like an order are withheld: whoever lists stores is told what each is for.

    Raises:
        Invalid: a rule for names, descriptions or metadata is broken.
    """
    _require_words(name, description, metadata)
    name, description = _without_order(principal, name), _without_order(principal, description)
    metadata = _pairs_without_orders(principal, metadata)
    slug = _NO_SLUG.sub("-", name.lower()).strip("-")[:_SLUG_MAX_CHARS].strip("-") or "store"
    (written,) = ports.store.projects.write_versions([principal.scope(slug)])
    names = [slug] if written == NEVER_WRITTEN else []
    for project in (*names, *(f"{slug}-{ports.new_id('')[-8:].lower()}" for _ in range(3))):
        try:
            return _begun(ports, principal, project, name, description, metadata)
        except IdTaken:
            continue
    raise Conflict(f"no free name for a store called {name} was found; try again")


def _begun(
    ports: Ports,
    principal: Principal,
    project: str,
    name: str,
    description: str,
    metadata: Mapping[str, str],
) -> MemoryStoreInfo:
    fields = {"id": STORE_ID, "expires_at": None, **_fields(name, description, metadata, None)}
    remember(
        ports,
        principal,
        project,
        RememberRequest(
            fields=fields, on_duplicate="create", is_verbatim=True, is_said_now=True, describes_store=True
        ),
    )
    return _info(revise(ports, principal, project, STORE_ID, {"active": False}).memory)


def _fields(
    name: str, description: str, metadata: Mapping[str, str], archived_at: str | None
) -> dict[str, Any]:
    said = {"description": description, "metadata": dict(metadata), "archived_at": archived_at}
    return {"content": name, "type": "context", "category": "context", "detail": {"store": said}}


def get_store(ports: Ports, principal: Principal, project: str) -> MemoryStoreInfo:
    """Reads a store; a project that nobody has described is called as its slug.

    Raises:
        NotFound: there is no such project, or none that this caller sees a memory of.
    """
    record = _record(ports, principal, project)
    if record is not None:
        return _info(record)
    return _undescribed(ports, principal, project)


def _record(ports: Ports, principal: Principal, project: str) -> Memory | None:
    try:
        return get_memory(ports, principal, project, STORE_ID)
    except NotFound:
        return None


def _undescribed(ports: Ports, principal: Principal, project: str) -> MemoryStoreInfo:
    """Store of a project that nobody has described, as old as its oldest memory. Raises: NotFound: it has none."""
    oldest = ports.store.memories.page(
        principal.scope(project),
        Filters(status=()),
        viewer_of(principal),
        now=ports.clock.now(),
        after=None,
        limit=1,
        oldest_first=True,
    ).memories
    if not oldest:
        raise NotFound(f"no memory store {project}; list to find its id")
    began_at = oldest[0].created_at
    return MemoryStoreInfo(
        project=project, name=project, metadata={}, created_at=began_at, updated_at=began_at
    )


def _info(record: Memory) -> MemoryStoreInfo:
    said = record.detail.get("store")
    told = said if isinstance(said, Mapping) else {}
    metadata = told.get("metadata")
    pairs = metadata.items() if isinstance(metadata, Mapping) else ()
    return MemoryStoreInfo(
        project=record.project,
        name=record.content,
        description=str(told.get("description", "")),
        metadata={key: value for key, value in pairs if isinstance(value, str)},
        created_at=record.created_at,
        updated_at=record.updated_at,
        archived_at=instant_said(told.get("archived_at")),
    )


def list_stores(
    ports: Ports, principal: Principal, *, after: str | None, limit: int
) -> tuple[list[MemoryStoreInfo], str | None]:
    """Lists the projects of which the caller sees a memory, by name, and the name to go on after."""
    found, next_key = list_projects(ports, principal, after=after, limit=limit)
    refs = [Ref(one.project, STORE_ID) for one in found]
    records = ports.store.memories.get_many(principal.tenant, refs)
    stores = (_listed(ports, principal, ref, records.get(ref)) for ref in refs)
    return [store for store in stores if store is not None], next_key


def _listed(ports: Ports, principal: Principal, ref: Ref, record: Memory | None) -> MemoryStoreInfo | None:
    """Store of a project that was listed; None: it was erased since, as an index that lags does not know yet."""
    if record is not None and may_read(principal, record):
        return _info(record)
    try:
        return _undescribed(ports, principal, ref.project)
    except NotFound:
        return None


def update_store(
    ports: Ports,
    principal: Principal,
    project: str,
    *,
    name: str | None = None,
    description: str | None = None,
    metadata: Mapping[str, str | None] | None = None,
) -> MemoryStoreInfo:
    """Changes what a store is called and is for. Args: metadata: values to set; None removes a key.

    What was said before stays where words that read like an order would take its place.

    Raises:
        NotFound, Forbidden, Invalid
        Conflict: it is archived.
    """
    require_open(ports, principal, project)
    before = get_store(ports, principal, project)
    said = {key: value for key, value in (metadata or {}).items() if value is not None}
    removed = (metadata or {}).keys() - said.keys()
    kept = {key: value for key, value in before.metadata.items() if key not in removed}
    after = replace(
        before,
        name=_changed(principal, before.name, name),
        description=_changed(principal, before.description, description),
        metadata={**kept, **_pairs_without_orders(principal, said)},
    )
    _require_words(after.name, after.description, after.metadata)
    return _stored(ports, principal, after, None)


def archive_store(ports: Ports, principal: Principal, project: str) -> MemoryStoreInfo:
    """Archives a store: through this view its files are read and deleted from now on, and not written.

    Raises:
        NotFound, Forbidden
    """
    before = get_store(ports, principal, project)
    if before.archived_at is not None:
        return before
    return _stored(ports, principal, before, rfc3339(ports.clock.now()))


def _stored(
    ports: Ports, principal: Principal, info: MemoryStoreInfo, archived_at: str | None
) -> MemoryStoreInfo:
    if _record(ports, principal, info.project) is None:
        _require_person(principal, info.project)
        _begun(ports, principal, info.project, info.name, info.description, info.metadata)
    said = _fields(info.name, info.description, info.metadata, archived_at)
    revised = revise(ports, principal, info.project, STORE_ID, said, revives=True, describes_store=True)
    if revised.proposed_for is not None:
        raise Conflict(f"{info.project} was described by a person; a reviewer changes that")
    return _info(revised.memory)


def _require_person(principal: Principal, project: str) -> None:
    """Refuses agents what is to be said of a project that has grown without it, and of which all who write hear.

    Raises:
        Forbidden
    """
    if principal.is_agent:
        raise Forbidden(
            f"{project} was not begun as a store, so that a person or a reviewer describes and archives it; "
            "create one of your own"
        )


def require_open(ports: Ports, principal: Principal, project: str) -> None:
    """Requires a store that is not archived. Raises: Conflict"""
    record = _record(ports, principal, project)
    if record is not None and _info(record).archived_at is not None:
        raise Conflict(f"the store {project} is archived: its files are read and deleted, and not written")


def _without_order(principal: Principal, words: str) -> str:
    return without_order(principal, words) or ""


def _changed(principal: Principal, before: str, words: str | None) -> str:
    """Words that a store has after a change; those from before, unless they are empty, outlive an order."""
    if words is None:
        return before
    allowed = _without_order(principal, words)
    return allowed if allowed == words else before or allowed


def _pairs_without_orders(principal: Principal, pairs: Mapping[str, str]) -> dict[str, str]:
    """Pairs of metadata, without those whose key or value reads like an order."""
    return {
        key: value
        for key, value in pairs.items()
        if without_order(principal, f"{key}: {value}") == f"{key}: {value}"
    }


def _require_words(name: str, description: str, metadata: Mapping[str, str]) -> None:
    if not name.strip() or len(name) > NAME_MAX_CHARS or _CONTROL.search(name):
        raise Invalid.at("/name", f"a name has 1 to {NAME_MAX_CHARS} characters, none of them a control")
    if len(description) > DESCRIPTION_MAX_CHARS:
        raise Invalid.at("/description", f"a description has {DESCRIPTION_MAX_CHARS:,} characters at most")
    if len(metadata) > PAIRS_MAX:
        raise Invalid.at("/metadata", f"metadata has {PAIRS_MAX} pairs at most")
    for key, value in metadata.items():
        if not 1 <= len(key) <= KEY_MAX_CHARS or len(value) > VALUE_MAX_CHARS:
            raise Invalid.at(
                "/metadata", f"a key has 1 to {KEY_MAX_CHARS} characters, a value {VALUE_MAX_CHARS} at most"
            )
