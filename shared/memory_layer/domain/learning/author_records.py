"""Records of authors: whose unreviewed lines others found wrong, and how much lower they rank for it (SPEC 4.41).

All constants: ADR-0057, and ADR-0059 for what people read of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, get_args

from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.learning.line_findings import LineFinding, Way
from memory_layer.domain.policy import DamagedText, sealed_text, unsealed_text

Judges = Literal["people", "agents"]
_WAYS: Final[Mapping[Judges, tuple[Way, ...]]] = {"people": ("decision", "correction"), "agents": ("agents",)}

WEIGHTS: Final[Mapping[Way, float]] = {"decision": 1.0, "correction": 0.5, "agents": 1.0}
"""Weights of findings in lines: what is corrected was wrong, or was right before."""

PRIOR_RIGHT: Final = 2.0
"""Lines found right that everybody begins with."""

WRONG_LINES: Final[Mapping[Judges, int]] = {"people": 2, "agents": 4}
"""Lines found wrong from which on an author ranks lower: one mistake is anybody's."""

MOST_LOST: Final[Mapping[Judges, float]] = {"people": 1.0, "agents": 0.1}
"""Share of its score that a line loses at most: two agents who collude may find an honest one wrong."""

BEHIND: Final[Mapping[Judges, int]] = {"people": 5, "agents": 2}
"""Places of others behind which a line comes to stand at most, as echoes do, and as what two witnesses doubt."""

LOWERED_FROM: Final = 0.1
"""Share of wrong lines below which an author is forgiven."""

HALF_LIFE: Final = timedelta(days=90)
"""Time in which a finding loses half of its weight, as evidence of outcomes does."""

KEPT: Final = 16
"""Newest findings in each way that are kept of an author."""

NAMED: Final = 8
"""Newest lines found wrong of an author whose memories are kept by id."""

REASONS_KEPT: Final = 8
"""Newest resets whose reasons are kept."""

AUTHORS_MAX: Final = 64
"""Authors of whom findings are kept: half of them the last ones who may rank lower, the others the last found."""


class Lowering(NamedTuple):
    """Lowering of an author's unreviewed lines.

    Args:
        share: of its score that a line loses.
        behind: places of others behind which it comes to stand at most.
    """

    share: float
    behind: int


@dataclass(frozen=True, slots=True)
class RecordReset:
    """Reset of an author's record: what was found before it counts no more.

    Args:
        author: as `author_digest`.
        by: None: who made it is erased, and why.
        is_taken_back: a rollback took it back; what was found before counts again.
    """

    author: str
    at: datetime
    by: str | None
    reason: str | None = None
    is_taken_back: bool = False


@dataclass(frozen=True, slots=True)
class AuthorRecords:
    """Findings on the authors of a project.

    Args:
        findings: the last found last.
        version: counts all changes.
        voices: names of the authors of findings, by `author_digest`.
        resets: the last one of each author, the last last.
    """

    findings: tuple[LineFinding, ...] = ()
    version: int = 0
    voices: Mapping[str, str] = field(default_factory=dict)
    resets: tuple[RecordReset, ...] = ()

    def with_finding(self, line: str, finding: LineFinding | None, voice: str | None = None) -> AuthorRecords:
        """Records with the present finding on a line; the same object if they have it.

        Args:
            line: as `line_digest`.
            finding: None: nothing is found of it any more.
            voice: name of its author.
        """
        known = next((one for one in self.findings if one.line == line), None)
        if known is None and finding is None:
            return self
        if known and finding and known == replace(finding, day=known.day, memory_id=known.memory_id):
            return self
        others = [one for one in self.findings if one.line != line]
        named = {} if finding is None or voice is None else {finding.author: voice}
        return self._bounded([*others, finding] if finding else others, named)

    def with_reset(self, reset: RecordReset) -> AuthorRecords:
        """Records in which an author's begins anew; the same object where nothing was found since the last reset."""
        if self.reset_in_force(reset.author) and not any(one.author == reset.author for one in self.counted):
            return self
        others = [one for one in self.resets if one.author != reset.author]
        forgiven = [
            replace(one, is_forgiven=True) if one.author == reset.author else one for one in self.findings
        ]
        dropped = {one.author for one in others[: -(AUTHORS_MAX - 1)]}
        left = [one for one in forgiven if not (one.is_forgiven and one.author in dropped)]
        kept = [one for one in (*others, reset) if one.author not in dropped]
        silenced = [replace(one, reason=None) for one in kept[:-REASONS_KEPT]]
        return replace(self, resets=(*silenced, *kept[-REASONS_KEPT:]))._bounded(left)

    def with_resets_judged(self, is_taken_back: Callable[[RecordReset], bool]) -> AuthorRecords:
        """Records in which these resets, and no others, are taken back; the same object if they are so already."""
        judged = tuple(replace(one, is_taken_back=is_taken_back(one)) for one in self.resets)
        return self if judged == self.resets else replace(self, resets=judged)

    def without_name(self, name: str) -> AuthorRecords:
        """Records that name a person no more, neither as an author nor as who reset; the same object if none does."""
        voices = {author: voice for author, voice in self.voices.items() if voice != name}
        resets = tuple(replace(one, by=None, reason=None) if one.by == name else one for one in self.resets)
        is_same = resets == self.resets and len(voices) == len(self.voices)
        return self if is_same else replace(self, voices=voices, resets=resets)

    def last_reset(self, author: str) -> RecordReset | None:
        """The last reset of an author, be it taken back or not."""
        return next((one for one in self.resets if one.author == author), None)

    def reset_in_force(self, author: str) -> RecordReset | None:
        last = self.last_reset(author)
        return None if last is None or last.is_taken_back else last

    @property
    def counted(self) -> list[LineFinding]:
        """Findings that count: those that no reset in force came after."""
        reset = {one.author for one in self.resets if not one.is_taken_back}
        return [one for one in self.findings if not (one.is_forgiven and one.author in reset)]

    def as_next_of(self, before: AuthorRecords) -> AuthorRecords:
        return replace(self, version=before.version + 1)

    def lowered(self, now: datetime) -> dict[str, Lowering]:
        """Lowering of the authors whose unreviewed lines rank lower."""
        today, counted = now.toordinal(), self.counted
        wrong = {one.author for one in counted if one.was_wrong}
        each = {
            author: _lowering([one for one in counted if one.author == author], today) for author in wrong
        }
        return {author: found for author, found in each.items() if found is not None}

    def _bounded(
        self, findings: Sequence[LineFinding], named: Mapping[str, str] = MappingProxyType({})
    ) -> AuthorRecords:
        """Records with the newest of these findings, and the names of their authors."""
        counted = replace(self, findings=tuple(findings)).counted
        kept = _kept(findings, counted)
        voices = {**self.voices, **named}
        authors = {one.author for one in kept}
        return replace(self, findings=kept, voices={one: voices[one] for one in voices if one in authors})


