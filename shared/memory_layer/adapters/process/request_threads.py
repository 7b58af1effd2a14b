"""Threads that serve the request they were asked by: they know its deadline."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from memory_layer.ports.together import Together

T = TypeVar("T")
U = TypeVar("U")


class RequestThreads(ThreadPoolExecutor):
    """Thread pool whose work runs in a copy of the context of whoever asks for it."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return super().submit(copy_context().run, fn, *args, **kwargs)


class ThreadsTogether(Together):
    """The port ports.process.Together in threads: round trips to engines share their time.

    Args:
        threads: for the work of all requests; its work never asks for more of them.
    """

    def __init__(self, threads: RequestThreads) -> None:
        self._threads = threads

    def both(self, one: Callable[[], T], other: Callable[[], U]) -> tuple[T, U]:
        begun = self._threads.submit(other)
        return one(), begun.result()

    def each(self, works: Sequence[Callable[[], T]]) -> list[T]:
        begun = [self._threads.submit(work) for work in works[1:]]
        return [*(work() for work in works[:1]), *(one.result() for one in begun)]
