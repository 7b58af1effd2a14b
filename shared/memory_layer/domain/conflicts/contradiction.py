"""Contradictions between two memories, found by rules on their claims, with their severity."""

from dataclasses import dataclass, replace
from functools import lru_cache

from memory_layer.domain.conflicts.claim_differences import Difference, Kind, differences, is_absolute
from memory_layer.domain.conflicts.claims import READ_CHARS, TextClaims, read_claims
from memory_layer.domain.conflicts.first_look import FirstLook
from memory_layer.domain.conflicts.otherwise import differing_place
from memory_layer.domain.conflicts.ownership import disagreement, responsibilities
from memory_layer.domain.conflicts.permissions import (
    may_permit,
    may_restrict,
    permissions,
    permitted_otherwise,
)
from memory_layer.domain.conflicts.single_words import other_word, values_at
from memory_layer.domain.conflicts.stated_values import stated_otherwise, stated_values
from memory_layer.domain.duplicates import DUPLICATE_COSINE
from memory_layer.domain.memory import Category, Memory, MemoryType, to_thousandths
from memory_layer.domain.safety.text_caches import cleared_with_texts

CANDIDATE_COSINE = 0.4
"""Least cosine of contents that are compared. Of the 199 labelled contradicting pairs the least alike has .43 and
95 % have .66; of the 52 unrelated ones 46 have less than this
(tests/unit/domain/conflicts/test_contradiction.py)."""

SEVERITY_OF_KIND: dict[Kind, float] = {"negation": 0.6, "opposite": 0.6, "value": 0.45, "choice": 0.4}
"""Severity by kind: reversed advice misleads a reader; another number or another tool is often just newer."""

EMPHATIC_SEVERITY = 0.25
FIRM_SEVERITY = 0.1
SOFT_SEVERITY = -0.2
DRIFT_SEVERITY = -0.1
BOTH_APPROVED_SEVERITY = 0.3
LEAST_SEVERITY = 0.05

FIRM_TYPES: frozenset[MemoryType] = frozenset(("warning", "antipattern", "convention"))
FIRM_CATEGORIES: frozenset[Category] = frozenset(("gotcha", "convention", "decision", "architecture"))
SOFT_CATEGORIES: frozenset[Category] = frozenset(("preference", "tool_preference", "context"))


