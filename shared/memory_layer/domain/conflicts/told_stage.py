"""Marks of tense, stage, possession and bounds in a text: small words that no topic has, and that make another fact."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final

from memory_layer.domain.conflicts.clauses import all_clauses_of
from memory_layer.domain.text.opposites import word_set

_STAGES: Final[Mapping[str, frozenset[str]]] = {
    "past": word_set("was were had did war waren wurde wurden hatte hatten"),
    "to come": word_set("will would shall wird werden würde würden"),
    "under way": word_set("being"),
    "done": word_set("been worden"),
    "wanted": word_set("want wants wanted plan plans planned able unable möchte möchten"),
}
_STAGE_OF: Final = {word: stage for stage, words in _STAGES.items() for word in words}
_POSSESSIVES: Final = {
    word: owner
    for owner, words in {
        "mine": "my mein meine meinen meinem meiner",
        "yours": "your dein deine deinen deinem deiner",
        "ours": "our unser unsere unseren unserem unserer",
        "theirs": "their",
    }.items()
    for word in words.split()
}
_WORD: Final = re.compile(r"[^\W\d_]+")
_REFERENCE: Final = re.compile(r"\((\d{1,3})\)")
_JUST: Final = re.compile(r"\bjust (?=(?:the|an?|one|this|that|these|those|its|my|your|our|their)\b)")


def unsaid_marks(new: str, known: str) -> str:
    """The first word of a text that marks a stage, an owner, a bound or a reference which the known text does not have.

    Args:
        new, known: in lower case, without markup.

    Returns:
        The word as it is written; empty: the known text has all of them.
    """
    mine, theirs = list(_WORD.findall(new)), list(_WORD.findall(known))
    return next(filter(None, (*_stages(mine, theirs), *_owners(mine, theirs), *_bounds(new, known))), "")


def _stages(mine: list[str], theirs: list[str]) -> Iterator[str]:
    known = Counter(_STAGE_OF[word] for word in theirs if word in _STAGE_OF)
    for word in mine:
        if word in _STAGE_OF:
            known[_STAGE_OF[word]] -= 1
            if known[_STAGE_OF[word]] < 0:
                yield word


def _owners(mine: list[str], theirs: list[str]) -> Iterator[str]:
    """Owners of other things; a text without any leaves the owner open."""
    known = {_POSSESSIVES[word] for word in theirs if word in _POSSESSIVES}
    yield from (word for word in mine if known and word in _POSSESSIVES and _POSSESSIVES[word] not in known)


def _bounds(new: str, known: str) -> Iterator[str]:
    known_references = set(_REFERENCE.findall(known))
    yield from (f"({number})" for number in _REFERENCE.findall(new) if number not in known_references)
    if len(_JUST.findall(new)) > len(_JUST.findall(known)):
        yield "just"


def unread_words(new: str, known: str, clauses_max: int) -> str:
    """Words of the first clause behind those that are compared which the known text does not have there; else empty."""
    mine, theirs = (list(islice(all_clauses_of(text), clauses_max, None)) for text in (new, known))
    return next((" ".join(clause[:3]) for clause in mine if clause not in theirs), "")
