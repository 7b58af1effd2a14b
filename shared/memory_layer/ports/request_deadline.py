"""Deadline of the request that is being served, for every call that it makes: no call waits longer than its caller."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import Final

_ends_at: Final[ContextVar[float | None]] = ContextVar("request_ends_at", default=None)


@contextmanager
def request_ends_in(seconds: float) -> Iterator[None]:
    """Sets the deadline of what is done inside; one that is set already and comes sooner stays."""
    left = seconds_left()
    token = _ends_at.set(monotonic() + (seconds if left is None else min(seconds, left)))
    try:
        yield
    finally:
        _ends_at.reset(token)


def seconds_left() -> float | None:
    """Seconds until the request's deadline, below 0 once it has passed; None: nobody waits for an answer."""
    ends_at = _ends_at.get()
    return None if ends_at is None else ends_at - monotonic()


def at_most(seconds: float) -> float:
    """So many seconds, or those that are left of the request if they are fewer; at least 0."""
    left = seconds_left()
    return seconds if left is None else max(0.0, min(seconds, left))
