"""Ports of the record store for upkeep: verification, sweeps and erasure."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.time.sweep_state import SweepName, SweepState

if TYPE_CHECKING:  # for types only: reads of a record do not need it
    from memory_layer.domain.integrity.verification import BrokenPart, SideRecord, StoredPage, StoredRecord


class IntegrityStore(Protocol):
    """Raw reads of stored data, for verification: damage is reported as a finding, never raised."""

    def kept(self, scope: Scope, *, after: str | None, limit: int, with_history: bool = True) -> StoredPage:
        """Reads all data stored under the project's ids, erased ones too, unchecked: damage is a finding, not an error.

        A page may hold another number than `limit`, even none, and still name a next page; a record that is written
        meanwhile may come twice, the later state last. Without its history a record is cheaper to read.
        """

    def kept_under(
        self, scope: Scope, ids: Collection[str], *, with_history: bool = True
    ) -> list[StoredRecord]:
        """Reads the data stored under these ids as `kept` does, each id once, listed anywhere or not."""

    def body_flaws(self, scope: Scope, kept: Sequence[StoredRecord]) -> list[BrokenPart]:
        """Flaws of the bodies that hold the content of these records and of their versions.

        Raises:
            StoreUnavailable: the blob store does not answer.
        """

    def beside(self, scope: Scope) -> Iterator[SideRecord]:
        """Items stored beside the records, tenants' own included, that are broken or older than digests."""

    def mend(self, scope: Scope, ids: Collection[str]) -> list[str]:
        """Heals what is damaged of these records from the sound copies that are there; returns the healed ids."""

    def mend_storage(self) -> list[str]:
        """Builds anew what the storage keeps beside the rows and takes from them; returns names of what was damaged."""

    def known_damage(self) -> list[tuple[Scope, str]]:
        """Damaged records that reads of this process have met, without those that are healed or gone by now."""

    def damage(self) -> list[str]:
        """Flaws of the storage itself, a sentence each; none where the storage is a managed service."""


@dataclass(frozen=True, slots=True)
class DuePage:
    """Page of records that are due, with the cursor of the next page (None: this is the last page).

    `damaged` names due records that cannot be read.
    """

    memories: tuple[Memory, ...]
    next_cursor: str | None
    damaged: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DueNames:
    """Page of the list of due records, not read: project and id of each, and the cursor of the next page."""

    names: tuple[tuple[Scope, str], ...]
    next_cursor: str | None


class SweepStore(Protocol):
    """Due records, projects and saved states, for sweeps; they walk over all tenants."""

    def due(self, until: datetime, *, since: datetime | None, after: str | None, limit: int) -> DuePage:
        """Lists records of all tenants that are due by `until` (domain.time.decay.due_at), the oldest days first.

        Records come as stored, stubs without their bodies.

        Args:
            since: all that was due before is done (a store that lists by day starts there); None: from the first day.
            after: the `next_cursor` of the page before.

        A page may hold fewer than `limit`, even none, and still name a next page. A record whose due time had passed
        when it was written is due at the time of that write.
        """

    def due_names(
        self, until: datetime, *, since: datetime | None, after: str | None, limit: int
    ) -> DueNames:
        """Lists what `due` lists, by the same cursors, without reading a record: some may be due no longer."""

    def projects(self, *, after: Scope | None, limit: int) -> list[Scope]:
        """Lists every project that was ever written to, by tenant and project; fewer than `limit`: no more follow."""

    def written_since(self, scope: Scope, at: datetime) -> bool:
        """True if a record of the project may have changed since `at`; also where that is not known exactly.

        Erasures are not covered: they have a ledger of their own.
        """

    def state(self, name: SweepName) -> SweepState | None: ...

    def put_state(self, state: SweepState) -> None:
        """Stores the state of a sweep. Raises: VersionConflict: the stored state is not at the version before."""


class ErasureStore(Protocol):
    """Erasure of data beside the records themselves (for these see ports.commit.Erasure), counted for the receipt."""

    def traces(self, scope: Scope, ids: Collection[str]) -> Mapping[str, Mapping[str, int]]:
        """Counts the stored items of each id: `versions`, `vectors`, `verdicts`, `answers`, `pairs`."""

    def forget_receipts(self, scope: Scope, principal: str | None) -> int:
        """Deletes the recall receipts of a principal in the project (None: of everybody) and returns their number."""

    def forget_notes(self, scope: Scope, principal: str) -> int:
        """Deletes the notes of a principal's verdicts on records that stay; verdicts and their effect on scores stay.

        The readable parts of the audit log that name the principal go as well.

        Returns:
            Number of notes: a note is in the verdict and in the record's history, and counts once.
        """

    def forget_answers(self, scope: Scope) -> int:
        """Empties the answers under idempotency keys to requests that made no memory; the keys stay and say so.

        Returns:
            Number of emptied answers.
        """

    def redact_versions(
        self, scope: Scope, id: str, first: int, last: int, redacted: Callable[[Memory], Memory]
    ) -> None:
        """Rewrites versions of a record, without a change of the record; no answer carries their words any more.

        Args:
            first, last: versions, both included.
            redacted: record of a version without its words.
        """

    def forget_sessions(self, scope: Scope, session_ids: Collection[str]) -> int:
        """Deletes the position counters of conversations that have no record left, and returns their number."""

    def forget_project(self, scope: Scope) -> Mapping[str, int]:
        """Deletes all else of a project without records, runs and staged learnings, by store; its tombstones stay."""

    def settle(self, *, rewrites: bool = False) -> bool:
        """Purges erased data from storage outside the tables, such as a write-ahead log.

        Args:
            rewrites: also purges free space inside the files, which costs as much as writing the files anew.

        Returns:
            True once purged; False: a reader holds an older state, or the disk is full, and the data stays till then.
        """
