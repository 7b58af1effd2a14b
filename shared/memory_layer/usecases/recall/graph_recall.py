"""Recall by the graph alone: memories near the entities that a question names, the nearest first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Final

from memory_layer.domain.arrays import np
from memory_layer.domain.memory import Memory
from memory_layer.domain.retrieval.blending import Relevances
from memory_layer.domain.retrieval.candidates import joined, table_of_refs
from memory_layer.domain.retrieval.facts import facts_of
from memory_layer.domain.retrieval.graph import personalised_pagerank, share_of_best
from memory_layer.domain.retrieval.graph_expansion import keys_in_question
from memory_layer.domain.retrieval.mentions import Key, key_of, keys_of_name
from memory_layer.domain.text.analyzer import STOP_WORDS
from memory_layer.domain.text.entity_extraction import mentions_in, name_words
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.find_candidates import CandidateSearch
from memory_layer.usecases.recall.graph_edges import edges_after_search
from memory_layer.usecases.recall.judge_candidates import (
    CandidateHits,
    HitReader,
    Hits,
    weigh_evidence,
)
from memory_layer.usecases.recall.walk_graph import KEYS_A_HOP, GraphWalk, Node, walk_from

STARTS_WITHOUT_NAMES: Final = 5
"""Best hits that the walk starts from if nothing that the question names is known."""

NEARNESS_ALONE: Final = 0.5
"""Share of a memory's nearness that counts even if none of its words bear on the question."""


def graph_hits(
    ports: Ports,
    search: CandidateSearch,
    hits: Hits,
    found: CandidateHits,
    reading: HitReader,
    entities: Sequence[str],
    hops: int,
) -> Hits:
    """Walks to the memories within so many hops of what the question names; scores them by nearness and by words.

    Args:
        hits: the most relevant first; the walk starts from them if nothing that the question names is known.
        entities: named by the caller.

    Source: ADR-0012.
    """
    around = reading.some(hits.records.refs())
    relevance = dict(zip(hits.records.refs(), hits.relevances.semantic.tolist(), strict=True))
    keys = _keys_asked(search.query, entities)
    known = edges_after_search(ports, search, reading, found)
    go = partial(walk_from, known, hops=hops, around=around)
    walk = go(keys=keys, refs=())
    graph = walk.graph()
    there = set(graph.nodes)
    named: dict[Node, float] = {key: 1.0 for key in keys if key in there}
    start = named
    if not named:
        refs = [memory.ref for memory in around[:STARTS_WITHOUT_NAMES]]
        walk = go(keys=(), refs=refs)
        graph, start = walk.graph(), {ref: max(_LEAST, relevance[ref]) for ref in refs}
    near = _near(walk, personalised_pagerank(graph, start), found, search)
    return replace(near, is_named=bool(named), notes=known.notes)


_LEAST: Final = 0.001
"""Least weight of a start: a start of weight 0 would lead nowhere."""


def _near(
    walk: GraphWalk, scores: Mapping[Node, float], found: CandidateHits, search: CandidateSearch
) -> Hits:
    """Memories that the walk came near to, with their nearness for relevance, as far as their words bear it out."""
    nearness = share_of_best({ref: scores.get(ref, 0.0) for ref in walk.memories})
    refs = [ref for ref in walk.memories if nearness[ref] > 0.0]
    said = _said(search.project.tenant, [walk.memories[ref] for ref in refs], found)
    relevant = weigh_evidence(said, search).relevances
    near = np.array([nearness[ref] for ref in refs])
    by_words = NEARNESS_ALONE + (1.0 - NEARNESS_ALONE) * relevant.semantic
    return replace(said, relevances=Relevances(near * by_words, relevant.lexical))


def _said(tenant: str, memories: Sequence[Memory], found: CandidateHits) -> Hits:
    """Hits of memories, with the relevance of those that words or meaning found; 0 of the others."""
    refs = [memory.ref for memory in memories]
    rows = {ref: row for row, ref in enumerate(found.records.refs())}
    listed = np.array([rows.get(ref, len(rows) + place) for place, ref in enumerate(refs)], np.intp)
    # rows of the search itself, where there are: only these are known again by their identities
    records = joined([found.records, table_of_refs(tenant, refs)]).take(listed)
    semantic, lexical = (
        np.append(one, np.zeros(len(refs)))[listed]
        for one in (found.relevances.semantic, found.relevances.lexical)
    )
    return Hits(records, Relevances(semantic, lexical), facts_of(memories))


def _keys_asked(query: str, entities: Iterable[str]) -> list[Key]:
    """Entities that the caller names, that the question names for sure, and that its words may name."""
    named = (key for entity in entities for key in keys_of_name(entity))
    words = [word for word in name_words(query) if word not in STOP_WORDS]
    guessed = (f"n:{name}" for name in (*words, *map(" ".join, pairwise(words))))
    keys = (*named, *keys_in_question(query, ()), *map(key_of, mentions_in(query)), *guessed)
    return list(dict.fromkeys(keys))[:KEYS_A_HOP]
