"""Merging of the answers of several projects into one."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.project_view import ProjectScan
from memory_layer.domain.arrays import places_of
from memory_layer.domain.memory import Scope
from memory_layer.domain.retrieval.candidates import (
    CandidateTable,
    MentionedRows,
    RecordTable,
    joined,
    table_of_refs,
)
from memory_layer.domain.retrieval.merged_candidates import cut_to
from memory_layer.domain.retrieval.trusted_candidates import is_crowded


def no_records(scope: Scope) -> RecordTable:
    """Table without rows."""
    return table_of_refs(scope.tenant, ())


def merge_candidates(found: Sequence[CandidateTable], k: int) -> CandidateTable:
    """The best `k` of each list over all projects."""
    if len(found) == 1:
        return found[0]
    records = joined([table.records for table in found])
    return cut_to(CandidateTable(records, np.concatenate([table.scores for table in found], axis=1)), k)


def trusted_candidates(
    scans: Sequence[ProjectScan], found: Sequence[CandidateTable], table: CandidateTable
) -> CandidateTable | None:
    """The best trusted records of each list over all projects; None: nobody crowded them out of the table.

    Args:
        found: candidates of each project; `table` those of all.
    """
    asked = scans[0].query
    if not asked.trusted or not is_crowded(table, asked.k, asked.trusted):
        return None
    of_projects = [scan.trusted(candidates) for scan, candidates in zip(scans, found, strict=True)]
    return merge_candidates(of_projects, asked.trusted)


def merge_mentions(found: Sequence[MentionedRows], k: int, hub_above: int) -> MentionedRows:
    """The best `k` records of each entity over all projects; of one with more than `hub_above` in all of them none."""
    if len(found) == 1:
        return found[0]
    totals = np.sum([one.totals for one in found], axis=0)
    records = joined([one.records for one in found])
    entities = np.concatenate([one.entity_numbers for one in found])
    standings = np.concatenate([one.standings for one in found])
    kept = np.flatnonzero((totals <= hub_above)[entities])
    kept = kept[_best_of_each(entities[kept], standings[kept], records.take(kept), k)]
    return MentionedRows(totals, records.take(kept), entities[kept], standings[kept])


def merge_standing(found: Sequence[tuple[RecordTable, NDArray[np.int64]]], k: int) -> RecordTable:
    """The `k` records in the best standing over all projects. Args: found: of each project, with the standings."""
    if len(found) == 1:
        return found[0][0]
    records, standings = joined([table for table, _ in found]), np.concatenate([each for _, each in found])
    return records.take(_best_of_each(np.zeros(len(records), np.intp), standings, records, k))


def _best_of_each(
    groups: NDArray[np.intp], standings: NDArray[np.int64], records: RecordTable, k: int
) -> NDArray[np.intp]:
    """The `k` rows of each group in the best standing, best first, equal ones by id, then by project."""
    places = places_of([(ref.id, ref.project) for ref in records.refs()])
    order = np.lexsort((places, -standings, groups))
    groups = groups[order]
    return np.asarray(order[np.arange(len(order)) - np.searchsorted(groups, groups) < k])
