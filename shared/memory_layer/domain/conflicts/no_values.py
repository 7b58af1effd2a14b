"""Amounts that are no value: times that say which things are meant (`the oldest backup of the last 14 days`
is another than that of seven), and numbers that hold of one release or one count."""

import re
from collections.abc import Sequence
from typing import Final

from memory_layer.domain.conflicts.claims import Claim
from memory_layer.domain.conflicts.quantities import Quantity
from memory_layer.domain.conflicts.value_words import is_report
from memory_layer.domain.text import opposites

KEEPING: Final = "~keep"
"""Axis of keeping and removing."""

_SELECTED: Final = re.compile(r"\b(?:of the (?:last|past|previous)|der (?:letzten|vergangenen|vorigen)) \d")
_SAYING: Final = opposites.VERB_MARKS | opposites.word_set("we i you they it wir ich du sie es man")


def name_things(words: Sequence[str]) -> bool:
    """Tests if words in lower case name things by a time that is up to now, and say nothing of them that is known."""
    if _SELECTED.search(" ".join(words)) is None:
        return False
    return words[0] not in opposites.IMPERATIVES and _SAYING.isdisjoint(words)


def selects_things(claim: Claim) -> bool:
    """Tests if a clause does so: it has no verb, and tells of no keeping."""
    has_verb = claim.subject_length is not None or any(axis == KEEPING for axis, _ in claim.ends)
    return not has_verb and name_things(claim.words)


_ADDED: Final = opposites.word_set("also additionally auch zusatzlich")
_ADDING: Final = opposites.word_set(
    "allow open add list expose publish forward support enable include exclude"
)


def names_one(claim: Claim, number: Quantity) -> bool:
    """Tells whether a number names one thing: `allow port 22`, `also on port 9090`, `users on plan 3 pay`."""
    words, first = claim.words, number.text.split(" ")[0]
    if number.dimension not in ("number", "version") or number.bound != "is" or first not in words:
        return False
    at, start = words.index(first), int(words[0] in opposites.LIGHT_WORDS)
    is_object = words[0] in _ADDING and at == 2 and words[1].isalpha()
    is_of_subject = (
        at == start + 3 and words[start + 1] in opposites.PREPOSITIONS and _says_more(words[at + 1 : at + 2])
    )
    return is_object or is_of_subject or not claim.vocabulary.isdisjoint(_ADDED)


def _says_more(following: Sequence[str]) -> bool:
    return bool(following) and following[0].isalpha() and following[0] not in opposites.LIGHT_WORDS


def is_reported(claim: Claim, number: Quantity) -> bool:
    """Tells whether a number is of one release (`bump to 4.1`, a version without a verb), or a bare numeral."""
    is_numeral = claim.subject_length is None and not _DIGIT.search(number.text)  # `something about two`
    if is_numeral or is_report(claim.words) or is_counted(claim, number):
        return True
    first, words = claim.words[0], claim.vocabulary
    is_advice = first in opposites.IMPERATIVES and first not in _ONCE
    is_stated = number.bound != "is" or is_advice or not words.isdisjoint(opposites.VERB_MARKS | _STATING)
    return len(number.low) > 1 and not is_stated


_DIGIT = re.compile("[0-9]")
_COUNTED = opposites.word_set("count total")


def is_counted(claim: Claim, number: Quantity) -> bool:
    """Tells whether a number was counted at some time: `member count: 674`."""
    return claim.words[-1] == number.text and not _COUNTED.isdisjoint(claim.words[-3:-1])


_ONCE = opposites.word_set("import export move merge")
_STATING = opposites.word_set("runs depends works comes ships targets speaks builds expects follows")
