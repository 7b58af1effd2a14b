"""Threads that serve the request they were asked by: they know its deadline."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

T = TypeVar("T")


class RequestThreads(ThreadPoolExecutor):
    """Thread pool whose work runs in a copy of the context of whoever asks for it."""

    def submit(self, fn: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return super().submit(copy_context().run, fn, *args, **kwargs)
