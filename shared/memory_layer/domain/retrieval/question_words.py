"""Words of a question with their weight, and how much of them a text covers: on that evidence and relevance rest."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from math import fsum, log1p
from operator import mul
from typing import TYPE_CHECKING, Final

from memory_layer.domain.text.analyzer import analyze, is_run_of_characters, terms_of, words_in
from memory_layer.domain.text.bridged_terms import stem_term
from memory_layer.domain.text.entity_extraction import NO_NAMES
from memory_layer.domain.text.german import FUNCTION_WORDS, in_english, is_german, whole_words
from memory_layer.domain.text.spelling_variants import is_in_two, is_mistyped
from memory_layer.domain.text.synonyms import otherwise_said, pair_otherwise_said

if TYPE_CHECKING:
    from memory_layer.domain.policy import Synonyms

Ranks = Callable[[str], int | None]
"""Place of a word among all words by how common it is, the commonest first; None: it is rarer than all of them."""

COMMONEST: Final = 1_996
RAREST: Final = 30_522
"""First and last place of a word in the vocabulary of the embedding model (bert-base-uncased)."""
RANK_SCALE: Final = 50.0
LEAST_WEIGHT: Final = 0.03

PART_SHARE: Final = 0.5
"""Weight of a part of an identifier where the whole weighs 1 (ADR-0020)."""

SYNONYM_CREDIT: Final = 0.7
PREFIX_CREDIT: Final = 0.5
PREFIX_MIN: Final = 4
"""Share for which a word counts that a text says by a synonym, or only begins (`config`, `configured`): ADR-0020."""

TRANSLATION_CREDIT: Final = 0.9
"""Share for which a German word counts that a text says in English."""

UNKNOWN_WEIGHT: Final = 0.3
"""Weight of a word of a German question that no table knows: a verb or an adjective, for nouns have a capital."""


@dataclass(slots=True, eq=False)
class AskedWord:
    """Word of a question; a frozen one takes four times as long to make.

    Args:
        word: as it was asked, without accents.
        terms: analysed; the whole first, then the parts of an identifier.
        others: analysed terms that say it otherwise.
        english: of a German word, the analysed terms of each of its parts.
        weight: by its rarity in the language, > 0 to 1.
        is_name: spelled as the name of something.
    """

    word: str
    terms: tuple[str, ...]
    others: frozenset[str]
    weight: float
    is_name: bool
    english: tuple[frozenset[str], ...] = ()

    @property
    def ways(self) -> frozenset[str]:
        """All terms for which a text has a credit."""
        return self.others.union(self.terms, *self.english)

    @property
    def whole(self) -> str | None:
        """Term that is the whole word; None: its terms are parts of equal standing."""
        return self.terms[0] if self.word.isascii() or not is_run_of_characters(self.word) else None

    def credit(self, text_terms: Set[str], begun: Set[str] = frozenset()) -> float:
        """Share of the word that a text says, 0..1.

        Args:
            text_terms: of the text, analysed.
            begun: terms of this and other texts that the word begins, or that begin it (`terms_begun`).
        """
        if self.whole is None:
            return sum(term in text_terms for term in self.terms) / len(self.terms)
        if self.terms[0] in text_terms:
            return 1.0
        translated = [not terms.isdisjoint(text_terms) for terms in self.english]
        if any(translated):
            return TRANSLATION_CREDIT * sum(translated) / len(translated)
        parts = self.terms[1:]
        share = PART_SHARE * sum(part in text_terms for part in parts) / len(parts) if parts else 0.0
        if not self.others.isdisjoint(text_terms):
            return max(share, SYNONYM_CREDIT)
        return share if begun.isdisjoint(text_terms) else max(share, PREFIX_CREDIT)


def asked_words(query: str, ranks: Ranks | None, synonyms: Synonyms) -> tuple[AskedWord, ...]:
    """Words of a question that say what it is about, each once.

    Args:
        ranks: None: unknown; then all words weigh alike.
        synonyms: of the project.
    """
    words = words_in(query)
    speaks_german = is_german(words)
    whole = whole_words(tuple(words)) if speaks_german else words
    asked: dict[str, AskedWord] = {}
    of_pairs = [pair_otherwise_said(*pair, synonyms) for pair in pairwise(words)]
    for place, word in enumerate(words):
        terms = terms_of(word)
        if terms and whole[place] and word.lower() not in FUNCTION_WORDS and terms[0] not in asked:
            rank = ranks(word.lower()) if ranks else None
            english = in_english(whole[place].lower(), is_surely_german=speaks_german)
            others = otherwise_said(word, synonyms).union(
                *of_pairs[max(0, place - 1) : place + 1],
                *(otherwise_said(said, synonyms) for said in english),
            )
            is_first = place == 0 and (ranks is None or rank is not None)
            weight = _weight(word, english, ranks, is_unknown=speaks_german and not english and rank is None)
            asked[terms[0]] = AskedWord(
                word,
                terms,
                others,
                weight,
                _is_name(word, is_first, speaks_german),
                _german_ways(word, english) if speaks_german else tuple(map(_ways, english)),
            )
    return tuple(asked.values())


def _ways(said: str) -> frozenset[str]:
    return frozenset(analyze(said))


def _german_ways(word: str, english: Sequence[str]) -> tuple[frozenset[str], ...]:
    """Terms of the parts of a German word: in English, or any form of the whole in German."""
    form = stem_term(word)
    return tuple(_ways(said) | {form} for said in english) or (frozenset({form}),)


def is_one_word(question: str) -> bool:
    """Tests if a question is a single word beside stop words: its meaning is near to nothing, so the word decides."""
    return sum(bool(terms_of(word)) for word in words_in(question)) == 1


def _weight(word: str, english: Sequence[str], ranks: Ranks | None, *, is_unknown: bool) -> float:
    """Weight of a word; of a German one that of its English, of each of its parts the rarest."""
    if english and ranks:
        return min(1.0, fsum(max(rarity(ranks(one)) for one in said.split()) for said in english))
    if is_unknown and ranks and word.islower():
        return UNKNOWN_WEIGHT
    return rarity(ranks(word.lower()) if ranks else None)


def rarity(rank: int | None) -> float:
    """Weight of a word by its place among all words. Args: rank: as `Ranks` gives it."""
    if rank is None:
        return 1.0
    return max(
        LEAST_WEIGHT, log1p(max(0, rank - COMMONEST) / RANK_SCALE) / log1p((RAREST - COMMONEST) / RANK_SCALE)
    )


def _is_name(word: str, is_first: bool, is_german: bool) -> bool:
    if not word[1:].islower() and any(letter.isupper() for letter in word[1:]):
        return True
    return word[0].isupper() and not is_first and not is_german and word.lower() not in NO_NAMES


def credits_of(words: Sequence[AskedWord], texts: Sequence[frozenset[str]]) -> list[list[float]]:
    """Share of each word that each text says, by text. Args: texts: terms of each, analysed."""
    said = frozenset().union(*texts)
    begun = terms_begun([word.terms[0] for word in words], said)
    by_word = [_credits(word, texts, said, of_word) for word, of_word in zip(words, begun, strict=True)]
    return [list(of_text) for of_text in zip(*by_word, strict=True)] if by_word else [[] for _ in texts]


def _credits(
    word: AskedWord, texts: Sequence[frozenset[str]], said: frozenset[str], begun: frozenset[str]
) -> list[float]:
    """Share of a word that each text says. Args: said: terms of all texts: most words of a long question are none."""
    whole, ways = word.whole, word.ways.union(begun)
    if ways.isdisjoint(said):
        return [0.0] * len(texts)
    return [
        1.0 if whole in text else 0.0 if ways.isdisjoint(text) else word.credit(text, begun) for text in texts
    ]


def with_other_spellings(
    words: Sequence[AskedWord], credits: Sequence[list[float]], texts: Callable[[], Iterable[str]]
) -> Sequence[list[float]]:
    """Credits with those of words that a text has in two (`log in`), or of which the question has a letter wrong.

    Looked for are those that no text says, and wrong letters in words that the language does not have.

    Args:
        credits: as `credits_of`.
        texts: the texts, in lower case.
    """
    lost = [at for at, of_word in enumerate(zip(*credits, strict=True)) if not any(of_word)]
    if not lost:
        return credits
    for of_text, text in zip(credits, texts(), strict=True):
        for at in lost:
            word = words[at]
            if is_in_two(word.word, text) or (word.weight >= 1.0 and is_mistyped(word.word, text)):
                of_text[at] = SYNONYM_CREDIT
    return credits


def terms_begun(terms: Iterable[str], text_terms: Iterable[str]) -> list[frozenset[str]]:
    """For each term, the terms of a text that begin with it, or that it, a longer one, begins with."""
    lines = "\n".join(("", *text_terms, ""))  # searched by the processor, and not term by term
    return [
        frozenset(other for other in _lines_from(lines, term[:PREFIX_MIN]) if _begins(term, other))
        if len(term) >= PREFIX_MIN
        else frozenset()
        for term in terms
    ]


def _lines_from(lines: str, start: str) -> Iterator[str]:
    """Lines that begin so. Args: lines: each between two line feeds."""
    at = lines.find(f"\n{start}")
    while at >= 0:
        end = lines.find("\n", at + 1)
        yield lines[at + 1 : end]
        at = lines.find(f"\n{start}", end)


def _begins(term: str, other: str) -> bool:
    """Tests if one of two terms of PREFIX_MIN equal letters begins the other, and both are longer than that."""
    return other.startswith(term) or (len(other) > PREFIX_MIN and term.startswith(other))


def coverage(words: Sequence[AskedWord], credits: Sequence[float]) -> float:
    """Share of the question that is said, 0..1, by the weight of its words. Args: credits: of each word."""
    return coverages(words, [credits])[0]


def coverages(words: Sequence[AskedWord], credits: Sequence[Sequence[float]]) -> list[float]:
    """`coverage` by each of several texts. Args: credits: of each text."""
    weights = [word.weight for word in words]
    whole = fsum(weights)
    return [fsum(map(mul, weights, one)) / whole if whole else 0.0 for one in credits]
