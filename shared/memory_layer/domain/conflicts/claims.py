"""Claims that a text makes: their subjects, whether they affirm or deny, and their quantities."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from memory_layer.domain.conflicts.alternatives import EXCLUSIVE
from memory_layer.domain.conflicts.attribute_words import CANONICAL
from memory_layer.domain.conflicts.claim_words import ORDINARY_TERMS, selects_by_denial, terms_of_word
from memory_layer.domain.conflicts.clauses import Clause, clauses_of, words_of
from memory_layer.domain.conflicts.quantities import Quantity
from memory_layer.domain.conflicts.quantity_parser import quantity_at
from memory_layer.domain.conflicts.recurring_times import RECURRENCE
from memory_layer.domain.text import opposites

READ_CHARS = 1_000
CLAIMS_MAX = 12
"""Bounds on reading: a text's claims are in its first sentences, and no text costs more than another."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Clause in a normal form, in which clauses of equal meaning are equal.

    Args:
        terms: stems of its subject and predicate, in order; opposites by the name of their axis (`~required`).
        spelled: for each term the word it comes from.
        words: its words, in order, in lower case.
        is_open: whether a negation concerns only a part: a condition (`if it is not ready`), an adjunct (`without`).
        is_affirmed: False after an odd number of turns (not, never, avoid, the negative end of an axis).
        is_negated: True after an odd number of negators (not, never), whatever the ends of its axes.
        ends: the axes, each with the end that is meant.
        quantities: its numbers, in order.
        named_by: indexes of the quantities that are part of the subject's name (`Python 3.9 is slow`).
        rejected: terms of the alternative that it rejects (`instead of pip`).
        introduced: prepositions, each with the term that follows.
        names: its words written as names (React, Slack).
        subject_length: number of terms before the first known verb; None: unknown.
        setting: terms of the clauses before it that say when or where it holds.
    """

    terms: tuple[str, ...]
    spelled: tuple[str, ...]
    words: tuple[str, ...]
    is_affirmed: bool
    is_negated: bool
    is_open: bool
    ends: frozenset[tuple[str, int]]
    quantities: tuple[Quantity, ...]
    named_by: frozenset[int]
    rejected: frozenset[str]
    introduced: frozenset[tuple[str, str]]
    names: frozenset[str]
    subject_length: int | None
    setting: frozenset[str] = frozenset()
    about: frozenset[str] = field(init=False)
    vocabulary: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "about", frozenset(self.terms))
        object.__setattr__(self, "vocabulary", frozenset(self.words))

    @property
    def is_past(self) -> bool:
        """Tells whether the claim reports an event: `the server answered 404`, not `the limit is used`."""
        if "born" in self.vocabulary or not _PRESENT.isdisjoint(self.vocabulary):
            return False
        return not opposites.PAST.isdisjoint(self.vocabulary) or any(
            _is_finite_past(self.words, at) for at, word in enumerate(self.words) if word.endswith("ed")
        )

    @property
    def persons(self) -> frozenset[str]:
        return frozenset(opposites.PERSONS[word] for word in self.vocabulary & opposites.PERSONS.keys())


_PRESENT = opposites.word_set(
    "is are will must can should may need needs requires has does do isn't ist sind wird"
)


def _is_finite_past(words: Sequence[str], at: int) -> bool:
    following = words[at + 1] if at + 1 < len(words) else ""
    return (
        at > 0
        and words[at] not in opposites.STANDING_PARTICIPLES
        and words[at] not in EXCLUSIVE
        and opposites.BE.isdisjoint(words[max(0, at - 3) : at])
        and (
            following in opposites.PREPOSITIONS | opposites.DETERMINERS
            or following[:1].isdigit()
            or not following
        )
    )


@dataclass(frozen=True, slots=True)
class TextClaims:
    """Claims understood in a text, and its other words.

    Args:
        claims: at most twelve.
        head: the part of the text that was read.
        is_cut: whether there is more of it.
    """

    claims: tuple[Claim, ...]
    head: str
    is_cut: bool

    @property
    def unclaimed(self) -> frozenset[str]:
        """Content words outside of all claims; the unread rest counts as one."""
        claimed: frozenset[str] = frozenset().union(*(claim.vocabulary for claim in self.claims))
        unclaimed = words_of(self.head) - claimed - opposites.LIGHT_WORDS
        return unclaimed | {UNREAD} if self.is_cut else unclaimed


def read_claims(text: str) -> TextClaims:
    """Extracts the claims of a text from its first 1,000 characters.

    Questions claim nothing, nor do reports of the past (`we used to …`), nor a clause whose subject is only a
    pronoun. Code is one word and stands for itself.
    """
    head = text[:READ_CHARS]
    names = frozenset(name.lower() for name in _NAME.findall(head))
    found = (_claim(clause, names) for clause in clauses_of(head))
    claims = tuple(islice((claim for claim in found if claim.terms), CLAIMS_MAX))
    return TextClaims(claims, head, len(text) > READ_CHARS)


UNREAD = "\u2026"
_NAME = re.compile(r"[A-Z](?<=[\w,)'] [A-Z])[\w+#]*(?:[.-]\w+)*")
"""It begins with a letter, by which the search goes; what stands before that is looked at then."""


NUMBERED = opposites.word_set("""
    issue ticket pr adr step sprint phase chapter section rfc bug story epic task run iteration round case week day
    part stage milestone release incident shard replica experiment point item rule lesson figure page
    attempt draft revision tier level grade priority severity session volume wave track option scenario episode season
    slide appendix article clause paragraph summit meeting schritt abschnitt kapitel seite
    """)
"""Words after which a number is part of a name."""


class _ClauseReader:
    """Parser state of a clause: the words read so far."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = words
        self.terms: list[str] = []
        self.spelled: list[str] = []
        self.turns = 0
        self.negations = 0
        self.has_partial_turn = False
        self.ends: list[tuple[str, int]] = []
        self.quantities: list[tuple[Quantity, int]] = []
        self.rejected: list[str] = []
        self.introduced: list[tuple[str, str]] = []
        self.preposition = ""
        self.is_of_condition = False
        gives_advice = words[0] in opposites.IMPERATIVES
        self.verb_at: int | None = 0 if gives_advice else None
        self.subject_length: int | None = 0 if gives_advice else None

    def read(self) -> None:
        at = 0
        while at < len(self.words):
            word = self.words[at]
            ordinary = ORDINARY_TERMS[word]
            if ordinary is None:
                at = self._step(word, at)
                continue
            at += 1
            if isinstance(ordinary, str):
                self.preposition = ordinary or self.preposition
            else:
                for term in ordinary:
                    self._add(term, word)

    def _step(self, word: str, at: int) -> int:
        if word == opposites.REJECTS:
            return self._read_rejected(at + 1)
        found = quantity_at(self.words, at)
        begins_condition = found is None and at > 0 and word in opposites.CONDITIONS
        self.is_of_condition = self.is_of_condition or begins_condition
        if self.subject_length is None and word in opposites.VERB_MARKS and not self.is_of_condition:
            self.subject_length, self.verb_at = len(self.terms), at
        if found is None:
            self._read_word(word, at)
            return at + 1
        quantity, end = found
        if quantity.dimension == "number" and at and self.words[at - 1] in NUMBERED and word[0].isdigit():
            self._add(f"{self.words[at - 1]} {word}", word)
        else:
            self.quantities.append((quantity, at))
        return end

    def _read_word(self, written: str, at: int) -> None:
        word = CANONICAL.get(written, written)
        if word in opposites.NEGATORS:
            self.negations += 1
            is_adjunct = word in _WITHOUT or self.words[at + 1 : at + 2] in _OPENING_ADJUNCTS
            self._turn(is_partial=is_adjunct or selects_by_denial(self.words, at))
        elif word in opposites.OPPOSITES:
            self._read_opposite(word, written)
        elif word == "on" and self._is_switched_on(at):
            self._read_opposite("enabled", written)
        elif word in opposites.LIGHT_WORDS:
            self.preposition = word if word in opposites.PREPOSITIONS else self.preposition
        else:
            for term in terms_of_word(word):
                self._add(term, written)

    def _is_switched_on(self, at: int) -> bool:
        """Tells whether an `on` is the opposite of `off`: at the end, or as in `is on in production`."""
        following = self.words[at + 1 : at + 2]
        is_state = at > 0 and self.words[at - 1] in opposites.BE
        return not following or (is_state and following[0] in opposites.PREPOSITIONS)

    def _read_opposite(self, word: str, written: str) -> None:
        name, sign = opposites.OPPOSITES[word]
        self.ends.append((name, sign))
        if sign < 0:
            self._turn()
        self._add(name, written)
        if name == "~before":
            self.preposition = name

    def _turn(self, *, is_partial: bool = False) -> None:
        self.turns += 1
        self.has_partial_turn = self.has_partial_turn or is_partial or self.is_of_condition

    def _add(self, term: str, word: str) -> None:
        if self.preposition:
            self.introduced.append((self.preposition, term))
            self.preposition = ""
        self.terms.append(term)
        self.spelled.append(word)

    def named_by(self) -> Iterator[int]:
        """Yields the numbers before the verb; without a known verb, the unitless ones among the first three words."""
        for index, (quantity, at) in enumerate(self.quantities):
            is_measure = quantity.dimension not in _IN_NAMES or self.words[at + 1 : at + 2] == ["times"]
            is_measure = is_measure or quantity.bound != "is" or self.words[at][0] in "$€"
            is_moment = at > 0 and not _MOMENTS.isdisjoint(self.words[max(0, at - 3) : at])
            if not (is_measure or is_moment) and at < (3 if self.verb_at is None else self.verb_at):
                yield index

    def _read_rejected(self, at: int) -> int:
        start = at
        while at < len(self.words) and (at == start or self.words[at] not in opposites.PREPOSITIONS):
            self.rejected += terms_of_word(self.words[at])
            at += 1
        return at


