"""Look through the memories that name what changed, and mark those that nobody has vouched for since."""

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
"""Somebody else writes the same record; beyond these the event stays open for the sweep."""


@dataclass(frozen=True, slots=True)
class StalenessScan:
    """On whose behalf memories are looked through, and how far.

    Args:
        by: whom the history names; None: whoever told of the event.
        viewer: whose view the answer's counts are for.
        room: how many memories may be marked now.
        is_over: whether the time is up.
    """

    by: str | None
    viewer: Viewer
    room: int
    is_over: Callable[[], bool] = lambda: False
    is_dry_run: bool = False


@dataclass(slots=True)
class EventEffects:
    """What became of events.

    Args:
        closed: those that are done with, as `mark_applied` is to be told of them.
        marked: by id of the event, how many memories went stale by it.
        marked_in_view: the same, of memories that the viewer may see.
        doubted: how many memories stay in recall and wait for a person's word.
        known_in_view: URNs that a memory names which the viewer may see.
        failed: what could not be done, a sentence each.
    """

    closed: list[EntityEvent] = field(default_factory=list)
    marked: Counter[str] = field(default_factory=Counter)
    marked_in_view: Counter[str] = field(default_factory=Counter)
    doubted: int = 0
    known_in_view: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)


def apply_entity_events(
    ports: Ports, scope: Scope, events: Sequence[EntityEvent], looking: StalenessScan
) -> EventEffects:
    """Mark what the events make doubtful; done again it finds nothing more to do.

    Of several events of one thing the newest one is the reason. An event stays open where not all memories that name
    the thing could be looked through.

    Raises:
        IndexUnavailable: nobody knows which memories name a thing; some may be marked.
        StoreUnavailable
    """
    return _Pass(ports, scope, looking, staleness.last_words(events)).through(events)


@dataclass(slots=True)
class _Pass:
    ports: Ports
    scope: Scope
    looking: StalenessScan
    newest: staleness.LastWords
    applied: EventEffects = field(default_factory=EventEffects)
    known: set[str] = field(default_factory=set)

    @property
    def now(self) -> datetime:
        return self.ports.clock.now()

    def through(self, events: Sequence[EntityEvent]) -> EventEffects:
        naming = EntityMemorySearch(self.ports, self.scope, self.now)
        urns = list(dict.fromkeys(event.urn for event in events))
        done = self._looked_through(naming, urns)
        self._look_up(naming, [urn for urn in urns if urn in done])
        self.applied.closed = [self._closed(event) for event in events if event.urn in done]
        return self.applied

    def _looked_through(self, naming: EntityMemorySearch, urns: Sequence[str]) -> set[str]:
        """The URNs all of whose memories were looked at."""
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
            if self.looking.viewer.may_see(memory.persona):
                self.applied.known_in_view.update(memory.entities)

    def _look_up(self, naming: EntityMemorySearch, urns: Sequence[str]) -> None:
        """What no active memory names may be named by another one."""
        viewer = self.looking.viewer
        self.known |= naming.known([urn for urn in urns if urn not in self.known], EVERYONE)
        if viewer.sees_all_personas:
            self.applied.known_in_view |= self.known
            return
        doubtful = [urn for urn in urns if urn in self.known - self.applied.known_in_view]
        self.applied.known_in_view |= naming.known(doubtful, viewer)

    def _mark(self, memories: Sequence[Memory]) -> bool:
        """Whether all of them were looked at, and written where they had to be."""
        waiting = list(memories)
        for _ in range(ATTEMPTS):
            changes = self._changes(waiting)
            room = max(0, self.looking.room - self.applied.marked.total() - self.applied.doubted)
            if self.looking.is_over():
                room = 0
            overtaken = self._write(changes[:room])
            if len(changes) > room:
                return False
            if not overtaken:
                return True
            refs = [before.ref for before in overtaken]
            waiting = list(self.ports.store.get_many(self.scope.tenant, refs, with_bodies=False).values())
        return False

    def _changes(self, memories: Iterable[Memory]) -> list[tuple[Memory, Memory, EntityEvent]]:
        """Before, after and why. Only of what would change is the history asked whether somebody vouched for it."""
        found = [
            (memory, event)
            for memory in memories
            if (event := staleness.last_word_on(memory, self.newest)) is not None
            and staleness.marked_by(memory, event).memory is not memory
        ]
        since = self.ports.store.in_status_since(self.scope, [memory.id for memory, _ in found], "active")
        vouched = {id: version.at for id, version in since.items() if version.verb in staleness.VOUCHING}
        changes = [
            (memory, staleness.marked_by(memory, event, confirmed_at=vouched.get(memory.id)).memory, event)
            for memory, event in found
        ]
        return [change for change in changes if change[0] is not change[1] and self._is_sound(change[0])]

    def _is_sound(self, memory: Memory) -> bool:
        """A change would seal a damaged record anew: nobody could tell any more that it is."""
        is_sound = is_stub(memory) or content_hash(memory.content) == memory.content_hash
        if not is_sound:
            told = f"{memory.project}: {memory.id} is damaged; run: mem verify -p {memory.project}"
            self.applied.failed.append(told)
        return is_sound

    def _write(self, changes: Sequence[tuple[Memory, Memory, EntityEvent]]) -> list[Memory]:
        """Those that somebody else wrote meanwhile, as they were."""
        if self.looking.is_dry_run:
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
        self.applied.marked_in_view[event.id] += self.looking.viewer.may_see(before.persona)

    def _committed(self, changes: Sequence[tuple[Memory, Memory, EntityEvent]]) -> list[Exception | None]:
        """Turns one by one, since the turns around them forget what they said; all others side by side."""
        now, errors = self.now, dict[int, Exception | None]()
        commits = [
            Commit(scope=self.scope, changes=(self._change(before, after, event, now),))
            for before, after, event in changes
        ]
        alone = [place for place, (before, *_) in enumerate(changes) if before.position is not None]
        together = [place for place in range(len(changes)) if place not in set(alone)]
        told = self.ports.store.commit_each([commits[place] for place in together]) if together else []
        errors.update(zip(together, told, strict=True))
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
        return self.looking.by or event.created_by


def close(ports: Ports, applied: EventEffects) -> None:
    """Keep what became of them; one that somebody else has closed meanwhile stays as it is."""
    if applied.closed:
        ports.store.mark_applied(applied.closed)
