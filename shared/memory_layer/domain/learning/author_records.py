"""Records of authors: whose unreviewed lines others found wrong, and how much lower they rank for it (SPEC 4.41).

All constants: ADR-0057.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, Protocol, get_args

from memory_layer.domain.access import agent_voice
from memory_layer.domain.memory import Memory
from memory_layer.domain.policy import DamagedText, sealed_text, unsealed_text
from memory_layer.domain.verdict_bounds import Speaker, VerdictInForce

Way = Literal["decision", "correction", "agents"]
"""Way in which a line was found right or wrong: a person or a reviewer decided, or put other words in its place; or
agents that are independent reported it."""

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

CORRECTED_WITHIN: Final = timedelta(days=30)
"""Age up to which a line that a person supersedes was wrong; one that stood longer was right in its time."""

VOICES_MIN: Final = 2
"""Independent agents that find a line wrong, or right, where no person does."""

KEPT: Final = 16
"""Newest findings in each way that are kept of an author."""

AUTHORS_MAX: Final = 64
"""Authors of whom findings are kept: half of them the last ones who may rank lower, the others the last found."""

_DIGITS: Final = 12


def line_digest(memory: Memory) -> str:
    """Digest by which a record names a memory; one that is written later under its id is another."""
    return _digest(f"{memory.id} {memory.created_at.isoformat()}")


def author_digest(memory: Memory) -> str:
    """Digest of an author; all clients of one token are one, and an end user is no agent of that name."""
    is_users = memory.persona == memory.created_by
    return _digest(f"{is_users} {agent_voice(memory.created_by)}")


def _digest(name: str) -> str:
    return sha256(name.encode()).hexdigest()[:_DIGITS]


@dataclass(frozen=True, slots=True)
class LineFinding:
    """Finding on one line.

    Args:
        line: as `line_digest`.
        author: as `author_digest`.
        found_by: the way in which it was found.
        day: ordinal of the day on which it was found.
    """

    line: str
    author: str
    was_wrong: bool
    found_by: Way
    day: int


class Lowering(NamedTuple):
    """Lowering of an author's unreviewed lines.

    Args:
        share: of its score that a line loses.
        behind: places of others behind which it comes to stand at most.
    """

    share: float
    behind: int


class FoundVerdict(VerdictInForce, Protocol):
    """Verdict in force, as far as findings read it."""

    @property
    def speaker(self) -> Speaker | None: ...


def finding_on(
    memory: Memory,
    verdicts: Sequence[FoundVerdict],
    at: datetime,
    *,
    successor: Memory | None = None,
    owners: Mapping[str, str] = MappingProxyType({}),
) -> LineFinding | None:
    """Finding on a memory as it is; None: nobody has judged it, or a person said it.

    Args:
        verdicts: in force, the first first.
        successor: the memory that superseded it.
        owners: voices that reported runs; a run without a report is its first namer's.
    """
    if memory.source == "human":
        return None
    found: tuple[tuple[Way, bool | None], ...] = (
        ("decision", _decided(memory, verdicts)),
        ("correction", _is_corrected(memory, successor) or None),
        ("agents", _found_by_agents(memory, verdicts, owners)),
    )
    line, author = line_digest(memory), author_digest(memory)
    each = (
        LineFinding(line, author, wrong, way, at.toordinal()) for way, wrong in found if wrong is not None
    )
    return next(each, None)


def _decided(memory: Memory, verdicts: Sequence[FoundVerdict]) -> bool | None:
    """Tells if a person or a reviewer found it wrong; None: none has decided.

    A run that fails under a person's token blames all that it was shown: nobody has looked at the line.
    """
    if memory.status == "rejected" or memory.is_approved:
        return memory.status == "rejected"
    decided = (one for one in verdicts if one.speaker in ("person", "reviewer") and one.run_id is None)
    said = [one.result for one in decided if one.result != "partial"]
    return said[-1] == "failed" if said else None


def _is_corrected(memory: Memory, successor: Memory | None) -> bool:
    """Tells if words that people vouch for are in its place, and came soon."""
    if memory.status != "superseded" or successor is None or not successor.is_trusted:
        return False
    is_others = agent_voice(successor.created_by) != agent_voice(memory.created_by)
    return is_others and successor.created_at - memory.created_at <= CORRECTED_WITHIN


def _found_by_agents(
    memory: Memory, verdicts: Iterable[FoundVerdict], owners: Mapping[str, str]
) -> bool | None:
    """Tells if more independent agents, in runs of their own, found it wrong than right; None: too few, or as many."""
    author = agent_voice(memory.created_by)
    sums: dict[str, int] = {}
    namers: dict[str, str] = {}
    for one in verdicts:
        voice = agent_voice(one.principal)
        if one.speaker != "agent" or voice == author or one.run_id is None or one.result == "partial":
            continue
        first = namers.setdefault(one.run_id, voice)
        if owners.get(one.run_id, first) == voice:
            sums[voice] = sums.get(voice, 0) + (1 if one.result == "failed" else -1)
    wrong, right = (sum(sign * each > 0 for each in sums.values()) for sign in (1, -1))
    return None if max(wrong, right) < VOICES_MIN or wrong == right else wrong > right


@dataclass(frozen=True, slots=True)
class AuthorRecords:
    """Findings on the authors of a project. Args: findings: the last found last; version: counts all changes."""

    findings: tuple[LineFinding, ...] = ()
    version: int = 0

    def with_finding(self, line: str, finding: LineFinding | None) -> AuthorRecords:
        """Records with the present finding on a line; the same object if they have it.

        Args:
            line: as `line_digest`.
            finding: None: nothing is found of it any more.
        """
        known = next((one for one in self.findings if one.line == line), None)
        if known == finding or (known and finding and known == replace(finding, day=known.day)):
            return self
        others = [one for one in self.findings if one.line != line]
        return replace(self, findings=_kept([*others, finding] if finding else others))

    def as_next_of(self, before: AuthorRecords) -> AuthorRecords:
        return replace(self, version=before.version + 1)

    def lowered(self, now: datetime) -> dict[str, Lowering]:
        """Lowering of the authors whose unreviewed lines rank lower."""
        today = now.toordinal()
        each = {author: self._lowering(author, today) for author in self._wrong_authors()}
        return {author: found for author, found in each.items() if found is not None}

    def _wrong_authors(self) -> set[str]:
        return {one.author for one in self.findings if one.was_wrong}

    def _lowering(self, author: str, today: int) -> Lowering | None:
        own = [one for one in self.findings if one.author == author]
        found = (_lowering_by(own, today, judges) for judges in get_args(Judges))
        return next((one for one in found if one.share >= LOWERED_FROM), None)


NO_RECORDS: Final = AuthorRecords()


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


def _kept(findings: Sequence[LineFinding]) -> tuple[LineFinding, ...]:
    """The newest findings of the authors that were found last; those who may rank lower are crowded out by none."""
    of_each: dict[str, list[LineFinding]] = {}
    for one in reversed(findings):
        of_each.setdefault(one.author, []).append(one)
    may_rank_lower = [
        author
        for author, own in of_each.items()
        if any(_are_enough(own, judges) for judges in get_args(Judges))
    ]
    authors = list(dict.fromkeys((*may_rank_lower[: AUTHORS_MAX // 2], *of_each)))[:AUTHORS_MAX]
    kept: list[LineFinding] = []
    counts: dict[tuple[str, Way], int] = {}
    for one in reversed(findings):
        counted = counts[one.author, one.found_by] = counts.get((one.author, one.found_by), 0) + 1
        if one.author in authors and counted <= KEPT:
            kept.append(one)
    return tuple(reversed(kept))


def author_records_text(records: AuthorRecords) -> str:
    """Serializes records as JSON with its digest, for rows and items."""
    rows = [[one.line, one.author, one.was_wrong, one.found_by, one.day] for one in records.findings]
    return sealed_text({"findings": rows, "version": records.version})


@lru_cache(maxsize=64)
def author_records_of(text: str | None) -> AuthorRecords:
    """Parses records that `author_records_text` wrote; none where nobody was judged.

    Raises:
        DamagedText
    """
    if text is None:
        return NO_RECORDS
    document = unsealed_text(text)
    if document.keys() != {"findings", "version"}:
        raise DamagedText("it is not what was written")
    try:
        findings = tuple(LineFinding(*row) for row in document["findings"])
        return AuthorRecords(findings, int(document["version"]))
    except (TypeError, LookupError, ValueError) as error:
        raise DamagedText(str(error)) from error
