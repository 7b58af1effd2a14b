"""Cache of assembled contexts in the memory of the process: a bounded number of bytes, those asked for last.

They are cached pickled and compressed: as objects 1,000 of them made each full garbage collection hold all threads up
for 100 ms, and a page of 4,000 tokens is 40 KB of pickle and 13 KB compressed.
"""

import pickle
import threading
import zlib
from collections import OrderedDict
from datetime import datetime
from typing import Final, NamedTuple

from memory_layer.domain.context.fragments import AssembledContext
from memory_layer.ports.process import CachedContext

CACHE_MAX_BYTES: Final = 16 * 2**20
"""Bytes of the cache of a process; at 4,000 tokens some 1,200 contexts."""

_FASTEST: Final = 1

CACHED_CONTEXTS_MAX: Final = 2_000
"""Most contexts, however small: each new one looks through them for those that have expired."""

CONTEXT_MAX_SHARE: Final = 0.125
"""Share of the cache beyond which a context is not cached: it would evict too many others."""

_OTHER_BYTES: Final = 600
"""Bytes that a context takes beside its pickle, about."""


class _Packed(NamedTuple):
    pickled: bytes
    versions: tuple[str, ...]
    until: datetime

    @property
    def size_bytes(self) -> int:
        return len(self.pickled) + _OTHER_BYTES


class ContextCache:
    """The port ports.process.KeptContexts, for any number of threads."""

    def __init__(self, max_bytes: int = CACHE_MAX_BYTES, *, contexts_max: int = CACHED_CONTEXTS_MAX) -> None:
        self._max_bytes = max_bytes
        self._contexts_max = contexts_max
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, _Packed] = OrderedDict()
        self._bytes = 0

    def find(self, key: str, versions: tuple[str, ...], now: datetime) -> AssembledContext | None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                return None
            if kept.versions != versions or kept.until <= now:
                self._drop(key)
                return None
            self._kept.move_to_end(key)
        assembled: AssembledContext = pickle.loads(zlib.decompress(kept.pickled))  # this process wrote it
        return assembled

    def keep(self, key: str, kept: CachedContext, now: datetime) -> int:
        pickled = zlib.compress(pickle.dumps(kept.assembled, pickle.HIGHEST_PROTOCOL), _FASTEST)
        packed = _Packed(pickled, kept.versions, kept.until)
        if packed.size_bytes > CONTEXT_MAX_SHARE * self._max_bytes:
            return 0
        with self._lock:
            for expired in [name for name, other in self._kept.items() if other.until <= now]:
                self._drop(expired)
            if key in self._kept:
                self._drop(key)
            self._kept[key] = packed
            self._bytes += packed.size_bytes
            return self._make_room()

    def forget_all(self) -> None:
        with self._lock:
            self._kept.clear()
            self._bytes = 0

    def _make_room(self) -> int:
        evicted = 0
        while self._bytes > self._max_bytes or len(self._kept) > self._contexts_max:
            self._drop(next(iter(self._kept)))
            evicted += 1
        return evicted

    def _drop(self, key: str) -> None:
        self._bytes -= self._kept.pop(key).size_bytes
