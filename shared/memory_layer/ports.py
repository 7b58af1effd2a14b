"""What the use cases need from the world, in the words of the domain."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from memory_layer.domain.abstention import DEFAULT_TYPICAL_COSINE
from memory_layer.domain.access import Viewer
from memory_layer.domain.blending import Arms
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, OutcomeResult, Ref, Scope
from memory_layer.domain.policy import Policy
from memory_layer.errors import MemoryLayerError, TooMany

if TYPE_CHECKING:  # late at run time: who reads a record need not load it
    import numpy as np
    from numpy.typing import NDArray

Vector: TypeAlias = "NDArray[np.float32]"
"""Shape (dimensions,), unit length."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """The vectors of one record: of its content, and of its content with its context where it has one."""

    content: Vector
    context: Vector | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One record as it shall be from now on. `before` is the version it was read at, 0 for a new one.

    `vectors` None keeps those already stored (the text did not change), or stores none for a new record.
    `is_news` has the store refuse the record if an active one of its persona has the very same content.
    """

    memory: Memory
    before: int
    verb: str
    by: str
    at: datetime
    reason: str | None = None
    vectors: Vectors | None = None
    is_news: bool = False


@dataclass(frozen=True, slots=True)
class Erasure:
    """Remove a record, its versions and the answers that carry it; its id and last version stay as a tombstone.

    `echoes` are the records whose context held its words: the contexts of their earlier versions, and of the
    answers that carry them, go as well.
    """

    id: str
    before: int
    echoes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one principal said of one memory, and how far that moved it (after every cap)."""

    id: str
    memory_id: str
    result: OutcomeResult
    principal: str
    at: datetime
    session_id: str | None
    run_id: str | None
    recall_id: str | None
    note: str | None
    score_moved: float
    confidence_moved: float
    replaced_by: str | None = None


@dataclass(frozen=True, slots=True)
class Quota:
    """At most `limit` uses of `key` in any `window_s` seconds; counted in the commit that uses it."""

    key: str
    limit: int
    window_s: int
    at: datetime
    subject: str

    def spent(self, uses: Sequence[datetime]) -> list[datetime]:
        """The uses to keep once this one is added. Args: uses: earlier ones, oldest first.

        Raises:
            TooMany: the limit is reached inside the sliding window.
        """
        window = timedelta(seconds=self.window_s)
        inside = [use for use in uses if use + window > self.at]
        if len(inside) < self.limit:
            return [*inside, self.at]
        wait_s = max(1, -int((self.at - inside[0] - window).total_seconds() // 1))
        raise TooMany(
            f"{self.subject}: {self.limit} in {self.window_s // 60} minutes is the limit; try again in {wait_s} s",
            wait_s,
        )


ANSWER_LIFETIME = timedelta(hours=24)
"""How long an idempotency key is remembered (SPEC 2)."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What was answered under an idempotency key, kept with the record that it carries and erased with it.

    `body` is JSON; empty once the record was erased.
    """

    key: str
    fingerprint: str
    status: int
    body: str
    expires_at: datetime
    memory_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Commit:
    """All or nothing: one transaction on either backend (at most 100 actions)."""

    scope: Scope
    changes: tuple[Change, ...] = ()
    erasures: tuple[Erasure, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    replaces: tuple[tuple[str, str], ...] = ()  # (id of an earlier verdict, id of the one in its place)
    quotas: tuple[Quota, ...] = ()
    policy: Policy | None = None
    answer: Answer | None = None


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
    """Records in order, and where the next page begins (None: this was the last)."""

    memories: tuple[Memory, ...]
    next_key: tuple[str, str] | None


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
    """Counts of a project, over all statuses."""

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


UNSEEN_MAX = 1_000
"""Of what the index lacks, more is not looked at in one recall; it says so."""


class RecordStore(Protocol):
    """The only authority on what exists. Every read sees every commit acknowledged before it."""

    def commit(self, commit: Commit) -> None:
        """Make it durable, then return.

        Raises:
            VersionConflict: a record is no longer at `before` (or exists already).
            ContentTaken: the content of a change that `is_news` is there already.
            TooMany: a quota is used up.
            InFlight: the idempotency key was used meanwhile; read its answer.
        """

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        """Many independent transactions, each as `commit`; the error of each that failed, in order."""

    def get(self, scope: Scope, id: str) -> Memory | None: ...

    def get_many(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, Memory]:
        """Those that exist, read in one round trip per hundred."""

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

    def same_content(self, scope: Scope, content_hash: str) -> list[Memory]:
        """Active records with exactly this content."""

    def vectors(self, scope: Scope, ids: Collection[str]) -> dict[str, Vectors]: ...

    def turns(self, scope: Scope, session_id: str, first: int, last: int) -> list[Memory]:
        """A conversation's records with first <= position <= last, by position."""

    def take_positions(self, scope: Scope, session_id: str, count: int, *, at_least: int = 0) -> int:
        """The first of `count` positions after all that the conversation has; nobody else is given them."""

    def history(self, scope: Scope, id: str) -> list[Version]:
        """Every version of a record, oldest first."""

    def verdicts(self, scope: Scope, memory_id: str) -> list[Verdict]:
        """Verdicts on a memory that stand (not replaced), oldest first."""

    def policy(self, scope: Scope) -> Policy: ...

    def answers(self, scope: Scope, keys: Collection[str], now: datetime) -> dict[str, Answer]:
        """What was answered under these idempotency keys, as far as it still holds."""

    def written_after(self, scope: Scope, position: int) -> list[Ref]:
        """What the index may not have: all that was written after this position (see `covered`).

        A store that is told what has reached the index leaves that out, and may stop at the newest `UNSEEN_MAX`.
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

    def tags(self, scopes: tuple[Scope, ...]) -> list[str]:
        """Every tag that a record of these projects carries."""

    def stats(self, scope: Scope, viewer: Viewer, *, now: datetime) -> Stats:
        """Counts of a project, what has expired as archived; they may lag as far as the index does."""


class BlobStore(Protocol):
    """Bodies too large for a record. Keys are paths of slugs; every write is durable when it returns."""

    def put(self, key: str, body: bytes) -> None: ...

    def get(self, key: str) -> bytes | None: ...

    def delete(self, key: str) -> None:
        """Gone; one that is not there is no error."""


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
