"""Other spellings of words: in one and in two (`login`, `log in`), British and American (`behaviour`, `behavior`),
German with and without its letters (`löschen`, `loeschen`)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, pairwise
from typing import Final

from memory_layer.domain.safety.text_caches import WordTable
from memory_layer.domain.text.analyzer import STOP_WORDS, terms_of, words_in
from memory_layer.domain.text.german_letters import from_ascii, in_ascii

PARTICLES: Final = frozenset({"back", "down", "in", "off", "on", "out", "over", "up"})
_PARTICLE: Final = re.compile(f"(?:{'|'.join(sorted(PARTICLES))})$")
WORDS_MAX: Final = 32
"""A longer question says a thing in many words, and its variants would be as many."""

_SHORTEST: Final = 3
_SHORTEST_IN_TWO: Final = 5
_SHORTEST_MISTYPED: Final = 5
_LETTERS: Final = re.compile(r"[^\W\d_]{4,}")
_SHORTEST_GERMAN: Final = 6
"""Letters of a word from which on `ue` is read as `ü`: of `due` and `value` it makes other words."""

_LINKS: Final = ("s", "n", "en")
"""Letters that link the nouns of a German compound."""
_BEGIN_NONE: Final = STOP_WORDS - PARTICLES | {"in"}
"""Words that begin none; `in` would make the opposite: `in active use`, `in secure mode`."""
_BEGINNINGS: Final = """
acknowledgement acknowledgment | analogue analog | armour armor | artefact artifact | behaviour behavior
catalogue catalog | centre center | colour color | defence defense | dialogue dialog | endeavour endeavor
enquir inquir | enrolment enrollment | favour favor | fibre fiber | flavour flavor | fulfil fulfill | grey gray
harbour harbor | honour honor | humour humor | instalment installment | judgement judgment | labour labor
licence license | litre liter | metre meter | neighbour neighbor | odour odor | offence offense | practise practice
programme program | rumour rumor | theatre theater | vapour vapor
"""
_ENDINGS: Final = """
ise ize | ised ized | ises izes | iser izer | isers izers | ising izing | isation ization | isations izations
isable izable | yse yze | ysed yzed | yses yzes | yser yzer | ysing yzing | alled aled | elled eled | elling eling
alling aling | eller eler
"""
"""Beginnings and endings of words, British before American."""


def with_variants(searched: str, question: str) -> str:
    """Text that is searched for, with other spellings of its words behind it; what is no word finds nothing.

    Args:
        question: as it was asked: its neighbours may be one word.
    """
    words = words_in(searched)
    if len(words) > WORDS_MAX:
        return searched
    asked = words if question is searched else words_in(question)
    in_two = (
        *chain.from_iterable(in_one(*pair) for pair in pairwise(asked)),
        *filter(None, map(head_of, asked)),
    )
    typed = () if searched.isascii() else set(words_in(in_ascii(searched))).difference(words)
    return " ".join((searched, *in_two, *chain.from_iterable(map(spelled_otherwise, words)), *sorted(typed)))


def in_one(first: str, second: str) -> tuple[str, ...]:
    """Two words written in one: `file name` as `filename`, `logged in` also as `login`; empty: they make none."""
    head, tail = first.lower(), second.lower()
    is_begun = head.isalpha() and head not in _BEGIN_NONE
    if not is_begun or not (_may_end(tail) or (tail in PARTICLES and head not in STOP_WORDS)):
        return ()
    stems = terms_of(head)[:1] if tail in PARTICLES else ()
    linked = (f"{head}{link}" for link in _LINKS) if first[0].isupper() and second[0].isupper() else ()
    return tuple(dict.fromkeys(f"{start}{tail}" for start in (head, *stems, *linked)))


def head_of(word: str) -> str:
    """What stands before the particle that a word ends in: `log` of `login`; empty: it ends in none."""
    lowered = word.lower()
    found = _PARTICLE.search(lowered, _SHORTEST)
    return lowered[: found.start()] if found and lowered not in STOP_WORDS else ""


def is_in_two(word: str, text: str) -> bool:
    """Tests if a text writes a word in two, as `log in` and `read-only`. Args: text: in small letters."""
    lowered = word.lower()
    apart = f" {text.replace('-', ' ')}"
    if len(lowered) < _SHORTEST_IN_TWO or lowered not in apart.replace(" ", ""):
        return False
    return any(f" {lowered[:at]} {lowered[at:]}" in apart for at in range(1, len(lowered) - 1))


def is_mistyped(word: str, text: str) -> bool:
    """Tests if a word is one of a text with one wrong letter, one too many or too few, or two in the wrong order.

    Args:
        text: in small letters.
    """
    typed = word.lower()
    if len(typed) < _SHORTEST_MISTYPED or not typed.isalpha():
        return False
    first = typed[0]
    return any(
        is_one_letter_off(typed, said) or is_one_letter_off(typed, said.removesuffix("s"))
        for said in _LETTERS.findall(text)
        if said[0] == first and -2 < len(said) - len(typed) < 3
    )


def is_one_letter_off(one: str, other: str) -> bool:
    """Tests if two words differ in one letter, or in the order of two."""
    if abs(len(one) - len(other)) > 1 or min(len(one), len(other)) < _SHORTEST_MISTYPED - 1:
        return False
    at = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if at is None:
        return len(one) != len(other)
    rests = {(one[at + 1 :], other[at + 1 :]), (one[at:], other[at + 1 :]), (one[at + 1 :], other[at:])}
    return any(a == b for a, b in rests) or (
        one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    )


def spelled_otherwise(word: str) -> tuple[str, ...]:
    """A British word as an American spells it, and the other way round; a German one with its letters."""
    return _SPELLED[word]


def _spelled_otherwise(word: str) -> Iterator[str]:
    lowered = word.lower().removesuffix("'s")
    if lowered in STOP_WORDS:
        return
    if begun := _BEGINNING.match(lowered):
        yield _BY_BEGINNING[begun[0]] + lowered[begun.end() :]
    if ended := _ENDING.search(lowered, _SHORTEST - 1):
        yield lowered[: ended.start()] + _BY_ENDING[ended[0]]
    if len(lowered) >= _SHORTEST_GERMAN:
        yield from from_ascii(lowered)


def _may_end(word: str) -> bool:
    return len(word) >= _SHORTEST and word.isalpha() and word not in STOP_WORDS


def _both_ways(table: str) -> Mapping[str, str]:
    pairs = [pair.split() for pair in table.strip().replace("\n", " | ").split(" | ")]
    return {
        one: other for british, american in pairs for one, other in ((british, american), (american, british))
    }


def _any_of(parts: Mapping[str, str]) -> str:
    return f"(?:{'|'.join(sorted(parts, key=len, reverse=True))})"


_BY_BEGINNING: Final = _both_ways(_BEGINNINGS)
_BY_ENDING: Final = _both_ways(_ENDINGS)
_BEGINNING: Final = re.compile(_any_of(_BY_BEGINNING))
_ENDING: Final = re.compile(_any_of(_BY_ENDING) + "$")
_SPELLED: Final = WordTable(lambda word: tuple(_spelled_otherwise(word)), 16_384, longest=64)
