"""Assembled contexts in the memory of the process: a bounded number of bytes, those asked for last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime
from sys import getsizeof
from typing import Final

from memory_layer.context_ports import Kept
from memory_layer.domain.context_parts import Assembled

KEPT_MAX_BYTES: Final = 32 * 2**20
"""Of a process; at 4,000 tokens some 500 contexts."""

KEPT_MAX: Final = 2_000
"""However small they are: each new one looks through them for those whose time is over."""

ONE_MAX_SHARE: Final = 0.125
"""A larger one is not kept: it would drive out too many others."""

_OBJECT_BYTES: Final = 600
"""About what a fragment or an omission takes beside its text."""


class ContextCache:
    """context_ports.KeptContexts, for any number of threads."""

    def __init__(self, max_bytes: int = KEPT_MAX_BYTES) -> None:
        self._max_bytes = max_bytes
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[Kept, int]] = OrderedDict()
        self._bytes = 0

    def find(self, key: str, versions: tuple[str, ...], now: datetime) -> Assembled | None:
        with self._lock:
            kept, _ = self._kept.get(key, (None, 0))
            if kept is None:
                return None
            if kept.versions != versions or kept.until <= now:
                self._drop(key)
                return None
            self._kept.move_to_end(key)
            return kept.assembled

    def keep(self, key: str, kept: Kept, now: datetime) -> int:
        size_bytes = _size_bytes(kept.assembled)
        if size_bytes > ONE_MAX_SHARE * self._max_bytes:
            return 0
        with self._lock:
            for over in [name for name, (other, _) in self._kept.items() if other.until <= now]:
                self._drop(over)
            if key in self._kept:
                self._drop(key)
            self._kept[key] = (kept, size_bytes)
            self._bytes += size_bytes
            return self._make_room()

    def forget_all(self) -> None:
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def _make_room(self) -> int:
        evicted = 0
        while self._bytes > self._max_bytes or len(self._kept) > KEPT_MAX:
            self._drop(next(iter(self._kept)))
            evicted += 1
        return evicted

    def _drop(self, key: str) -> None:
        _, size_bytes = self._kept.pop(key)
        self._bytes -= size_bytes


def _size_bytes(assembled: Assembled) -> int:
    """About; an id and a reason are a part of what each object takes."""
    texts = [assembled.rendered, *(fragment.content for fragment in assembled.fragments)]
    parts = len(assembled.fragments) + len(assembled.omitted) + len(assembled.conflicts)
    return sum(map(getsizeof, texts)) + _OBJECT_BYTES * (1 + parts)
