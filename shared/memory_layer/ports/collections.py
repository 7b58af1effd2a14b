"""The parts of the record store, beside the records themselves: each is what one kind of work needs of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from memory_layer.domain.access import Viewer
from memory_layer.domain.conflicts.pair import Pair, PairKind, PairStatus
from memory_layer.domain.context.policy import AssemblyPolicy
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.time.entity_events import EntityEvent, Link
from memory_layer.domain.time.sweep_state import SweepName, SweepState
from memory_layer.ports.commit import Vectors

if TYPE_CHECKING:  # late at run time: who reads a record need not load it
    from memory_layer.domain.integrity.verification import BrokenPart, SideRecord, StoredPage, StoredRecord


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


class IntegrityStore(Protocol):
    """What lies there, as it lies."""

    def kept(self, scope: Scope, *, after: str | None, limit: int, with_history: bool = True) -> StoredPage:
        """All that lies under the project's ids, erased ones too, as it lies: what is damaged is told, not raised.

        A page may hold another number than `limit`, even none, and name a next one all the same; a record that is
        written meanwhile may come twice, the later state last. Without its history a record is cheaper to read.
        """

    def kept_under(
        self, scope: Scope, ids: Collection[str], *, with_history: bool = True
    ) -> list[StoredRecord]:
        """The same of these ids, each once, whether or not any list knows them."""

    def body_flaws(self, scope: Scope, kept: Sequence[StoredRecord]) -> list[BrokenPart]:
        """What is wrong with the bodies that these records and their versions have their words in.

        Raises:
            StoreUnavailable: the blobs do not answer.
        """

    def beside(self, scope: Scope) -> Iterator[SideRecord]:
        """Of what lies beside the records, tenants' own things too, all that is broken or older than digests."""

    def damage(self) -> list[str]:
        """What is wrong with the storage itself, a sentence each; none where others keep it sound."""


@dataclass(frozen=True, slots=True)
class DuePage:
    """Records that the clock says to look at, and where the next page begins (None: this was the last).

    `damaged` names those that cannot be read.
    """

    memories: tuple[Memory, ...]
    next_cursor: str | None
    damaged: tuple[str, ...] = ()


class SweepStore(Protocol):
    """What sweeps go by; they walk over all tenants."""

    def due(self, until: datetime, *, since: datetime | None, after: str | None, limit: int) -> DuePage:
        """Records of all tenants that are due by `until` (domain.due.due_at), as stored, the oldest days first.

        Stubs as they lie.

        Args:
            since: what was due before is done (a store whose list is by day begins there); None: begin where it begins.
            after: the `next_cursor` of the page before.

        A page may hold fewer than `limit`, even none, and name a next one all the same. A record whose time was over
        when it was written is due at the time of that write.
        """

    def projects(self, *, after: Scope | None, limit: int) -> list[Scope]:
        """Every project that was ever written to, by tenant and project; fewer than `limit`: no more follow."""

    def written_since(self, scope: Scope, at: datetime) -> bool:
        """Whether a record of the project may have changed since then; where that is not known exactly, it may.

        Erasures have a ledger of their own.
        """

    def sweep_state(self, name: SweepName) -> SweepState | None: ...

    def put_sweep_state(self, state: SweepState) -> None:
        """Raises: VersionConflict: it is not at the version before any more."""


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
class ContextSettings:
    """What contexts go by in a project. Args: active_at: when somebody was last at work (None: nobody watches it)."""

    policy: Policy
    active_at: datetime | None
    assembly: AssemblyPolicy


NEVER_WRITTEN = "0"
"""The write version of a project without its first write."""


class ContextStore(Protocol):
    """What assembled contexts go by."""

    def write_versions(self, scopes: Sequence[Scope]) -> tuple[str, ...]:
        """For each project a word that no acknowledged write leaves as it was; in one round trip.

        A write is whatever a context may depend on: of records, settings, tuning, entity events, activity, and
        every erasure of them; not what recalls count.

        Args:
            scopes: no project twice.
        """

    def context_settings(self, scopes: Sequence[Scope]) -> tuple[ContextSettings, ...]:
        """What each of these projects has decided; in one round trip.

        Raises:
            DamagedSettings
        """

    def last_turns(self, scope: Scope, session_id: str, limit: int) -> list[Memory]:
        """The last records of a conversation by position, the newest first; those without one after all others.

        Of every status and persona; one whose words cannot be read is left out.
        """

    def with_vectors(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, tuple[Memory, Vectors | None]]:
        """Records as `get_many` reads them without bodies, with what lies beside them; in the same round trips."""


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


class ErasureStore(Protocol):
    """What is forgotten beside the records themselves (see commit.Erasure), and counted for the receipt."""

    def traces(self, scope: Scope, ids: Collection[str]) -> Mapping[str, Mapping[str, int]]:
        """By id, how much lies there: `versions`, `vectors`, `verdicts`, `answers`, `pairs`."""

    def forget_receipts(self, scope: Scope, principal: str | None) -> int:
        """Recalls of this principal in the project (None: of everybody); how many there were."""

    def forget_notes(self, scope: Scope, principal: str) -> int:
        """What this principal wrote with verdicts on records that stay; the verdicts stay, and what they moved.

        Returns:
            How many of the notes there were: one is in the verdict and in the record's history, and counts once.
        """

    def forget_answers(self, scope: Scope) -> int:
        """What was answered under idempotency keys to requests that made no memory; those keys say so from now on."""

    def forget_sessions(self, scope: Scope, session_ids: Collection[str]) -> int:
        """How far each of these conversations was counted, if no record of it is left; how many were forgotten."""

    def forget_project(self, scope: Scope) -> Mapping[str, int]:
        """What is left of a project without records, runs and staged learnings, by store; its tombstones stay."""

    def settle_erasure(self, *, rewrites: bool = False) -> bool:
        """Have what was erased leave whatever the storage keeps beside its tables, a write-ahead log say.

        Args:
            rewrites: also what its files hold between the rows of today, which costs as much as to write them anew.

        Returns:
            Whether it has; False: somebody reads an older state just now, or the disk is full; it lies there till then.
        """
