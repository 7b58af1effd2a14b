"""Look at what is stored: one record, a page of them, a history, the numbers of a project."""

from __future__ import annotations

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, as_of_now
from memory_layer.errors import NotFound
from memory_layer.ports import Page, Ports, Stats, Version


def get_memory(ports: Ports, principal: Principal, project: str, id: str) -> Memory:
    """One record, as it stands now.

    Raises:
        NotFound: there is none, or none that this caller may know of.
    """
    memory = ports.store.get(principal.scope(project), id)
    if memory is None or not viewer_of(principal).may_see(memory.persona):
        raise NotFound(f"no memory {id} in project {project}; list or recall to find its id")
    return as_of_now(memory, ports.clock.now())


def as_stored(ports: Ports, memory: Memory) -> Memory:
    """The record without what the clock makes of it: what expired reads as archived, and must not be stored so."""
    if not memory.has_expired(ports.clock.now()):
        return memory
    return ports.store.get(memory.scope, memory.id) or memory


def list_memories(
    ports: Ports,
    principal: Principal,
    project: str,
    filters: Filters,
    *,
    after: tuple[str, str] | None,
    limit: int,
) -> Page:
    """A page of records, newest first."""
    now = ports.clock.now()
    page = ports.store.page(
        principal.scope(project), filters, viewer_of(principal), now=now, after=after, limit=limit
    )
    return Page(tuple(as_of_now(memory, now) for memory in page.memories), page.next_key)


def memory_history(ports: Ports, principal: Principal, project: str, id: str) -> list[Version]:
    """Every version of the record and of those before and after it in its correction chain, oldest first.

    What it said under another persona is that persona's.

    Raises:
        NotFound: as `get_memory`.
    """
    scope, viewer = principal.scope(project), viewer_of(principal)
    chain = _chain(ports, principal, project, get_memory(ports, principal, project, id))
    versions = [
        version
        for memory in chain
        for version in ports.store.history(scope, memory.id)
        if viewer.may_see(version.memory.persona)
    ]
    return sorted(versions, key=lambda version: (version.at, version.memory.id, version.memory.version))


def _chain(ports: Ports, principal: Principal, project: str, memory: Memory) -> list[Memory]:
    """The record with its predecessors and successors; a link that leads nowhere ends it."""
    seen = {memory.id: memory}
    waiting = [memory.supersedes, memory.superseded_by]
    while waiting:
        id = waiting.pop()
        if id is None or id in seen:
            continue
        found = ports.store.get(principal.scope(project), id)
        if found is not None and viewer_of(principal).may_see(found.persona):
            seen[id] = found
            waiting += [found.supersedes, found.superseded_by]
    return list(seen.values())


def project_stats(ports: Ports, principal: Principal, project: str) -> Stats:
    """Counts over all statuses, of what this caller may see."""
    return ports.index.stats(principal.scope(project), viewer_of(principal), now=ports.clock.now())
