"""Ports of the record store for upkeep: verification, sweeps and erasure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.time.sweep_state import SweepName, SweepState

if TYPE_CHECKING:  # late at run time: who reads a record need not load it
    from memory_layer.domain.integrity.verification import BrokenPart, SideRecord, StoredPage, StoredRecord


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
