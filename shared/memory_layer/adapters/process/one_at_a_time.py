"""Turns of the threads that answer from one index: one at a time, first come first served.

Two that compute side by side wait for the interpreter's lock after each step of numpy and of SQLite: together they are
slower than one after the other. Who comes alone computes in its own thread. The work of those who have to wait is
done for them by one thread: no time passes between two of them until a sleeping one has woken.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, copy_context
from queue import Empty, SimpleQueue
from typing import Any, Final, TypeVar

from memory_layer.ports.process import Turns

T = TypeVar("T")

IDLE_S: Final = 5.0
"""Seconds that a thread without work waits for more before it ends."""


class _Place:
    """Place of a thread that waits. Args: work: done for it; None: it goes on by itself."""

    def __init__(self, work: Callable[[], Any] | None) -> None:
        self.work, self._context = work, copy_context()
        self._outcome: Any = None
        self._error: BaseException | None = None
        self._opened = threading.Lock()
        self._opened.acquire()

    def do(self) -> None:
        """Does its work, and wakes its thread."""
        work, context = self.work, self._context
        try:
            self._outcome = self._done(context, work)
        except BaseException as error:
            self._error = error
        self.open()

    @staticmethod
    def _done(context: Context, work: Callable[[], Any] | None) -> Any:
        return None if work is None else context.run(work)

    def open(self) -> None:
        self._opened.release()

    def wait(self) -> Any:
        """Waits until it is opened; returns what its work returned, or raises what it raised."""
        self._opened.acquire()
        outcome, error = self._outcome, self._error
        self._outcome = self._error = (
            None  # an error holds the frames that it came through, and with them this place
        )
        if error is not None:
            raise error
        return outcome


class OneAtATime(Turns):
    """The port ports.process.Turns for the threads of one interpreter.

    Args:
        is_bound: tells if what the calling thread sees belongs to it alone, as within its transaction; then it
            computes at once, since others may have to wait for its end.
    """

    def __init__(self, is_bound: Callable[[], bool] = lambda: False) -> None:
        self._is_bound = is_bound
        self._state = threading.Lock()
        self._is_taken = False
        self._waiting: deque[_Place] = deque()
        self._free = threading.Event()
        self._free.set()
        self._given: SimpleQueue[_Place] = SimpleQueue()
        self._idle = 0
        self._own = threading.local()

    def run(self, work: Callable[[], T]) -> T:
        if self._has_turn or self._is_bound():
            return work()
        place = self._queued(work)
        if place is not None:
            return self._waited(place)  # type: ignore[no-any-return]
        self._own.has_turn = True
        try:
            return work()
        finally:
            if self._has_turn:  # an interrupt may have ended its wait for it
                self._give()

    @contextmanager
    def left(self) -> Iterator[None]:
        if not self._has_turn:
            yield
            return
        self._give()
        try:
            yield
        finally:
            place = self._queued(None)
            if place is not None:
                self._waited(place)
            self._own.has_turn = True

    def let_pass(self, seconds: float) -> None:
        if not self._has_turn and not self._free.is_set():
            self._free.wait(max(0.0, seconds))

    @property
    def _has_turn(self) -> bool:
        return getattr(self._own, "has_turn", False)

    def _queued(self, work: Callable[[], Any] | None) -> _Place | None:
        """A place behind all others; None: nobody is before this thread, and it has the turn."""
        with self._state:
            if not self._is_taken:
                self._is_taken = True
                self._free.clear()
                return None
            place = _Place(work)
            self._waiting.append(place)
            return place

    def _waited(self, place: _Place) -> Any:
        try:
            return place.wait()
        except KeyboardInterrupt:  # those behind must not wait for a thread that has gone
            self._forget(place)
            raise

    def _forget(self, place: _Place) -> None:
        with self._state:
            if place in self._waiting:
                self._waiting.remove(place)
                return
        if place.work is None:
            self._give()

    def _give(self) -> None:
        """Hands the turn to the first that waits: nobody overtakes it."""
        self._own.has_turn = False
        place = self._next()
        if place is not None:
            self._begin(place)

    def _next(self) -> _Place | None:
        """The first place; None: there is none, and the turn is free."""
        with self._state:
            if self._waiting:
                return self._waiting.popleft()
            self._is_taken = False
            self._free.set()
            return None

    def _begin(self, place: _Place) -> None:
        """Has the work of a place done by a thread that is idle, or by a new one."""
        if place.work is None:
            place.open()
            return
        with self._state:
            is_anyone_idle = self._idle > 0
            self._idle -= is_anyone_idle
        if is_anyone_idle:
            self._given.put(place)
        else:
            threading.Thread(target=self._work, args=(place,), name="recall lane", daemon=True).start()

    def _work(self, first: _Place) -> None:
        place: _Place | None = first
        while place is not None:
            self._do_all_from(place)
            place = self._employed()

    def _do_all_from(self, place: _Place | None) -> None:
        """Does the work of a place and of those behind it, up to one whose thread goes on by itself."""
        while place is not None:
            if place.work is None:
                place.open()
                return
            self._own.has_turn = True
            place.do()
            self._own.has_turn = False
            place = self._next()

    def _employed(self) -> _Place | None:
        """Waits for work; None: none came."""
        with self._state:
            self._idle += 1
        try:
            return self._given.get(timeout=IDLE_S)
        except Empty:
            with self._state:
                if self._idle > 0:
                    self._idle -= 1
                    return None
        return self._given.get()  # whoever took it off the idle ones is about to give
