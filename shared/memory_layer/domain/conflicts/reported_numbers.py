"""Numbers that hold of one release or one count, and are no values that another number contradicts."""

import re

from memory_layer.domain.conflicts.claims import Claim
from memory_layer.domain.conflicts.quantities import Quantity
from memory_layer.domain.conflicts.value_words import is_report
from memory_layer.domain.text import opposites


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
