"""Ports of the process: clock, ids, event bus, threads, deadlines; `Ports` bundles all ports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from memory_layer.domain.context.fragments import AssembledContext, TokenCounter
from memory_layer.ports.blobs import BlobStore
from memory_layer.ports.collections import RunPage as RunPage
from memory_layer.ports.collections import StagedPage as StagedPage
from memory_layer.ports.commit import ANSWER_LIFETIME as ANSWER_LIFETIME
from memory_layer.ports.commit import Change as Change
from memory_layer.ports.commit import Commit as Commit
from memory_layer.ports.commit import Erasure as Erasure
from memory_layer.ports.commit import Quota as Quota
from memory_layer.ports.commit import Vector as Vector
from memory_layer.ports.commit import Vectors as Vectors
from memory_layer.ports.commit import Verdict as Verdict
from memory_layer.ports.embedding import Embedder as Embedder
from memory_layer.ports.embedding import Reranker as Reranker
from memory_layer.ports.embedding import compared_vectors as compared_vectors
from memory_layer.ports.embedding import layout_of as layout_of
from memory_layer.ports.embedding import question_vector as question_vector
from memory_layer.ports.embedding import unranked as unranked
from memory_layer.ports.embedding import word_ranks as word_ranks
from memory_layer.ports.index import NO_HUB as NO_HUB
from memory_layer.ports.index import Arm as Arm
from memory_layer.ports.index import IndexAnswer as IndexAnswer
from memory_layer.ports.index import IndexQuery as IndexQuery
from memory_layer.ports.index import Labels as Labels
from memory_layer.ports.index import ReviewBacklog, untold_backlog
from memory_layer.ports.index import SearchIndex as SearchIndex
from memory_layer.ports.prefetch import Prefetch
from memory_layer.ports.record_store import RecordStore
from memory_layer.ports.together import Together

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.question_words import Ranks
    from memory_layer.ports.webhooks import WebhookPorts

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


RECEIPT_TIMEOUT_S: Final = 10.0
"""Seconds that the receipt of a context may wait for a thread."""


class DeadlinePassed(Exception):
    """Work that was not done by its deadline, or could not even begin."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """Moment by which work has to be done.

    Args:
        at: seconds on the clock of `timer`, which never goes back.
        give_way: called before each step of work that is in time.
    """

    at: float
    timer: Callable[[], float]
    give_way: Callable[[], None] | None = None

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline; below 0 once it has passed."""
        return self.at - self.timer()

    def check(self) -> None:
        """Stops work whose deadline has passed. Raises: DeadlinePassed: nobody waits for the result any more."""
        if self.seconds_left <= 0.0:
            raise DeadlinePassed
        if self.give_way is not None:
            self.give_way()


class PendingWork(Protocol[T_co]):
    """Work begun in a thread, whose result can be awaited."""

    def result(self, deadline: Deadline) -> T_co:
        """Waits for the work; returns what it returned or raises what it raised. Called once.

        Raises:
            DeadlinePassed: the work is not done by the deadline.
        """


class Workers(Protocol):
    """Bounded thread pools, one for each lane, so that work that hangs in one lane delays no other."""

    def begin(self, lane: str, work: Callable[[], T], deadline: Deadline) -> PendingWork[T]:
        """Runs work in a thread of the lane, unless the deadline passes before a thread is free.

        Raises:
            DeadlinePassed: all threads of the lane are busy with overdue work, or the process is ending.
        """


class TokenCounters(Protocol):
    """Token counters by the names that callers may use."""

    def is_at_hand(self, name: str) -> bool:
        """True if a call with this name returns or refuses at once, with nothing to load."""

    def __call__(self, name: str) -> TokenCounter:
        """The counter of this name. Raises: Invalid: no counter has this name; the error lists the names."""


@dataclass(frozen=True, slots=True)
class CachedContext:
    """Cached context, as it was assembled.

    Args:
        versions: write versions of the projects it was assembled from.
        until: end of its validity by time alone.
    """

    assembled: AssembledContext
    versions: tuple[str, ...]
    until: datetime


class AssemblyCache(Protocol):
    """Context cache of this process, bounded in bytes, with least-recently-used eviction."""

    def find(self, key: str, versions: tuple[str, ...], now: datetime) -> AssembledContext | None:
        """The context cached under the key, if nothing was written since and it is still valid."""

    def keep(self, key: str, kept: CachedContext, now: datetime) -> int:
        """Caches a context and returns the number of others evicted for it while still valid."""

    def forget_all(self) -> None:
        """Empties the cache, as after an erasure: no words of any context are held any more."""


class Telemetry(Protocol):
    """Metrics and trace spans, under the names of manifest/metrics.py."""

    def measure(self, values: Mapping[str, float], *, layer: str | None = None) -> None:
        """Emits metric values by name. Args: layer: second dimension, beside the function's name."""

    def span(self, name: str, **facts: Any) -> AbstractContextManager[None]:
        """Opens a span of the trace. Args: facts: numbers and names; nothing that a caller wrote."""


