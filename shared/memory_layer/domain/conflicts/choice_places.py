"""Places of a claim that hold one value: the run of words in which two claims differ, and the kind of its value."""

import re
from dataclasses import dataclass

from memory_layer.domain.conflicts.alternatives import CHOICE_WORDS, EXCLUSIVE, SINGLE_VALUED
from memory_layer.domain.conflicts.claims import Claim
from memory_layer.domain.text import opposites

PLACE_TERMS_MAX = 3


@dataclass(frozen=True, slots=True)
class ValuePlace:
    """Short run of terms of a claim."""

    claim: Claim
    start: int
    end: int

    @property
    def terms(self) -> frozenset[str]:
        return frozenset(self.claim.terms[self.start : self.end])

    @property
    def spelled(self) -> str:
        return " ".join(dict.fromkeys(self.claim.spelled[self.start : self.end]))

    @property
    def leading(self) -> frozenset[str]:
        """Words before the run, without the verb of an order: `deploy it to X` does not say where it always goes."""
        is_order = self.claim.words[0] in opposites.IMPERATIVES
        return frozenset(self.claim.words[is_order : self.claim.words.index(self.claim.spelled[self.start])])

    @property
    def is_stated(self) -> bool:
        """Tells whether the claim is a sentence with a verb, under no condition, not a title: `Name of the host`."""
        has_verb = self.claim.subject_length == 0 or not _FINITE.isdisjoint(self.claim.vocabulary)
        return has_verb and self.is_unconditional

    @property
    def is_unconditional(self) -> bool:
        """Tells whether the claim holds under no condition, and of nothing that is only pointed at."""
        words = self.claim.vocabulary
        return opposites.CONDITIONS.isdisjoint(words) and _POINTING.isdisjoint(words)

    @property
    def is_one_term(self) -> bool:
        """Tells whether the run is one term, under no condition: `PRs target develop (not master)`."""
        return self.is_unconditional and len(self.terms) == 1

    @property
    def is_plain(self) -> bool:
        """Tells whether the run is of ordinary words or names, no code, path or flag."""
        words = self.claim.spelled[self.start : self.end]
        return all(word.isalnum() or _DIGIT.search(word) for word in words)

    @property
    def is_last(self) -> bool:
        return self.end == len(self.claim.terms)

    @property
    def is_predicate(self) -> bool:
        """Tells whether the run is in the predicate, not in the subject."""
        return self.start >= (1 if self.claim.subject_length is None else self.claim.subject_length)

    @property
    def is_name(self) -> bool:
        """Tells whether the run ends the claim and holds a name and nothing else."""
        return self.is_last and self.claim.names.issuperset(self.claim.spelled[self.start : self.end])


_DIGIT = re.compile(r"^[\w.-]*\d")
_POINTING = opposites.word_set("these those such")
_FINITE = (opposites.VERB_MARKS - {"used", "been", "being"}) | opposites.word_set(
    "live lives prefers go goes come comes run runs works-at authenticates deploy moved married built owns leads"
    " maintains grew defaults stay stays stores keeps saves hosts resides"
)


def place_of(claim: Claim, others: frozenset[str]) -> ValuePlace | None:
    """Run of the terms that only this claim has; None unless they are one short run."""
    own = [index for index, term in enumerate(claim.terms) if term not in others]
    is_run = bool(own) and own[-1] - own[0] == len(own) - 1 and len(own) <= PLACE_TERMS_MAX
    return ValuePlace(claim, own[0], own[-1] + 1) if is_run else None


def is_single_valued(mine: ValuePlace, theirs: ValuePlace) -> bool:
    """Tells whether the place takes a single value, or the two values are of a kind of which one is chosen."""
    if not (mine.is_predicate and theirs.is_predicate):
        return False
    leading = mine.leading & theirs.leading
    if mine.is_name and theirs.is_name and not leading.isdisjoint(opposites.BE):
        return True
    kind = EXCLUSIVE.get(mine.spelled)
    if kind is None or kind != EXCLUSIVE.get(theirs.spelled):
        return mine.is_plain and theirs.is_plain and not leading.isdisjoint(SINGLE_VALUED)
    return (
        not leading.isdisjoint(CHOICE_WORDS) or mine.claim.subject_length == theirs.claim.subject_length == 0
    )
