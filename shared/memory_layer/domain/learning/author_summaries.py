"""Summaries of authors' records, as people read them (SPEC 4.42)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final

from memory_layer.domain.learning.author_records import AuthorRecords, Lowering, RecordReset
from memory_layer.domain.learning.line_findings import LineFinding, voice_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorSummary:
    """Summary of an author's record: what was found of it since the last reset.

    Args:
        id: as `author_digest`.
        author: name of its voice; None: it was not kept.
        wrong_by_people: lines that people found wrong, corrected ones among them.
        corrected: of these, the ones that were superseded, which count half.
        lowered_by: share of its score that an unreviewed line loses now.
        behind: places of others behind which one comes to stand at most; 0: it does not rank lower.
        last_found: day of the last finding; None: there is none since the reset.
        memories: lines that were found wrong, the last first, as far as their ids are kept.
        reset: the last one that is in force.
    """

    id: str
    author: str | None
    is_end_user: bool
    wrong_by_people: int
    corrected: int
    wrong_by_agents: int
    right_by_people: int
    right_by_agents: int
    lowered_by: float
    behind: int
    last_found: date | None
    memories: tuple[str, ...]
    reset: RecordReset | None


_NOT_LOWERED: Final = Lowering(0.0, 0)


def author_summaries(records: AuthorRecords, now: datetime) -> list[AuthorSummary]:
    """Summaries of all authors of whom findings are kept; whose lines rank lowest come first, equal ones by id."""
    lowered, counted = records.lowered(now), records.counted
    each = (
        _summary(records, author, [one for one in counted if one.author == author], lowered.get(author))
        for author in {one.author for one in records.findings}
    )
    return sorted(each, key=lambda one: (-one.lowered_by, one.id))


def _summary(
    records: AuthorRecords, author: str, own: Sequence[LineFinding], lowering: Lowering | None
) -> AuthorSummary:
    counts = Counter((one.was_wrong, one.found_by) for one in own)
    voice, (share, behind) = records.voices.get(author), lowering or _NOT_LOWERED
    return AuthorSummary(
        id=author,
        author=voice,
        is_end_user=voice is not None and author == voice_digest(voice, is_users=True),
        wrong_by_people=counts[True, "decision"] + counts[True, "correction"],
        corrected=counts[True, "correction"],
        wrong_by_agents=counts[True, "agents"],
        right_by_people=counts[False, "decision"],
        right_by_agents=counts[False, "agents"],
        lowered_by=round(share, 3),
        behind=behind,
        last_found=date.fromordinal(max(one.day for one in own)) if own else None,
        memories=tuple(one.memory_id for one in reversed(own) if one.memory_id is not None),
        reset=records.reset_in_force(author),
    )
