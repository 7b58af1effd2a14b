"""Synonyms in questions: short forms, words of a topic, English for German; a project adds its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.analyzer import analyze, folded, terms_of, words_in
from memory_layer.domain.text.german import FUNCTION_WORDS, entries, in_english, is_german, whole_words
from memory_layer.domain.text.spelling_variants import WORDS_MAX, in_one, spelled_otherwise
from memory_layer.domain.text.synonym_tables import ALIKE, SAME, TOPICS

if TYPE_CHECKING:
    from memory_layer.domain.policy import Synonyms

_WORD: Final = re.compile(r"[^\W_]+(?:[-/][^\W_]+)*")
_AROUND_WORD: Final = ".,;:?!\"'`()[]\u201e\u201c\u201d\u00bb\u00ab\u2026"


def by_key(own: Synonyms) -> Synonyms:
    """Synonyms of a project as words are looked up: in lower case, without accents."""
    return {" ".join(_words(word)): said for word, said in own.items()}


def expanded(text: str, own: Synonyms) -> str:
    """Text of a question with what its short forms stand for behind it, or its German words in English: what is
    searched for.

    Args:
        own: of the project, `by_key`.
    """
    return _expanded(text, tuple(own.items()))


def short_forms(question: str) -> tuple[str, ...]:
    """Short forms of what a question says whole, which are searched for beside it: `pr` for `pull request`."""
    words = _words(question)
    if len(words) > WORDS_MAX:
        return ()
    short = _shortened()
    found = [form for key in (*words, *map(" ".join, pairwise(words))) for form in short.get(key, ())]
    return tuple(dict.fromkeys(found)) if found else ()


@kept_by_text(64)
def _expanded(text: str, pairs: tuple[tuple[str, tuple[str, ...]], ...]) -> str:
    """As `expanded`; kept, because a recall embeds its text first and then searches for it."""
    own = dict(pairs)
    if is_german(words_in(text)):
        return _said_in_english(text, own)
    found = [words for key in _keys_in(text, own) for words in _said_for(key, own)]
    if not found:
        return text
    said = frozenset(analyze(text))
    more = [words for words in found if not said.issuperset(analyze(words))]
    return " ".join((text, *dict.fromkeys(more)))


def _said_in_english(text: str, own: Synonyms) -> str:
    """German question in English, word by word, and the words that were translated behind it: a model of English
    takes German for noise, and memories may be German."""
    tokens = [token for part in text.split() if (token := part.strip(_AROUND_WORD))]
    asked = [
        (token, whole.lower())
        for token, whole in zip(tokens, whole_words(tuple(map(folded, tokens))), strict=True)
        if whole and folded(token).lower() not in FUNCTION_WORDS
    ]
    words = [token for token, _ in asked]
    said = [_said_for(whole, own, is_surely_german=True) for _, whole in asked]
    english = (" ".join(found) if found else word for word, found in zip(words, said, strict=True))
    return " ".join((*english, *(word for word, found in zip(words, said, strict=True) if found)))


def otherwise_said(word: str, own: Synonyms) -> frozenset[str]:
    """Analysed terms that say a word or a phrase of two otherwise, in its topic too. Args: own: of the project."""
    key = " ".join(_words(word.removesuffix("'s")))
    return _known_terms(key) | _terms(own[key]) if key in own else _known_terms(key)


def pair_otherwise_said(first: str, second: str, own: Synonyms) -> frozenset[str]:
    """Analysed terms that say a phrase of two words otherwise, as `otherwise_said`; most begin no phrase."""
    is_begun = _begins_phrase(first.lower(), own)
    said = otherwise_said(f"{first} {second}", own) if is_begun else frozenset()
    return said.union(*map(terms_of, in_one(first, second)))


def _begins_phrase(word: str, own: Synonyms) -> bool:
    """Tests if a key of two words begins with this one, which is in lower case."""
    return word in _first_words() or (bool(own) and any(key.startswith(f"{word} ") for key in own))


def _said_for(key: str, own: Synonyms, *, is_surely_german: bool = False) -> tuple[str, ...]:
    return own[key] if key in own else _known(key) or in_english(key, is_surely_german=is_surely_german)


def _known(key: str) -> tuple[str, ...]:
    return _spelled_out().get(key, ())


@kept_by_text(4_096)
def _known_terms(key: str) -> frozenset[str]:
    said = (*_known(key), *_topics().get(key, ()), *_reversed().get(key, ()))
    topics = (word for words in said for word in words.split())
    alike = (_alike().get(term, frozenset()) for term in terms_of(key))
    of_topics = (_terms(_topics().get(topic, ())) for topic in topics)
    return _terms((*said, *spelled_otherwise(key))).union(*of_topics, *alike)


def _terms(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(term for text in texts for term in analyze(text))


def _keys_in(text: str, own: Synonyms) -> Iterable[str]:
    """Words of a text, two that are one entry as one."""
    words = _words(text)
    at = 0
    while at < len(words):
        width = 2 if at + 1 < len(words) and _begins_phrase(words[at], own) else 1
        if width == 2 and not _said_for(" ".join(words[at : at + 2]), own):
            width = 1
        yield " ".join(words[at : at + width])
        at += width


def _words(text: str) -> list[str]:
    return _WORD.findall((text if text.isascii() else folded(text)).lower())


@cache
def _spelled_out() -> Mapping[str, tuple[str, ...]]:
    """Phrases by short form."""
    return dict(_entries(SAME))


@cache
def _shortened() -> Mapping[str, tuple[str, ...]]:
    """Short forms by what they stand for; without those that count letters (`k8s`), which few texts have."""
    back: dict[str, tuple[str, ...]] = {}
    for key, said in _entries(SAME):
        if not any(map(str.isdigit, key)):
            back[said[0]] = (*back.get(said[0], ()), key)
    return back


@cache
def _first_words() -> frozenset[str]:
    """First words of the keys of two."""
    keys = (*_spelled_out(), *_reversed(), *_topics())
    return frozenset(key.split()[0] for key in keys if " " in key)


@cache
def _reversed() -> Mapping[str, tuple[str, ...]]:
    """Short forms and German words by what they stand for."""
    back: dict[str, tuple[str, ...]] = {}
    for key, said in (*_entries(SAME), *((key, " ".join(said).split()) for key, said in entries())):
        for words in said:
            back[words] = (*back.get(words, ()), key)
    return back


@cache
def _alike() -> Mapping[str, frozenset[str]]:
    """Terms by a term that is said for them."""
    groups = [frozenset(analyze(group)) for group in ALIKE.replace("\n", " | ").split(" | ")]
    return {
        term: frozenset().union(*(one for one in groups if term in one)) for group in groups for term in group
    }


@cache
def _topics() -> Mapping[str, tuple[str, ...]]:
    return {key: tuple(said[0].split()) for key, said in _entries(TOPICS)}


def _entries(table: str) -> list[tuple[str, tuple[str, ...]]]:
    """Lines `one, other: what they stand for` as pairs, a pair for each key."""
    lines = (line.partition(": ") for line in table.strip().splitlines())
    return [(" ".join(_words(key)), (said,)) for keys, _, said in lines for key in keys.split(", ")]
