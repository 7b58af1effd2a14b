"""Candidates that people vouch for: which they are, if others crowd them out, and vectors of contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memory_layer.domain.arrays import NDArray, np, true_rows
from memory_layer.domain.retrieval.candidates import CandidateTable, RecordTable, best_rows, joined
from memory_layer.domain.retrieval.facts import is_trusted

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.candidates import Rows

TRUSTED_DEPTH = 20
"""Trusted candidates of each list, which no number of unreviewed ones takes the place of (ADR-0028)."""

TRUSTED_KEPT = 5
"""Trusted candidates that are ranked, however many unreviewed ones are more relevant: more than rise."""


def is_crowded(table: CandidateTable, k: int, trusted: int) -> bool:
    """Tells if a list is full and has fewer trusted records than wanted: there may be others behind its end.

    Args:
        table: with facts.
        k: length of a full list.
    """
    if table.records.facts is None:
        return False
    is_listed = ~np.isnan(table.scores)
    of_trusted = (is_listed & is_trusted(table.records.facts)).sum(axis=1)
    return bool(((is_listed.sum(axis=1) >= k) & (of_trusted < trusted)).any())


def without(table: CandidateTable, identities: NDArray[np.int64]) -> CandidateTable:
    """Drops the candidates of these identities."""
    return table.take(true_rows(~np.isin(table.records.identities, identities)))


def complete(table: CandidateTable, more: CandidateTable | None) -> CandidateTable:
    """Adds candidates to a table; of one that it has already, the scores that it lacks."""
    if more is None:
        return table
    is_same = table.records.identities[:, None] == more.records.identities
    rows, others = np.nonzero(is_same)
    scores = table.scores.copy()
    scores[:, rows] = np.fmax(scores[:, rows], more.scores[:, others])
    new = more.take(true_rows(~is_same.any(axis=0)))
    if not len(new):
        return CandidateTable(table.records, scores)
    if not len(table):
        return new
    return CandidateTable(joined([table.records, new.records]), np.concatenate([scores, new.scores], axis=1))


def with_best_trusted(
    rows: Rows, merit: NDArray[np.float64], trusted: NDArray[np.bool_], records: RecordTable
) -> Rows:
    """Rows with the best trusted ones behind them, where fewer than TRUSTED_KEPT are among them."""
    lacking = TRUSTED_KEPT - int(np.count_nonzero(trusted[rows]))
    if lacking <= 0:
        return rows
    is_other = trusted.copy()
    is_other[rows] = False
    others = true_rows(is_other)
    best = best_rows(merit[others], records.names(others), min(lacking, len(others)))
    return np.concatenate([rows, others[best]])


def keep_contents(records: RecordTable) -> bool:
    """True if every source of the records keeps the vectors of their contents."""
    return all(hasattr(source, "contents") for source in records.sources)


def contents_of(records: RecordTable) -> NDArray[np.float64] | None:
    """Vectors of the contents, NaN of one that has none; shape (n, dimensions); None: a source keeps none."""
    each = [source.contents for source in records.sources if hasattr(source, "contents")]
    if len(each) < len(records.sources):
        return None
    if len(each) == 1:
        return np.asarray(each[0](records.handles))
    found: NDArray[np.float64] | None = None
    for number, contents in enumerate(each):
        rows = true_rows(records.scope_numbers == number)
        vectors = contents(records.handles[rows])
        if found is None:
            found = np.full((len(records), vectors.shape[1]), np.nan)
        found[rows] = vectors
    return found
