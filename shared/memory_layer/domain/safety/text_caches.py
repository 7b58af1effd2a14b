"""Caches of what was made of texts and words: all are cleared together, since an erasure has to reach each of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, ParamSpec, Protocol, TypeVar
from weakref import WeakSet

P = ParamSpec("P")
T = TypeVar("T")


class TextCache(Protocol):
    """Cache that keeps words of texts."""

    def cache_clear(self) -> None: ...


_CACHES: Final[WeakSet[TextCache]] = WeakSet()


def cleared_with_texts(cache: TextCache) -> None:
    """Has a cache cleared by `forget_texts`, for as long as it lives."""
    _CACHES.add(cache)


def kept_by_text(most: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorator of a pure function of texts or words: as `lru_cache`, until texts are to be forgotten.

    Args:
        most: results kept, those asked for last.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        kept = lru_cache(maxsize=most)(function)
        cleared_with_texts(kept)
        return kept  # type: ignore[return-value]

    return decorate


class WordTable(dict[str, T]):
    """Table of what was made of words, read in a third of the time of `kept_by_text`; when it is full, it begins anew.

    Args:
        make: a pure function of a word.
        most: words kept.
        longest: characters of a word that is kept.
    """

    def __init__(self, make: Callable[[str], T], most: int, longest: int = 1_000) -> None:
        super().__init__()
        self._make = make
        self._most = most
        self._longest = longest
        cleared_with_texts(self)

    def __missing__(self, word: str) -> T:
        made = self._make(word)
        if len(word) <= self._longest:
            if len(self) >= self._most:
                self.clear()
            self[word] = made
        return made

    def __hash__(self) -> int:  # type: ignore[override]
        return id(self)  # the set of caches holds it by what it is, not by what it keeps

    def cache_clear(self) -> None:
        self.clear()


def forget_texts() -> None:
    """Clears all caches of texts and words in this process, after an erasure."""
    for cache in list(_CACHES):
        cache.cache_clear()
