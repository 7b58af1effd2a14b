"""Ports of the collections beside the records: runs and staged learnings, entity events, pairs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from memory_layer.domain.access import Viewer
from memory_layer.domain.conflicts.pair import Pair, PairKind, PairStatus
from memory_layer.domain.learning.implicit_feedback import ImplicitFeedback
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus
from memory_layer.domain.memory import Scope
from memory_layer.domain.time.entity_events import EntityEvent, Link


@dataclass(frozen=True, slots=True)
class RunPage:
    """Page of runs, newest first, with the key that the next page continues after (None: this is the last page)."""

    runs: tuple[RunRecord, ...]
    next_key: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class FeedbackPage:
    """Page of implicit feedback by name, and the name that the next page continues after (None: the last page)."""

    feedback: tuple[ImplicitFeedback, ...]
    next_key: str | None


@dataclass(frozen=True, slots=True)
class StagedPage:
    """Page of staged learnings, oldest first, with the key that the next page continues after (None: the last page)."""

    staged: tuple[StagedLearning, ...]
    next_key: tuple[str, str] | None


class LearningStore(Protocol):
    """Runs, the staged learnings extracted from them, and the implicit feedback of their verdicts."""

    def feedback(self, scope: Scope, names: Collection[str]) -> dict[str, ImplicitFeedback]:
        """Reads a project's feedback on memories by their names; those that have none are left out."""

    def feedback_page(self, scope: Scope, *, after: str | None, limit: int) -> FeedbackPage:
        """Lists all feedback of a project by the memories' names."""

    def run(self, scope: Scope, run_id: str) -> RunRecord | None: ...

    def runs_named(self, scope: Scope, ids: Collection[str]) -> dict[str, RunRecord]:
        """Reads runs by id, in one round trip per hundred; missing ids are left out."""

    def runs(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> RunPage:
        """Lists the runs of a project by time of receipt (newest first), then id."""

    def staged(self, scope: Scope, ids: Collection[str]) -> dict[str, StagedLearning]:
        """Reads staged learnings by id, in one round trip per hundred; missing ids are left out."""

    def staged_page(
        self,
        scope: Scope,
        statuses: Collection[StagedStatus],
        viewer: Viewer,
        *,
        after: tuple[str, str] | None,
        limit: int,
    ) -> StagedPage:
        """Lists learnings in any of these statuses by time of staging (oldest first), then id."""

    def staged_counts(self, scope: Scope, viewer: Viewer) -> dict[StagedStatus, int]:
        """Counts staged learnings by status; all four statuses are present."""


@dataclass(frozen=True, slots=True)
class EventPage:
    """Page of entity events, oldest first, with the key that the next page continues after (None: the last page)."""

    events: tuple[EntityEvent, ...]
    next_key: tuple[str, str] | None
    damaged: tuple[str, ...] = ()
    """Ids of those that are left out, as far as the store names them."""


LINKS_MAX = 500
"""Events of people and sources at one end that are searched for an entity's links, and as many of agents."""


class EventStore(Protocol):
    """Events of the entities that memories name."""

    def add(self, events: Sequence[EntityEvent]) -> list[bool]:
        """Stores new events; for each, True if it was new (False: the event stored under its id stays as it is)."""

    def get_many(self, scope: Scope, ids: Collection[str]) -> dict[str, EntityEvent]:
        """Reads entity events by id, in one round trip per hundred; missing ids are left out."""

    def mark_applied(self, events: Sequence[EntityEvent]) -> list[bool]:
        """Stores `applied_at`, `marked` and `is_known`; for each, True if the stored one was at the version before."""

    def open(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> EventPage:
        """Lists events not yet marked as applied (`mark_applied`), by `received_at`, then id."""

    def of(self, scope: Scope, urn: str, *, after: tuple[str, str] | None, limit: int) -> EventPage:
        """Lists all events of one entity, at either end, by `occurred_at`, then id."""

    def links_of(
        self,
        scope: Scope,
        urns: Collection[str],
        viewer: Viewer,
        *,
        as_of: datetime | None = None,
        limit: int = LINKS_MAX,
    ) -> dict[str, tuple[Link, ...]]:
        """Links in force at either end of each entity (`links_in_force`), in order; entities without any are left out.

        Args:
            viewer: events told under a persona that it may not see do not count.
            as_of: reads only events that occurred by then; None: all events.
            limit: of the events of people and sources at one end, and of those of agents; of more the latest of each
                voice are read, turn by turn, so that none pushes out another's.
        """

    def links_told(self, scope: Scope) -> list[EntityEvent]:
        """Reads all events of a project that link or unlink; in the cloud those of the last moment may be missing."""

    def counts(self, scope: Scope) -> Mapping[str, int]:
        """Counts the stored events by kind; `unknown` counts those whose URN no known memory named."""

    def forget(self, scope: Scope, *, urn: str | None = None, created_by: str | None = None) -> int:
        """Erases the events of an entity (at either end) or of a reporter; with neither, all events and the activity.

        Returns:
            Number of erased events; `counts` counts them no more.
        """


@dataclass(frozen=True, slots=True)
class PairPage:
    """Page of pairs, oldest first, with the key that the next page continues after (None: this is the last page)."""

    pairs: tuple[Pair, ...]
    next_key: tuple[str, str] | None
    damaged: tuple[str, ...] = ()
    """Ids of those that are left out, as far as the store names them."""


class PairStore(Protocol):
    """Contradictions and near-duplicates, open (waiting for a person) or decided."""

    def put(self, pairs: Sequence[Pair]) -> list[bool]:
        """Writes pairs, each at its new version (1: a new pair); for each, True if it was written.

        A pair that changed meanwhile, or one of whose records is gone, is not written: a pair quotes both records.
        """

    def drop(self, pairs: Sequence[Pair]) -> list[bool]:
        """Deletes pairs that are still at the given version; for each, True if it was deleted."""

    def get(self, scope: Scope, id: str) -> Pair | None: ...

    def get_many(self, scope: Scope, ids: Collection[str]) -> dict[str, Pair]:
        """Reads pairs by id; missing and unreadable ones are left out of all answers; `beside` names the latter."""

    def page(
        self,
        scope: Scope,
        kind: PairKind,
        status: PairStatus,
        viewer: Viewer,
        *,
        after: tuple[str, str] | None,
        limit: int,
    ) -> PairPage:
        """Lists pairs of a kind and status by time of detection, then id."""
