"""Merging of the answers of several projects into one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.candidates import (
    CandidateTable,
    MentionedRows,
    RecordTable,
    best_rows,
    cut_to,
    joined,
    table_of_refs,
)


def no_records(scope: Scope) -> RecordTable:
    """Table without rows."""
    return table_of_refs(scope.tenant, ())


def merge_candidates(found: Sequence[CandidateTable], k: int) -> CandidateTable:
    """The best `k` of each list over all projects."""
    if len(found) == 1:
        return found[0]
    records = joined([table.records for table in found])
    return cut_to(CandidateTable(records, np.concatenate([table.scores for table in found], axis=1)), k)


def merge_mentions(found: Sequence[MentionedRows], k: int, hub_above: int) -> MentionedRows:
    """The best `k` records of each entity over all projects; of one with more than `hub_above` in all of them none."""
    if len(found) == 1:
        return found[0]
    totals = np.sum([one.totals for one in found], axis=0)
    records = joined([one.records for one in found])
    entities = np.concatenate([one.entity_numbers for one in found])
    standings = np.concatenate([one.standings for one in found])
    best = [np.empty(0, np.intp)]
    for number in np.flatnonzero(totals <= hub_above).tolist():
        rows = np.flatnonzero(entities == number)
        best.append(rows[best_rows(standings[rows], records.take(rows), k)])
    kept = np.concatenate(best)
    return MentionedRows(totals, records.take(kept), entities[kept], standings[kept])


def merge_standing(found: Sequence[tuple[RecordTable, NDArray[np.int64]]], k: int) -> RecordTable:
    """The `k` records in the best standing over all projects. Args: found: of each project, with the standings."""
    if len(found) == 1:
        return found[0][0]
    records = joined([table for table, _ in found])
    return records.take(best_rows(np.concatenate([standings for _, standings in found]), records, k))
