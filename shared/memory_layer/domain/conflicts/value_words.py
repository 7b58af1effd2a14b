"""Words around the value of an attribute, by what they do there, and kinds of values that exclude each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from memory_layer.domain.conflicts.alternatives import ADDITIVE, EXCLUSIVE
from memory_layer.domain.conflicts.clauses import CHANGE_LABELS
from memory_layer.domain.text import opposites
from memory_layer.domain.text.opposites import word_set


class Occasion(NamedTuple):
    """Time at which something recurs. Args: day: of the week, 1 to 7; 0: of none."""

    days: float
    day: int = 0

    def excludes(self, other: Occasion) -> bool:
        """Tells whether what recurs at one does not at the other; `weekly` leaves the day open."""
        differs = abs(self.days - other.days) > SAME_PERIOD * max(self.days, other.days)
        return differs or bool(self.day and other.day and self.day != other.day)


SAME_PERIOD: Final = 0.035
"""Share by which two periods may differ: a month is 30 or 31 days."""

_WEEKDAYS: Final = """
monday mondays montag montags | tuesday tuesdays dienstag dienstags | wednesday wednesdays mittwoch mittwochs
| thursday thursdays donnerstag donnerstags | friday fridays freitag freitags
| saturday saturdays samstag samstags | sunday sundays sonntag sonntags
"""
_PERIODS: Final = {
    1 / 24: "hour",
    1.0: "day night tag nacht morning",
    7.0: "week woche",
    14.0: "fortnight",
    30.0: "month monat",
    91.0: "quarter quartal",
    365.0: "year jahr",
}
_EVERY: Final = ("every", "each", "jeden", "jede", "jedes")


def _occasions() -> dict[str, Occasion]:
    days = {
        word: Occasion(7.0, day)
        for day, words in enumerate(_WEEKDAYS.split("|"), start=1)
        for word in words.split()
    }
    periods = {word: Occasion(length) for length, words in _PERIODS.items() for word in words.split()}
    every = {f"{each} {word}": one for each in _EVERY for word, one in (days | periods).items()}
    return days | every


OCCASION_OF: Final[Mapping[str, Occasion]] = _occasions()
"""Recurring time by its wording: `tuesdays`, `every night`."""

_MANY_AT_ONCE: Final = word_set("python macos bash english monday mondays january oauth json rest main")
"""One of each kind of which a thing may well have several at once, or whose names are common words."""

_COMMON: Final = word_set("solid linear teams nose serial bun helix ember sublime trunk")
"""Names that are common words as well."""

KIND_OF: Final[Mapping[str, str]] = {
    name: f"kind {kind}"
    for name, kind in EXCLUSIVE.items()
    if kind not in {EXCLUSIVE.get(one) for one in _MANY_AT_ONCE} and name not in _COMMON
}
"""Kind of an alternative whose name means nothing else."""

FRAME_VERBS: Final = word_set("""
    is are ist sind be use uses used using run runs happen happens go goes we wir our take takes need needs require
    requires must may can limit limited cap capped expire expires timeout keep keeps kept lauft laufen findet finden
    start starts begin begins end ends wird werden retried retry wait waits last lasts meet meets
    braucht brauchen benotigt
    mussen muss darf durfen nutzen verwenden should will deploy deploys build builds test tests format formats
    """)
"""Words of which a clause that gives a value has one."""

INTRODUCES: Final = word_set("""
    is are ist sind be use uses using run runs with in on mit auf by via nutzen nutzt verwenden verwendet prefer
    prefers choose als as
    """)
"""Words right before a value: a verb that gives it, or a preposition of the means."""

MOST: Final = word_set(
    "limit limits limited maximum max cap capped caps most upper exceed exceeds larger hochstens maximal uberschreiten"
    " begrenzt hochstgrosse allowed larger"
)
LEAST: Final = word_set(
    "minimum min least need needs needed require requires required mindestens braucht brauchen benotigt benotigen"
    " erforderlich mindestlange enough lower"
)
"""Words by which an amount is the greatest or the least that goes."""

SIZES: Final = word_set("size length long large big lang gross grosse lange amount number times version")
"""Words that a measure says already."""

PASSING: Final = word_set("this month week sprint quarter today now currently momentan derzeit")

GENERIC_SUBJECTS: Final = word_set("request call file user client entri item object")

UNTOLD: Final = word_set("""
    run happen happens occur occurs go goes out take takes place held finden findet statt stattfinden code project
    served serve serves listen listens available reachable exposed after before last lasts start starts begin begins
    every each jeden wir unser unsere laufen lauft set sein supported
    """)
"""Words that give a value its verb and nothing more."""

LOCAL_GROUPS: Final[Mapping[str, str]] = {
    word: group.split()[0]
    for group in """
        build builds built building bauen baut gebaut
        test tests testing tested testen testet getestet
        format formats formatted formatting formatieren formatiert
        write writes written writing schreiben geschrieben
        expire timeout lifetime ttl lebensdauer valid gultig
        database datenbank
        upload uploads uploaded uploading
        """.strip().splitlines()
    for word in group.split()
}

SHARED: Final = word_set("supported available provided")
"""Words of what several things have at once."""

REPORTS: Final = word_set("""
    new fix fixed fixes add added adds remove removed removes improve improved change changed update updated updating
    upgrade upgraded upgrading bump bumped bumping switch switched increased see release released support deprecate
    deprecated drop dropped revert reverted move moved imported changes example
    """)
"""First words of what was done once, as changelogs have it: another release does it again."""


def is_report(words: Sequence[str]) -> bool:
    """Tells whether a clause reports what was done once, after a label or a component: `[breaking] update …`."""
    told = [word for word in words[:3] if word not in CHANGE_LABELS] or words[:1]
    return told[0] in REPORTS or ("/" in told[0] and not REPORTS.isdisjoint(told[1:2]))


NO_VALUE: Final = (
    (ADDITIVE - word_set("has have"))
    | opposites.CONDITIONS
    | opposites.OPEN
    | opposites.PAST
    | word_set("and und oder than other like unlike e.g example there these")
    | {opposites.REJECTS, opposites.ONLY}
)
"""Words with which a clause gives no single value: something more, a condition, one of several, a rejection."""
