"""Synonyms in questions: short forms, words of a topic, German beside English; a project adds its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from memory_layer.domain.text.analyzer import analyze, folded
from memory_layer.domain.text.synonym_tables import GERMAN, SAME, TOPICS

if TYPE_CHECKING:
    from memory_layer.domain.policy import Synonyms

_WORD: Final = re.compile(r"[^\W_]+(?:[-/][^\W_]+)*")
_ENDINGS: Final = ("innen", "en", "er", "es", "n", "e", "s")
_STEM_MIN: Final = 5


def by_key(own: Synonyms) -> Synonyms:
    """Synonyms of a project as words are looked up: in lower case, without accents."""
    return {" ".join(_words(word)): said for word, said in own.items()}


def expanded(text: str, own: Synonyms) -> str:
    """Text of a question with what its short forms and German words stand for behind it: what is searched for.

    Args:
        own: of the project, `by_key`.
    """
    found = [words for key in _keys_in(text, own) for words in _said_for(key, own)]
    if not found:
        return text
    said = frozenset(analyze(text))
    more = [words for words in found if not said.issuperset(analyze(words))]
    return " ".join((text, *dict.fromkeys(more)))


def otherwise_said(word: str, own: Synonyms) -> frozenset[str]:
    """Analysed terms that say a word or a phrase of two otherwise, in its topic too. Args: own: of the project."""
    key = " ".join(_words(word))
    return _known_terms(key) | _terms(own[key]) if key in own else _known_terms(key)


def pair_otherwise_said(first: str, second: str, own: Synonyms) -> frozenset[str]:
    """Analysed terms that say a phrase of two words otherwise, as `otherwise_said`; most begin no phrase."""
    is_begun = _begins_phrase(first.lower(), own)
    return otherwise_said(f"{first} {second}", own) if is_begun else frozenset()


def _begins_phrase(word: str, own: Synonyms) -> bool:
    """Tests if a key of two words begins with this one, which is in lower case."""
    return word in _first_words() or any(key.startswith(f"{word} ") for key in own)


def _said_for(key: str, own: Synonyms) -> tuple[str, ...]:
    return own[key] if key in own else _known(key)


@lru_cache(maxsize=4_096)
def _known(key: str) -> tuple[str, ...]:
    return _spelled_out().get(key) or _spelled_out().get(_stem(key), ())


@lru_cache(maxsize=4_096)
def _known_terms(key: str) -> frozenset[str]:
    stem = _stem(key)
    said = (
        *_known(key),
        *_topics().get(key, ()),
        *_reversed().get(key, ()),
        *_reversed().get(stem, ()),
    )
    topics = (word for words in said for word in words.split())
    return _terms(said).union(*(_terms(_topics().get(topic, ())) for topic in topics))


def _terms(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(term for text in texts for term in analyze(text))


def _keys_in(text: str, own: Synonyms) -> Iterable[str]:
    """Words of a text, two that are one entry as one."""
    words = _words(text)
    at = 0
    while at < len(words):
        pair = " ".join(words[at : at + 2])
        width = 2 if at + 1 < len(words) and _begins_phrase(words[at], own) and _said_for(pair, own) else 1
        yield pair if width == 2 else words[at]
        at += width


def _words(text: str) -> list[str]:
    return _WORD.findall((text if text.isascii() else folded(text)).lower())


def _stem(word: str) -> str:
    """German word without its endings; one of an English word is as good as any, for no key is like it."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _STEM_MIN:
            return _stem(word.removesuffix(ending))
    return word


@cache
def _spelled_out() -> Mapping[str, tuple[str, ...]]:
    """Phrases by short form, and English words by German word and by its stem."""
    german = dict(_entries(GERMAN))
    stems = {_stem(key): said for key, said in german.items() if len(_stem(key)) >= _STEM_MIN}
    return {**stems, **german, **dict(_entries(SAME))}


@cache
def _first_words() -> frozenset[str]:
    """First words of the keys of two."""
    keys = (*_spelled_out(), *_reversed(), *_topics())
    return frozenset(key.split()[0] for key in keys if " " in key)


@cache
def _reversed() -> Mapping[str, tuple[str, ...]]:
    """Short forms and German words by what they stand for."""
    back: dict[str, tuple[str, ...]] = {}
    for key, said in (*_entries(SAME), *_entries(GERMAN)):
        for words in said:
            back[words] = (*back.get(words, ()), key)
    return back


@cache
def _topics() -> Mapping[str, tuple[str, ...]]:
    return {key: tuple(said[0].split()) for key, said in _entries(TOPICS)}


def _entries(table: str) -> list[tuple[str, tuple[str, ...]]]:
    """Lines `one, other: what they stand for` as pairs, a pair for each key."""
    lines = (line.partition(": ") for line in table.strip().splitlines())
    return [(" ".join(_words(key)), (said,)) for keys, _, said in lines for key in keys.split(", ")]
