"""Findings of a comparison of the search index with the record store, and the share of records with vectors."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileReport:
    """Differences between index and store in one project; all are repaired but those named as left.

    Args:
        looked_at: records and tombstones in the store.
        missing: in the store, not in the index.
        stale: in the index in an older version.
        orphan: in the index, unknown to the store.
        resurrected: in use in the index, erased in the store.
        without_vectors: ids of records whose vectors and terms are lost: they have to be made anew.
        left: differences that could not be repaired, a sentence each.
        next_cursor: continues a comparison with too much to repair in one call; None: it is complete.
    """

    looked_at: int = 0
    missing: int = 0
    stale: int = 0
    orphan: int = 0
    resurrected: int = 0
    without_vectors: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    next_cursor: str | None = None

    @property
    def counts(self) -> Mapping[str, int]:
        """Number of differences of each kind that occurred."""
        kinds = ("missing", "stale", "orphan", "resurrected")
        return {kind: count for kind in kinds if (count := getattr(self, kind))}


@dataclass(frozen=True, slots=True)
class VectorCoverage:
    """Number of records, and of those with vectors of the model in use."""

    total: int
    with_vector: int

    @property
    def ratio(self) -> float:
        """Share of records with vectors, 0..1; 1 without records."""
        return self.with_vector / self.total if self.total else 1.0
