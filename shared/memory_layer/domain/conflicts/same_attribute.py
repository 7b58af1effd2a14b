"""Tests on whether two claims speak of one attribute of one subject, under one condition."""

from memory_layer.domain.conflicts.claims import Claim
from memory_layer.domain.text import opposites

SHARED_SHARE = 0.6
"""Least share of the terms of both claims that both have."""

ADDED_MAX = 3
"""Most terms that one of them adds."""

GENERIC = opposites.word_set(
    "default valu name number set option return true fals type string list field argument paramet key class object"
)
"""Stems that name no subject by themselves."""


def speak_of_one_attribute(one: Claim, other: Claim) -> bool:
    """Tells whether two claims have one subject and attribute; one of them may say a little more.

    Where each has a term that the other lacks they speak of two things. An addition that is a name, or that follows
    a preposition or a condition, is another scope: `on Windows`, `in production`, `when it is full`.
    """
    shared = one.about & other.about
    mine, theirs = one.about - shared, other.about - shared
    if (mine and theirs) or not _have_one_setting(one, other) or not _is_enough(shared):
        return False
    longer, added = (one, mine) if mine else (other, theirs)
    return (
        len(added) <= ADDED_MAX
        and len(shared) >= SHARED_SHARE * (len(shared) + len(added))
        and not _is_scope(longer, added)
    )


def _is_enough(shared: frozenset[str]) -> bool:
    telling = {term for term in shared if term not in GENERIC}
    return bool(telling)


def _have_one_setting(one: Claim, other: Claim) -> bool:
    """Tells whether neither holds in a setting that the other does not mention."""
    mine, theirs = one.setting - other.about, other.setting - one.about
    return mine <= other.setting and theirs <= one.setting


def _is_scope(claim: Claim, added: frozenset[str]) -> bool:
    """Tells whether what one claim adds is a name or a condition, which tells another case apart."""
    if not added:
        return False
    spelled = {word for term, word in zip(claim.terms, claim.spelled, strict=True) if term in added}
    introduced = {term for _, term in claim.introduced}
    return (
        not spelled.isdisjoint(claim.names)
        or not added.isdisjoint(introduced)
        or not added.isdisjoint(opposites.ADJECTIVES)
        or any(not word.isalpha() for word in spelled)
        or (opposites.CONDITIONS & claim.vocabulary) != frozenset()
    )
