"""Rounds of requests that wait for one another, counted by who waits for whom and without a clock.

Each thread has a count. Work that it gives to another goes on from there, and who waits for the work's result is behind
all that was asked for in it; what nobody waits for holds up nobody.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Final

_BEGUN, _ENDED = "rounds_as_it_began", "rounds_at_its_end"
_FOLLOWED: Final = ("__init__", "set_running_or_notify_cancel", "set_result", "set_exception", "result")


class WaitedRounds(threading.local):
    """Count of the thread that reads it: the requests that it has waited for, one after the other."""

    count: int = 0

    def note(self) -> None:
        """Counts a request for whose answer this thread waits."""
        self.count += 1


@contextmanager
def followed_through_threads(rounds: WaitedRounds) -> Iterator[None]:
    """Has counts go into other threads by the futures that these fulfil, and come back with their results."""
    own = {name: getattr(Future, name) for name in _FOLLOWED}

    def begin(self: Any) -> None:
        own["__init__"](self)
        setattr(self, _BEGUN, rounds.count)

    def take_up(self: Any) -> Any:
        rounds.count = getattr(self, _BEGUN, 0)
        return own["set_running_or_notify_cancel"](self)

    def end(name: str) -> Callable[[Any, Any], None]:
        def ended(self: Any, value: Any) -> None:
            setattr(self, _ENDED, rounds.count)
            own[name](self, value)

        return ended

    def wait(self: Any, timeout: float | None = None) -> Any:
        try:
            return own["result"](self, timeout)
        finally:
            rounds.count = max(rounds.count, getattr(self, _ENDED, 0))

    followed = (begin, take_up, end("set_result"), end("set_exception"), wait)
    _put_in_place(dict(zip(_FOLLOWED, followed, strict=True)))
    try:
        yield
    finally:
        _put_in_place(own)


def _put_in_place(methods: Mapping[str, Any]) -> None:
    for name, method in methods.items():
        setattr(Future, name, method)