@dataclass(frozen=True, slots=True)
class ComparedStatement:
    """Part of a memory that is compared with others.

    Args:
        entities: URNs; those that the content does not name identify its subject.
    """

    content: str
    entities: tuple[str, ...] = ()
    category: Category = "general"
    type: MemoryType = "pattern"
    is_approved: bool = False


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Contradiction between two statements.

    Args:
        kind: `negation` (does, does not), `opposite` (always, never; enabled, disabled), `value` (another
            number, version, unit), `choice` (another thing in a place where there is one).
        severity: 0..1, thousandths; the harm if the wrong one is believed.
        shared: 0..1, thousandths; common share of all that both say: 1 if they differ in nothing
            but the contradiction.
        reason: for the person who decides.
    """

    kind: Kind
    severity: float
    shared: float
    reason: str


class TextReader:
    """Reader of texts that keeps what it has read; every garbage collection looks through its many sets.

    Args:
        size: texts kept.
    """

    def __init__(self, size: int) -> None:
        self.claims = lru_cache(maxsize=size)(read_claims)
        self.responsibilities = lru_cache(maxsize=size)(lambda text: tuple(responsibilities(text)))
        self.permissions = lru_cache(maxsize=size)(lambda text: tuple(permissions(text)))
        self.values = lru_cache(maxsize=size)(lambda text: stated_values(self.claims(text).claims))
        self.look = lru_cache(maxsize=LOOKS_KEPT)(self._look)
        cleared_with_texts(self)

    def cache_clear(self) -> None:
        self.claims.cache_clear()
        self.responsibilities.cache_clear()
        self.permissions.cache_clear()
        self.values.cache_clear()
        self.look.cache_clear()

    def _look(self, text: str) -> FirstLook:
        head = text[: READ_CHARS + 1]
        names_responsible = bool(self.responsibilities(head))
        return FirstLook(
            head,
            self.claims(head).claims,
            self.values(head),
            permits=may_permit(head),
            restricts=may_restrict(head) and any(each.is_only for each in self.permissions(head)),
            names_responsible=names_responsible,
        )


LOOKS_KEPT = 1_024
"""First looks kept: each text of a batch is held against stored neighbours, and later against those beside it."""


_REQUEST_READER = TextReader(2_560)
"""Holds a batch of a thousand and the texts beside it, some 17 MB; with fewer each would be read twice."""


def may_contradict(text: str, known: str, reader: TextReader = _REQUEST_READER) -> bool:
    """Tells whether a known text may contradict a new one; where it is sure not to, its claims need not be read."""
    return reader.look(text).may_contradict(known)


def statement_of(memory: Memory) -> ComparedStatement:
    return ComparedStatement(
        memory.content, tuple(memory.entities), memory.category, memory.type, memory.is_approved
    )


def contradiction(
    one: ComparedStatement, other: ComparedStatement, *, cosine: float, reader: TextReader = _REQUEST_READER
) -> Contradiction | None:
    """Finds the gravest contradiction between two statements that cannot both hold, so that somebody must choose.

    They contradict each other where each makes somebody else responsible for one thing, or where a claim of one and
    a claim of the other speak of one attribute of one subject, in one setting, and differ in exactly one thing: one
    denies it, or takes the other end of an axis, or names another value, or another thing where there can be one
    only. Claims that differ in two things are about two things. A claim that the other text makes too is not
    contradicted by it.

    Severity: that of the kind (negation and opposite .6, value .45, choice .4), scaled by the common share of
    both texts (from half to whole), then
    + .25 if both speak in absolutes (always, never, must), + .1 if either is a warning or a convention,
    - .2 if both are preferences or context, - .1 if a number drifted by no more than half,
    + .3 if both are approved: two people vouched for statements that cannot both be true.

    Args:
        one, other: in any order.
        cosine: of the two contents, -1..1; below `CANDIDATE_COSINE` nothing is compared.
        reader: keeps what it reads for the next comparison.

    Returns:
        The gravest contradiction, or None.
    """
    if cosine < CANDIDATE_COSINE or one.content == other.content or "todo" in (one.category, other.category):
        return None
    if not _may_share_subject(one, other):
        return None
    first, second = sorted((one, other), key=lambda statement: statement.content)
    mine, theirs = (reader.claims(each.content[: READ_CHARS + 1]) for each in (first, second))
    found = [
        _judged(difference, first, second, _shared(mine, theirs, difference))
        for difference in differences(mine.claims, theirs.claims)
    ]
    found = found or _of_choice(first, second, reader) or _of_one_word(mine, theirs, first, second)
    if not found and cosine > DUPLICATE_COSINE:
        found = _of_one_place(first, second, cosine, reader)
    return max(found, key=lambda each: (each.severity, each.reason), default=None)


def _of_choice(one: ComparedStatement, other: ComparedStatement, reader: TextReader) -> list[Contradiction]:
    """Contradiction of two texts in other words, that name two people for one thing, or two values of one attribute."""
    texts = [each.content[: READ_CHARS + 1] for each in (one, other)]
    names = disagreement(*map(reader.responsibilities, texts))
    if names is None and any(map(may_restrict, texts)):
        names = permitted_otherwise(*map(reader.permissions, texts))
    values = stated_otherwise(*map(reader.values, texts)) if names is None else None
    found, told = names or values, "names" if names else "says"
    if found is None:
        return []
    return [_in_other_words("choice", f"one {told} {found[0]}, the other {found[1]}", one, other)]


def _in_other_words(
    kind: Kind, reason: str, one: ComparedStatement, other: ComparedStatement
) -> Contradiction:
    """Contradiction of texts of which no claims were set against each other: nothing is told of what they share."""
    severity = SEVERITY_OF_KIND[kind] + _standing_severity(one, other)
    return Contradiction(kind, to_thousandths(min(1.0, max(LEAST_SEVERITY, severity))), 0.0, reason)


def _of_one_place(
    one: ComparedStatement, other: ComparedStatement, cosine: float, reader: TextReader
) -> list[Contradiction]:
    """Contradiction of two near texts that differ in one place; of long ones the sentences are compared that differ."""
    place = differing_place(one.content, other.content)
    if place is None:
        return []
    if place.told is not None:
        return [_in_other_words(*place.told, one, other)]
    if place.new == one.content:
        return []
    parts = replace(one, content=place.new), replace(other, content=place.known)
    found = contradiction(*parts, cosine=cosine, reader=reader)
    return [] if found is None else [found]


def _of_one_word(
    mine: TextClaims, theirs: TextClaims, one: ComparedStatement, other: ComparedStatement
) -> list[Contradiction]:
    """Contradiction of two texts that are alike word for word but for one value."""
    place = other_word(mine.claims, theirs.claims)
    values = None if place is None else values_at(*place)
    if place is None or values is None or mine.unclaimed != theirs.unclaimed:
        return []
    difference = Difference("value", *place[:2], f"one says {values[0]}, the other {values[1]}")
    return [_judged(difference, one, other, _shared(mine, theirs, difference))]


def _may_share_subject(one: ComparedStatement, other: ComparedStatement) -> bool:
    """Tells whether two statements may share a subject: not where both have further entities and none in common."""
    mine, theirs = _unnamed_entities(one), _unnamed_entities(other)
    return not mine or not theirs or not mine.isdisjoint(theirs)


def _unnamed_entities(statement: ComparedStatement) -> set[str]:
    if not statement.entities:
        return set()
    content = statement.content[:READ_CHARS].casefold()
    return {urn for urn in statement.entities if urn.rsplit(":", 1)[-1].casefold() not in content}


def _judged(
    difference: Difference, one: ComparedStatement, other: ComparedStatement, shared: float
) -> Contradiction:
    severity = SEVERITY_OF_KIND[difference.kind] * (0.5 + 0.5 * shared) + _standing_severity(one, other)
    if is_absolute(difference.one) and is_absolute(difference.other):
        severity += EMPHATIC_SEVERITY
    if difference.has_drifted:
        severity += DRIFT_SEVERITY
    return Contradiction(
        difference.kind,
        to_thousandths(min(1.0, max(LEAST_SEVERITY, severity))),
        to_thousandths(shared),
        difference.reason,
    )


def _standing_severity(one: ComparedStatement, other: ComparedStatement) -> float:
    both = (one, other)
    is_firm = any(each.type in FIRM_TYPES or each.category in FIRM_CATEGORIES for each in both)
    is_soft = all(each.category in SOFT_CATEGORIES for each in both)
    are_approved = all(each.is_approved for each in both)
    return is_firm * FIRM_SEVERITY + is_soft * SOFT_SEVERITY + are_approved * BOTH_APPROVED_SEVERITY


def _shared(mine: TextClaims, theirs: TextClaims, difference: Difference) -> float:
    """Share of the words of both texts, apart from the place in which they differ, that is in both."""
    place = difference.one.about ^ difference.other.about
    one, other = _all_terms(mine) - place, _all_terms(theirs) - place
    return len(one & other) / len(one | other) if one | other else 1.0


def _all_terms(reading: TextClaims) -> frozenset[str]:
    return reading.unclaimed.union(*(claim.about | claim.rejected for claim in reading.claims))
