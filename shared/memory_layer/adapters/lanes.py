"""Threads for the sources of contexts: a few for each lane, started when it is first used."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from concurrent.futures import TimeoutError as NotDone
from typing import Any, Final, Generic, TypeVar

from memory_layer.context_ports import Deadline, Late

LANE_THREADS: Final = 4
"""At a time in one lane. What hangs keeps its thread until it returns."""

CLOSING_TIME_S: Final = 2.0
"""For what is still running when the process ends; it is abandoned then."""

T = TypeVar("T")


class Begun(Generic[T]):
    """context_ports.Pending over a future, which it gives away once it is asked.

    What a future raises holds the frames it came through; had these the future, that would hold itself, and with it
    all that the request has read, until a garbage collection for which every thread stands still.
    """

    def __init__(self, future: Future[T]) -> None:
        self._futures = [future]

    def result(self, deadline: Deadline) -> T:
        future = self._futures.pop()
        try:
            return future.result(timeout=max(0.0, deadline.seconds_left))
        except NotDone as error:
            if future.done():  # at that very moment; or the work itself ran into a time-out
                return future.result()
            raise Late from error
        finally:
            del future


class Lane:
    """One lane. Args: threads: how many."""

    def __init__(self, name: str, threads: int) -> None:
        self._threads = threads
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix=f"context-{name}")
        all_there = threading.Barrier(threads, timeout=CLOSING_TIME_S)  # no deadline leaves time to start one
        wait([self._executor.submit(all_there.wait) for _ in range(threads)])
        self._running: dict[object, Deadline] = {}
        self._lock = threading.Lock()
        self._futures: set[Future[Any]] = set()

    def begin(self, work: Callable[[], T], deadline: Deadline) -> Begun[T]:
        with self._lock:
            overdue = sum(running.seconds_left <= 0.0 for running in self._running.values())
        if overdue >= self._threads:
            raise Late
        future = self._executor.submit(self._run, work, deadline)
        self._futures.add(future)
        future.add_done_callback(self._futures.discard)
        return Begun(future)

    def close(self) -> None:
        self._executor.shutdown(wait=False, cancel_futures=True)
        wait(set(self._futures), CLOSING_TIME_S)

    def _run(self, work: Callable[[], T], deadline: Deadline) -> T:
        deadline.check()
        mine = object()
        with self._lock:
            self._running[mine] = deadline
        try:
            return work()
        finally:
            with self._lock:
                del self._running[mine]


class Lanes:
    """context_ports.Workers. Args: threads: of each lane."""

    def __init__(self, threads: int = LANE_THREADS) -> None:
        self._threads = threads
        self._lanes: dict[str, Lane] = {}
        self._lock = threading.Lock()

    def begin(self, lane: str, work: Callable[[], T], deadline: Deadline) -> Begun[T]:
        return self._lane(lane).begin(work, deadline)

    def close(self) -> None:
        """What has not begun never does; what runs has a moment to end, before its connections are closed."""
        for lane in self._lanes.values():
            lane.close()

    def _lane(self, name: str) -> Lane:
        with self._lock:
            if name not in self._lanes:
                self._lanes[name] = Lane(name, self._threads)
            return self._lanes[name]
