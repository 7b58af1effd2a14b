"""What the use cases need of a search index, in the words of the domain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, Protocol

from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters, LabelField
from memory_layer.domain.integrity.index_comparison import ReconcileReport, VectorCoverage
from memory_layer.domain.memory import Ref, Scope, Tier
from memory_layer.domain.retrieval.abstention import UNKNOWN_TYPICAL_COSINE, WordCounts
from memory_layer.domain.retrieval.blending import Arms
from memory_layer.domain.retrieval.mentions import Key
from memory_layer.ports.commit import Vector


@dataclass(frozen=True, slots=True)
class ProjectStats:
    """Counts of a project, over all statuses.

    Args:
        tiers: of each, how many records and how many bytes, uncompressed.
        body_bytes: how many of these bytes lie in bodies, beside the rows.
    """

    total: int
    by: Mapping[str, Mapping[str, int]]
    average_confidence: float | None
    average_success_rate: float | None
    average_outcome_score: float | None
    outcome_bands: Mapping[str, int]
    most_used: tuple[tuple[str, int], ...]
    last_updated_at: datetime | None
    bytes: int
    with_vector: int
    tiers: Mapping[Tier, tuple[int, int]]
    body_bytes: Mapping[Tier, int]


Arm = Literal["lexical", "semantic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """What to look for, where, and on whose behalf.

    `text` None skips the lexical arm, `vector` None the semantic one. `k` bounds each of the ranked lists.
    `content_only` leaves the fields with context out, and how alike contents are anyway: whoever looks for the same
    words again has a bound of its own. `nearer_than` is a cosine, -1..1: the semantic arm may leave out what is not,
    so that an index need not measure it exactly.
    """

    scopes: tuple[Scope, ...]
    text: str | None
    vector: Vector | None
    filters: Filters
    viewer: Viewer
    now: datetime
    k: int
    content_only: bool = False
    nearer_than: float = -1.0


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """Candidates, and what tells an answer from a coincidence (domain.abstention): for a vector alone.

    Args:
        typical_cosine: how alike the contents of the first scope are anyway.
        searched: memories in all scopes that pass the filters and that the viewer may see.
        words: how many memories of all scopes hold each term of the query, in content or in context.
    """

    arms: Arms[Ref]
    typical_cosine: float = UNKNOWN_TYPICAL_COSINE
    searched: int = 0
    words: WordCounts = field(default_factory=WordCounts)


NO_HUB = 2**31
"""More than a project has records: every thing has its best named."""


@dataclass(frozen=True, slots=True)
class MentionedRecords:
    """How many records are tied to a thing, and those in the best standing, best first, then by id.

    Args:
        standings: of each of them, confidence × relevance_score in millionths.
    """

    total: int
    refs: tuple[Ref, ...]
    standings: tuple[int, ...]


Labels = Mapping[LabelField, tuple[str, ...]]
"""Tags, and URNs, in order."""


class SearchIndex(Protocol):
    """Derived from the record store, never an authority: hits are re-read and re-checked by the caller."""

    def covered(self, scope: Scope) -> int:
        """How far into the project's log every later search has seen; asked before the log, and that before the search.

        In the other order a write that arrives in the index in between is in neither.

        Raises:
            IndexUnavailable: it cannot be asked now.
        """

    def search(self, query: IndexQuery) -> IndexAnswer:
        """The best `k` of each arm and field.

        Raises:
            IndexUnavailable: it cannot be asked now.
        """

    def standing(
        self, scopes: tuple[Scope, ...], filters: Filters, viewer: Viewer, *, now: datetime, k: int
    ) -> list[Ref]:
        """The `k` records asked for with the highest confidence × relevance_score, best first, then by id."""

    def mentioning(
        self,
        scopes: tuple[Scope, ...],
        mentions: Sequence[Key],
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        k: int,
        hub_above: int = NO_HUB,
    ) -> dict[Key, MentionedRecords]:
        """The records tied to each of these things (domain.mentions), in one round trip; unknown things are left out.

        Args:
            hub_above: of a thing that more records are tied to, none need be named: it is enough to count them.

        It may name records that are not tied to it: the record has the last word.

        Raises:
            IndexUnavailable: it cannot be asked now.
        """

    def tags(self, scopes: tuple[Scope, ...]) -> list[str]:
        """Every tag that a record of these projects carries."""

    def labels(self, scopes: tuple[Scope, ...], patterns: Sequence[str], k: int) -> Labels:
        """The first `k` in order of the tags, and of the URNs, in use that patterns mean (tier_policy.fits)."""

    def stats(self, scope: Scope, viewer: Viewer, *, now: datetime) -> ProjectStats:
        """Counts of a project, what has expired as archived; they may lag as far as the index does."""

    def coverage(self) -> VectorCoverage:
        """Over all tenants' records; it may lag as far as the index does."""

    def unembedded(self, scope: Scope, *, after: str | None, k: int) -> list[str]:
        """The first `k` ids after this one, in order, of records that name no model, or another than the one in use.

        It may lag as far as the index does: the record has the last word (domain.memory.needs_vectors).
        """

    def settled(
        self, scope: Scope, tier: Tier, *, since: datetime | None, until: datetime, after: str | None, k: int
    ) -> list[str]:
        """The first `k` ids after this one, in order, of unpinned records of a tier with since <= updated_at < until.

        It may lag as far as the index does: the record has the last word.

        Args:
            since: None: from the beginning.
        """

    def reconcile(self, scope: Scope, *, after: str | None, is_dry_run: bool) -> ReconcileReport:
        """Compare a project here with the store, and repair what differs; what is on its way here is left alone.

        Args:
            after: the `next_cursor` of the call before; None: from the beginning.
            is_dry_run: only count.

        Raises:
            IndexUnavailable, StoreUnavailable: an engine does not answer; what is repaired is repaired.
        """
