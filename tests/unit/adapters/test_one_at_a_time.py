"""Turns: one thread computes at a time, in the order in which they came, and nobody is held up for good."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic

import pytest

from memory_layer.adapters.process.one_at_a_time import OneAtATime

WAIT_S = 10.0
NAMED: ContextVar[str] = ContextVar("named", default="nobody")


class Beside:
    """A thread that runs a function, and what came of it."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self.result: object = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self.result = self._work()
        except Exception as error:
            self.result = error

    def end(self) -> object:
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()
        return self.result


@contextmanager
def held(turns: OneAtATime) -> Iterator[None]:
    """The turn is another thread's inside."""
    has_begun, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        has_begun.set()
        may_end.wait(WAIT_S)

    holder = Beside(lambda: turns.run(hold))
    assert has_begun.wait(WAIT_S)
    try:
        yield
    finally:
        may_end.set()
        holder.end()


def waiting(turns: OneAtATime, work: Callable[[], object]) -> Beside:
    """A thread that has come to wait for its turn."""
    before = len(turns._waiting)
    begun = Beside(lambda: turns.run(work))
    until = monotonic() + WAIT_S
    while len(turns._waiting) == before:
        assert monotonic() < until, "it did not wait"
        threading.Event().wait(0.001)
    return begun


def test_one_computes_at_a_time_in_the_order_of_coming() -> None:
    turns, order, most = OneAtATime(), list[int](), [0]
    running = [0]

    def work(number: int) -> int:
        running[0] += 1
        most[0] = max(most[0], running[0])
        threading.Event().wait(0.002)
        order.append(number)
        running[0] -= 1
        return number

    with held(turns):
        begun = [waiting(turns, lambda number=number: work(number)) for number in range(8)]  # type: ignore[misc]
    assert [one.end() for one in begun] == list(range(8))
    assert (order, most[0]) == (list(range(8)), 1)


def test_an_error_is_its_callers_and_the_next_has_its_turn() -> None:
    turns = OneAtATime()

    def fail() -> None:
        raise ValueError("of this caller")

    with held(turns):
        failing, other = waiting(turns, fail), waiting(turns, lambda: "done")
    assert isinstance(failing.end(), ValueError)
    assert other.end() == "done"
    with pytest.raises(ValueError, match="of this caller"):
        turns.run(fail)
    assert turns.run(lambda: "free again") == "free again"


def test_work_that_waited_sees_the_context_of_its_caller() -> None:
    """Safeguard: the copy of the context; another thread does the work."""
    turns = OneAtATime()

    def call() -> str:
        NAMED.set("ada")
        return turns.run(NAMED.get)

    with held(turns):
        begun = Beside(call)
        while not turns._waiting:
            threading.Event().wait(0.001)
    assert begun.end() == "ada"


def test_who_leaves_a_turn_lets_others_compute_and_goes_on_in_a_turn() -> None:
    """Safeguard: `left`; all would wait until a project is loaded. Both who came alone and who waited can leave."""
    turns = OneAtATime()
    may_end = threading.Event()

    def load() -> bool:
        with turns.left():
            has_waited = may_end.wait(WAIT_S)
        return has_waited and turns._has_turn

    first = Beside(lambda: turns.run(load))
    with held(turns):
        second, third = waiting(turns, load), waiting(turns, lambda: "answered meanwhile")
    assert third.end() == "answered meanwhile"
    may_end.set()
    assert (first.end(), second.end()) == (True, True)
    assert turns.run(lambda: "free again") == "free again"


def test_a_turn_within_a_turn_is_the_same() -> None:
    turns = OneAtATime()
    assert Beside(lambda: turns.run(lambda: turns.run(lambda: "inner"))).end() == "inner"
    with turns.left():  # of no turn
        assert turns.run(lambda: "own") == "own"


def test_who_may_hold_others_up_computes_at_once() -> None:
    """Safeguard: `is_bound`; a thread in its transaction would wait for those who wait for the transaction's end."""
    turns = OneAtATime(is_bound=lambda: True)
    turns._is_bound = lambda: False
    with held(turns):
        turns._is_bound = lambda: True
        assert Beside(lambda: turns.run(lambda: "at once")).end() == "at once"


def test_a_courteous_thread_waits_until_nobody_has_a_turn_and_no_longer_than_it_says() -> None:
    turns = OneAtATime()
    passed = threading.Event()

    def be_courteous() -> None:
        turns.let_pass(WAIT_S)
        passed.set()

    with held(turns):
        turns.let_pass(0.001)
        begun = Beside(be_courteous)
        assert not passed.wait(0.05)
    begun.end()
    assert passed.is_set()


def test_an_interrupt_leaves_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    """Safeguard: `_forget`; the turn of a thread that has gone would end the process for all."""
    turns = OneAtATime()

    def interrupted(_: object) -> None:
        raise KeyboardInterrupt

    with held(turns), monkeypatch.context() as patch:
        patch.setattr("memory_layer.adapters.process.one_at_a_time._Place.wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            turns.run(lambda: None)
        assert not turns._waiting
    assert turns.run(lambda: "free again") == "free again"
