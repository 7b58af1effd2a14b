"""Sentences that only one of two long texts has: the work of a comparison is bounded by what differs."""

import re
from typing import NamedTuple

LONG_CHARS = 2_000
"""Characters from which on a text is compared sentence by sentence, and up to which what differs is read."""

_END = re.compile(r"(?<=[.!?;])\s+|\n+")


class UnsharedSentences(NamedTuple):
    """Sentences that only one text has, in their order.

    Args:
        is_ordered: the sentences of both stand in the same order.
    """

    new: str
    known: str
    is_ordered: bool = True

    @property
    def is_readable(self) -> bool:
        """Tells whether so little differs that it is compared word by word."""
        return bool(self.known) and max(len(self.new), len(self.known)) <= LONG_CHARS


def unshared_sentences(new: str, known: str) -> UnsharedSentences:
    """Sentences of each text that the other one lacks; of short texts all of them."""
    if max(len(new), len(known)) <= LONG_CHARS:
        return UnsharedSentences(new, known)
    mine, theirs = ([one for one in _END.split(text) if one] for text in (new, known))
    shared = set(mine) & set(theirs)
    one, other = ([each for each in side if each in shared] for side in (mine, theirs))
    left, right = ("\n".join(each for each in side if each not in shared) for side in (mine, theirs))
    return UnsharedSentences(left, right, one == other)
