"""Thread that assembles the contexts that sessions will likely ask for next, between requests.

It begins once writes have been quiet, lets every request pass, rests nine times as long as it worked, and gives up what
a request has come for. It learns in its own time as well: a request costs a line in a queue.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from time import monotonic, thread_time
from typing import Any, Final, NamedTuple

from memory_layer.adapters.process.prefetch_cache import PrefetchCache
from memory_layer.domain.access import SHARED_PROJECT
from memory_layer.domain.context.next_request import AskedContext, RequestPattern
from memory_layer.domain.memory import Scope
from memory_layer.ports.prefetch import PrefetchAbandoned, PrefetchCounts, PrefetchStream, PrefetchWork
from memory_layer.ports.process import Turns

QUIET_S: Final = 0.25
"""Seconds without a write and without a request for a context, after which a prefetch begins: a turn that was stored
has the turns beside it written anew, once it is embedded."""

REST_FACTOR: Final = 9.0
"""Seconds of rest for each of processor time: a tenth of a core at most."""

STREAMS_MAX: Final = 64
"""Sessions that are remembered, those asked for last."""

STREAMS_A_STRETCH: Final = 4
"""Sessions that a stretch of writes has a context assembled for, those asked for last."""

IDLE_S: Final = 600.0
"""Seconds after its last request in which a session has contexts assembled."""

EVENTS_MAX: Final = 256
"""Requests and stretches of writes that wait to be learned from; the oldest are dropped."""

INTENT_MAX_CHARS: Final = 2_000
"""Longest intent that is remembered."""

GIVE_WAY_S: Final = 1.0
"""Seconds that an assembly waits for requests before each of its steps; then it is given up."""

CLOSE_S: Final = 1.0
"""Seconds that the end of the process waits for the step that it is in."""

_log = logging.getLogger(__name__)


class _Request(NamedTuple):
    stream: PrefetchStream
    asked: AskedContext[Any]
    at: datetime


class _Stretch(NamedTuple):
    """Stretch of writes to one project."""

    scope: Scope

    def touches(self, stream: PrefetchStream) -> bool:
        is_shared = self.scope.project == SHARED_PROJECT and self.scope.tenant == stream.scope.tenant
        return is_shared or self.scope == stream.scope


class PrefetchThread:
    """The port ports.prefetch.Prefetch: one thread, which starts at the first write after a request.

    Args:
        cache: counts the hits.
        quiet_s: as `QUIET_S`.
        rest_factor: as `REST_FACTOR`.
    """

    def __init__(
        self, cache: PrefetchCache, *, quiet_s: float = QUIET_S, rest_factor: float = REST_FACTOR
    ) -> None:
        self.cache, self._quiet_s, self._rest_factor = cache, quiet_s, rest_factor
        self._changed = threading.Condition()
        self._patterns: OrderedDict[PrefetchStream, RequestPattern[Any]] = OrderedDict()
        self._asked_at: dict[PrefetchStream, float] = {}
        self._events: deque[_Request | _Stretch] = deque(maxlen=EVENTS_MAX)
        self._serving: list[PrefetchStream] = []
        self._counts = PrefetchCounts()
        self._notes = self._erasures = 0
        self._is_working = self._is_closed = False
        self._work: PrefetchWork | None = None
        self._turns = Turns()
        self._thread: threading.Thread | None = None

    def begin(self, work: PrefetchWork, turns: Turns) -> None:
        """Takes the work that it does from the next write on. Args: turns: of the threads that answer."""
        self._work, self._turns = work, turns

    @contextmanager
    def serving(self, stream: PrefetchStream) -> Iterator[None]:
        with self._changed:
            self._serving.append(stream)
        try:
            yield
        finally:
            with self._changed:
                self._serving.remove(stream)
                self._notes += 1
                self._changed.notify_all()

    def note(
        self, stream: PrefetchStream, asked: AskedContext[Any], at: datetime, *, is_on: bool | None
    ) -> None:
        with self._changed:
            if is_on is False:
                self._forget(one for one in [*self._patterns] if one.scope == stream.scope)
            elif is_on or stream in self._patterns:
                self._counts = replace(self._counts, requests=self._counts.requests + 1)
                if len(asked.intent or "") <= INTENT_MAX_CHARS:
                    self._remember(_Request(stream, asked, at))

    def note_write(self, scope: Scope) -> None:
        """Takes note of a project that was written to."""
        stretch = _Stretch(scope)
        with self._changed:
            if self._is_closed or self._work is None or not any(map(stretch.touches, self._patterns)):
                return
            self._notes += 1
            if not self._events or self._events[-1] != stretch:
                self._events.append(stretch)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="context prefetch", daemon=True)
                self._thread.start()
            self._changed.notify_all()

    def counts(self) -> PrefetchCounts:
        with self._changed:
            return replace(self._counts, hits=self.cache.hits)

    def forget_all(self) -> None:
        """Forgets all requests, as after an erasure, and gives up what is being assembled from them."""
        with self._changed:
            self._erasures += 1
            self._forget([*self._patterns])
            self._events.clear()
            self._changed.notify_all()

    def drain(self) -> None:
        """Waits until nothing is left to be done for the writes so far."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_closed or not (self._is_working or self._has_writes))

    def close(self) -> None:
        """Gives up what is being assembled, and ends the thread."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join(CLOSE_S)

    @property
    def _has_writes(self) -> bool:
        return any(isinstance(event, _Stretch) for event in self._events)

    def _remember(self, request: _Request) -> None:
        self._patterns.setdefault(request.stream, RequestPattern())
        self._patterns.move_to_end(request.stream)
        self._asked_at[request.stream] = monotonic()
        self._forget([*self._patterns][:-STREAMS_MAX])
        self._events.append(request)

    def _forget(self, streams: Iterable[PrefetchStream]) -> None:
        for stream in streams:
            del self._patterns[stream], self._asked_at[stream]

    def _run(self) -> None:
        while (events := self._next()) is not None:
            started = thread_time()
            for stream in self._learned(events):
                self._take(partial(self._assemble, stream))
            self._rest(thread_time() - started)

    def _next(self) -> list[_Request | _Stretch] | None:
        """Events so far, once there was a write and then quiet; None: the process ends."""
        with self._changed:
            self._is_working = False
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._is_closed or self._has_writes)
            self._await_quiet()
            events = [*self._events]
            self._events.clear()
            self._is_working = not self._is_closed
            return None if self._is_closed else events

    def _await_quiet(self) -> None:
        notes = -1
        while not self._is_closed and (notes != self._notes or self._serving):
            notes = self._notes
            self._changed.wait_for(lambda: self._is_closed, self._quiet_s)

    def _rest(self, processor_s: float) -> None:
        with self._changed:
            total_s = self._counts.processor_s + processor_s
            self._counts = replace(self._counts, processor_s=total_s)
            self._changed.wait_for(lambda: self._is_closed, self._rest_factor * processor_s)

    def _learned(self, events: Sequence[_Request | _Stretch]) -> list[PrefetchStream]:
        """Learns from events in their order; returns the sessions with writes whose next request is near."""
        stretches = [event for event in events if isinstance(event, _Stretch)]
        for event in events:
            self._take(partial(self._learn, event))
        with self._changed:
            recent = [one for one in reversed(self._patterns) if monotonic() - self._asked_at[one] <= IDLE_S]
            written = [one for one in recent if any(stretch.touches(one) for stretch in stretches)]
            return [one for one in written if self._patterns[one].is_due][:STREAMS_A_STRETCH]

    def _learn(self, event: _Request | _Stretch) -> None:
        if isinstance(event, _Request):
            turn = self._work.newest_turn(event.stream, event.at) if self._work else None
            with self._changed:
                if event.stream in self._patterns:  # an erasure may have forgotten it
                    pattern = self._patterns[event.stream]
                    self._patterns[event.stream] = pattern.after_request(event.asked, turn)
            return
        with self._changed:
            for stream in filter(event.touches, [*self._patterns]):
                self._patterns[stream] = self._patterns[stream].after_write()

    def _assemble(self, stream: PrefetchStream) -> None:
        work, pattern, erasures = self._work, self._patterns.get(stream), self._erasures
        asked = pattern.expected(work.newest_turn(stream)) if work and pattern else None
        if work is None or asked is None or len(asked.intent or "") > INTENT_MAX_CHARS:
            return
        try:
            is_made = work.assemble(stream, asked, partial(self._give_way, stream))
        except PrefetchAbandoned:
            self._count(abandoned=1)
        else:
            self._count(assembled=int(is_made))
        if erasures != self._erasures:  # what was read before the erasure was cached after it
            self.cache.forget_expected()

    def _count(self, *, assembled: int = 0, abandoned: int = 0) -> None:
        with self._changed:
            old = self._counts
            self._counts = replace(
                old, assembled=old.assembled + assembled, abandoned=old.abandoned + abandoned
            )

    def _give_way(self, stream: PrefetchStream) -> None:
        """Lets requests pass. Raises: PrefetchAbandoned: one of the session has come, or they do not end."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_over(stream) or not self._serving, GIVE_WAY_S)
            if self._serving or self._is_over(stream):
                raise PrefetchAbandoned
        self._turns.let_pass(GIVE_WAY_S)

    def _is_over(self, stream: PrefetchStream) -> bool:
        return self._is_closed or stream in self._serving or stream not in self._patterns

    def _take(self, step: Callable[[], None]) -> None:
        try:
            step()
        except Exception as error:  # whatever it is: a request that needs the same says so itself
            _log.info("no context is assembled ahead: %s", error)
