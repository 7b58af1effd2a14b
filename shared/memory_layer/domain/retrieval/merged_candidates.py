"""Candidates of several searches as those of one, and their lists cut to what counts."""

from __future__ import annotations

from memory_layer.domain.arrays import np, true_rows
from memory_layer.domain.retrieval.candidates import TOLD, CandidateTable, best_rows, joined


def united(newer: CandidateTable, older: CandidateTable) -> CandidateTable:
    """Candidates of two searches; of a record in both, the newer scores hold."""
    if not len(older) or not len(newer):
        return older if not len(newer) else newer
    kept = older.take(true_rows(~np.isin(older.records.identities, newer.records.identities)))
    return CandidateTable(
        joined([kept.records, newer.records]), np.concatenate([kept.scores, newer.scores], axis=1)
    )


def cut_to(table: CandidateTable, k: int) -> CandidateTable:
    """Cuts each list to its best `k`, ties by project and id. A record in none is left out; others tell of days."""
    counts = np.count_nonzero(~np.isnan(table.scores), axis=1)
    if counts.max(initial=0) <= k:
        return table
    scores = np.full(table.scores.shape, np.nan)
    for number, listed in enumerate(~np.isnan(table.scores)):
        rows = true_rows(listed)
        kept = rows[best_rows(table.scores[number, rows], table.records.names(rows), k)]
        scores[number, kept] = table.scores[number, kept]
    scores[TOLD] = np.where(np.isnan(scores).all(axis=0), np.nan, table.scores[TOLD])
    rows = true_rows(~np.isnan(scores).all(axis=0))
    return CandidateTable(table.records.take(rows), scores[:, rows])
