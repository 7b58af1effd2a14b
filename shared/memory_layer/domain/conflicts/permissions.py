"""Statements of who may do something, in whichever words: `only admins may delete projects`, `anyone can …`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from memory_layer.domain.conflicts.attribute_words import content_terms
from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import analyze, folded
from memory_layer.domain.text.opposites import word_set

_MAY: Final = (
    r"(?:may|can|are (?:allowed|permitted|able) to|is (?:allowed|permitted|able) to|durfen|darf|konnen|kann)"
)
_MAY_NOT: Final = (
    r"(?:may not|cannot|can not|can't|must not|mustn't|are not (?:allowed|permitted|able) to"
    r"|is not (?:allowed|permitted|able) to|aren't (?:allowed|permitted) to|isn't (?:allowed|permitted) to)"
)
_WHO: Final = r"(?P<who>[^,;:.()]{2,60}?)"
_WHAT: Final = r"(?P<what>[^,;:()]{3,120}?)"
_DONE: Final = r"(?P<done>\w+(?:ed|en|n|t|de|ut|un|ne))"

_PATTERNS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        rf"^(?P<only>only|nur) {_WHO} {_MAY} {_WHAT}$",
        rf"^{_WHAT} (?:may|can|must|should) (?P<only>only) be {_DONE} by {_WHO}$",
        rf"^{_WHAT} (?:may|can|must|should) be {_DONE} (?P<only>only) by {_WHO}$",
        rf"^{_WHO} {_MAY_NOT}(?P<not>) {_WHAT}$",
        rf"^{_WHAT} (?:may|can) be {_DONE} by {_WHO}$",
        rf"^{_WHO} {_MAY} {_WHAT}$",
    )
)
PERMITTING: Final = word_set(
    "may can cannot can't must allowed permitted able should durfen darf konnen kann"
)
"""Words of which a text that says who may do something has one."""

_RESTRICTS: Final = re.compile(r"(?:^|[.!?;\n])[\s*`-]*(?:[Oo]nly|[Nn]ur) |only be |only by ")
_HINT: Final = re.compile(rf"\b(?:{'|'.join(sorted(PERMITTING))})\b")
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\n+")
SENTENCES_MAX: Final = 12

_EVERYONE: Final = word_set("everyone everybody anyone anybody any all every each jeder alle")
_READERS: Final = word_set(
    "you we they it i he she this that these those there who which what du sie wir man"
)
_OPENERS: Final = (
    opposites.CONDITIONS | opposites.PREPOSITIONS | word_set("what how why where who before after")
)
_NO_GROUP: Final = word_set("member team group der die das den")
_JOINED: Final = re.compile(r"\b(?:and|or|und|oder)\b|,")


@dataclass(frozen=True, slots=True)
class Permission:
    """Statement that somebody may, alone may, or may not do something.

    Args:
        who: stems of those that it is about; empty where it is about everyone.
        what: stems of what is done.
        is_joined: whether it names several groups.
    """

    who: frozenset[str]
    what: frozenset[str]
    spelled: str
    is_only: bool
    is_denied: bool
    is_everyone: bool
    is_joined: bool


def may_permit(text: str) -> bool:
    """Tells whether a text may say who may do something."""
    return _HINT.search(text.lower() if text.isascii() else folded(text).lower()) is not None


def may_restrict(text: str) -> bool:
    """Tells whether a text may say who alone may do something."""
    lowered = text.lower()
    return ("only " in lowered or "nur " in lowered) and _RESTRICTS.search(text) is not None


def permissions(text: str) -> Iterator[Permission]:
    """Yields who may do what, from the first sentences of a text."""
    if not may_permit(text):
        return
    for sentence in _SENTENCE.split(folded(text).lower())[:SENTENCES_MAX]:
        words = sentence.strip(" -*`.!;")
        if sentence.rstrip().endswith("?"):
            continue
        found = next(filter(None, (pattern.match(words) for pattern in _PATTERNS)), None)
        permission = None if found is None else _permission(found.groupdict())
        if permission is not None:
            yield permission


def _permission(said: dict[str, str | None]) -> Permission | None:
    who, what = said["who"] or "", said["what"] or ""
    first = who.split()[0]
    if first in _READERS or first in _OPENERS or what.startswith(("only ", "not ", "be ", "nur ")):
        return None
    named = frozenset(analyze(who))
    terms = named - _NO_GROUP or named
    is_everyone = first in _EVERYONE
    action = frozenset(content_terms(f"{what} {said.get('done') or ''}"))
    if not action or not (terms or is_everyone):
        return None
    return Permission(
        who=terms,
        what=action,
        spelled=who,
        is_only=said.get("only") is not None,
        is_denied=said.get("not") is not None,
        is_everyone=is_everyone,
        is_joined=_JOINED.search(who) is not None,
    )


def permitted_otherwise(mine: Sequence[Permission], theirs: Sequence[Permission]) -> tuple[str, str] | None:
    """Whom two texts let do one thing, in words, where both cannot hold; None where they can."""
    for one in mine:
        for other in theirs:
            if one.what == other.what and (_excludes(one, other) or _excludes(other, one)):
                return _told(one), _told(other)
    return None


def restrict_otherwise(one: str, other: str) -> bool:
    """Tells whether one of two texts of the same words restricts who does a thing, and the other does not."""
    return _restricts(one) != _restricts(other)


def _restricts(text: str) -> bool:
    return may_restrict(text) and any(each.is_only for each in permissions(text))


def _excludes(only: Permission, other: Permission) -> bool:
    """Tells whether what one group alone may do is denied to it, or given to another."""
    if not only.is_only or only.is_everyone:
        return False
    if other.is_denied:
        return only.who == other.who
    if other.is_everyone:
        return not only.who & other.who
    if only.who == other.who:
        return False
    is_wider = (only.is_joined or other.is_joined) and (only.who < other.who or other.who < only.who)
    is_within = other.who < only.who and not other.is_only
    return only.who.isdisjoint(other.who) or (is_wider and not is_within)


def _told(permission: Permission) -> str:
    manner = "only " if permission.is_only else "not " if permission.is_denied else ""
    return f"{manner}{permission.spelled}"
