"""Port of work side by side: reads of one request that need not wait for one another."""

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")
U = TypeVar("U")


class Together:
    """Work that does not depend on each other: one after the other here, where a store answers at once."""

    def both(self, one: Callable[[], T], other: Callable[[], U]) -> tuple[T, U]:
        """Does both, and returns what they return; raises what the first of them raises."""
        return one(), other()

    def each(self, works: Sequence[Callable[[], T]]) -> list[T]:
        """Does all, and returns what they return, in order."""
        return [work() for work in works]
