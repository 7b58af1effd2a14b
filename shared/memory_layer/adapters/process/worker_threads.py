"""Worker threads for the sources of contexts: a few for each lane, started at its first use."""

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from concurrent.futures import TimeoutError as NotDone
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from memory_layer.ports.process import Deadline, DeadlinePassed
from memory_layer.ports.request_deadline import request_ends_in

LANE_THREADS: Final = 4
"""Threads of one lane. Work that hangs keeps its thread until it returns."""

RUNNING_JOBS_MAX: Final = 2
"""Jobs at a time in one lane, overdue ones aside: more would only take the processor from each other."""

CLOSING_TIME_S: Final = 2.0
"""Seconds that running jobs have when the process ends; they are abandoned then."""

T = TypeVar("T")


class LaneResult(Generic[T]):
    """The port ports.process.PendingWork over a future, which it gives away once it is asked.

    The error of a future holds the frames it came through; if these held the future, it would hold itself, and with
    it all that the request has read, until a garbage collection for which every thread stands still.
    """

    def __init__(self, future: Future[T]) -> None:
        self._futures = [future]

    def result(self, deadline: Deadline) -> T:
        future = self._futures.pop()
        try:
            return future.result(timeout=max(0.0, deadline.seconds_left))
        except NotDone as error:
            if future.done():  # it ended at that very moment; or the work itself ran into a time-out
                return future.result()
            raise DeadlinePassed from error
        finally:
            del future


@dataclass(frozen=True, slots=True, eq=False)
class _Job:
    work: Callable[[], Any]
    deadline: Deadline
    future: Future[Any]

    @property
    def is_overdue(self) -> bool:
        return self.deadline.seconds_left <= 0.0


class WorkerLane:
    """Lane of jobs, the newest first: under load, a job that waited long has no time left, and takes that of others.

    Args:
        threads: their number, of which `RUNNING_JOBS_MAX` do jobs that are not overdue.
    """

    def __init__(self, name: str, threads: int) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[_Job] = deque()
        self._running: set[_Job] = set()
        self._is_closed = False
        self._threads = [
            threading.Thread(target=self._work, name=f"context-{name}-{number}", daemon=True)
            for number in range(threads)
        ]
        for thread in self._threads:  # started now: no deadline leaves time to start one
            thread.start()

    def begin(self, work: Callable[[], T], deadline: Deadline) -> LaneResult[T]:
        future: Future[T] = Future()
        with self._changed:
            if sum(job.is_overdue for job in self._running) >= len(self._threads):
                raise DeadlinePassed
            self._waiting.append(_Job(work, deadline, future))
            self._changed.notify()
        return LaneResult(future)

    def close(self) -> None:
        with self._changed:
            self._is_closed = True
            for job in self._waiting:
                job.future.cancel()
            self._waiting.clear()
            running = [job.future for job in self._running]
            self._changed.notify_all()
        wait(running, CLOSING_TIME_S)

    def _work(self) -> None:
        while (job := self._next()) is not None:
            try:
                with request_ends_in(job.deadline.seconds_left):
                    job.future.set_result(job.work())
            except BaseException as error:
                job.future.set_exception(error)
            with self._changed:
                self._running.remove(job)
                self._changed.notify()
            del job  # it holds what it returned or raised

    def _next(self) -> _Job | None:
        with self._changed:
            while not self._is_closed:
                self._drop_overdue()
                left_s = [job.deadline.seconds_left for job in self._running if not job.is_overdue]
                if self._waiting and len(left_s) < RUNNING_JOBS_MAX:
                    job = self._waiting.pop()
                    self._running.add(job)
                    job.future.set_running_or_notify_cancel()
                    if self._waiting:
                        self._changed.notify()  # the thread of the next job has to know its deadline
                    return job
                self._changed.wait(min(left_s) if self._waiting and left_s else None)
            return None

    def _drop_overdue(self) -> None:
        """Drops overdue jobs at both ends of the queue: no caller waits for them, and those behind would never end.

        Only at the ends, so that a long queue costs no more a job than a short one: jobs in between are mostly
        younger than the oldest, and soon at an end themselves.
        """
        while self._waiting and self._waiting[-1].is_overdue:
            self._waiting.pop().future.set_exception(DeadlinePassed())
        while self._waiting and self._waiting[0].is_overdue:
            self._waiting.popleft().future.set_exception(DeadlinePassed())


class LaneThreads:
    """The port ports.process.Workers. Args: threads: number of threads of each lane."""

    def __init__(self, threads: int = LANE_THREADS) -> None:
        self._threads = threads
        self._lanes: dict[str, WorkerLane] = {}
        self._is_closed = False
        self._lock = threading.Lock()

    def begin(self, lane: str, work: Callable[[], T], deadline: Deadline) -> LaneResult[T]:
        return self._lane(lane).begin(work, deadline)

    def close(self) -> None:
        """Cancels waiting jobs; running ones have a moment to end, before their connections are closed."""
        with self._lock:  # a running job may be about to begin more
            self._is_closed = True
            lanes = list(self._lanes.values())
        for lane in lanes:
            lane.close()

    def _lane(self, name: str) -> WorkerLane:
        with self._lock:
            if self._is_closed:
                raise DeadlinePassed
            if name not in self._lanes:
                self._lanes[name] = WorkerLane(name, self._threads)
            return self._lanes[name]


class OwnThread:
    """The port ports.process.Workers for work that nobody waits for: each job is done at once, by who begins it."""

    def begin(self, lane: str, work: Callable[[], T], deadline: Deadline) -> LaneResult[T]:  # noqa: ARG002 there is one
        future: Future[T] = Future()
        try:
            with request_ends_in(deadline.seconds_left):
                future.set_result(work())
        except Exception as error:
            future.set_exception(error)
        return LaneResult(future)
