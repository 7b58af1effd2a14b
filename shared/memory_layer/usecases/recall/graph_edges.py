"""Which records are tied to a thing: the index tells, and while there is none the newest records tell it themselves."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from memory_layer.domain.memory import Memory, Ref, standing_millionths
from memory_layer.domain.retrieval.mentions import Key, mention_keys
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.index import NO_HUB, MentionedRecords
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall import find_candidates
from memory_layer.usecases.recall.judge_candidates import CandidateHits, HitReader

_NOTHING: Final = MentionedRecords(0, (), ())


class _Told(NamedTuple):
    """Of one record."""

    standing: int
    keys: frozenset[Key]


@dataclass
class GraphEdges:
    """What is tied to what, for one request.

    Args:
        unseen: records that the index has not seen yet.
        newest: what is looked at in place of the index; None: it is asked, and these are read should it not answer.
    """

    ports: Ports
    search: find_candidates.CandidateSearch
    reading: HitReader
    unseen: Sequence[Ref] = ()
    newest: Mapping[Ref, Memory] | None = None
    _news: Mapping[Ref, _Told] | None = field(default=None, init=False)

    @property
    def has_index(self) -> bool:
        """False: what was told is told by the newest records alone."""
        return self.newest is None

    @property
    def notes(self) -> tuple[str, ...]:
        return () if self.has_index else (find_candidates.NO_INDEX,)

    def of(self, keys: Sequence[Key], *, k: int, hub_above: int = NO_HUB) -> Mapping[Key, MentionedRecords]:
        """As SearchIndex.mentioning, with what has changed since the index saw it as it is now."""
        if not keys:
            return {}
        told = self._told(keys, k, hub_above) if self.has_index else {}
        changed = set(self._changed)
        if not changed:
            return told
        news = self._as_now()
        found = ((key, _with_news(key, told.get(key, _NOTHING), changed, news, k)) for key in keys)
        return {key: one for key, one in found if one.total}

    def _told(self, keys: Sequence[Key], k: int, hub_above: int) -> Mapping[Key, MentionedRecords]:
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
            self.newest, self._news = find_candidates.newest_records(self.ports, search), None
            return {}

    @property
    def _changed(self) -> Sequence[Ref]:
        """Of which the index has no say."""
        return find_candidates.latest_news(self.unseen) if self.newest is None else list(self.newest)

    def _as_now(self) -> Mapping[Ref, _Told]:
        """What those tell themselves; each is gone through once."""
        if self._news is None:
            read = self.reading.some(self._changed) if self.newest is None else self.newest.values()
            self._news = {
                memory.ref: _Told(standing_millionths(memory), frozenset(mention_keys(memory)))
                for memory in read
            }
        return self._news


def graph_edges(ports: Ports, search: find_candidates.CandidateSearch, reading: HitReader) -> GraphEdges:
    """Where nothing has been searched yet; to be made before the index is asked anything."""
    try:
        return GraphEdges(ports, search, reading, find_candidates.unseen_refs(ports, search))
    except IndexUnavailable:
        return GraphEdges(ports, search, reading, newest=find_candidates.newest_records(ports, search))


def ties_beside(
    ports: Ports, search: find_candidates.CandidateSearch, reading: HitReader, found: CandidateHits
) -> GraphEdges:
    """Beside a search, by what it has seen of the index."""
    return GraphEdges(ports, search, reading, found.unseen, found.newest)


def _with_news(
    key: Key, told: MentionedRecords, changed: Collection[Ref], news: Mapping[Ref, _Told], k: int
) -> MentionedRecords:
    known = zip(told.refs, told.standings, strict=True)
    kept = [(-standing, ref.id, ref) for ref, standing in known if ref not in changed]
    now = [(-one.standing, ref.id, ref) for ref, one in news.items() if key in one.keys]
    best = sorted([*kept, *now])
    total = told.total - len(told.refs) + len(best)
    return MentionedRecords(
        total, tuple(ref for *_, ref in best[:k]), tuple(-standing for standing, *_ in best[:k])
    )
