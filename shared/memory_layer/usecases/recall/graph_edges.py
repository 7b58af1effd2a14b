"""Edges of the graph between records and entities, from the index, or from the newest records while there is none."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.ranking import belief_millionths
from memory_layer.domain.retrieval.candidates import (
    Mentioned,
    MentionedRows,
    RecordTable,
    mentioned_rows,
)
from memory_layer.domain.retrieval.mentions import Key, MentionedRecords, mention_keys
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.index import NO_HUB
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall import find_candidates
from memory_layer.usecases.recall.judge_candidates import CandidateHits, HitReader


class _RecordTies(NamedTuple):
    """Standing of one record, and the entities that it mentions."""

    standing: int
    keys: frozenset[Key]


@dataclass
class GraphEdges:
    """Edges between entities and records, looked up for one request.

    Args:
        unseen: records that the index has not seen yet.
        newest: records in place of the index; None: the index is asked, and they are read should it not answer.
        listed: rows of the index that `by_key` named, and the refs of these.
    """

    ports: Ports
    search: find_candidates.CandidateSearch
    reading: HitReader
    unseen: Sequence[Ref] = ()
    newest: Mapping[Ref, Memory] | None = None
    listed: list[tuple[RecordTable, list[Ref]]] = field(default_factory=list, init=False)
    _changed_ties: Mapping[Ref, _RecordTies] | None = field(default=None, init=False)

    @property
    def has_index(self) -> bool:
        """False: all edges come from the newest records alone."""
        return self.newest is None

    @property
    def notes(self) -> tuple[str, ...]:
        return () if self.has_index else (find_candidates.NO_INDEX,)

    def of(self, keys: Sequence[Mentioned], *, k: int, hub_above: int = NO_HUB) -> MentionedRows:
        """Looks up records as SearchIndex.mentioning; those changed since the index saw them count as they are now."""
        tenant = self.search.project.tenant
        mentioned = self._from_index(keys, k, hub_above) if keys and self.has_index else None
        mentioned = mentioned or mentioned_rows(tenant, [MentionedRecords(0)] * len(keys))
        changed = set(self._changed) if keys else set()
        if not changed:
            return mentioned
        news = self._ties_of_changed()
        found = zip(keys, mentioned.by_entity(), strict=True)
        return mentioned_rows(tenant, [_with_news(key, one, changed, news, k) for key, one in found])

    def by_key(self, keys: Sequence[Key], *, k: int) -> dict[Key, MentionedRecords]:
        """Looks up records as `of`, by key; a key that no record is tied to is left out."""
        mentioned = self.of(keys, k=k)
        found = mentioned.by_entity()
        self.listed.append((mentioned.records, [ref for one in found for ref in one.refs]))
        return {key: one for key, one in zip(keys, found, strict=True) if one.total}

    def _from_index(self, keys: Sequence[Mentioned], k: int, hub_above: int) -> MentionedRows | None:
        search = self.search
        try:
            return self.ports.index.mentioning(
                search.scopes,
                keys,
                search.filters,
                search.viewer,
                now=search.now,
                k=k,
                hub_above=hub_above,
            )
        except IndexUnavailable:
            self.newest, self._changed_ties = find_candidates.newest_records(self.ports, search), None
            return None

    @property
    def _changed(self) -> Sequence[Ref]:
        """Records for which the index is not asked."""
        return find_candidates.newest_unseen(self.unseen) if self.newest is None else list(self.newest)

    def _ties_of_changed(self) -> Mapping[Ref, _RecordTies]:
        """Reads the ties of the changed records off themselves; each is gone through once."""
        if self._changed_ties is None:
            read = self.reading.unseen(self._changed) if self.newest is None else self.newest.values()
            self._changed_ties = {
                memory.ref: _RecordTies(belief_millionths(memory), frozenset(mention_keys(memory)))
                for memory in read
            }
        return self._changed_ties


def edges_before_search(
    ports: Ports, search: find_candidates.CandidateSearch, reading: HitReader
) -> GraphEdges:
    """Edges for a request without a search; to be made before the index is asked anything."""
    try:
        return GraphEdges(ports, search, reading, find_candidates.unseen_refs(ports, search))
    except IndexUnavailable:
        return GraphEdges(ports, search, reading, newest=find_candidates.newest_records(ports, search))


def edges_after_search(
    ports: Ports, search: find_candidates.CandidateSearch, reading: HitReader, found: CandidateHits
) -> GraphEdges:
    """Edges for a request with a search, which has read the unseen records already."""
    return GraphEdges(ports, search, reading, found.unseen, found.newest)


def _with_news(
    key: Mentioned,
    mentioning: MentionedRecords,
    changed: Collection[Ref],
    news: Mapping[Ref, _RecordTies],
    k: int,
) -> MentionedRecords:
    known = zip(mentioning.refs, mentioning.standings, strict=True)
    kept = [(-standing, ref.id, ref) for ref, standing in known if ref not in changed]
    now = [(-one.standing, ref.id, ref) for ref, one in news.items() if key in one.keys]
    best = sorted([*kept, *now])
    total = mentioning.total - len(mentioning.refs) + len(best)
    return MentionedRecords(
        total, tuple(ref for *_, ref in best[:k]), tuple(-standing for standing, *_ in best[:k])
    )
