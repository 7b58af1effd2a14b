"""Ports of the record store: the records, what contexts read of them, and the union of all its parts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Protocol

from memory_layer.domain.access import Viewer
from memory_layer.domain.context.policy import AssemblyPolicy
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope, Status
from memory_layer.domain.policy import Policy
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.collections import LearningStore, PairStore, WorldStore
from memory_layer.ports.commit import Commit, IdempotencyRecord, Vectors, Verdict
from memory_layer.ports.maintenance import ErasureStore, IntegrityStore, SweepStore


@dataclass(frozen=True, slots=True)
class RecordVersion:
    """A record as it was after one change, with who changed it, when, how and why."""

    memory: Memory
    verb: str
    by: str
    at: datetime
    reason: str | None


@dataclass(frozen=True, slots=True)
class RecordPage:
    """Records in order, and where the next page begins (None: this was the last).

    Left out, and named, are those whose words are in a body that is missing or damaged (`unread`) or in deep archive
    (`frozen`).
    """

    memories: tuple[Memory, ...]
    next_key: tuple[str, str] | None
    unread: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RecallReceipt:
    """Which memories a recall returned; kept 30 days."""

    recall_id: str
    scope: Scope
    principal: str
    refs: tuple[Ref, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class Operation:
    """A piece of work that outlives its request; `input` names the blob that says what to do."""

    id: str
    tenant: str
    principal: str
    kind: str
    status: Literal["running", "succeeded", "failed"]
    done: int
    total: int
    created_at: datetime
    input: str | None = None
    result: Mapping[str, Any] | None = None
    problem: Mapping[str, Any] | None = None


UNSEEN_MAX = 1_000
"""Of what the index lacks, more is not looked at in one recall; it says so."""


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


class RecordStore(
    LearningStore,
    IntegrityStore,
    SweepStore,
    WorldStore,
    ContextStore,
    PairStore,
    ErasureStore,
    Protocol,
):
    """The only authority on what exists. Every read sees every commit acknowledged before it.

    Of a record that is not hot the words may lie in a body of their own (domain.tiers). Records are read with all their
    words unless it says otherwise; of several, those whose body cannot be read now are left out.
    """

    def commit(self, commit: Commit) -> None:
        """Make it durable, then return. An erasure takes the bodies of its record along.

        Raises:
            VersionConflict: a record is no longer at `before` (or exists already).
            ContentTaken: the content of a change that `is_news` is there already.
            TooMany: a quota is used up.
            InFlight: the idempotency key was used meanwhile; read its answer.
        """

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        """Many independent transactions, each as `commit`; the error of each that failed, in order."""

    def get(self, scope: Scope, id: str, *, with_body: bool = True) -> Memory | None:
        """
        Args:
            with_body: False: a stub as it lies.

        Raises:
            BodyFrozen: its words are in deep archive; they have been asked back now.
            StoreUnavailable: its words are missing or damaged.
        """

    def get_many(self, tenant: str, refs: Collection[Ref], *, with_bodies: bool = True) -> dict[Ref, Memory]:
        """Those that exist, read in one round trip per hundred. Args: with_bodies: False: stubs as they lie."""

    def whole(self, memories: Sequence[Memory]) -> list[Memory]:
        """Records as `get_many` reads them without bodies, with all their words."""

    def packed_bytes(self, content: str) -> int:
        """How long these words are as a body."""

    def last_versions(self, scope: Scope, ids: Collection[str]) -> dict[str, int]:
        """The newest version that each id ever had, a hard delete counted; ids never used are left out."""

    def page(
        self,
        scope: Scope,
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        after: tuple[str, str] | None,
        limit: int,
        oldest_first: bool = False,
    ) -> RecordPage:
        """Records by creation time (newest first unless told), then id; never an expired one as active."""

    def every(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> RecordPage:
        """Records as they are stored, of every status and persona and none read as expired; oldest first, then by id.

        A page may hold fewer than `limit`, even none, and name a next one all the same.
        """

    def same_content(self, scope: Scope, content_hash: str) -> list[Memory]:
        """Active records with exactly this content."""

    def vectors(self, scope: Scope, ids: Collection[str]) -> dict[str, Vectors]: ...

    def turns(self, scope: Scope, session_id: str, first: int, last: int) -> list[Memory]:
        """A conversation's records with first <= position <= last, by position, then by age and id.

        One whose words cannot be read comes as its stub: it has heard the turns around it all the same.
        """

    def take_positions(self, scope: Scope, session_id: str, count: int, *, at_least: int = 0) -> int:
        """The first of `count` positions after all that the conversation has; nobody else is given them."""

    def history(self, scope: Scope, id: str) -> list[RecordVersion]:
        """Every version of a record, oldest first."""

    def versions_at(self, scope: Scope, ids: Collection[str], moment: datetime) -> dict[str, Memory]:
        """Each record as its last change until then left it; without those not written yet, or erased."""

    def in_status_since(self, scope: Scope, ids: Collection[str], status: Status) -> dict[str, RecordVersion]:
        """The change that brought each of these records into a status that it has had ever since."""

    def verdicts(self, scope: Scope, memory_id: str) -> list[Verdict]:
        """Verdicts on a memory that stand (not replaced), oldest first."""

    def policy(self, scope: Scope) -> Policy: ...

    def answers(self, scope: Scope, keys: Collection[str], now: datetime) -> dict[str, IdempotencyRecord]:
        """What was answered under these idempotency keys, as far as it still holds."""

    def written_after(self, scope: Scope, position: int) -> list[Ref]:
        """What the index may not have: all that was written after this position (see `covered`), the newest first.

        A store that is told what has reached the index leaves that out, and may stop at the newest `UNSEEN_MAX`.

        Raises:
            IndexUnavailable: it is so much that not even its names can be told.
        """

    def note_recall(self, receipt: RecallReceipt) -> None:
        """Durable within a second; counts one access of each memory, in batches."""

    def receipt(self, scope: Scope, recall_id: str) -> RecallReceipt | None: ...

    def recalled_since(self, scope: Scope, refs: Collection[Ref], since: datetime) -> set[Ref]:
        """Which of these some recall has returned since then; all that this project's recalls have, at once."""

    def put_operation(self, operation: Operation) -> None: ...

    def operation(self, tenant: str, id: str) -> Operation | None: ...
