"""Times that say which things are meant: `the oldest backup of the last 14 days` is another than that of seven."""

import re
from collections.abc import Sequence
from typing import Final

from memory_layer.domain.conflicts.claims import Claim
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
