"""Circuit of the search index: one for each process, so that an index that is slow or away costs a request nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Lock
from time import monotonic
from typing import Any, Final, TypeVar

from opensearchpy.exceptions import ConnectionError as NoConnection
from opensearchpy.exceptions import ConnectionTimeout, OpenSearchException, TransportError
from urllib3 import Timeout

from memory_layer.adapters.aws.search.opensearch_client import IndexOverdue
from memory_layer.adapters.aws.services.boto_clients import CONNECT_TIMEOUT_S, READ_TIMEOUT_S
from memory_layer.domain.circuit_breaker import CircuitBreaker
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.request_deadline import at_most

PROBE_S: Final = 0.2
"""Seconds that a caller waits for a probe, which goes on without it for as long as any search may take."""

LEAST_S: Final = 0.01
"""Seconds below which no call is begun: the caller is nearly gone."""

TELLS_OF_INDEX_S: Final = 1.0
"""Seconds that a call had to have for its time-out to speak against the index, not against a hasty caller."""

Bounds = dict[str, Any]
"""Parameters of a request that say how long it may take."""

Found = TypeVar("Found")

_OVERLOADED: Final = frozenset({429, 500, 502, 503, 504})

_log = logging.getLogger(__name__)


class SearchCircuit:
    """Circuit through which every search goes; it says how long a search may take, and hears how it ended.

    Args:
        timer: seconds of a clock that never goes back.
    """

    def __init__(self, timer: Callable[[], float] = monotonic) -> None:
        self._timer = timer
        self._breaker = CircuitBreaker()
        self._lock = Lock()

    @property
    def is_open(self) -> bool:
        """True while searches are refused, or one is tried."""
        return self._breaker.is_open

    def call(self, search: Callable[[Bounds], Found], longest_s: float = READ_TIMEOUT_S) -> Found:
        """Lets one search through, and returns its answer.

        A probe has a thread of its own and the time of any search: its caller is degraded once it has waited long
        enough, and the probe's end decides all the same, be the index slower than that caller was patient.

        Args:
            longest_s: seconds that it may take, if its request has so many left.

        Raises:
            IndexUnavailable: the circuit is open, or the request is nearly over.
        """
        allowed_s = at_most(longest_s)
        if allowed_s < LEAST_S:
            raise IndexUnavailable("the request has no time left for the search index; give it more")
        if self._admitted():
            return self._probed(search, longest_s, waits_s=min(allowed_s, PROBE_S))
        return self._judged(search, allowed_s)

    def _probed(self, search: Callable[[Bounds], Found], longest_s: float, *, waits_s: float) -> Found:
        thread = ThreadPoolExecutor(1, "index-probe")
        found = thread.submit(self._judged, search, longest_s, is_probe=True)
        thread.shutdown(wait=False)
        if not wait([found], waits_s).done:
            raise IndexUnavailable(
                "the search index is asked whether it answers again, and is slow to; "
                "the record store has everything"
            )
        return found.result()

    def _judged(
        self, search: Callable[[Bounds], Found], allowed_s: float, *, is_probe: bool = False
    ) -> Found:
        """Searches, and hears how it ends."""
        started = self._timer()
        try:
            found = search(
                {"request_timeout": Timeout(connect=min(CONNECT_TIMEOUT_S, allowed_s), read=allowed_s)}
            )
        except (OpenSearchException, IndexOverdue) as error:
            is_slow = isinstance(error, ConnectionTimeout | IndexOverdue)
            is_slow = is_slow or self._timer() - started >= TELLS_OF_INDEX_S  # it had nobody to connect to
            self._note_failure(error, is_slow=is_slow, tells=is_probe or allowed_s >= TELLS_OF_INDEX_S)
            raise
        with self._lock:
            self._breaker = self._breaker.succeeded()
        return found

    def _admitted(self) -> bool:
        """Asks for permission; True for a probe."""
        now = self._timer()
        with self._lock:
            permission, self._breaker = self._breaker.asked(now)
        if permission == "refuse":
            left = self._breaker.seconds_left(now)
            raise IndexUnavailable(
                f"the search index did not answer lately and is asked again in {left:.0f} s; "
                "the record store has everything"
            )
        return permission == "probe"

    def _note_failure(self, error: Exception, *, is_slow: bool, tells: bool) -> None:
        if not (is_slow or _is_away(error)):
            with self._lock:  # it answered, whatever it said
                self._breaker = self._breaker.succeeded()
            return
        if is_slow and not tells:
            return
        with self._lock:
            was_open, self._breaker = (
                self._breaker.is_open,
                self._breaker.failed(self._timer(), is_slow=is_slow),
            )
            opened = self._breaker.is_open and not was_open
        if opened:
            _log.error("the search index does not answer (%s): answers are degraded until it does", error)


def _is_away(error: Exception) -> bool:
    """Tells an index that cannot be reached, or has too much to do."""
    if isinstance(error, NoConnection):
        return True
    return isinstance(error, TransportError) and error.status_code in _OVERLOADED
