"""Queries of stored data: one record, a page of records, a history, counts of a project, an operation."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import get_args

from memory_layer.domain.access import Principal, may_see_memory, review_viewer_of, viewer_of
from memory_layer.domain.duplicates import merged_ids
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope, Source, Tier, as_of_now, is_stub
from memory_layer.errors import NotFound
from memory_layer.ports.index import ProjectStats
from memory_layer.ports.process import Ports
from memory_layer.ports.records import Operation, RecordPage, RecordVersion


def get_memory(
    ports: Ports, principal: Principal, project: str, id: str, *, with_body: bool = True
) -> Memory:
    """Reads one record, as it stands now.

    Args:
        with_body: False: as it lies, perhaps without its words, which may be where nobody can read them.

    Raises:
        NotFound: there is none, or none that this caller may know of.
        BodyFrozen, StoreUnavailable: its words cannot be read now.
    """
    scope = principal.scope(project)
    memory = ports.store.memories.get(scope, id, with_body=False)
    held = () if memory is None or memory.persona is None else _held_sources(ports, principal, scope)
    if memory is not None and may_read(principal, memory, held) and with_body and is_stub(memory):
        memory = ports.store.memories.get(scope, id)
    if memory is None or not may_read(principal, memory, held):
        raise NotFound(f"no memory {id} in project {project}; list or recall to find its id")
    return as_of_now(memory, ports.clock.now())


def _held_sources(ports: Ports, principal: Principal, scope: Scope) -> tuple[Source, ...]:
    """Sources whose memories wait for approval here, for a caller who reviews what is not theirs."""
    is_for_all = review_viewer_of(principal).sees_all_personas
    return ports.store.projects.policy(scope).review_sources if is_for_all else ()


def may_read(principal: Principal, memory: Memory, held: Collection[Source] = ()) -> bool:
    """Tells if the caller may know of a memory; frozen ones are kept for audits, which admins alone read.

    Args:
        held: as `is_up_for_review`.
    """
    return may_see_memory(principal, memory, held) and (memory.tier != "frozen" or principal.is_admin)


def as_stored(ports: Ports, memory: Memory) -> Memory:
    """Record as it is stored: an expired one reads as archived by the clock, and must not be stored so.

    Args:
        memory: as `get_memory` or `get_changeable` returned it; its tier stays as it is there.
    """
    if not memory.has_expired(ports.clock.now()):
        return memory
    stored = ports.store.memories.get(memory.scope, memory.id)
    return memory if stored is None else replace(stored, tier=memory.tier)


def list_memories(
    ports: Ports,
    principal: Principal,
    project: str,
    filters: Filters,
    *,
    after: tuple[str, str] | None,
    limit: int,
) -> RecordPage:
    """Reads a page of records, newest first; frozen ones for admins alone."""
    now, known = ports.clock.now(), listable_filters(principal, filters)
    if known is None:
        return RecordPage((), None)
    page = ports.store.memories.page(
        principal.scope(project), known, viewer_of(principal), now=now, after=after, limit=limit
    )
    return replace(page, memories=tuple(as_of_now(memory, now) for memory in page.memories))


def listable_filters(principal: Principal, filters: Filters) -> Filters | None:
    """Narrows filters to the records that the caller may list; None: to none."""
    if principal.is_admin:
        return filters
    tiers = tuple(tier for tier in filters.tier or get_args(Tier) if tier != "frozen")
    return replace(filters, tier=tiers) if tiers else None


def memory_history(ports: Ports, principal: Principal, project: str, id: str) -> list[RecordVersion]:
    """Lists every version of the record and of those around it in its correction chain, oldest first.

    Versions under another persona are left out.

    Raises:
        NotFound: as `get_memory`.
    """
    scope = principal.scope(project)
    chain = _chain(ports, principal, get_memory(ports, principal, project, id, with_body=False))
    versions = [
        version
        for memory in chain
        for version in ports.store.history.of(scope, memory.id)
        if may_see_memory(principal, version.memory)
    ]
    return sorted(versions, key=lambda version: (version.at, version.memory.id, version.memory.version))


def _chain(ports: Ports, principal: Principal, memory: Memory) -> list[Memory]:
    """Correction chain of a record, both ways; a link that leads nowhere ends it."""
    scope = memory.scope
    seen, ends = {memory.id: memory}, [memory]
    while ends:
        wanted = {id for end in ends for id in _links(end)} - seen.keys()
        refs = [Ref(scope.project, id) for id in sorted(wanted)]
        found = ports.store.memories.get_many(scope.tenant, refs, with_bodies=False)
        ends = [one for one in found.values() if may_read(principal, one) and _is_linked(one, seen)]
        seen |= {end.id: end for end in ends}
    return list(seen.values())


def _links(memory: Memory) -> list[str]:
    named = [id for id in (memory.supersedes, memory.superseded_by) if id is not None]
    return [*named, *merged_ids(memory)]


def _is_linked(memory: Memory, chain: Mapping[str, Memory]) -> bool:
    """Tells if a record agrees that it belongs to the chain: anybody may write that theirs was merged from it."""
    named = [id for one in chain.values() for id in (one.supersedes, one.superseded_by)]
    return memory.id in named or memory.superseded_by in chain


def project_stats(ports: Ports, principal: Principal, project: str) -> ProjectStats:
    """Counts a project's memories over all statuses, of those that this caller may see."""
    return ports.index.stats(principal.scope(project), viewer_of(principal), now=ports.clock.now())


def entity_event_counts(ports: Ports, principal: Principal, project: str) -> Mapping[str, int]:
    """Counts the reported events by kind, and, as `unknown`, those whose URN no known memory named."""
    return ports.store.events.counts(principal.scope(project))


def get_operation(ports: Ports, principal: Principal, id: str) -> Operation:
    """Reads the state of an operation of this tenant.

    Raises:
        NotFound: there is none, or it is somebody else's.
    """
    operation = ports.store.requests.operation(principal.tenant, id)
    is_for_all = principal.is_admin and principal.user is None
    if operation is None or not (is_for_all or operation.principal == principal.holder):
        raise NotFound(f"no operation {id}; it may have been another tenant's, or never begun")
    return operation
