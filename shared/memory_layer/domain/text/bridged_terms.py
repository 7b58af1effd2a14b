"""Terms by which a text answers questions in two languages: of a German text what its words are in English as well."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from memory_layer.domain.text.analyzer import analyze, terms_among, words_in
from memory_layer.domain.text.german import FUNCTION_WORDS, german_stem, in_english, is_german, may_be_german
from memory_layer.domain.text.german_letters import one_spelling

_STEM_MARK: Final = "de:"
GERMAN_TEXT: Final = _STEM_MARK
"""Before the stem of a German word, and alone a mark of German texts: no word has such a term."""


def bridged_terms(text: str) -> frozenset[str]:
    """Terms of a text, each once; of a German one the terms of its words in English, and their German stems."""
    words = words_in(text)
    terms = terms_among(words)
    return terms.union(_of_german(words)) if may_be_german(words) and is_german(words) else terms


def stem_term(word: str) -> str:
    """Term that all forms of a German word have in common. Args: word: folded."""
    return f"{_STEM_MARK}{german_stem(one_spelling(word.lower()))}"


def german_share(texts: Sequence[frozenset[str]]) -> float:
    """Share of texts that are German, 0..1. Args: texts: their `bridged_terms`."""
    return sum(GERMAN_TEXT in terms for terms in texts) / len(texts) if texts else 0.0


def _of_german(words: Sequence[str]) -> Iterator[str]:
    yield GERMAN_TEXT
    for word in {word.lower() for word in words} - FUNCTION_WORDS:
        yield stem_term(word)
        for said in in_english(word, is_surely_german=True):
            yield from analyze(said)
