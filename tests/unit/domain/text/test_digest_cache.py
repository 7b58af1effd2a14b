"""A result is made once while its text is among the last asked for; no text is kept, and the number is bounded."""

from __future__ import annotations

from memory_layer.domain.text.digest_cache import DigestCache


def cache_of(most: int) -> tuple[DigestCache[str], list[str]]:
    made: list[str] = []

    def make(text: str) -> str:
        made.append(text)
        return text.upper()

    return DigestCache(make, most), made


def test_a_text_asked_for_again_is_not_made_again() -> None:
    cache, made = cache_of(2)
    assert [cache.of(text) for text in ("a", "b", "a", "\ud800")] == ["A", "B", "A", "\ud800"]
    assert made == ["a", "b", "\ud800"]


def test_what_was_asked_for_longest_ago_gives_way() -> None:
    cache, made = cache_of(2)
    for text in ("a", "b", "a", "c", "a", "b"):
        assert cache.of(text) == text.upper()
        assert len(cache) <= 2
    assert made == ["a", "b", "c", "b"]


def test_no_text_is_kept() -> None:
    cache = DigestCache(len, 8)
    cache.of("a secret")
    assert all(isinstance(key, bytes) and b"secret" not in key for key in cache._made)
