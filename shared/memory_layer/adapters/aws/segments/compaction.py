"""Compaction of a project: which segments take in new rows, and what the next manifest says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.aws.segments.manifest import tail_to_merge
from memory_layer.adapters.aws.segments.segment_rows import Keys, SegmentRows, merged


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


def counts_of(segments: Sequence[SegmentRows]) -> dict[str, tuple[int, int]]:
    """Records, and active ones among them, by persona; "" are those of nobody's own. Args: segments: oldest first."""
    totals: dict[str, tuple[int, int]] = {}
    newer = np.empty(0, np.int64)
    for rows in reversed(segments):
        for persona, total, active in _counted(rows, ~np.isin(rows.batch.keys, newer)):
            known = totals.get(persona, (0, 0))
            totals[persona] = known[0] + total, known[1] + active
        newer = np.concatenate((newer, rows.batch.keys))
    return totals


def _counted(rows: SegmentRows, is_counted: NDArray[np.bool_]) -> list[tuple[str, int, int]]:
    personas, statuses = rows.batch.filters.texts["persona"], rows.batch.filters.texts["status"]
    is_active = np.array([status == "active" for status in statuses.values], np.bool_)[statuses.rows]
    totals = np.bincount(personas.rows[is_counted], minlength=len(personas.values)).tolist()
    active = np.bincount(personas.rows[is_counted & is_active], minlength=len(personas.values)).tolist()
    found = zip(personas.values, totals, active, strict=True)
    return [(persona or "", total, used) for persona, total, used in found if total]


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
