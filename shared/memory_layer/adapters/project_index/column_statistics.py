"""Statistics of a project, counted on columns of all its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.coded_column import CodeDictionary
from memory_layer.adapters.project_index.filter_columns import NO_SCORE
from memory_layer.domain.access import Viewer
from memory_layer.domain.memory import ENDED_STATUSES, Tier
from memory_layer.domain.retrieval.facts import microseconds
from memory_layer.ports.index import ProjectStats

GROUPS: Final = ("type", "category", "dimension", "task_type", "source", "status", "tier")
MOST_USED: Final = 5
BAND: Final = 500
"""Outcome score, in thousandths, above which a record is in the high band, and below its negative in the low one."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


IdsOfKeys = Callable[[Sequence[int]], Iterable[tuple[int, str]]]
"""Reads the ids of records, with their keys, in any order."""


class StatisticColumns(Protocol):
    """Columns of a project's records: codes of GROUPS and `persona`, scores in thousandths, sizes, moments, uses."""

    @property
    def texts(self) -> Mapping[str, CodeDictionary]:
        """Codes of the texts of each coded column."""

    def __getitem__(self, name: str, /) -> NDArray[Any]: ...


def project_stats(columns: StatisticColumns, ids: IdsOfKeys, viewer: Viewer, now: datetime) -> ProjectStats:
    """Statistics of the records that a viewer sees. Args: ids: of the records used most.

    Source: SPEC 8.9; Outcome-Ranked Engine, outcome bands.
    """
    rows = _Visible(columns, viewer)
    outcomes, sizes, bodies = rows["outcome_score"], rows["bytes"], rows["body_bytes"]
    tiers = {tier: rows["tier"] == columns.texts["tier"].get(tier, -1) for tier in get_args(Tier)}
    return ProjectStats(
        total=len(outcomes),
        by={group: _counts(columns.texts[group], _codes(rows, group, now)) for group in GROUPS},
        average_confidence=_average(rows["confidence"]),
        average_success_rate=_average(rows["success_rate"]),
        average_outcome_score=_average(outcomes),
        outcome_bands={
            "high": int(np.count_nonzero(outcomes > BAND)),
            "neutral": int(np.count_nonzero((outcomes >= -BAND) & (outcomes <= BAND))),
            "low": int(np.count_nonzero(outcomes < -BAND)),
        },
        most_used=_most_used(rows, ids),
        last_updated_at=_EPOCH + timedelta(microseconds=int(rows["updated_at"].max()))
        if len(sizes)
        else None,
        bytes=int(sizes.sum()),
        with_vector=int(np.count_nonzero(rows["is_embedded"])),
        tiers={tier: (int(np.count_nonzero(of)), int(sizes[of].sum())) for tier, of in tiers.items()},
        body_bytes={tier: int(bodies[of].sum()) for tier, of in tiers.items()},
    )


class _Visible:
    """Columns of the records that a viewer sees."""

    def __init__(self, columns: StatisticColumns, viewer: Viewer) -> None:
        self.columns = columns
        is_seen = columns["is_live"]
        if not viewer.sees_all_personas:
            known = columns.texts["persona"]
            seen = [known[None], *(known[persona] for persona in viewer.personas if persona in known)]
            is_seen = is_seen & np.isin(columns["persona"], seen)
        self._seen = slice(None) if is_seen.all() else is_seen

    def __getitem__(self, name: str) -> NDArray[Any]:
        column: NDArray[Any] = self.columns[name][self._seen]
        return column


def _codes(rows: _Visible, group: str, now: datetime) -> NDArray[Any]:
    """Codes of a group's texts; of the status as `as_of_now` reads it: expired means archived, swept or not."""
    codes = rows[group]
    if group != "status":
        return codes
    known = rows.columns.texts["status"]
    ended = [known[status] for status in ENDED_STATUSES if status in known]
    has_lapsed = (rows["expires_at"] <= microseconds(now)) & ~np.isin(codes, ended)
    return np.where(has_lapsed, known["archived"], codes) if has_lapsed.any() else codes


def _counts(texts: CodeDictionary, codes: NDArray[Any]) -> dict[str, int]:
    """Records by text, the most frequent first, then by the text; those without one are left out."""
    counts = np.bincount(codes, minlength=len(texts)).tolist()
    found = [(text, counts[code]) for text, code in texts.items() if text is not None and counts[code]]
    return dict(sorted(found, key=lambda one: (-one[1], one[0])))


def _average(thousandths: NDArray[np.int16]) -> float | None:
    known = thousandths[thousandths != NO_SCORE]
    return round(int(known.sum(dtype=np.int64)) / len(known) / 1000, 3) if len(known) else None


def _most_used(rows: _Visible, ids: IdsOfKeys) -> tuple[tuple[str, int], ...]:
    """The records used most, equal ones by id; ids are read of those alone that may be among them."""
    uses = rows["use_count"]
    least = max(1, int(np.partition(uses, -MOST_USED)[-MOST_USED])) if len(uses) > MOST_USED else 1
    is_among = uses >= least
    found = dict(zip(rows["key"][is_among].tolist(), uses[is_among].tolist(), strict=True))
    named = [(id, found[key]) for key, id in ids(list(found))]
    return tuple(sorted(named, key=lambda one: (-one[1], one[0]))[:MOST_USED])
