"""Compaction of a project: which segments take in new rows, and what the next manifest says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.aws.segments.manifest import tail_to_merge
from memory_layer.adapters.aws.segments.segment_rows import Keys, SegmentRows, merged
from memory_layer.adapters.project_index.coded_column import CodedValues


@dataclass(frozen=True, slots=True)
class Compaction:
    """Next state of a project's segments.

    Args:
        kept: how many of the oldest segments stay as they are.
        written: rows of the one segment behind them; None: there is none.
        is_purge: what was erased is in none of them, where it was before.
    """

    kept: int
    written: SegmentRows | None
    is_purge: bool


def compacted(held: Sequence[SegmentRows], fresh: SegmentRows, gone: Keys) -> Compaction | None:
    """Compaction that brings segments up to date; None: they are.

    What is gone leaves every segment at once, and with it all older rows: nothing of it is left behind a newer row.

    Args:
        held: rows of each segment, oldest first.
        fresh: rows of changed records as they are now.
        gone: keys of erased records.
    """
    if any(np.isin(gone, rows.batch.keys).any() for rows in held):
        left = merged([*held, fresh]).without(gone)
        return Compaction(0, left if len(left) else None, is_purge=True)
    news = fresh.take(np.flatnonzero(~_is_held(held, fresh)))
    if not len(news):
        return None
    tail = tail_to_merge([len(rows) for rows in held], len(news))
    kept = len(held) - tail
    return Compaction(kept, merged([*held[kept:], news]), is_purge=False)


@dataclass(slots=True)
class RecordCounts:
    """Counts of a project, as its manifest has them."""

    by_persona: dict[str, tuple[int, int]] = field(default_factory=dict)
    embedded: Counter[str] = field(default_factory=Counter)


def counts_of(segments: Sequence[SegmentRows]) -> RecordCounts:
    """Counts of the records of segments, each once. Args: segments: oldest first."""
    counts, newer = RecordCounts(), np.empty(0, np.int64)
    for rows in reversed(segments):
        is_newest = ~np.isin(rows.batch.keys, newer)
        _add_personas(counts.by_persona, rows, is_newest)
        models = zip(rows.models.values, _totals(rows.models, is_newest), strict=True)
        counts.embedded.update({model: total for model, total in models if model is not None and total})
        newer = np.concatenate((newer, rows.batch.keys))
    return counts


def _add_personas(
    counts: dict[str, tuple[int, int]], rows: SegmentRows, is_newest: NDArray[np.bool_]
) -> None:
    personas, statuses = rows.batch.filters.texts["persona"], rows.batch.filters.texts["status"]
    is_active = np.array([status == "active" for status in statuses.values], np.bool_)[statuses.rows]
    totals, active = _totals(personas, is_newest), _totals(personas, is_newest & is_active)
    for persona, total, used in zip(personas.values, totals, active, strict=True):
        if total:
            before = counts.get(persona or "", (0, 0))
            counts[persona or ""] = before[0] + total, before[1] + used


def _totals(column: CodedValues[str | None], is_counted: NDArray[np.bool_]) -> list[int]:
    """Number of counted rows with each value of a column."""
    return [int(total) for total in np.bincount(column.rows[is_counted], minlength=len(column.values))]


def _is_held(held: Sequence[SegmentRows], fresh: SegmentRows) -> NDArray[np.bool_]:
    """Tests which rows the segments have already, in this version or a newer one."""
    known = {key: version for rows in held for key, version in _versions_among(rows, fresh.batch.keys)}
    keys, versions = fresh.batch.keys.tolist(), fresh.batch.positions.tolist()
    return np.array(
        [known.get(key, 0) >= version for key, version in zip(keys, versions, strict=True)], np.bool_
    )


def _versions_among(rows: SegmentRows, keys: Keys) -> list[tuple[int, int]]:
    is_among = np.isin(rows.batch.keys, keys)
    return list(zip(rows.batch.keys[is_among].tolist(), rows.batch.positions[is_among].tolist(), strict=True))
