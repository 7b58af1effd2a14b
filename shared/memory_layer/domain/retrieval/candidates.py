"""Candidates of a query as columns: from the index to the ranking, records stay rows of one table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias

from memory_layer.domain.arrays import NDArray, joined_rows, kth_highest, np, places_of, true_rows
from memory_layer.domain.memory import Ref, Scope
from memory_layer.domain.retrieval.mentions import Key, MentionedRecords

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.facts import Facts

Rows: TypeAlias = "NDArray[np.intp]"
"""Numbers of rows of a table."""

ScoredList = str
LISTS: Final[tuple[ScoredList, ...]] = (
    "content_lexical",
    "content_semantic",
    "context_lexical",
    "context_semantic",
    "told_days",
)
"""Ranked lists of a search: BM25 and cosine, of the content alone and with its context; days in the period."""

TOLD: Final = LISTS.index("told_days")

MentionHash = int
"""`analyzer.term_hash` of a mention key."""
Mentioned = Key | MentionHash
"""Entity to look up: its key, or, in an index that keeps hashes, its hash."""


class RowSource(Protocol):
    """Source of what a table's rows are looked up by, for the rows of one project."""

    def ids(self, handles: NDArray[np.int64]) -> list[str]:
        """Ids of the records behind these handles, in their order."""

    def places(self, handles: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        """Numbers that sort as the ids of these records do."""

    def mention_hashes(self, handles: NDArray[np.int64]) -> list[list[MentionHash]]:
        """Hashes of the mention keys of each record, ascending."""

    def lack_vectors(self, handles: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Tests which of these records have no vector of the model in use."""


@dataclass(slots=True, eq=False)
class RecordTable:
    """Table of n records of one or several projects, never changed; a frozen one takes ten times as long to make.

    Args:
        scopes, sources: the projects, and where their rows come from.
        scope_numbers: the project of each row; shape (n,).
        handles: of each row, for its project's source; shape (n,).
        identities: equal for the same record in two tables of one index; shape (n,).
        facts: shape (n,); None: the index keeps none, and they are read off the records.
    """

    scopes: tuple[Scope, ...]
    sources: tuple[RowSource, ...]
    scope_numbers: NDArray[np.int8]
    handles: NDArray[np.int64]
    identities: NDArray[np.int64]
    facts: Facts | None

    def __len__(self) -> int:
        return len(self.handles)

    def take(self, rows: Rows) -> RecordTable:
        """Table of some of the rows, in the order of `rows`."""
        columns = self.scope_numbers[rows], self.handles[rows], self.identities[rows]
        facts = None if self.facts is None else self.facts.take(rows)  # indexing takes twenty times as long
        return RecordTable(self.scopes, self.sources, *columns, facts)

    def names(self, rows: Rows | slice) -> RecordTable:
        """Table of some of the rows without their facts, which take longer to copy than all else."""
        columns = self.scope_numbers[rows], self.handles[rows], self.identities[rows]
        return RecordTable(self.scopes, self.sources, *columns, None)

    def refs(self) -> list[Ref]:
        """Refs of all rows, in their order."""
        if len(self.scopes) == 1:
            return refs_in(self.scopes[0].project, self.sources[0].ids(self.handles))
        refs: list[Ref] = [Ref("", "")] * len(self)
        for number, (scope, source) in enumerate(zip(self.scopes, self.sources, strict=True)):
            rows = true_rows(self.scope_numbers == number)
            for row, id in zip(rows.tolist(), source.ids(self.handles[rows]), strict=True):
                refs[row] = Ref(scope.project, id)
        return refs

    def places(self) -> NDArray[np.integer[Any]]:
        """Numbers that sort as the refs of the rows do."""
        if len(self.sources) == 1:
            return self.sources[0].places(self.handles)
        return places_of(self.refs())

    def lack_vectors(self) -> NDArray[np.bool_]:
        """Tests which rows have no vector of the model in use: nothing but their words can be compared."""
        is_lacking = np.zeros(len(self), np.bool_)
        for number, source in enumerate(self.sources):
            rows = self.scope_numbers == number if len(self.sources) > 1 else slice(None)
            is_lacking[rows] = source.lack_vectors(self.handles[rows])
        return is_lacking

    def mention_hashes(self) -> list[list[MentionHash]]:
        """Hashes of the mention keys of each row."""
        return [
            self.sources[number].mention_hashes(self.handles[row : row + 1])[0]
            for row, number in enumerate(self.scope_numbers.tolist())
        ]


def refs_in(project: str, ids: Iterable[str]) -> list[Ref]:
    """Refs of records of one project; one by one they take three times as long."""
    return list(map(_new_ref, zip(repeat(project), ids)))


_new_ref: Final = partial(tuple.__new__, Ref)


def joined(tables: Sequence[RecordTable]) -> RecordTable:
    """Table of the rows of several tables, one behind the other; of facts only if all that have rows have them.

    A project whose rows come from the same source in several of them is one project of it.
    """
    tables = [table for table in tables if len(table)] or tables[:1]
    if len(tables) == 1:
        return tables[0]
    numbers: dict[tuple[Scope, int], int] = {}
    scope_numbers = []
    for table in tables:
        projects = zip(table.scopes, map(id, table.sources), strict=True)
        own = [numbers.setdefault(project, len(numbers)) for project in projects]
        scope_numbers.append(np.array(own, np.int8)[table.scope_numbers])
    sources = {id(source): source for table in tables for source in table.sources}
    facts = [table.facts for table in tables if table.facts is not None]
    return RecordTable(
        tuple(scope for scope, _ in numbers),
        tuple(sources[source] for _, source in numbers),
        np.concatenate(scope_numbers),
        np.concatenate([table.handles for table in tables]),
        np.concatenate([table.identities for table in tables]),
        joined_rows(facts) if len(facts) == len(tables) else None,
    )


@dataclass(frozen=True, slots=True)
class ListedRecords:
    """Row source of records that are known by their refs alone. Args: listed: ids, by handle; unembedded: handles."""

    listed: Sequence[str]
    unembedded: Sequence[int] = ()

    def ids(self, handles: NDArray[np.int64]) -> list[str]:
        return [self.listed[handle] for handle in handles.tolist()]

    def places(self, handles: NDArray[np.int64]) -> NDArray[np.integer[Any]]:
        return places_of(self.ids(handles))

    def mention_hashes(self, handles: NDArray[np.int64]) -> list[list[MentionHash]]:
        """Empty: the records themselves say what they mention."""
        return [[] for _ in handles]

    def lack_vectors(self, handles: NDArray[np.int64]) -> NDArray[np.bool_]:
        return np.isin(handles, self.unembedded)


def table_of_refs(tenant: str, refs: Iterable[Ref], unembedded: Collection[Ref] = ()) -> RecordTable:
    """Table of records that are known by their refs alone, in their order. Args: unembedded: as `ListedRecords`."""
    listed = list(refs)
    names = list(dict.fromkeys(ref.project for ref in listed))
    lacking = [handle for handle, ref in enumerate(listed) if ref in unembedded] if unembedded else []
    source = ListedRecords([ref.id for ref in listed], lacking)
    return RecordTable(
        tuple(Scope(tenant, project) for project in names),
        (source,) * len(names),
        np.array([names.index(ref.project) for ref in listed], np.int8),
        np.arange(len(listed), dtype=np.int64),
        np.array([identity_of(ref) for ref in listed], np.int64),
        None,
    )


def identity_of(ref: Ref) -> int:
    """Number of a record that is the same in every table; of a million records, two share one once in 10^7 times."""
    digest = blake2b(f"{ref.project}\0{ref.id}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


@dataclass(slots=True, eq=False)
class CandidateTable:
    """Candidates of a search, each a row, with their raw scores.

    Args:
        scores: a row for each of LISTS, shape (5, n): BM25 >= 0, cosine -1..1, share 0..1; NaN where it is missing.
    """

    records: RecordTable
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.records)

    def take(self, rows: Rows) -> CandidateTable:
        """Candidates of some of the rows, in the order of `rows`."""
        return CandidateTable(self.records.take(rows), self.scores[:, rows])

    def scores_of(self, name: ScoredList) -> NDArray[np.float64]:
        return np.asarray(self.scores[LISTS.index(name)])

    def ranked(self, name: ScoredList) -> dict[Ref, float]:
        """Records of one list with their scores, best first, then by id."""
        rows = true_rows(~np.isnan(self.scores_of(name)))
        refs = self.records.names(rows).refs()
        found = zip(refs, self.scores_of(name)[rows].tolist(), strict=True)
        return dict(sorted(found, key=lambda hit: (-hit[1], hit[0].id, hit[0].project)))


def candidates_of_lists(
    tenant: str, lists: Mapping[ScoredList, Mapping[Ref, float]], unembedded: Collection[Ref] = ()
) -> CandidateTable:
    """Candidates of an index that names records by their refs. Args: lists: scores by ref, by the names in LISTS."""
    every = dict.fromkeys(ref for found in lists.values() for ref in found)
    refs = dict(zip(every, range(len(every)), strict=True))
    scores = np.full((len(LISTS), len(refs)), np.nan)
    for number, name in enumerate(LISTS):
        found = lists.get(name, {})
        scores[number, [refs[ref] for ref in found]] = list(found.values())
    return CandidateTable(table_of_refs(tenant, refs, unembedded), scores)


def best_rows(merit: NDArray[np.float64], records: RecordTable, k: int) -> Rows:
    """The `k` rows of the highest merit, best first; equal ones by project and id."""
    if len(merit) > k:
        worst = kth_highest(merit, k) if k else np.inf
        rows = true_rows(merit >= worst)
    else:
        rows = np.arange(len(merit))
    values = merit[rows]
    order = (-values).argsort(kind="stable")
    values = values[order]
    is_as_next = values[1:] == values[:-1]
    if is_as_next.any():
        is_tied = np.zeros(len(rows), np.bool_)
        is_tied[:-1] = is_as_next
        is_tied[1:] |= is_as_next
        tied = true_rows(is_tied)
        places = np.zeros(len(rows), np.intp)
        places[tied] = records.names(rows[order[tied]]).places()
        order = order[np.lexsort((places, -values))]
    return np.asarray(rows[order][:k])


@dataclass(frozen=True, slots=True)
class MentionedRows:
    """Records tied to each of some entities.

    Args:
        totals: number of records tied to each entity; shape (entities,).
        records: of each tie, one row; shape (ties,): those in the best standing, of each entity best first.
        entity_numbers: of each tie, ascending; shape (ties,).
        standings: of each tie's record, confidence x relevance_score in millionths; shape (ties,).
    """

    totals: NDArray[np.int64]
    records: RecordTable
    entity_numbers: NDArray[np.intp]
    standings: NDArray[np.int64]

    def by_entity(self) -> list[MentionedRecords]:
        """Records of each entity, by their refs."""
        if not len(self.totals):
            return []
        refs, standings = self.records.refs(), self.standings.tolist()
        ends = np.searchsorted(self.entity_numbers, np.arange(len(self.totals)), side="right").tolist()
        spans = [slice(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)]
        return [
            MentionedRecords(total, tuple(refs[span]), tuple(standings[span]))
            for total, span in zip(self.totals.tolist(), spans, strict=True)
        ]


def mentioned_rows(tenant: str, found: Sequence[MentionedRecords]) -> MentionedRows:
    """Records tied to each of some entities, in an index that names them by their refs."""
    return MentionedRows(
        np.array([one.total for one in found], np.int64),
        table_of_refs(tenant, (ref for one in found for ref in one.refs)),
        np.repeat(np.arange(len(found)), [len(one.refs) for one in found]),
        np.array([standing for one in found for standing in one.standings], np.int64),
    )
