"""The analyzer: which words of a text and of a query meet."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_layer.domain.text import analyzer
from memory_layer.domain.text.analyzer import (
    MAX_COUNT,
    STOP_WORDS,
    analyze,
    encode_terms,
    term_hash,
)
from tests.index_examples import decode_terms


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("max_connections", ["max_connect", "max", "connect"]),
        ("Node.js", ["node.j", "node", "js"]),
        ("camelCase", ["camelcas", "camel", "case"]),
        ("getHTTPResponse", ["gethttprespons", "get", "http", "respons"]),
        ("HTTP2Server", ["http2server", "http", "2", "server"]),
        ("APIs", ["api"]),
        ("v1.20", ["v1.20", "1", "20"]),
        ("the project's connections", ["project", "connect"]),
        ("it's what you don't do", []),
        ("O'Neil", ["o'neil"]),
        ("src/app.py:12", ["src", "app.pi", "app", "py", "12"]),
        ("don\u2019t CAF\u00c9 \ufb01le \uff21\uff22", ["cafe", "file", "ab"]),
        ("数据库连接", ["数据", "据库", "库连", "连接"]),
        ("用 Redis缓存", ["用", "redi", "缓存"]),
        ("データ が", ["デー", "ータ", "が"]),
        ("한국어", ["한국", "국어"]),
        ("", []),
        ("?! -- \x00", []),
    ],
)
def test_terms_of(text: str, terms: list[str]) -> None:
    assert analyze(text) == terms


def test_inflections_meet() -> None:
    assert analyze("caching connections") == analyze("Cached CONNECTION")


def test_long_word_is_one_term_and_is_not_kept() -> None:
    assert analyze("x" * 5_000) == ["x" * 5_000]
    assert "x" * 5_000 not in analyzer._known


def test_words_are_known_up_to_a_number_and_then_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Safeguard: the bound in `WordTable`."""
    monkeypatch.setattr(analyzer._known, "_most", 3)
    analyzer._known.clear()
    assert analyze("one two three four five") == ["one", "two", "three", "four", "five"]
    assert set(analyzer._known) == {"four", "five"}


@given(st.text())
def test_any_text_has_lower_case_terms_without_stop_words_before_stemming(text: str) -> None:
    terms = analyze(text)
    assert all(term and term == term.lower() for term in terms)
    assert analyze(f"{text} the of") == terms


@given(st.lists(st.sampled_from(["Node.js", "running", "数据库", "a_b", "it's", "HTTP2"]), max_size=8))
def test_terms_of_a_text_are_those_of_its_words(words: list[str]) -> None:
    assert analyze(" ".join(words)) == [term for word in words for term in analyze(word)]


def test_many_threads_stem_alike() -> None:
    """PyStemmer's objects are not thread-safe: without one per thread this returns garbage or crashes."""
    texts = [f"running{n} connections{n} nationally{n}" for n in range(4_000)]
    with ThreadPoolExecutor(8) as pool:
        side_by_side = list(pool.map(analyze, texts))
    assert side_by_side == [analyze(text) for text in texts]


@given(st.lists(st.sampled_from(["wal", "数据", "max_connect", "2"])))
def test_encoded_terms_read_back_sorted_with_their_counts(terms: list[str]) -> None:
    hashes, counts = decode_terms(encode_terms(terms))
    assert dict(zip(hashes.tolist(), counts.tolist(), strict=True)) == Counter(map(term_hash, terms))
    assert hashes.tolist() == sorted(hashes.tolist())


def test_layout_is_hashes_then_counts_up_to_255() -> None:
    blob = encode_terms(["wal"] * 300)
    assert blob == term_hash("wal").to_bytes(4, "little") + bytes([MAX_COUNT])


def test_hash_is_crc32() -> None:
    assert term_hash("123456789") == 0xCBF43926  # the check value of CRC-32/ISO-HDLC


def test_stop_words_are_snowballs() -> None:
    assert len(STOP_WORDS) == 174
