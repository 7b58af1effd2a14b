"""Ports of the collections beside the records: runs and staged learnings, entity events, pairs."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from memory_layer.domain.access import Viewer
from memory_layer.domain.conflicts.pair import Pair, PairKind, PairStatus
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.time.entity_events import EntityEvent, Link

if TYPE_CHECKING:  # late at run time: who reads a record need not load it
    pass


@dataclass(frozen=True, slots=True)
class RunPage:
    """Runs, newest first, and where the next page begins (None: this was the last)."""

    runs: tuple[RunRecord, ...]
    next_key: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class StagedPage:
    """Staged learnings, oldest first, and where the next page begins (None: this was the last)."""

    staged: tuple[StagedLearning, ...]
    next_key: tuple[str, str] | None


class LearningStore(Protocol):
    """Runs, and what was learned from them and waits."""

    def run(self, scope: Scope, run_id: str) -> RunRecord | None: ...

    def runs(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> RunPage:
        """By when they came (newest first), then id."""

    def staged(self, scope: Scope, ids: Collection[str]) -> dict[str, StagedLearning]:
        """Those that exist, read in one round trip per hundred."""

    def staged_page(
        self,
        scope: Scope,
        statuses: Collection[StagedStatus],
        viewer: Viewer,
        *,
        after: tuple[str, str] | None,
        limit: int,
    ) -> StagedPage:
        """Learnings in any of these statuses, by when they were staged (oldest first), then id."""

    def staged_counts(self, scope: Scope, viewer: Viewer) -> dict[StagedStatus, int]:
        """How many there are in each status, all four named."""


@dataclass(frozen=True, slots=True)
class EventPage:
    """Entity events, oldest first, and where the next page begins (None: this was the last)."""

    events: tuple[EntityEvent, ...]
    next_key: tuple[str, str] | None


LINKS_MAX = 500
"""Events of one entity among which its links are looked for."""


class WorldStore(Protocol):
    """What happened to the things that memories speak of."""

    def add_events(self, events: Sequence[EntityEvent]) -> list[bool]:
        """Keep new ones; for each whether it was new (False: one with this id is there, and stays as it is)."""

    def events(self, scope: Scope, ids: Collection[str]) -> dict[str, EntityEvent]:
        """Those that exist, read in one round trip per hundred."""

    def mark_applied(self, events: Sequence[EntityEvent]) -> list[bool]:
        """Keep `applied_at`, `marked` and `is_known`; for each whether it was at the version before."""

    def open_events(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> EventPage:
        """Those that `mark_applied` was not told of yet, by `received_at`, then id."""

    def events_of(self, scope: Scope, urn: str, *, after: tuple[str, str] | None, limit: int) -> EventPage:
        """All of one entity, whichever end of them it is, by `occurred_at`, then id."""

    def links_of(
        self, scope: Scope, urns: Collection[str], *, as_of: datetime | None = None, limit: int = LINKS_MAX
    ) -> dict[str, tuple[Link, ...]]:
        """The links in force at either end of each entity (domain.lineage), in order; those without any are left out.

        Args:
            as_of: only what had happened by then; None: all that was told.
            limit: of the events of one entity; of more, the latest are looked at.
        """

    def event_counts(self, scope: Scope) -> Mapping[str, int]:
        """How many were kept of each kind; and of how many nothing known named the URN, as `unknown`."""

    def note_activity(self, scope: Scope, at: datetime) -> None:
        """Somebody is at work in the project: it is watched from now on. An earlier time changes nothing."""

    def forget_events(self, scope: Scope, *, urn: str | None = None, created_by: str | None = None) -> int:
        """Erase what was told of an entity (at either end), or by somebody; neither: all, the activity with it.

        Returns:
            How many events there were; they are not counted any more.
        """

    def policy_and_activity(self, scope: Scope) -> tuple[Policy, datetime | None]:
        """The project's settings, and when somebody was last at work (None: nobody watches it); in one read.

        Raises:
            DamagedSettings
        """


@dataclass(frozen=True, slots=True)
class PairPage:
    """Pairs, oldest first, and where the next page begins (None: this was the last)."""

    pairs: tuple[Pair, ...]
    next_key: tuple[str, str] | None


class PairStore(Protocol):
    """Contradictions and near-duplicates that wait for a person, or were decided."""

    def put_pairs(self, pairs: Sequence[Pair]) -> list[bool]:
        """Each at its new version (1: there is none yet); for each whether it was written.

        It is not where it has changed meanwhile, nor where one of its records is gone: a pair quotes both.
        """

    def drop_pairs(self, pairs: Sequence[Pair]) -> list[bool]:
        """Delete what is at that very version still; for each whether it was deleted."""

    def pair(self, scope: Scope, id: str) -> Pair | None: ...

    def pairs(self, scope: Scope, ids: Collection[str]) -> dict[str, Pair]:
        """Those that exist and can be read; what cannot be is left out of every answer, and named by `beside`."""

    def pair_page(
        self,
        scope: Scope,
        kind: PairKind,
        status: PairStatus,
        viewer: Viewer,
        *,
        after: tuple[str, str] | None,
        limit: int,
    ) -> PairPage:
        """By when they were found, then id."""
