"""What a comparison of the search index with the record store has found, and how well vectors cover the records."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileReport:
    """What differed in one project; all of it is repaired but what is named as left.

    Args:
        looked_at: records and tombstones that the store has.
        missing: in the store, not in the index.
        stale: in the index as it was before.
        orphan: in the index, never heard of by the store.
        resurrected: in use in the index, erased in the store.
        without_vectors: ids of records whose vectors and words are lost: they have to be made anew.
        left: what could not be repaired, a sentence each.
        next_cursor: there was so much to repair that it goes on here; None: this was all.
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
        """How many of each kind, those that there are."""
        kinds = ("missing", "stale", "orphan", "resurrected")
        return {kind: count for kind in kinds if (count := getattr(self, kind))}


@dataclass(frozen=True, slots=True)
class VectorCoverage:
    """How many records there are, and how many of them have vectors of the model in use."""

    total: int
    with_vector: int

    @property
    def ratio(self) -> float:
        """0..1; where there is nothing, nothing is missing."""
        return self.with_vector / self.total if self.total else 1.0
