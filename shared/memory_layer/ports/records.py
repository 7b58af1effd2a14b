"""What the use cases need from the world, in the words of the domain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope, Status, Tier
from memory_layer.domain.policy import Policy
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.collections import (
    ContextStore,
    ErasureStore,
    IntegrityStore,
    LearningStore,
    PairStore,
    SweepStore,
    WorldStore,
)
from memory_layer.ports.collections import RunPage as RunPage
from memory_layer.ports.collections import StagedPage as StagedPage
from memory_layer.ports.commit import ANSWER_LIFETIME as ANSWER_LIFETIME
from memory_layer.ports.commit import Change as Change
from memory_layer.ports.commit import Commit as Commit
from memory_layer.ports.commit import Erasure as Erasure
from memory_layer.ports.commit import IdempotencyRecord as Answer
from memory_layer.ports.commit import Quota as Quota
from memory_layer.ports.commit import Vector as Vector
from memory_layer.ports.commit import Vectors as Vectors
from memory_layer.ports.commit import Verdict as Verdict
from memory_layer.ports.index import NO_HUB as NO_HUB
from memory_layer.ports.index import Arm as Arm
from memory_layer.ports.index import IndexAnswer as IndexAnswer
from memory_layer.ports.index import IndexQuery as IndexQuery
from memory_layer.ports.index import Labels as Labels
from memory_layer.ports.index import SearchIndex as SearchIndex
from memory_layer.ports.process import ContextPorts

if TYPE_CHECKING:  # late at run time: who reads a record need not load it
    import numpy as np
    from numpy.typing import NDArray


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

    def answers(self, scope: Scope, keys: Collection[str], now: datetime) -> dict[str, Answer]:
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


class BlobStore(Protocol):
    """Bodies too large for a record. Keys are paths of slugs; every write is durable when it returns."""

    def put(self, key: str, body: bytes, *, tier: Tier = "hot") -> None:
        """Args: tier: which one's price it is kept at, where that makes a difference."""

    def reclass(self, key: str, tier: Tier) -> None:
        """Keep what is there at the price of this tier; at once or not at all, and nothing to do where it is so.

        One that is not there is no error: who reads it is told.

        Raises:
            StoreUnavailable: it cannot be moved.
        """

    def get(self, key: str, *, thaws: bool = False) -> bytes | None:
        """
        Args:
            thaws: have one that is in deep archive brought back, which takes hours and has its price.

        Raises:
            BodyFrozen: it is in deep archive.
        """

    def delete(self, key: str) -> None:
        """Gone; one that is not there is no error."""

    def keys(self, prefix: str) -> list[str]:
        """All keys that begin so, in order. Args: prefix: whole parts of a path, e.g. `snapshots/acme/web/`."""


class Embedder(Protocol):
    """Text to unit vectors. Vectors of two models never mix: `model` names the one in use."""

    model: str
    dimensions: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions), rows of unit length, in order.

        Raises:
            EmbedderUnavailable: no model, or it does not load.
        """


class EventBus(Protocol):
    """Work that need not delay its request."""

    def publish(self, kind: str, detail: Mapping[str, Any]) -> None:
        """Handed over; `detail` is JSON of at most 200 KB, and a handler may see it more than once."""


class Clock(Protocol):
    def now(self) -> datetime:
        """Aware, UTC."""


NewId = Callable[[str], str]
"""Makes an id with the given prefix, e.g. `mem_` + UUIDv7 hex."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything a use case may reach; wired once, in bootstrap."""

    store: RecordStore
    index: SearchIndex
    blobs: BlobStore
    embedder: Embedder
    bus: EventBus
    clock: Clock
    new_id: NewId
    contexts: ContextPorts
