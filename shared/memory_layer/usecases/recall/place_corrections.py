"""Corrections of trusted memories that two others found wrong: which one stands under each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.conflicts.corrections import REVISIONS_MAX, newest_correction
from memory_layer.domain.memory import Memory, Ref
from memory_layer.usecases.recall.retrieval import Retrieval

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.candidates import RecordTable, Rows


def corrected_rows(retrieval: Retrieval, records: RecordTable, stands_back: NDArray[np.bool_]) -> Rows:
    """Row of the record that each is to replace, which stands back; -1 of the others.

    It is the newest correction of a witness, else of anybody, that the question found and that does not repeat it.
    """
    corrected = np.full(len(records), -1, np.intp)
    rows = true_rows(stands_back)
    if not len(rows):
        return corrected
    row_of = {ref: row for row, ref in enumerate(records.refs())}
    for memory in retrieval.reading.some(records.names(rows).refs()):
        if memory.doubted is not None:
            proposals = _found(retrieval, memory, row_of)
            correction = newest_correction(memory.doubted, proposals, retrieval.search.query)
            if correction is not None:
                corrected[row_of[correction.ref]] = row_of[memory.ref]
    return corrected


def _found(retrieval: Retrieval, memory: Memory, row_of: Mapping[Ref, int]) -> list[Memory]:
    """Proposals among the records, or their authors' revisions of them, the newest first."""
    assert memory.doubted is not None
    refs = [Ref(memory.project, id) for id in reversed(memory.doubted.proposals)]
    for _ in range(REVISIONS_MAX):
        gone = [ref for ref in refs if ref not in row_of]
        revised = retrieval.reading.memories.get_many(memory.tenant, gone, with_bodies=False) if gone else {}
        successors = {ref: one.superseded_by for ref, one in revised.items() if one.superseded_by is not None}
        if not successors:
            break
        refs = [Ref(ref.project, successors.get(ref, ref.id)) for ref in refs]
    return retrieval.reading.some([ref for ref in dict.fromkeys(refs) if ref in row_of])