NO_RECORDS: Final = AuthorRecords()


def _lowering(own: Sequence[LineFinding], today: int) -> Lowering | None:
    found = (_lowering_by(own, today, judges) for judges in get_args(Judges))
    return next((one for one in found if one.share >= LOWERED_FROM), None)


def _lowering_by(own: Sequence[LineFinding], today: int, judges: Judges) -> Lowering:
    """Lowering by what people found, or agents; what people found right counts in either."""
    if not _are_enough(own, judges):
        return Lowering(0.0, 0)
    wrong = [one for one in own if one.was_wrong and one.found_by in _WAYS[judges]]
    right = [one for one in own if not one.was_wrong and one.found_by in (*_WAYS[judges], "decision")]
    weight = _weight(wrong, today)
    share = weight / (weight + _weight(right, today) + PRIOR_RIGHT)
    return Lowering(min(share, MOST_LOST[judges]), BEHIND[judges])


def _are_enough(own: Iterable[LineFinding], judges: Judges) -> bool:
    """Tests if so many lines were found wrong that their author may rank lower."""
    wrong = (WEIGHTS[one.found_by] for one in own if one.was_wrong and one.found_by in _WAYS[judges])
    return sum(wrong) >= WRONG_LINES[judges]


def _weight(findings: Iterable[LineFinding], today: int) -> float:
    ages = ((WEIGHTS[one.found_by], max(0, today - one.day)) for one in findings)
    return float(sum(weight * 0.5 ** (age / HALF_LIFE.days) for weight, age in ages))


def _kept(findings: Sequence[LineFinding], counted: Iterable[LineFinding]) -> tuple[LineFinding, ...]:
    """The newest findings of the authors that were found last; those who may rank lower are crowded out by none."""
    of_each: dict[str, list[LineFinding]] = {one.author: [] for one in reversed(findings)}
    for one in counted:
        of_each[one.author].append(one)
    may_rank_lower = [
        author
        for author, own in of_each.items()
        if any(_are_enough(own, judges) for judges in get_args(Judges))
    ]
    authors = set([*dict.fromkeys((*may_rank_lower[: AUTHORS_MAX // 2], *of_each))][:AUTHORS_MAX])
    kept: list[LineFinding] = []
    counts: Counter[tuple[str, Way]] = Counter()
    named: Counter[str] = Counter()
    for one in reversed(findings):
        counts[one.author, one.found_by] += 1
        if one.author in authors and counts[one.author, one.found_by] <= KEPT:
            named[one.author] += one.was_wrong
            is_named = one.memory_id is None or (one.was_wrong and named[one.author] <= NAMED)
            kept.append(one if is_named else replace(one, memory_id=None))
    return tuple(reversed(kept))


def author_records_text(records: AuthorRecords) -> str:
    """Serializes records as JSON with its digest, for rows and items."""
    resets = [[one.author, rfc3339(one.at), one.by, one.reason, one.is_taken_back] for one in records.resets]
    return sealed_text(
        {
            "findings": [astuple(one) for one in records.findings],
            "version": records.version,
            "voices": dict(records.voices),
            "resets": resets,
        }
    )


@lru_cache(maxsize=64)
def author_records_of(text: str | None) -> AuthorRecords:
    """Parses records that `author_records_text` wrote; none where nobody was judged.

    Raises:
        DamagedText
    """
    if text is None:
        return NO_RECORDS
    document = unsealed_text(text)
    if not {"findings", "version"} <= document.keys() <= {"findings", "version", "voices", "resets"}:
        raise DamagedText("it is not what was written")
    try:
        return AuthorRecords(
            tuple(LineFinding(*row) for row in document["findings"]),
            int(document["version"]),
            dict(document.get("voices", {})),
            tuple(
                RecordReset(author, instant(at), *said) for author, at, *said in document.get("resets", ())
            ),
        )
    except (TypeError, LookupError, ValueError) as error:
        raise DamagedText(str(error)) from error
