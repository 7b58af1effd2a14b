"""Bounded walk over the graph of entities and memories, both ways along every tie."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import NamedTuple

from memory_layer.domain.memory import Memory, Ref, is_stub
from memory_layer.domain.retrieval import mentions
from memory_layer.domain.retrieval.graph import Graph, Tie, most_tied
from memory_layer.domain.retrieval.mentions import MentionedRecords
from memory_layer.domain.retrieval.own_ties import voice_of
from memory_layer.domain.time.entity_events import Link
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.own_receipts import source_receipts
from memory_layer.usecases.recall.graph_edges import GraphEdges
from memory_layer.usecases.recall.judge_candidates import HitReader

Node = mentions.Key | Ref
"""Node of the graph: an entity by its key, a memory by its ref."""

KEYS_A_HOP = 32
"""Entities, and as many memories, from which one hop goes on: those that most of the memories found lead to."""

RECORDS_A_KEY = 20
"""Records read of one entity, the best; the others count in its degree."""

RECORDS_MAX = 200
"""Records of one walk, where nobody asks for more."""

RECEIPTS_A_HOP = 8

LINKED, DERIVED_FROM = "linked", "derived_from"

_tie: Callable[[Node, Node, str], Tie[Node]] = Tie
"""Tie without its type argument: `Tie[Node](…)` takes four times as long, and a walk has thousands."""


class TieCount(NamedTuple):
    """Count of visible records tied to an entity. Args: is_exact: False: an upper bound, some were not looked at."""

    records: int
    is_exact: bool


@dataclass(slots=True)
class GraphWalk:
    """State of a walk: nodes and ties found so far; every record in it may be seen.

    Args:
        index_edges: records tied to each entity that was walked from, by the index.
        looked_at: records that were asked for, whether or not they may be seen.
        records_max: room for records.
    """

    memories: dict[Ref, Memory] = field(default_factory=dict)
    links: dict[Link, None] = field(default_factory=dict)
    lineage: dict[tuple[Ref, Ref], None] = field(default_factory=dict)
    index_edges: dict[mentions.Key, MentionedRecords] = field(default_factory=dict)
    looked_at: set[Ref] = field(default_factory=set)
    records_max: int = RECORDS_MAX
    walked: set[mentions.Key] = field(default_factory=set)
    edges: dict[Ref, list[mentions.Edge]] = field(default_factory=dict)
    targets: dict[Ref, frozenset[mentions.Key]] = field(default_factory=dict)
    reached: set[Ref] = field(default_factory=set)
    found_by: defaultdict[Ref, list[mentions.Key]] = field(default_factory=lambda: defaultdict(list))

    def graph(self) -> Graph[Node]:
        """Graph of all ties among the nodes found: mentions in the records, links, and lineage."""
        ties: Iterable[Tie[Node]] = (*self._ties_of_records(), *self._linked())
        if self.lineage:  # which alone may tell a tie that a record tells as well
            ties = dict.fromkeys((*ties, *self._derived()))
        return Graph(tuple(ties), {key: self.count(key).records for key in self.index_edges})

    def voices(self) -> dict[Node, str]:
        """Voices behind the memories found."""
        return {ref: voice_of(memory) for ref, memory in self.memories.items()}

    def count(self, key: mentions.Key) -> TieCount:
        """Counts the records tied to an entity. Args: key: of an entity that was walked from."""
        mentioning = self.index_edges[key]
        others = sum(ref in self.looked_at and not self._is_tied(ref, key) for ref in mentioning.refs)
        is_exact = mentioning.total == len(mentioning.refs) and self.looked_at.issuperset(mentioning.refs)
        return TieCount(mentioning.total - others, is_exact)

    def _is_tied(self, ref: Ref, key: mentions.Key) -> bool:
        """Tells if a record may be seen and itself names the entity: the index is no authority."""
        memory = self.memories.get(ref)
        if memory is None or is_stub(memory):
            return memory is not None
        if ref not in self.targets:
            self.targets[ref] = frozenset(edge.target for edge in self._edges_of(ref, memory))
        return key in self.targets[ref]

    def _ties_of_records(self) -> Iterator[Tie[Node]]:
        for ref, memory in self.memories.items():
            ties: Iterable[Tie[Node]] = [
                _tie(ref, self._node(ref.project, key) if mentions.names_exactly(key) else key, type_)
                for type_, key in self._edges_of(ref, memory)
            ]
            if is_stub(memory):  # its words are not all at hand: the index knew them all
                found_by = (_tie(ref, key, mentions.MENTIONS) for key in self.found_by[ref])
                ties = dict.fromkeys((*ties, *found_by))
            yield from ties

    def edges_of(self, memory: Memory) -> list[mentions.Edge]:
        """Edges of a record, which is gone through once."""
        return self._edges_of(memory.ref, memory)

    def _edges_of(self, ref: Ref, memory: Memory) -> list[mentions.Edge]:
        found = self.edges.get(ref)
        if found is None:
            found = self.edges[ref] = mentions.edges_of(memory)
        return found

    def _node(self, project: str, key: mentions.Key) -> Node:
        """Node that a record names exactly: a memory if one that was found has this id, else an entity."""
        ref = Ref(project, mentions.form_of(key))
        return ref if ref in self.memories else key

    def _linked(self) -> Iterator[Tie[Node]]:
        return (
            _tie(mentions.entity_key(source), mentions.entity_key(target), LINKED)
            for source, target in self.links
        )

    def _derived(self) -> Iterator[Tie[Node]]:
        seen = (pair for pair in self.lineage if pair[1] in self.memories)
        return (_tie(source, target, DERIVED_FROM) for source, target in seen)


def walk_from(
    known: GraphEdges,
    *,
    keys: Iterable[mentions.Key],
    refs: Iterable[Ref],
    hops: int,
    around: Iterable[Memory] = (),
    records_max: int = RECORDS_MAX,
) -> GraphWalk:
    """Walks so many hops from these entities and memories; an entity and its memories are one hop apart.

    Each hop is one look-up in the index, one read of records per hundred, and one of links; the constants above bound
    the records looked at.

    Args:
        around: visible records that are part of the graph wherever they are tied to it.
        records_max: records that it reads at most.
    """
    there = {memory.ref: memory for memory in around}
    walk, frontier = GraphWalk(there, records_max=records_max), list(dict.fromkeys(keys))
    reading = known.reading
    new = _read(walk, reading, refs)
    frontier += _onward(walk, new)
    for hop in range(1, hops + 1):
        found = [
            *_tied_to(known, walk, frontier),
            *_named_by(walk, new),
            *_sources_of(known.ports, walk, new),
        ]
        ends = _links(known, walk, frontier)
        walk.walked.update(frontier)
        new = _read(walk, reading, found)
        frontier = [*ends[:KEYS_A_HOP], *_onward(walk, new)] if hop < hops else []
        if not new and not frontier:
            break
    return walk


def _tied_to(known: GraphEdges, walk: GraphWalk, keys: Sequence[mentions.Key]) -> list[Ref]:
    mentioning = known.by_key(keys, k=RECORDS_A_KEY)
    walk.index_edges |= mentioning
    found = [(key, ref) for key in keys if key in mentioning for ref in mentioning[key].refs]
    for key, ref in found:
        walk.found_by[ref].append(key)
    return [ref for _, ref in found]


def _named_by(walk: GraphWalk, memories: Iterable[Memory]) -> list[Ref]:
    """Memories that these name by their ids: those they supersede, and those their relations point at."""
    return [
        Ref(memory.project, mentions.form_of(edge.target))
        for memory in memories
        for edge in walk.edges_of(memory)
        if mentions.names_exactly(edge.target) and not edge.target.startswith("u:urn:")
    ]


def _sources_of(ports: Ports, walk: GraphWalk, memories: Iterable[Memory]) -> list[Ref]:
    """Memories shown by the recalls that these memories were learned from."""
    derived = (memory for memory in memories if memory.source_recall_id)
    found: list[Ref] = []
    for ref, receipt in source_receipts(ports, islice(derived, RECEIPTS_A_HOP)).items():
        sources = receipt.refs[:RECORDS_A_KEY]
        walk.lineage |= dict.fromkeys((ref, source) for source in sources)
        found += sources
    return found


def _links(known: GraphEdges, walk: GraphWalk, keys: Iterable[mentions.Key]) -> list[mentions.Key]:
    """Entities at the other ends of the links in force; only URNs have links, as events name nothing else."""
    urns = [mentions.form_of(key) for key in keys if mentions.names_exactly(key)]
    search = known.search
    events = known.ports.store.events
    links = events.links_of(search.project, urns, search.viewer, as_of=search.now) if urns else {}
    walk.links |= dict.fromkeys(link for of_one in links.values() for link in of_one)
    ends = (mentions.entity_key(end) for link in walk.links for end in link)
    return [
        key for key in dict.fromkeys(ends) if key not in walk.walked and mentions.form_of(key) not in urns
    ]


def _read(walk: GraphWalk, reading: HitReader, refs: Iterable[Ref]) -> list[Memory]:
    """Reads the records that are reached for the first time and may be seen, as far as there is room."""
    room = walk.records_max - len(walk.memories)
    wanted = list(dict.fromkeys(refs))
    new = [ref for ref in wanted if ref not in walk.memories][:room]
    walk.looked_at.update(walk.memories, new)
    walk.memories |= {memory.ref: memory for memory in (reading.some(new) if new else ())}
    reached = [ref for ref in wanted if ref in walk.memories and ref not in walk.reached]
    walk.reached.update(reached)
    return [walk.memories[ref] for ref in reached]


def _onward(walk: GraphWalk, memories: Sequence[Memory]) -> list[mentions.Key]:
    """Keys to go on from: what most of these memories are tied to, and their own ids, which others may name."""
    edges = chain.from_iterable(map(walk.edges_of, memories))
    things = most_tied((key for _, key in edges if key not in walk.walked), KEYS_A_HOP)
    own = [mentions.entity_key(memory.id) for memory in memories[:KEYS_A_HOP]]
    return [*things, *(key for key in own if key not in walk.walked)]