_MOMENTS = opposites.word_set("from since until starting onwards ab seit bis")
"""Words that date a change by a version: two versions from which on one thing holds cannot both be right."""

_WITHOUT = opposites.word_set("without ohne")
_OPENING_ADJUNCTS = tuple([word] for word in ("on", "in", "at", "for", "with", "from", "auf", "im", "bei"))

_IN_NAMES = ("number", "version")
"""Dimensions of quantities in names: Python 3.9, Windows 11."""


def _claim(clause: Clause, names: frozenset[str]) -> Claim:
    words = clause.words
    reading = _ClauseReader(words)
    reading.read()
    reading.quantities.sort(key=lambda found: found[0].dimension == RECURRENCE)  # it stands where it likes
    return Claim(
        terms=tuple(reading.terms),
        spelled=tuple(reading.spelled),
        words=tuple(words),
        is_affirmed=reading.turns % 2 == 0,
        is_negated=reading.negations % 2 == 1,
        is_open=reading.has_partial_turn,
        ends=frozenset(reading.ends),
        quantities=tuple(quantity for quantity, _ in reading.quantities),
        named_by=frozenset(reading.named_by()),
        rejected=frozenset(reading.rejected),
        introduced=frozenset(reading.introduced),
        names=names.intersection(words),
        subject_length=reading.subject_length,
        setting=frozenset(term for word in clause.setting for term in terms_of_word(word)),
    )
