"""Port of the search index: its queries, answers and upkeep, in domain terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, Protocol

from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters, LabelField
from memory_layer.domain.integrity.index_comparison import ReconcileReport, VectorCoverage
from memory_layer.domain.list_order import ListOrder, OrderedId
from memory_layer.domain.memory import Ref, Scope, Tier
from memory_layer.domain.retrieval.abstention import UNKNOWN_TYPICAL_COSINE, WordCounts
from memory_layer.domain.scope_tags import KnownTags, Sight
from memory_layer.ports.commit import Vector

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.candidates import CandidateTable, Mentioned, MentionedRows, RecordTable
    from memory_layer.domain.retrieval.told_days import DaySpans


@dataclass(frozen=True, slots=True)
class ProjectStats:
    """Counts of a project's records, over all statuses.

    Args:
        tiers: by tier, number of records and of bytes, uncompressed.
        body_bytes: of these bytes, those stored in bodies, beside the rows.
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


@dataclass(frozen=True, slots=True)
class ReviewBacklog:
    """Memories of all tenants that wait for a person. Args: oldest: creation of the first of them; None: none waits."""

    total: int
    oldest: datetime | None

    def age_s(self, now: datetime) -> float:
        """Seconds that the oldest has waited, 0 where none waits."""
        return 0.0 if self.oldest is None else max(0.0, (now - self.oldest).total_seconds())


def untold_backlog() -> None:
    """None: the index would have to read all of itself to tell."""


@dataclass(frozen=True, slots=True)
class ProjectCount:
    """Project with the records that a viewer sees of it. Args: total: of every status; active: in use, as stored."""

    project: str
    total: int
    active: int


Arm = Literal["lexical", "semantic"]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexQuery:
    """Search query: text and vector, scopes, filters and viewer.

    `text` None skips the lexical arm, `vector` None the semantic one. `k` bounds each of the ranked lists.
    `content_only` leaves out the fields with context and the typical cosine: a search for the same words has a bound
    of its own. `nearer_than` is a cosine, -1..1: the semantic arm may leave out records that are not nearer, so that
    an index need not measure them exactly. `days` are those of the period that the text names, none if it names none.
    `trusted` bounds each list of a search among trusted memories alone, of which the answer tells beside the others,
    so that no number of unreviewed ones crowds them out; 0: none.
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
    days: DaySpans = ()
    trusted: int = 0


@dataclass(frozen=True, slots=True)
class IndexAnswer:
    """Candidates of a search, with statistics for abstention (domain.retrieval.abstention), for a vector alone.

    Args:
        trusted: candidates of the search among trusted memories; None: they are all among the others.
        candidates: with facts, if the index keeps facts; then every search sees all writes (`covered`).
        typical_cosine: typical similarity of the contents in the first scope.
        searched: memories in all scopes that pass the filters and that the viewer may see.
        words: by term of the query, number of memories in all scopes that hold it, in content or in context.
    """

    candidates: CandidateTable
    typical_cosine: float = UNKNOWN_TYPICAL_COSINE
    searched: int = 0
    words: WordCounts = field(default_factory=WordCounts)
    trusted: CandidateTable | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NearQuery:
    """Search for each vector's `k` nearest contents, of a persona's active records nearer than a cosine.

    `is_of_all`: of every persona's, whatever `persona` says.
    """

    scope: Scope
    vectors: Sequence[Vector]
    persona: str | None
    now: datetime
    k: int
    nearer_than: float
    is_of_all: bool = False

    @property
    def viewer(self) -> Viewer:
        """Viewer of the records that are searched."""
        return Viewer(sees_all_personas=True) if self.is_of_all else Viewer.of(self.persona)


@dataclass(frozen=True, slots=True)
class ListQuery:
    """Query for the records of a project, of every tier, that pass the filters and that a viewer may see."""

    scope: Scope
    filters: Filters
    viewer: Viewer
    now: datetime


@dataclass(frozen=True, slots=True)
class NearContents:
    """Records whose content is near to each of several vectors, with their cosines as the index knows them.

    Args:
        seen: position of the project's log up to which every write was compared; None: the index cannot tell.
    """

    near: tuple[Mapping[Ref, float], ...]
    seen: int | None = None


NO_HUB = 2**31
"""Above any project's number of records: the best records of every entity are named."""


Labels = Mapping[LabelField, tuple[str, ...]]
"""Tags, and URNs, in order."""


