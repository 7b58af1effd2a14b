"""Changes of a project as events, by the rights of who reads them; the audit log is where they come from."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from memory_layer.domain import access, change_events
from memory_layer.domain.audit import AuditEvent, AuditLink
from memory_layer.domain.change_events import ChangeEvent, StateTold
from memory_layer.domain.change_types import ChangeType
from memory_layer.domain.memory import Ref, Scope, Source, as_of_now
from memory_layer.errors import Invalid
from memory_layer.ports.audit import AuditFilter
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.queries import may_read

LOOKED_AT: Final = 1_000
"""Entries of the log that one page looks at: a reader may have no right to any of them."""

READS_MAX: Final = 5
"""Reads of one page that goes back in the log."""

ALL_TYPES: Final[frozenset[ChangeType]] = frozenset()
"""Selection of every type."""

_Candidate = tuple[AuditLink, AuditEvent, ChangeType]


@dataclass(frozen=True, slots=True)
class ChangePage:
    """Page of changes, the first one first.

    Args:
        events: perhaps none, though the log goes on.
        next_after: position behind which the next page begins, whatever of this one could be shown.
        is_last: nothing lay behind it when it was read.
    """

    events: tuple[ChangeEvent, ...]
    next_after: int
    is_last: bool


def list_changes(
    ports: Ports,
    principal: access.Principal,
    project: str,
    *,
    after: int = 0,
    types: Collection[ChangeType] = ALL_TYPES,
    limit: int = 100,
) -> ChangePage:
    """Reads the changes behind a position that the caller may know of.

    Args:
        types: none: of every type.

    Raises:
        Invalid: the position lies behind the end: the log is another one than the caller has read.
    """
    scope = principal.scope(project)
    found, links, is_cut = _candidates(ports, scope, after, types, limit)
    if not links:
        _refuse_beyond(ports, scope, after)
        return ChangePage((), after, True)
    told = _told(ports, principal, scope, found)
    return ChangePage(told, links[-1].position, not is_cut and len(links) < LOOKED_AT)


@dataclass(frozen=True, slots=True)
class RecentChangePage:
    """Page of changes, the newest first.

    Args:
        events: perhaps none, though the log goes on.
        next_before: position in front of which the next page begins; None: this is the last page.
        next_after: position behind which lies what has changed since.
    """

    events: tuple[ChangeEvent, ...]
    next_before: int | None
    next_after: int


def list_recent_changes(
    ports: Ports,
    principal: access.Principal,
    project: str,
    *,
    before: int | None = None,
    types: Collection[ChangeType] = ALL_TYPES,
    limit: int = 100,
) -> RecentChangePage:
    """Reads the changes in front of a position that the caller may know of, the newest first.

    Args:
        before: None: from the end of the log.
        types: none: of every type.
    """
    scope = principal.scope(project)
    found: list[_Candidate] = []
    head, position = ports.store.audit.head(scope).position, before
    for _ in range(READS_MAX):
        read = ports.store.audit.page(scope, AuditFilter(), before=position, limit=LOOKED_AT // READS_MAX)
        found += _of_types(read.links, types)
        position = read.next_before
        if position is None or len(found) >= limit:
            break
    if len(found) > limit:
        found, position = found[:limit], found[limit - 1][0].position
    return RecentChangePage(_told(ports, principal, scope, found), position, head)


def _of_types(links: Sequence[AuditLink], types: Collection[ChangeType]) -> list[_Candidate]:
    read = ((link, change_events.readable_event(link)) for link in links)
    told = ((link, event, change_events.change_type(event)) for link, event in read if event is not None)
    return [(link, event, kind) for link, event, kind in told if kind and (not types or kind in types)]


def last_position(ports: Ports, principal: access.Principal, project: str) -> int:
    """Position of the newest entry of the log; 0: there is none."""
    return ports.store.audit.head(principal.scope(project)).position


def _candidates(
    ports: Ports, scope: Scope, after: int, types: Collection[ChangeType], limit: int
) -> tuple[list[_Candidate], list[AuditLink], bool]:
    """Entries of the types asked for, all that were looked at, and whether the limit ended the look."""
    found: list[_Candidate] = []
    links: list[AuditLink] = []
    for link in islice(ports.store.audit.links(scope, after=after), LOOKED_AT):
        links.append(link)
        event = change_events.readable_event(link)
        kind = None if event is None else change_events.change_type(event)
        if event is not None and kind is not None and (not types or kind in types):
            found.append((link, event, kind))
            if len(found) == limit:
                return found, links, True
    return found, links, False


def _refuse_beyond(ports: Ports, scope: Scope, after: int) -> None:
    end = ports.store.audit.head(scope).position
    if after > end:
        problem = f"{after} lies behind the end, {end}: this is not the log that it was read from; begin at 0"
        raise Invalid.at("/query/after", problem)


def _told(
    ports: Ports, principal: access.Principal, scope: Scope, found: Sequence[_Candidate]
) -> tuple[ChangeEvent, ...]:
    rights = _Rights.of(ports, principal, scope, found)
    events = (
        change_events.event_of_link(scope, link, rights.states.get(link.about))
        for link, event, kind in found
        if rights.may_know(link.about, event, kind)
    )
    return tuple(event for event in events if event is not None)


@dataclass(frozen=True, slots=True)
class _Rights:
    """Rights of a reader to the entries of one page.

    Args:
        states: of the memories that they may read, by id.
        personas: of the runs and learnings, by id; those of learnings that are gone are not there.
    """

    principal: access.Principal
    states: Mapping[str, StateTold]
    personas: Mapping[str, str | None]

    @classmethod
    def of(
        cls, ports: Ports, principal: access.Principal, scope: Scope, found: Sequence[_Candidate]
    ) -> _Rights:
        states = _states(ports, principal, scope, {link.about for link, _, kind in found if _has_state(kind)})
        return cls(principal, states, _personas(ports, scope, found))

    def may_know(self, about: str, event: AuditEvent, kind: ChangeType) -> bool:
        """Tells if the reader may know of an entry: of a memory as of a read of it, of its erasure by its persona."""
        viewer, reviewer = access.viewer_of(self.principal), access.review_viewer_of(self.principal)
        match kind:
            case "memory.erased" | "run.erased":
                return viewer.may_see(event.persona)
            case "run.reported":
                return self._may_see(about, viewer)
            case "learning.changed":
                return self.principal.is_reviewer and self._may_see(about, reviewer)
            case "settings.changed":
                return self.principal.is_reviewer
            case "person.erased" | "project.erased":
                return True
            case _:
                return about in self.states or viewer.sees_all_personas

    def _may_see(self, about: str, viewer: access.Viewer) -> bool:
        return viewer.sees_all_personas or (about in self.personas and viewer.may_see(self.personas[about]))


def _has_state(kind: ChangeType) -> bool:
    return change_events.is_about_memory(kind) and kind not in change_events.ERASURES


def _states(
    ports: Ports, principal: access.Principal, scope: Scope, ids: Collection[str]
) -> dict[str, StateTold]:
    """States of the memories among these that the caller may read."""
    if not ids:
        return {}
    refs = [Ref(scope.project, id) for id in ids]
    held, now = _held(ports, principal, scope), ports.clock.now()
    found = ports.store.memories.get_many(scope.tenant, refs, with_bodies=False)
    return {
        ref.id: change_events.state_told(as_of_now(memory, now))
        for ref, memory in found.items()
        if may_read(principal, memory, held)
    }


def _held(ports: Ports, principal: access.Principal, scope: Scope) -> tuple[Source, ...]:
    """Sources whose memories wait for approval, for a caller who reviews what is not theirs."""
    is_for_all = access.review_viewer_of(principal).sees_all_personas
    return ports.store.projects.policy(scope).review_sources if is_for_all else ()


def _personas(ports: Ports, scope: Scope, found: Sequence[_Candidate]) -> dict[str, str | None]:
    learnings = ports.store.learnings
    runs = {link.about for link, _, kind in found if kind == "run.reported"}
    known = {id: run.persona for id in runs if (run := learnings.run(scope, id)) is not None}
    staged = {link.about for link, _, kind in found if kind == "learning.changed"}
    return (
        known | {id: one.persona for id, one in learnings.staged(scope, staged).items()} if staged else known
    )