SLOWEST, FASTEST = 20.0, 0.5


@dataclass(slots=True)
class Pace:
    """Ratio of actual to planned duration of this process's work: a machine may be slower, or busy.

    Args:
        factor: moving average of the last few ratios, the latest counting most.
    """

    factor: float = 1.0

    def learn(self, taken_ms: float, planned_ms: float) -> None:
        """Updates the factor by one measurement. Args: planned_ms: ignored unless > 1."""
        if planned_ms > 1.0:
            latest = min(SLOWEST, max(FASTEST, taken_ms / planned_ms))
            self.factor += 0.3 * (latest - self.factor)


@dataclass(frozen=True, slots=True)
class ContextPorts:
    """Ports of context assembly, wired once per process, in bootstrap.

    Args:
        timer: monotonic clock, seconds.
        prefetch: None: the process does nothing between requests, as a function of the cloud.
    """

    workers: Workers
    counters: TokenCounters
    kept: AssemblyCache
    watch: Telemetry
    timer: Callable[[], float]
    pace: Pace = field(default_factory=Pace)
    prefetch: Prefetch | None = None

    def forget_all(self) -> None:
        """Forgets all words of contexts and of requests for them, as after an erasure."""
        if self.prefetch is not None:
            self.prefetch.forget_all()
        self.kept.forget_all()


class EventBus(Protocol):
    """Bus of events, for work that need not delay its request."""

    def publish(self, kind: str, detail: Mapping[str, Any]) -> None:
        """Publishes an event; `detail` is JSON of at most 200 KB, delivered to a handler at least once."""


class LongTransactions(Protocol):
    """Transactions over any number of commits; a transaction of the cloud's table holds 100 actions."""

    def begin(self) -> AbstractContextManager[None]:
        """Unites what this thread writes to the record store inside: durable and seen by others at the end, or never.

        Reads of the record store inside see those writes; the index does not. Other writers wait until the end.

        Raises:
            StoreUnavailable: at the end, or in any write: nothing was written.
        """


class Clock(Protocol):
    def now(self) -> datetime:
        """Current time, aware, in UTC."""


@dataclass(frozen=True, slots=True)
class StorageState:
    """State of the disk below the records, told before writes fail. The cloud has no end of it.

    Args:
        free_bytes: None: there is no end, or nobody knows it.
        low_below_bytes: free bytes under which an operator is to make room.
        lost: sentences about acknowledged writes that the disk lost, until an operator has put their traces away.
    """

    free_bytes: int | None = None
    low_below_bytes: int = 0
    is_read_only: bool = False
    lost: tuple[str, ...] = ()

    @property
    def is_low(self) -> bool:
        return self.free_bytes is not None and self.free_bytes < self.low_below_bytes


class Turns:
    """Turns of the threads that answer: everyone at once here, as where a process serves one request."""

    def run(self, work: Callable[[], T]) -> T:
        """Runs the computing of an answer when its turn has come, perhaps in another thread; at once within a turn."""
        return work()

    def left(self) -> AbstractContextManager[None]:
        """Leaves this thread's turn, if it has one, to others for work that takes long; then waits for the next."""
        return nullcontext()

    def let_pass(self, seconds: float) -> None:
        """Waits until nobody has a turn or waits for one, so many seconds at most."""


NewId = Callable[[str], str]
"""Makes a new id with the given prefix, e.g. `mem_` + UUIDv7 hex."""


@dataclass(frozen=True, slots=True)
class Ports:
    """All ports that a use case may reach; wired once, in bootstrap.

    Args:
        transactions: None on a backend whose transactions are bounded.
        turns: taken by each answer that is computed from the index.
        together: for reads that need not wait for one another.
        indexes_later: a write reaches the index after it is acknowledged.
        word_rank: place of a word among all words of the language, by which recall weighs a question's words.
        webhooks: None on a backend whose changes go to a bus.
        backlog: counts the records of all tenants that wait for a person; None: the index cannot tell. It raises
            IndexUnavailable where the index does not answer.
        reranker: reorders the first hits of a recall; None: the order is that of the index and of trust.
    """

    store: RecordStore
    index: SearchIndex
    blobs: BlobStore
    embedder: Embedder
    bus: EventBus
    clock: Clock
    new_id: NewId
    contexts: ContextPorts
    transactions: LongTransactions | None
    storage: Callable[[], StorageState] = StorageState
    turns: Turns = field(default_factory=Turns)
    together: Together = field(default_factory=Together)
    indexes_later: bool = False
    word_rank: Ranks = unranked
    webhooks: WebhookPorts | None = None
    backlog: Callable[[], ReviewBacklog | None] = untold_backlog
    reranker: Reranker | None = None