class SearchIndex(Protocol):
    """Derived from the record store, never an authority: hits are re-read and re-checked by the caller."""

    def covered(self, scope: Scope) -> int | None:
        """Returns the position in the project's log up to which every later search sees all writes.

        None: every search sees all writes.

        Read this first, then the log, then search: in another order a write that reaches the index in between is in
        neither answer.

        Raises:
            IndexUnavailable: the index does not answer now.
        """

    def search(self, query: IndexQuery) -> IndexAnswer:
        """Finds the best `k` records of each arm and field.

        Raises:
            IndexUnavailable: the index does not answer now.
        """

    def nearest_contents(self, query: NearQuery) -> NearContents:
        """Finds the records whose content is near to each vector, all vectors in one pass over the index if it can.

        An answer may name records that are farther, of other personas or out of use: the record is the authority.

        Raises:
            IndexUnavailable: the index does not answer now.
        """

    def standing(
        self, scopes: tuple[Scope, ...], filters: Filters, viewer: Viewer, *, now: datetime, k: int
    ) -> RecordTable:
        """Lists the `k` filtered records with the highest confidence × relevance_score, best first, then by id."""

    def mentioning(
        self,
        scopes: tuple[Scope, ...],
        mentions: Sequence[Mentioned],
        filters: Filters,
        viewer: Viewer,
        *,
        now: datetime,
        k: int,
        hub_above: int = NO_HUB,
    ) -> MentionedRows:
        """Finds the `k` best records tied to each entity (domain.retrieval.mentions), in one round trip.

        Args:
            mentions: keys; hashes only in an index whose tables have facts.
            hub_above: for an entity with more records than this, the count is enough and no record need be named.

        An answer may name records that are not tied to the entity: the record is the authority.

        Raises:
            IndexUnavailable: the index does not answer now.
        """

    def tags(self, scopes: tuple[Scope, ...], sight: Sight | None = None) -> KnownTags:
        """Lists all tags that records of these projects carry; without a sight none is trusted."""

    def labels(self, scopes: tuple[Scope, ...], patterns: Sequence[str], k: int) -> Labels:
        """Lists the first `k` tags, and URNs, in use that match patterns (domain.tier_policy.fits), in order."""

    def ordered(
        self, query: ListQuery, order: ListOrder, *, after: OrderedId | None, k: int
    ) -> list[OrderedId]:
        """Lists the first `k` records after a place, in an order; what has no key comes last, but first from the end.

        The answer may lag as far as the index does: the record is the authority.

        Raises:
            IndexUnavailable: the index does not answer now.
        """

    def count(self, query: ListQuery) -> int:
        """Counts the records of a list; the count may lag as far as the index does.

        Raises:
            IndexUnavailable: the index does not answer now.
        """

    def created_by_day(self, query: ListQuery) -> Mapping[date, int]:
        """Counts the records of a list by the day (UTC) on which they were created, as `count` does.

        Raises:
            IndexUnavailable: the index does not answer now.
        """

    def stats(self, scope: Scope, viewer: Viewer, *, now: datetime) -> ProjectStats:
        """Counts a project's records, expired ones as archived; the counts may lag as far as the index does."""

    def projects(self, tenant: str, viewer: Viewer, *, after: str | None, limit: int) -> list[ProjectCount]:
        """Lists the projects of a tenant of which a viewer sees a record, by name; counts may lag as the index does.

        Raises:
            IndexUnavailable: the index does not answer now.
        """

    def coverage(self) -> VectorCoverage:
        """Counts the records of all tenants, and those with vectors; the counts may lag as far as the index does."""

    def unembedded(self, scope: Scope, *, after: str | None, k: int) -> list[str]:
        """Lists the first `k` ids after `after`, in order, of records without vectors of the model in use.

        The answer may lag as far as the index does: the record is the authority (domain.memory.needs_vectors).
        """

    def settled(
        self, scope: Scope, tier: Tier, *, since: datetime | None, until: datetime, after: str | None, k: int
    ) -> list[str]:
        """Lists the first `k` ids after `after`, in order, of unpinned records of a tier, since <= updated_at < until.

        The answer may lag as far as the index does: the record is the authority.

        Args:
            since: None: from the beginning.
        """

    def reconcile(self, scope: Scope, *, after: str | None, is_dry_run: bool) -> ReconcileReport:
        """Compares a project's index entries with the store and repairs differences; writes under way are left alone.

        Args:
            after: the `next_cursor` of the call before; None: from the beginning.
            is_dry_run: only counts, repairs nothing.

        Raises:
            IndexUnavailable, StoreUnavailable: an engine does not answer; repairs made so far stay.
        """
