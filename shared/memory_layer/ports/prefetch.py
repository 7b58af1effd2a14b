"""Port of the prefetch of contexts: the next request of a session is assembled before it comes, between requests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Protocol

from memory_layer.domain.access import Principal
from memory_layer.domain.context.next_request import AskedContext
from memory_layer.domain.memory import Scope


class PrefetchAbandoned(BaseException):
    """Assembly that is given up: its request has come, or the process ends. No source takes it for its own failure."""


class PrefetchStream(NamedTuple):
    """Stream of requests that one caller makes in one session. Args: session_id: None: in none."""

    principal: Principal
    scope: Scope
    session_id: str | None


@dataclass(frozen=True, slots=True)
class PrefetchCounts:
    """Counts since the process began, of projects whose settings ask for it.

    Args:
        requests: for contexts.
        hits: answered with a context that was assembled before they came.
        assembled: contexts assembled ahead; those that are no hits were for nothing, or still wait.
        abandoned: given up, as their request came first.
        processor_s: processor time of all that was done ahead, seconds.
    """

    requests: int = 0
    hits: int = 0
    assembled: int = 0
    abandoned: int = 0
    processor_s: float = 0.0


class PrefetchWork(Protocol):
    """Work of a prefetch, which the use cases do."""

    def newest_turn(self, stream: PrefetchStream, before: datetime | None = None) -> str | None:
        """Content of the newest turn of the stream's session that its caller may see; None: there is none.

        Args:
            before: turns stored later are passed over; None: none is.
        """

    def assemble(
        self, stream: PrefetchStream, asked: AskedContext[Any], give_way: Callable[[], None]
    ) -> bool:
        """Assembles a context into the cache; False: it is there, cannot be kept, or the settings ask for none.

        Args:
            give_way: called before each step; it may raise PrefetchAbandoned.
        """


class Prefetch(Protocol):
    """Prefetch of this process, which remembers the requests of a bounded number of sessions."""

    def serving(self, stream: PrefetchStream) -> AbstractContextManager[None]:
        """Serves a request of this stream inside: no assembly goes on before it is answered."""

    def note(
        self, stream: PrefetchStream, asked: AskedContext[Any], at: datetime, *, is_on: bool | None
    ) -> None:
        """Takes note of a request that was answered.

        Args:
            at: when it came.
            is_on: what the project's settings say; None: they were not read, since nothing had changed.
        """

    def forget_all(self) -> None:
        """Forgets all requests, as after an erasure, and gives up what is being assembled from them."""

    def counts(self) -> PrefetchCounts:
        """Counts since the process began."""
