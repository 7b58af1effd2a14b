"""What the use cases need from the world, in the words of the domain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol

from memory_layer.commit import ANSWER_LIFETIME as ANSWER_LIFETIME
from memory_layer.commit import Answer as Answer
from memory_layer.commit import Change as Change
from memory_layer.commit import Commit as Commit
from memory_layer.commit import Erasure as Erasure
from memory_layer.commit import Quota as Quota
from memory_layer.commit import Vector as Vector
from memory_layer.commit import Vectors as Vectors
from memory_layer.commit import Verdict as Verdict
from memory_layer.context_ports import ContextPorts
from memory_layer.domain.abstention import DEFAULT_TYPICAL_COSINE
from memory_layer.domain.access import Viewer
from memory_layer.domain.blending import Arms
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope, Status, Tier
from memory_layer.domain.mentions import Key
from memory_layer.domain.policy import Policy
from memory_layer.domain.reconciling import Coverage, Reconciled
from memory_layer.errors import MemoryLayerError
from memory_layer.stores import (
    ContextStore,
    ErasureStore,
    IntegrityStore,
    LearningStore,
    PairStore,
    SweepStore,
    WorldStore,
)
from memory_layer.stores import RunPage as RunPage
from memory_layer.stores import StagedPage as StagedPage

if TYPE_CHECKING:  # late at run time: who reads a record need not load it
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Version:
    """A record as it was after one change, with who changed it, when, how and why."""

    memory: Memory
    verb: str
    by: str
    at: datetime
    reason: str | None


@dataclass(frozen=True, slots=True)
class Page:
    """Records in order, and where the next page begins (None: this was the last).

    Left out, and named, are those whose words are in a body that is missing or damaged (`unread`) or in deep archive
    (`frozen`).
    """

    memories: tuple[Memory, ...]
    next_key: tuple[str, str] | None
    unread: tuple[str, ...] = ()
    frozen: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Receipt:
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


@dataclass(frozen=True, slots=True)
class Stats:
    """Counts of a project, over all statuses.

    Args:
        tiers: of each, how many records and how many bytes, uncompressed.
        body_bytes: how many of these bytes lie in bodies, beside the rows.
    """

    total: int
    by: Mapping[str, Mapping[str, int]]
    average_confidence: float | None
    average_success_rate: float | None
    average_outcome_score: float | None
    outcome_bands: Mapping[str, int]
    most_used: tuple[tuple[str, int], ...]
    last_updated_at: datetime | None
    bytes: int
    with_vector: int
    tiers: Mapping[Tier, tuple[int, int]]
    body_bytes: Mapping[Tier, int]


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
    ) -> Page:
        """Records by creation time (newest first unless told), then id; never an expired one as active."""

    def every(self, scope: Scope, *, after: tuple[str, str] | None, limit: int) -> Page:
        """Records as they are stored, of every status and persona and none read as expired; oldest first, then by id.

        A page may hold fewer than `limit`, even none, and name a next one all the same.
        """

    def same_content(self, scope: Scope, content_hash: str) -> list[Memory]:
        """Active records with exactly this content."""

    def vectors(self, scope: Scope, ids: Collection[str]) -> dict[str, Vectors]: ...

    def turns(self, scope: Scope, session_id: str, first: int, last: int) -> list[Memory]:
        """A conversation's records with first <= position <= last, by position.

        One whose words cannot be read comes as its stub: it has heard the turns around it all the same.
        """

    def take_positions(self, scope: Scope, session_id: str, count: int, *, at_least: int = 0) -> int:
        """The first of `count` positions after all that the conversation has; nobody else is given them."""

    def history(self, scope: Scope, id: str) -> list[Version]:
        """Every version of a record, oldest first."""

    def versions_at(self, scope: Scope, ids: Collection[str], moment: datetime) -> dict[str, Memory]:
        """Each record as its last change until then left it; without those not written yet, or erased."""

    def in_status_since(self, scope: Scope, ids: Collection[str], status: Status) -> dict[str, Version]:
        """The change that brought each of these records into a status that it has had ever since."""

    def verdicts(self, scope: Scope, memory_id: str) -> list[Verdict]:
        """Verdicts on a memory that stand (not replaced), oldest first."""

    def policy(self, scope: Scope) -> Policy: ...

    def answers(self, scope: Scope, keys: Collection[str], now: datetime) -> dict[str, Answer]:
        """What was answered under these idempotency keys, as far as it still holds."""

    def written_after(self, scope: Scope, position: int) -> list[Ref]:
        """What the index may not have: all that was written after this position (see `covered`).

        A store that is told what has reached the index leaves that out, and may stop at the newest `UNSEEN_MAX`.

        Raises:
            IndexUnavailable: it is so much that not even its names can be told.
        """

    def note_recall(self, receipt: Receipt) -> None:
        """Durable within a second; counts one access of each memory, in batches."""

    def receipt(self, scope: Scope, recall_id: str) -> Receipt | None: ...

    def recalled_since(self, scope: Scope, refs: Collection[Ref], since: datetime) -> set[Ref]:
        """Which of these some recall has returned since then; all that this project's recalls have, at once."""

    def put_operation(self, operation: Operation) -> None: ...

    def operation(self, tenant: str, id: str) -> Operation | None: ...


