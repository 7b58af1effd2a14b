"""First look at two texts: which can be seen, by their bare words, not to contradict each other.

It is there to spare the reading of claims: what it lets pass is judged, and it lets pass all that the judgement flags.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import chain
from operator import or_
from typing import Final, NamedTuple

from memory_layer.domain.conflicts.alternatives import ADDITIVE, EXCLUSIVE, SINGLE_VALUED
from memory_layer.domain.conflicts.attribute_words import CANONICAL, PHRASE_RESULTS
from memory_layer.domain.conflicts.choice_places import PLACE_TERMS_MAX, ValuePlace
from memory_layer.domain.conflicts.claim_differences import CLAIM_TERMS_MIN, WHOLE_TERMS_MIN
from memory_layer.domain.conflicts.claim_words import terms_of_word
from memory_layer.domain.conflicts.claims import READ_CHARS, Claim
from memory_layer.domain.conflicts.clauses import bare_word, written_words
from memory_layer.domain.conflicts.permissions import PERMITTING, may_restrict
from memory_layer.domain.conflicts.quantity_parser import is_numeral
from memory_layer.domain.conflicts.quantity_words import UNITS
from memory_layer.domain.conflicts.same_attribute import SHARED_SHARE
from memory_layer.domain.conflicts.stated_values import StatedValue, terms_of_value_word
from memory_layer.domain.safety.text_caches import WordTable, kept_by_text
from memory_layer.domain.text import opposites

_TURN, _NUMERAL, _ARTICLE, _UNIT, _ALTERNATIVE, _SINGLE_VALUE, _BEING, _REJECTION, _COMMA, _PERMIT = (
    1 << bit for bit in range(10)
)
"""Flags of a word, by what it may be part of."""

_AMOUNT = _ARTICLE | _UNIT
_TURNED_OFF = _TURN | _COMMA


class BareWords:
    """Words of a text, and what may be among them; no clause is read.

    `flags` are those of all its words, `terms` the stems; `may_reject` tells whether it may reject a thing:
    `instead of`, `prefer X to`, `, not`.
    """

    __slots__ = (
        *("_may_restrict", "_text", "flags", "gives_quantity", "may_permit", "may_reject", "terms", "words"),
    )

    def __init__(self, text: str) -> None:
        self._text = text
        self._may_restrict: bool | None = None
        self.words = words = set(written_words(text[:READ_CHARS]))
        self.flags = flags = reduce(or_, map(_flags.__getitem__, words), 0)
        self.terms = frozenset(chain.from_iterable(map(_terms.__getitem__, words)))
        self.gives_quantity = bool(flags & _NUMERAL) or (flags & _AMOUNT == _AMOUNT)
        self.may_reject = bool(flags & _REJECTION) or (flags & _TURNED_OFF == _TURNED_OFF)
        self.may_permit = bool(flags & _PERMIT)

    @property
    def may_restrict(self) -> bool:
        """Tells whether the text may say who alone may do something."""
        if self._may_restrict is None:
            self._may_restrict = may_restrict(self._text)
        return self._may_restrict

    def value_terms(self) -> set[str]:
        words = map(bare_word, written_words(self._text[:READ_CHARS]))
        return {term for word in words for term in terms_of_value_word(word)}


@kept_by_text(2_560)
def _bare_words_of(text: str) -> BareWords:
    """Words of a text, kept: the lines of a batch are held against the same neighbours, and against each other."""
    return BareWords(text)


def _first_words(phrases: Iterable[str]) -> frozenset[str]:
    return frozenset(phrase.split()[0] for phrase in phrases)


def _turns(word: str) -> bool:
    return word in opposites.NEGATORS or opposites.OPPOSITES.get(word, ("", 1))[1] < 0


_TURNING = _first_words(phrase for phrase, word in opposites.PHRASES.items() if _turns(word))
_PHRASE_STARTS = _first_words(opposites.PHRASES)
_REJECTING = frozenset(("instead", "rather", "prefer", "prefers", "but"))
_ALTERNATIVES = frozenset(word for name in EXCLUSIVE for word in name.split())
_SINGLE_VALUED = SINGLE_VALUED | _PHRASE_STARTS
_UNSPELLED = frozenset(
    term for word in ("enabled", *opposites.PHRASES.values(), *PHRASE_RESULTS) for term in terms_of_word(word)
)
"""Terms that a phrase gives, none of whose words may be the term."""


def _terms_of(written: str) -> tuple[str, ...]:
    return tuple(terms_of_word(bare_word(written)))


def _flags_of(written: str) -> int:
    word = bare_word(written)
    is_turned = _turns(CANONICAL.get(word, word)) or word in _TURNING or "n't" in word or "\u2019" in word
    return (
        _TURN * is_turned
        | _NUMERAL * is_numeral(word)
        | _ARTICLE * (word in _ARTICLES)
        | _UNIT * (word in UNITS)
        | _ALTERNATIVE * (word in _ALTERNATIVES)
        | _SINGLE_VALUE * (word in _SINGLE_VALUED)
        | _BEING * (word in _BEINGS)
        | _REJECTION * (word in _REJECTING)
        | _COMMA * (written.endswith(",") or written.startswith(("(", "\u2013", "\u2014")))
        | _PERMIT * (word in PERMITTING)
    )


_terms: Final = WordTable(_terms_of, 32_768)
_flags: Final = WordTable(_flags_of, 32_768)

_ARTICLES = frozenset(("a", "an"))
_BEINGS = opposites.BE | _PHRASE_STARTS


class _ClaimLook:
    """Claim, with the ways in which another text may contradict it; these are looked at once it shares enough."""

    __slots__ = ("_about", "_claim", "_least_shared", "_length", "_ways")

    def __init__(self, claim: Claim, least_shared: int) -> None:
        self._claim = claim
        self._length = len(claim.about)
        self._about = frozenset(term for term in claim.about - _UNSPELLED if " " not in term)
        self._least_shared = least_shared
        self._ways: _Ways | None = None

    def may_be_contradicted(self, other: BareWords) -> bool:
        if self._claim.rejected and not self._claim.rejected.isdisjoint(other.terms):
            return True
        missing = self._about - other.terms
        shared = self._length - len(missing)
        if shared < self._least_shared:
            return False
        is_enough = shared >= SHARED_SHARE * self._length and other.gives_quantity
        if len(missing) > PLACE_TERMS_MAX and not is_enough:
            return False
        if self._ways is None:
            self._ways = _ways(self._claim)
        ways = self._ways
        if is_enough and ways.gives_amount:
            return True
        may_deny = ways.is_whole and (bool(other.flags & _TURN) or not self._claim.is_affirmed)
        may_choose = bool(other.flags & ways.may_choose) or (
            ways.may_reject and (bool(self._claim.rejected) or other.may_reject)
        )
        return (may_deny or may_choose) and self._may_differ_in(
            missing, shared, may_deny=may_deny, may_choose=may_choose
        )

    def _may_differ_in(
        self, missing: frozenset[str], shared: int, *, may_deny: bool, may_choose: bool
    ) -> bool:
        """Tells whether a text without these terms may deny the claim, or name another thing in one place of it."""
        if not missing or len(missing) > PLACE_TERMS_MAX:
            return not missing
        terms = self._claim.terms
        places = [at for at, term in enumerate(terms) if term in missing]
        is_last = places[0] >= len(terms) - PLACE_TERMS_MAX
        is_adjunct = may_deny and self._claim.is_affirmed and shared >= WHOLE_TERMS_MIN and is_last
        return is_adjunct or (may_choose and places[-1] - places[0] < PLACE_TERMS_MAX)


class _Ways(NamedTuple):
    """Ways in which a text may contradict a claim. Args: may_choose: flags of the words of which it needs one."""

    gives_amount: bool
    is_whole: bool
    may_reject: bool
    may_choose: int


def _ways(claim: Claim) -> _Ways:
    words = claim.vocabulary
    place = ValuePlace(claim, 0, 1)
    is_single = place.is_stated and words.isdisjoint(ADDITIVE | opposites.NEGATORS) and not claim.is_past
    return _Ways(
        gives_amount=bool(claim.quantities) and not claim.is_past,
        is_whole=words.isdisjoint(opposites.OPEN),
        may_reject=place.is_unconditional,
        may_choose=_choices(claim) if is_single else 0,
    )


def _choices(claim: Claim) -> int:
    """Flags of the words of which a text needs one, to name another thing in a place of this claim."""
    has_name = bool(claim.names) and not opposites.BE.isdisjoint(claim.vocabulary)
    return (
        (_BEING * has_name)
        | (_ALTERNATIVE * (not _ALTERNATIVES.isdisjoint(claim.vocabulary)))
        | (_SINGLE_VALUE * (not SINGLE_VALUED.isdisjoint(claim.vocabulary)))
    )


class FirstLook:
    """What one text says, held against the bare words of others.

    Args:
        text: as `BareWords` reads it.
        claims, values: what the text says.
        permits, restricts: whether it may say who may do something, and whether it says who alone may.
        names_responsible: whether it says who answers for something, in one of many wordings.
    """

    def __init__(
        self,
        text: str,
        claims: Sequence[Claim],
        values: Sequence[StatedValue],
        *,
        permits: bool,
        restricts: bool,
        names_responsible: bool,
    ) -> None:
        self._words = _bare_words_of(text).words
        stands_alone = len(claims) == 1
        self._claims = [
            _ClaimLook(claim, 1 if stands_alone else 2)
            for claim in claims
            if stands_alone or len(claim.about) >= CLAIM_TERMS_MIN
        ]
        self._attributes = [value.attribute for value in values]
        self._permits = permits
        self._restricts = restricts
        self._names_responsible = names_responsible

    def may_contradict(self, text: str) -> bool:
        """Tells whether a text may contradict this one; False only where it is sure not to."""
        if self._names_responsible:
            return True
        other = _bare_words_of(text)
        if abs(len(self._words) - len(other.words)) <= OTHER_WORDS >= len(self._words - other.words):
            return True
        if self._permits and (other.may_permit if self._restricts else other.may_restrict):
            return True
        for claim in self._claims:
            if claim.may_be_contradicted(other):
                return True
        return bool(self._attributes) and self._may_state_otherwise(other)

    def _may_state_otherwise(self, other: BareWords) -> bool:
        terms = other.value_terms() | _VALUE_PHRASES
        return any(attribute <= terms for attribute in self._attributes)


OTHER_WORDS = 2
"""Most words, with their punctuation, that a text alike but for one lacks."""

_VALUE_PHRASES = frozenset(
    term for word in (*PHRASE_RESULTS, *opposites.PHRASES.values()) for term in terms_of_value_word(word)
)
