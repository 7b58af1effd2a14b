"""Attribute that a question asks for: `What is the timeout of the gateway?` asks for a timeout, `Who approves it?` for
who does that.

Texts that say much of the gateway and nothing of a timeout are near to such a question, and rarely answer it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory_layer.domain.text import opposites
from memory_layer.domain.text.opposites import word_set

_AUXILIARIES: Final = word_set(
    "do does did is are was were can could should must may might will would has have had"
)
_ENDS: Final = word_set("of for in on at from to with by that which when while during between per")
_ANY: Final = word_set(
    "difference point purpose meaning way best thing reason number name kind type sort list most maximum minimum"
    " one ones"
)
"""Words of which an answer says nothing, or that say nothing of what is asked for."""

_DETERMINERS: Final = word_set("the our your its")
_LONGEST: Final = 5
"""Words up to the end of the attribute that a question begins with."""


def asked_attribute(words: Sequence[str]) -> str | None:
    """Head word of the attribute that an English question asks for.

    Args:
        words: of the question, in its order.

    Returns:
        In lower case; None: it asks for none by name.
    """
    first, *rest = [word.casefold() for word in words] or [""]
    if len(rest) < 2:
        return None
    if first == "what" and rest[0] in _AUXILIARIES:
        is_defined = rest[0] in opposites.BE and rest[1] in _DETERMINERS
        return _told(_head(rest[2:])) if is_defined else None
    if first in ("which", "what"):
        head = _head(rest[:_LONGEST], _AUXILIARIES)
        return _told(head or (rest[0] if first == "which" else None))
    if first == "how" and rest[0] in ("many", "much"):
        return _told(rest[1])
    return rest[0] if first == "who" and rest[0].endswith("s") and rest[0] not in _AUXILIARIES else None


def _head(words: Sequence[str], ends: frozenset[str] = _AUXILIARIES | _ENDS) -> str | None:
    """Last word before the first that ends a name; None: there is none before it, or none ends it."""
    at = next((at for at, word in enumerate(words) if word in ends), 0)
    return words[at - 1] if at else None


def _told(head: str | None) -> str | None:
    return None if head is None or head in _ANY | _AUXILIARIES | _ENDS else head