Arm = Literal["lexical", "semantic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """What to look for, where, and on whose behalf.

    `text` None skips the lexical arm, `vector` None the semantic one. `k` bounds each of the ranked lists.
    `content_only` leaves the fields with context out.
    """

    scopes: tuple[Scope, ...]
    text: str | None
    vector: Vector | None
    filters: Filters
    viewer: Viewer
    now: datetime
    k: int
    content_only: bool = False


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """Candidates; `typical_cosine` says how alike the contents of the first scope are anyway (domain.abstention)."""

    arms: Arms[Ref]
    typical_cosine: float = DEFAULT_TYPICAL_COSINE


NO_HUB = 2**31
"""More than a project has records: every thing has its best named."""


@dataclass(frozen=True, slots=True)
class Mentioned:
    """How many records are tied to a thing, and those in the best standing, best first, then by id.

    Args:
        standings: of each of them, confidence × relevance_score in millionths.
    """

    total: int
    refs: tuple[Ref, ...]
    standings: tuple[int, ...]


class SearchIndex(Protocol):
    """Derived from the record store, never an authority: hits are re-read and re-checked by the caller."""

    def covered(self, scope: Scope) -> int:
        """How far into the project's log every later search has seen; asked before the log, and that before the search.

        In the other order a write that arrives in the index in between is in neither.

        Raises:
            IndexUnavailable: it cannot be asked now.
        """

    def search(self, query: IndexQuery) -> IndexAnswer:
        """The best `k` of each arm and field.

        Raises:
            IndexUnavailable: it cannot be asked now.
        """

    def standing(
        self, scopes: tuple[Scope, ...], filters: Filters, viewer: Viewer, *, now: datetime, k: int
    ) -> list[Ref]:
        """The `k` records asked for with the highest confidence × relevance_score, best first, then by id."""

    def mentioning(
        self,
        scopes: tuple[Scope, ...],
        mentions: Sequence[Key],
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        k: int,
        hub_above: int = NO_HUB,
    ) -> dict[Key, Mentioned]:
        """The records tied to each of these things (domain.mentions), in one round trip; unknown things are left out.

        Args:
            hub_above: of a thing that more records are tied to, none need be named: it is enough to count them.

        It may name records that are not tied to it: the record has the last word.

        Raises:
            IndexUnavailable: it cannot be asked now.
        """

    def tags(self, scopes: tuple[Scope, ...]) -> list[str]:
        """Every tag that a record of these projects carries."""

    def stats(self, scope: Scope, viewer: Viewer, *, now: datetime) -> Stats:
        """Counts of a project, what has expired as archived; they may lag as far as the index does."""

    def coverage(self) -> Coverage:
        """Over all tenants' records; it may lag as far as the index does."""

    def unembedded(self, scope: Scope, *, after: str | None, k: int) -> list[str]:
        """The first `k` ids after this one, in order, of records that name no model, or another than the one in use.

        It may lag as far as the index does: the record has the last word (domain.memory.needs_vectors).
        """

    def settled(
        self, scope: Scope, tier: Tier, *, since: datetime | None, until: datetime, after: str | None, k: int
    ) -> list[str]:
        """The first `k` ids after this one, in order, of unpinned records of a tier with since <= updated_at < until.

        It may lag as far as the index does: the record has the last word.

        Args:
            since: None: from the beginning.
        """

    def reconcile(self, scope: Scope, *, after: str | None, is_dry_run: bool) -> Reconciled:
        """Compare a project here with the store, and repair what differs; what is on its way here is left alone.

        Args:
            after: the `next_cursor` of the call before; None: from the beginning.
            is_dry_run: only count.

        Raises:
            IndexUnavailable, StoreUnavailable: an engine does not answer; what is repaired is repaired.
        """


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
