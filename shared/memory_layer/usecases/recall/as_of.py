"""Records of a project as of a past moment: each as its last change left it, judged by the clock of then."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from memory_layer.domain.access import Principal, Viewer, may_see_memory, viewer_of
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.filters import Filters
from memory_layer.domain.lifecycle import not_valid_because
from memory_layer.domain.memory import OUT_OF_RECALL, Memory, Ref, Scope, Status, as_of_now
from memory_layer.errors import Invalid, NotFound
from memory_layer.ports.process import Clock, Ports
from memory_layer.ports.records import HistoryStore, RecordPage, RecordVersion
from memory_layer.usecases.ground.queries import get_memory, list_memories, listable_filters, memory_history
from memory_layer.usecases.ground.read_memory import read_memory

EXAMINED_TOGETHER = 200
EXAMINED_MAX = 1_000
"""Records looked at for one page; a page that needs more ends early, with the key of the next."""

WITHDRAWN: tuple[Status, ...] = ("rejected", "quarantined")
"""Present statuses never handed to a model, whatever the record was then: a person refused it or has yet to look."""

_TICK = timedelta(microseconds=1)


def refuse_future(as_of: datetime, clock: Clock, pointer: str) -> None:
    """Refuses a time in the future. Raises: Invalid."""
    now = clock.now()
    if as_of > now:
        raise Invalid.at(
            pointer, f"{rfc3339(as_of)} lies in the future (it is {rfc3339(now)}); name a time that has been"
        )


def memory_at(ports: Ports, principal: Principal, project: str, id: str, as_of: datetime | None) -> Memory:
    """Reads a record as it was. Args: as_of: None: as it is now.

    Raises:
        NotFound: there is none now, or there was none then, or none that this caller may know of.
        Invalid: the time is yet to come.
    """
    if as_of is None:
        return read_memory(ports, principal, project, id)
    refuse_future(as_of, ports.clock, "/query/as_of")
    now = get_memory(ports, principal, project, id, with_body=False)
    then = ports.store.history.at(now.scope, [id], as_of).get(id)
    if then is None or not (_existed(then, as_of) and may_see_memory(principal, then)):
        raise _unknown_then(id, as_of)
    return as_of_now(then, as_of)


def history_at(
    ports: Ports, principal: Principal, project: str, id: str, as_of: datetime | None
) -> list[RecordVersion]:
    """Reads the version of that time alone. Args: as_of: None: all versions, through the whole correction chain.

    Raises:
        NotFound, Invalid: as `memory_at`.
    """
    if as_of is None:
        return memory_history(ports, principal, project, id)
    refuse_future(as_of, ports.clock, "/query/as_of")
    scope = get_memory(ports, principal, project, id, with_body=False).scope
    until_then = [version for version in ports.store.history.of(scope, id) if version.at <= as_of]
    last = until_then[-1].memory if until_then else None
    if last is None or not (_existed(last, as_of) and may_see_memory(principal, last)):
        raise _unknown_then(id, as_of)
    return until_then[-1:]


def _existed(then: Memory, as_of: datetime) -> bool:
    """Tells if a record existed then: a clock set back may date a change before the creation."""
    return then.created_at <= as_of


def _unknown_then(id: str, as_of: datetime) -> NotFound:
    return NotFound(f"there was no memory {id} at {rfc3339(as_of)}; its history says when it was written")


def list_memories_at(
    ports: Ports,
    principal: Principal,
    project: str,
    filters: Filters,
    as_of: datetime | None,
    *,
    after: tuple[str, str] | None,
    limit: int,
    read_together: int = EXAMINED_TOGETHER,
    examined_max: int = EXAMINED_MAX,
) -> RecordPage:
    """Reads a page of records as they were, newest first, filtered by what they were. Args: as_of: None: now.

    A record active then is listed if it was valid then. A page may hold fewer than `limit`, even none, and name a
    next one all the same.

    Raises:
        Invalid: the time is yet to come.
    """
    if as_of is None:
        return list_memories(ports, principal, project, filters, after=after, limit=limit)
    refuse_future(as_of, ports.clock, "/query/as_of")
    scope, viewer, found = principal.scope(project), viewer_of(principal), list[Memory]()
    asked, unread = listable_filters(principal, written_by(filters, as_of)), list[str]()
    if asked is None:
        return RecordPage((), None)
    for _ in range(0, examined_max, read_together):
        page = ports.store.memories.page(
            scope, asked, viewer, now=ports.clock.now(), after=after, limit=read_together
        )
        found += _listed_then(ports.store.history, page.memories, filters, viewer, as_of)
        unread += page.unread
        after = page.next_key
        if after is None or len(found) > limit:
            break
    shown = tuple(found[:limit])
    return RecordPage(shown, _place(shown[-1]) if len(found) > limit else after, tuple(unread))


def written_by(filters: Filters, as_of: datetime) -> Filters:
    """Filters reduced to creation times, which no later change alters; none created after `as_of`."""
    bounds = [moment for moment in (filters.created_before, as_of + _TICK) if moment is not None]
    return Filters(status=(), created_after=filters.created_after, created_before=min(bounds))


def _listed_then(
    history: HistoryStore, memories: Sequence[Memory], filters: Filters, viewer: Viewer, as_of: datetime
) -> list[Memory]:
    versions = held_at(history, {memory.ref: memory for memory in memories}, viewer, as_of)
    then = [as_of_now(version, as_of) for version in versions.values()]
    accepts = filters.acceptor()
    return [
        memory
        for memory in then
        if accepts(memory) and not (memory.is_active and not_valid_because(memory, as_of))
    ]


def _place(memory: Memory) -> tuple[str, str]:
    return rfc3339(memory.created_at), memory.id


def held_at(
    history: HistoryStore, records: Mapping[Ref, Memory], viewer: Viewer, as_of: datetime
) -> dict[Ref, Memory]:
    """Reads the records as they were, in this order: those that existed, and that this viewer may see, then and now."""
    ids: dict[Scope, list[str]] = defaultdict(list)
    for memory in records.values():
        if viewer.may_see(memory.persona):
            ids[memory.scope].append(memory.id)
    then = {
        memory.ref: memory
        for scope, known in ids.items()
        for memory in history.at(scope, known, as_of).values()
        if _existed(memory, as_of) and viewer.may_see(memory.persona)
    }
    return {ref: then[ref] for ref in records if ref in then}


def recallable_at(
    history: HistoryStore, records: Mapping[Ref, Memory], viewer: Viewer, as_of: datetime
) -> dict[Ref, Memory]:
    """Reads the records as they were, as `held_at`, of those that may be handed to a model now."""
    fit = {
        ref: memory
        for ref, memory in records.items()
        if memory.status not in WITHDRAWN and memory.tier not in OUT_OF_RECALL
    }
    return held_at(history, fit, viewer, as_of)


def past_index_filters(filters: Filters, as_of: datetime) -> list[Filters]:
    """Filters for an index that knows only the present: the caller's, and those of creation times alone."""
    bounds = written_by(filters, as_of)
    same = replace(filters, status=(), created_before=bounds.created_before)
    return list(dict.fromkeys((same, bounds)))
