"""Cache of what was made of texts, by their digests: a bounded number, those asked for last."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from hashlib import blake2b
from typing import Final, Generic, TypeVar

from memory_layer.domain.safety.text_caches import cleared_with_texts

V = TypeVar("V")

_DIGEST_BYTES: Final = 16


class DigestCache(Generic[V]):
    """LRU cache of a pure function of a text, for any number of threads. Args: most: texts at a time."""

    def __init__(self, make: Callable[[str], V], most: int) -> None:
        self._make, self._most = make, most
        self._made: OrderedDict[bytes, V] = OrderedDict()
        self._lock = threading.Lock()
        cleared_with_texts(self)

    def __len__(self) -> int:
        return len(self._made)

    def of(self, text: str) -> V:
        """Value made of this text, made at most once while it is kept."""
        digest = blake2b(text.encode(errors="surrogatepass"), digest_size=_DIGEST_BYTES).digest()
        with self._lock:
            if digest in self._made:
                self._made.move_to_end(digest)
                return self._made[digest]
        made = self._make(text)
        with self._lock:
            self._made[digest] = made
            while len(self._made) > self._most:
                self._made.popitem(last=False)
        return made

    def cache_clear(self) -> None:
        with self._lock:
            self._made.clear()
