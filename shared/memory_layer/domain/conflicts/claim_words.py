"""Words of a clause, each by itself: the terms that it gives, and whether it can have a further part in a claim."""

import re
from collections.abc import Sequence
from typing import Final

from memory_layer.domain.conflicts.attribute_words import CANONICAL
from memory_layer.domain.conflicts.quantity_parser import may_begin_quantity
from memory_layer.domain.safety.text_caches import WordTable, kept_by_text
from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import analyze


def terms_of_word(word: str) -> Sequence[str]:
    """Stems of a word; a name with signs or digits in it stands for itself."""
    word = CANONICAL.get(word, word)
    if word in opposites.LIGHT_WORDS:
        return ()
    if not word.replace("-", "").isalpha():
        return (word,)
    axis = opposites.OPPOSITES.get(word)
    return (axis[0],) if axis else _stems(word)


def _ordinary_terms(written: str) -> tuple[str, ...] | str | None:
    """Terms of a word that has no part in a clause but these; of a light word the preposition that it is, if any.

    None: it may deny, begin a condition, a quantity or a predicate, or name the end of an axis.
    """
    word = CANONICAL.get(written, written)
    is_turning = word in opposites.NEGATORS or word in opposites.OPPOSITES
    is_marked = written in opposites.CONDITIONS or written in opposites.VERB_MARKS
    if is_turning or is_marked or written == opposites.REJECTS or word == "on" or may_begin_quantity(written):
        return None
    if word in opposites.LIGHT_WORDS:
        return word if word in opposites.PREPOSITIONS else ""
    return tuple(terms_of_word(word))


ORDINARY_TERMS: Final = WordTable(_ordinary_terms, 16_384)
"""What `_ordinary_terms` gives, by word."""


@kept_by_text(16_384)
def _stems(word: str) -> tuple[str, ...]:
    return tuple(map(_singular, analyze(word)))


def _singular(stem: str) -> str:
    """Singular of a stem; the stemmer leaves plurals of abbreviations alone: PDFs, CDNs. HTTPS is none."""
    is_plural = stem[-1:] == "s" and _VOWEL.search(stem) is None and stem != "https"
    return stem[:-1] if is_plural else stem


_VOWEL = re.compile("[aeiouy]")


def selects_by_denial(words: Sequence[str], at: int) -> bool:
    """Tells whether a negation is part of a clause that says which things are meant: `files that are not signed`."""
    opened = next((start for start in range(at - 1, 0, -1) if words[start] in _RELATIVES), None)
    if opened is None or words[opened - 1] in _TOLD_BY or words[opened - 1] in opposites.PREPOSITIONS:
        return False
    return sum(word in opposites.VERB_MARKS for word in words[opened + 1 : at]) <= 1


_RELATIVES = opposites.word_set("that which who whose")
_TOLD_BY = opposites.word_set(
    "note ensure sure means mean know say says assume assumes require requires remember aware so such check guarantee"
    " guarantees given is be agreed decided"
)
"""Words behind which `that` begins what is told."""
