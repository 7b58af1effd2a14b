"""Text analysis, from text to terms: the one analyzer chain of stored texts and of queries, on every backend."""

import re
import struct
import threading
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterable
from itertools import chain, pairwise
from typing import Final

import Stemmer

from memory_layer.domain.safety.text_caches import WordTable

_SNOWBALL_STOP_WORDS = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves what which who whom this that these those am is are
was were be been being have has had having do does did doing would should could ought i'm you're he's she's
it's we're they're i've you've we've they've i'd you'd he'd she'd we'd they'd i'll you'll he'll she'll we'll
they'll isn't aren't wasn't weren't hasn't haven't hadn't doesn't don't didn't won't wouldn't shan't shouldn't
can't cannot couldn't mustn't let's that's who's what's here's there's when's where's why's how's a an the and
but if or because as until while of at by for with about against between into through during before after
above below to from up down in out on off over under again further then once here there when where why how all
any both each few more most other some such no nor not only own same so than too very
"""
STOP_WORDS = frozenset(_SNOWBALL_STOP_WORDS.split())
"""Snowball's English list. With it BM25 finds .64 of LoCoMo's evidence in its first ten, with Lucene's 33
words or none .59. Source: snowballstem.org/algorithms/english/stop.txt."""

_CJK = (
    "\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Hangul
    "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
)
_WORDS = re.compile(rf"[{_CJK}]+|[^\W{_CJK}]+(?:['.][^\W{_CJK}]+)*")
_ASCII_WORDS = re.compile(r"\w+(?:['.]\w+)*", re.ASCII)  # the same words, found faster
_IS_CJK = re.compile(f"[{_CJK}]")
_LOWER = r"[^\W\dA-Z_]"
_PARTS = re.compile(rf"[A-Z]{{2,}}s?(?!{_LOWER})|[A-Z]?{_LOWER}+|\d+")
_ACCENTS = re.compile("[\u0300-\u036f]")
_KEPT_MAX_CHARS = 64
_WORDS_KEPT = 65_536

MAX_COUNT = 255
"""Maximum count of a term's occurrences in one text: BM25 is flat long before."""

MAX_LENGTH = 65_535

_stemmers = threading.local()


def analyze(text: str) -> list[str]:
    """Splits a text into the terms that BM25 counts, in order.

    Identifiers count whole and in parts (`max_connections`: whole, `max`, `connect`; likewise `Node.js`,
    `camelCase`, `HTTP2Server`), English words by their stem, Chinese, Japanese and Korean by overlapping
    pairs of characters. Compatibility forms and accents are folded, stop words and one-letter parts dropped.

    Source: in OpenSearch the chain icu_normalizer (nfkc), standard, pattern_capture (preserve_original, with
    _PARTS), lowercase, icu_folding, possessive_english, cjk_bigram, stop (STOP_WORDS), stemmer (porter2).
    """
    return list(chain.from_iterable(map(_known.__getitem__, words_in(text))))


def distinct_terms(text: str) -> frozenset[str]:
    """Terms of `analyze`, each once."""
    return terms_among(words_in(text))


def terms_among(words: Iterable[str]) -> frozenset[str]:
    """Terms of words, each once. Args: words: as `words_in`."""
    return frozenset(chain.from_iterable(map(_known.__getitem__, words)))


def words_in(text: str) -> list[str]:
    """Words of a text, folded, as they are split into terms."""
    words: list[str] = _ASCII_WORDS.findall(text) if text.isascii() else _WORDS.findall(folded(text))
    return words


def spellings(text: str) -> dict[str, str]:
    """Words of a text as they are spelled in it, by their folded form."""
    composed = unicodedata.normalize("NFC", text)
    return {folded(word): word for word in _WORDS.findall(composed)}


def terms_of(word: str) -> tuple[str, ...]:
    """Terms of one word: the whole first, then its parts; of Chinese, Japanese and Korean, pairs of characters."""
    return _known[word]


def is_run_of_characters(word: str) -> bool:
    """Tests for a word of Chinese, Japanese or Korean, whose terms are parts of equal standing."""
    return _IS_CJK.match(word) is not None


def folded(text: str) -> str:
    """Folds a text: NFKC, apostrophes as typed, and Latin, Greek and Cyrillic letters without their marks."""
    composed = unicodedata.normalize("NFKC", text).replace("\u2019", "'")
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", composed)))


def _terms_of(word: str) -> tuple[str, ...]:
    if word.isascii() and word.isalpha() and word.islower():  # most words: one part, and that is the whole
        return () if word in STOP_WORDS else (_stem(word),)
    if _IS_CJK.match(word):
        return _bigrams(word)
    lowered = word.lower()
    whole = lowered.removesuffix("'s")
    parts = () if "'" in word else _parts(word)
    candidates = (whole, *(part for part in parts if part != whole))
    return tuple(_stem(term) for term in candidates if term not in STOP_WORDS)


def _parts(word: str) -> list[str]:
    return [part.lower() for part in _PARTS.findall(word) if len(part) > 1 or part.isdigit()]


def _bigrams(run: str) -> tuple[str, ...]:
    return tuple(map("".join, pairwise(run))) or (run,)


def _stem(term: str) -> str:
    """Stem of a term, by a stemmer per thread: PyStemmer's objects are not thread-safe."""
    stemmer: Stemmer.Stemmer | None = getattr(_stemmers, "english", None)
    if stemmer is None:
        stemmer = _stemmers.english = Stemmer.Stemmer("english", 0)
    stem: str = stemmer.stemWord(term)
    return stem


_known: Final = WordTable(_terms_of, _WORDS_KEPT, longest=_KEPT_MAX_CHARS)


def term_hash(term: str) -> int:
    """CRC-32 of a term in UTF-8, its key in the RAM index.

    Among V terms V² / 2³³ pairs share a hash: one pair of 100,000 terms, 116 pairs of a million.
    """
    return zlib.crc32(term.encode())


def encode_terms(terms: Iterable[str]) -> bytes:
    """Encodes the terms of one text for storage: n ascending uint32 hashes (little endian), then n uint8 counts."""
    counts = Counter(map(term_hash, terms))
    hashes = sorted(counts)
    times = [counts[hash_] for hash_ in hashes]
    if len(times) and max(times) > MAX_COUNT:
        times = [min(count, MAX_COUNT) for count in times]
    return struct.pack(f"<{len(hashes)}I", *hashes) + bytes(times)


def encoded_length(blob: bytes) -> int:
    """Number of terms in a blob that `encode_terms` wrote, repeats counted as there; 65,535 at most."""
    return min(sum(blob[len(blob) // 5 * 4 :]), MAX_LENGTH)
