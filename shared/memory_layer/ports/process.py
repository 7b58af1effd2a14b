"""Ports of the process: clock, ids, embedder, event bus, threads, deadlines; `Ports` bundles all ports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from memory_layer.domain.context.fragments import AssembledContext, TokenCounter
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
from memory_layer.ports.index import NO_HUB as NO_HUB
from memory_layer.ports.index import Arm as Arm
from memory_layer.ports.index import IndexAnswer as IndexAnswer
from memory_layer.ports.index import IndexQuery as IndexQuery
from memory_layer.ports.index import Labels as Labels
from memory_layer.ports.index import SearchIndex as SearchIndex

if TYPE_CHECKING:  # late at run time: who reads a record need not load it
    import numpy as np
    from numpy.typing import NDArray
from memory_layer.ports.blobs import BlobStore
from memory_layer.ports.records import RecordStore

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


RECEIPT_S: Final = 10.0
"""How long the receipt of a context may wait for a thread."""


class DeadlinePassed(Exception):
    """It was not done in time, or could not even begin."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """A moment by which something has to be done.

    Args:
        at: seconds on the clock of `timer`, which never goes back.
    """

    at: float
    timer: Callable[[], float]

    @property
    def seconds_left(self) -> float:
        """Below 0 once it is over."""
        return self.at - self.timer()

    def check(self) -> None:
        """Raises: DeadlinePassed: it is over; nobody waits for what would follow."""
        if self.seconds_left <= 0.0:
            raise DeadlinePassed


class PendingWork(Protocol[T_co]):
    """Work that was begun."""

    def result(self, deadline: Deadline) -> T_co:
        """What it returned, or whatever it raised; asked once.

        Raises:
            DeadlinePassed: it is not done by then.
        """


class Workers(Protocol):
    """A bounded number of threads, some for each lane, so that what hangs in one holds no other up."""

    def begin(self, lane: str, work: Callable[[], T], deadline: Deadline) -> PendingWork[T]:
        """Have it done in a thread of this lane, unless the deadline passes before one is free.

        Raises:
            Late: all threads of the lane are busy with work that is overdue; or the process is ending.
        """


class TokenCounters(Protocol):
    """The token counters that a caller may name."""

    def is_at_hand(self, name: str) -> bool:
        """Whether naming it answers, or refuses, at once: nothing has to be loaded."""

    def __call__(self, name: str) -> TokenCounter:
        """Raises: Invalid: there is none of this name; the sentence names those that there are."""


@dataclass(frozen=True, slots=True)
class KeptContext:
    """A context as it was assembled.

    Args:
        versions: the write versions of what it was made of.
        until: it says something else from then on, for time alone.
    """

    assembled: AssembledContext
    versions: tuple[str, ...]
    until: datetime


class KeptContexts(Protocol):
    """Contexts of this process, bounded in bytes; those asked for last stay."""

    def find(self, key: str, versions: tuple[str, ...], now: datetime) -> AssembledContext | None:
        """What was kept under the key, if nothing was written since and its time is not over."""

    def keep(self, key: str, kept: KeptContext, now: datetime) -> int:
        """Keep it; how many others had to give way to it before their time."""

    def forget_all(self) -> None:
        """No word of any is held any more: something was erased."""


class Telemetry(Protocol):
    """Who measures; names are those of manifest/metrics.py."""

    def measure(self, values: Mapping[str, float], *, layer: str | None = None) -> None:
        """Args: layer: the dimension that these carry beside the function's."""

    def span(self, name: str, **facts: Any) -> AbstractContextManager[None]:
        """A part of the trace. Args: facts: numbers and names; nothing that a caller wrote."""


SLOWEST, FASTEST = 20.0, 0.5


@dataclass(slots=True)
class Pace:
    """How much longer than planned the work of this process takes: a machine may be slower, or busy.

    Args:
        factor: of the last few times, the last ones counting most.
    """

    factor: float = 1.0

    def learn(self, taken_ms: float, planned_ms: float) -> None:
        """Args: planned_ms: > 1, or it tells nothing."""
        if planned_ms > 1.0:
            latest = min(SLOWEST, max(FASTEST, taken_ms / planned_ms))
            self.factor += 0.3 * (latest - self.factor)


@dataclass(frozen=True, slots=True)
class ContextPorts:
    """Made once a process, in bootstrap. Args: timer: seconds from anywhere; never goes back."""

    workers: Workers
    counters: TokenCounters
    kept: KeptContexts
    watch: Telemetry
    timer: Callable[[], float]
    pace: Pace = field(default_factory=Pace)


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
