"""Two caches of contexts side by side: of those that were asked for, and of those that are expected to be."""

import threading
from collections import OrderedDict
from datetime import datetime
from typing import Final

from memory_layer.adapters.process.context_cache import ContextCache
from memory_layer.domain.context.fragments import AssembledContext
from memory_layer.ports.process import CachedContext

EXPECTED_MAX_BYTES: Final = 2 * 2**20
"""Bytes of the contexts that are expected to be asked for; a full page of 4,000 tokens takes 14 KB."""

EXPECTED_MAX: Final = 64
"""Most contexts that are expected to be asked for."""


class PrefetchCache:
    """The port ports.process.AssemblyCache: contexts that were asked for, and then those that were expected.

    A context that was expected evicts none that was asked for. Both are found by the same key and the same write
    versions, so that one is as fresh as the other, and nobody's but the caller's.

    Args:
        asked: cache of the contexts that were asked for.
    """

    def __init__(self, asked: ContextCache) -> None:
        self.asked = asked
        self.expected = ContextCache(EXPECTED_MAX_BYTES, contexts_max=EXPECTED_MAX)
        self._waiting: OrderedDict[str, None] = OrderedDict()
        self._lock = threading.Lock()
        self._hits = 0

    @property
    def hits(self) -> int:
        """Contexts that were expected and then asked for, each once."""
        return self._hits

    def find(self, key: str, versions: tuple[str, ...], now: datetime) -> AssembledContext | None:
        found = self.asked.find(key, versions, now)
        if found is None:
            found = self.expected.find(key, versions, now)
            if found is not None:
                self._note_hit(key)
        return found

    def keep(self, key: str, kept: CachedContext, now: datetime) -> int:
        return self.asked.keep(key, kept, now)

    def forget_all(self) -> None:
        self.asked.forget_all()
        self.forget_expected()

    def forget_expected(self) -> None:
        """Empties the cache of those that are expected."""
        self.expected.forget_all()
        with self._lock:
            self._waiting.clear()

    def find_unasked(self, key: str, versions: tuple[str, ...], now: datetime) -> AssembledContext | None:
        """The context of this key in either cache; it counts as no hit."""
        return self.asked.find(key, versions, now) or self.expected.find(key, versions, now)

    def keep_expected(self, key: str, kept: CachedContext, now: datetime) -> None:
        """Caches a context that nobody has asked for."""
        self.expected.keep(key, kept, now)
        with self._lock:
            self._waiting[key] = None
            self._waiting.move_to_end(key)
            while len(self._waiting) > EXPECTED_MAX:
                self._waiting.popitem(last=False)

    def _note_hit(self, key: str) -> None:
        with self._lock:
            if key in self._waiting:
                del self._waiting[key]
                self._hits += 1


class ExpectedContexts:
    """The port ports.process.AssemblyCache as the assembly ahead sees it: what it caches is expected alone."""

    def __init__(self, cache: PrefetchCache) -> None:
        self._cache = cache

    def find(self, key: str, versions: tuple[str, ...], now: datetime) -> AssembledContext | None:
        return self._cache.find_unasked(key, versions, now)

    def keep(self, key: str, kept: CachedContext, now: datetime) -> int:
        self._cache.keep_expected(key, kept, now)
        return 0

    def forget_all(self) -> None:
        self._cache.forget_all()
