"""Application of entity events: memories that name a changed entity are marked stale, unless vouched for since."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from memory_layer.domain.access import Viewer
from memory_layer.domain.doubt import DOUBTED
from memory_layer.domain.memory import Memory, Scope, content_hash, is_stub
from memory_layer.domain.time import staleness
from memory_layer.domain.time.entity_events import EntityEvent
from memory_layer.errors import VersionConflict
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.entity_memories import EVERYONE, EntityMemorySearch
from memory_layer.usecases.write.commit_change import commit_change

ATTEMPTS: Final = 5
"""Attempts while somebody else writes the same record; beyond these the event stays open for the sweep."""


@dataclass(frozen=True, slots=True)
class StalenessScan:
    """Scan for stale memories: its author, viewer and bounds.

    Args:
        by: author in the history; None: the reporter of the event.
        viewer: viewer that the answer's counts are for.
        room: number of memories that may be marked now.
        is_over: tells if the time is up.
    """

    by: str | None
    viewer: Viewer
    room: int
    is_over: Callable[[], bool] = lambda: False
    is_dry_run: bool = False


@dataclass(slots=True)
class EventEffects:
    """Effects of events on memories.

    Args:
        closed: events that are done with, as `mark_applied` takes them.
        marked: number of memories that went stale, by id of the event.
        marked_in_view: the same, of memories that the viewer may see.
        doubted: number of memories that stay in recall and wait for a person's word.
        known_in_view: URNs that a memory names which the viewer may see.
        failed: failures, a sentence each.
    """

    closed: list[EntityEvent] = field(default_factory=list)
    marked: Counter[str] = field(default_factory=Counter)
    marked_in_view: Counter[str] = field(default_factory=Counter)
    doubted: int = 0
    known_in_view: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)


def apply_entity_events(
    ports: Ports, scope: Scope, events: Sequence[EntityEvent], scan: StalenessScan
) -> EventEffects:
    """Marks the memories that the events make doubtful; done again it finds nothing more to do.

    The newest of several events of one entity is the reason. An event stays open where not all memories that name
    the entity could be looked through.

    Raises:
        IndexUnavailable: the memories that name an entity cannot be found; some may be marked.
        StoreUnavailable
    """
    return _EventApplication(ports, scope, scan, staleness.newest_by_reporter(events)).apply(events)


@dataclass(slots=True)
class _EventApplication:
    """Application of some events in one project, with the effects so far."""

    ports: Ports
    scope: Scope
    scan: StalenessScan
    newest: staleness.NewestEvents
    applied: EventEffects = field(default_factory=EventEffects)
    known: set[str] = field(default_factory=set)

    @property
    def now(self) -> datetime:
        return self.ports.clock.now()

    def apply(self, events: Sequence[EntityEvent]) -> EventEffects:
        naming = EntityMemorySearch(self.ports, self.scope, self.now)
        urns = list(dict.fromkeys(event.urn for event in events))
        done = self._marked_fully(naming, urns)
        self._look_up(naming, [urn for urn in urns if urn in done])
        self.applied.closed = [self._closed(event) for event in events if event.urn in done]
        return self.applied

    def _marked_fully(self, naming: EntityMemorySearch, urns: Sequence[str]) -> set[str]:
        """Marks the memories of these URNs; returns the URNs all of whose memories were looked at."""
        done: set[str] = set()
        for found in naming.active(urns):
            for memories in found.pages:
                self._note(memories)
                if not self._mark(memories):
                    return done
            if not found.has_more:
                done.update(found.urns)
        return done

    def _closed(self, event: EntityEvent) -> EntityEvent:
        return replace(
            event,
            applied_at=self.now,
            marked=event.marked + self.applied.marked[event.id],
            is_known=event.urn in self.known,
            version=event.version + 1,
        )

    def _note(self, memories: Iterable[Memory]) -> None:
        for memory in memories:
            self.known.update(memory.entities)
            if self.scan.viewer.may_see(memory.persona):
                self.applied.known_in_view.update(memory.entities)

    def _look_up(self, naming: EntityMemorySearch, urns: Sequence[str]) -> None:
        """Looks up the URNs that no active memory names among memories of other statuses."""
        viewer = self.scan.viewer
        self.known |= naming.known([urn for urn in urns if urn not in self.known], EVERYONE)
        if viewer.sees_all_personas:
            self.applied.known_in_view |= self.known
            return
        doubtful = [urn for urn in urns if urn in self.known - self.applied.known_in_view]
        self.applied.known_in_view |= naming.known(doubtful, viewer)

    def _mark(self, memories: Sequence[Memory]) -> bool:
        """Marks the memories that need it; tells if all of them were looked at, and written where they had to be."""
        waiting = list(memories)
        for _ in range(ATTEMPTS):
            changes = self._changes(waiting)
            room = max(0, self.scan.room - self.applied.marked.total() - self.applied.doubted)
            if self.scan.is_over():
                room = 0
            overtaken = self._write(changes[:room])
            if len(changes) > room:
                return False
            if not overtaken:
                return True
            refs = [before.ref for before in overtaken]
            waiting = list(
                self.ports.store.memories.get_many(self.scope.tenant, refs, with_bodies=False).values()
            )
        return False

    def _changes(self, memories: Iterable[Memory]) -> list[tuple[Memory, Memory, EntityEvent]]:
        """Changes as before, after and event; the history is read for vouching only of memories that would change."""
        found = [
            (memory, event)
            for memory in memories
            if (event := staleness.newest_event_about(memory, self.newest)) is not None
            and staleness.apply_event(memory, event).memory is not memory
        ]
        since = self.ports.store.history.in_status_since(
            self.scope, [memory.id for memory, _ in found], "active"
        )
        vouched = {id: version.at for id, version in since.items() if version.verb in staleness.VOUCHING}
        changes = [
            (memory, staleness.apply_event(memory, event, confirmed_at=vouched.get(memory.id)).memory, event)
            for memory, event in found
        ]
        return [change for change in changes if change[0] is not change[1] and self._is_sound(change[0])]

    def _is_sound(self, memory: Memory) -> bool:
        """Tells if a record is undamaged, and notes it otherwise: a change would seal a damaged record anew."""
        is_sound = is_stub(memory) or content_hash(memory.content) == memory.content_hash
        if not is_sound:
            failure = f"{memory.project}: {memory.id} is damaged; run: mem verify -p {memory.project}"
            self.applied.failed.append(failure)
        return is_sound

    def _write(self, changes: Sequence[tuple[Memory, Memory, EntityEvent]]) -> list[Memory]:
        """Writes the changes; returns the memories that somebody else wrote meanwhile, as they were."""
        if self.scan.is_dry_run:
            errors: list[Exception | None] = [None] * len(changes)
        else:
            errors = self._committed(changes)
        overtaken = []
        for (before, after, event), error in zip(changes, errors, strict=True):
            if error is None:
                self._count(before, after, event)
            elif isinstance(error, VersionConflict):
                overtaken.append(before)
            else:
                raise error
        return overtaken

    def _count(self, before: Memory, after: Memory, event: EntityEvent) -> None:
        if after.is_active:
            self.applied.doubted += 1
            return
        self.applied.marked[event.id] += 1
        self.applied.marked_in_view[event.id] += self.scan.viewer.may_see(before.persona)

    def _committed(self, changes: Sequence[tuple[Memory, Memory, EntityEvent]]) -> list[Exception | None]:
        """Commits turns one by one, since their neighbours' contexts drop their words; all others side by side."""
        now, errors = self.now, dict[int, Exception | None]()
        commits = [
            Commit(scope=self.scope, changes=(self._change(before, after, event, now),))
            for before, after, event in changes
        ]
        alone = [place for place, (before, *_) in enumerate(changes) if before.position is not None]
        together = [place for place in range(len(changes)) if place not in set(alone)]
        answers = (
            self.ports.store.writer.commit_each([commits[place] for place in together]) if together else []
        )
        errors.update(zip(together, answers, strict=True))
        for place in alone:
            errors[place] = self._committed_alone(commits[place], changes[place][0])
        return [errors[place] for place in range(len(changes))]

    def _committed_alone(self, commit: Commit, before: Memory) -> Exception | None:
        try:
            commit_change(self.ports, commit, before, commit.changes[0].by)
        except VersionConflict as error:
            return error
        return None

    def _change(self, before: Memory, after: Memory, event: EntityEvent, now: datetime) -> Change:
        verb = DOUBTED if after.is_active else staleness.STALED
        return Change(after, before.version, verb, self._by(event), now, staleness.reason_of(event))

    def _by(self, event: EntityEvent) -> str:
        return self.scan.by or event.created_by


def close_events(ports: Ports, applied: EventEffects) -> None:
    """Stores the closed events; one that somebody else has closed meanwhile stays as it is."""
    if applied.closed:
        ports.store.events.mark_applied(applied.closed)
