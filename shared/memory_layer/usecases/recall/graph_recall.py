"""Recall by the graph alone: memories near the entities that a question names, the nearest first."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from typing import Final

from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.retrieval.blending import Relevance
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
    ExpandedHits,
    HitReader,
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
    hits: Sequence[Memory],
    found: CandidateHits,
    reading: HitReader,
    entities: Sequence[str],
    hops: int,
) -> ExpandedHits:
    """Walks to the memories within so many hops of what the question names; scores them by nearness and by words.

    Args:
        hits: visible, the most relevant first; the walk starts from them if nothing that the question names is known.
        entities: named by the caller.

    Source: ADR-0012.
    """
    keys = _keys_asked(search.query, entities)
    known = edges_after_search(ports, search, reading, found)
    go = partial(walk_from, known, hops=hops, around=hits)
    walk = go(keys=keys, refs=())
    graph = walk.graph()
    there = set(graph.nodes)
    named: dict[Node, float] = {key: 1.0 for key in keys if key in there}
    start = named
    if not named:
        refs = [memory.ref for memory in hits[:STARTS_WITHOUT_NAMES]]
        walk = go(keys=(), refs=refs)
        graph, start = walk.graph(), {ref: max(_LEAST, found.relevance[ref].semantic) for ref in refs}
    relevance = _relevance(walk, personalised_pagerank(graph, start), found, search.query)
    near = [memory for ref, memory in walk.memories.items() if relevance[ref].semantic > 0.0]
    return ExpandedHits(near, relevance, is_named=bool(named), notes=known.notes)


_LEAST: Final = 0.001
"""Least weight of a start: a start of weight 0 would lead nowhere."""


def _relevance(
    walk: GraphWalk, scores: Mapping[Node, float], found: CandidateHits, query: str
) -> dict[Ref, Relevance]:
    near = share_of_best({ref: scores.get(ref, 0.0) for ref in walk.memories})
    said = {ref: found.relevance.get(ref, Relevance(0.0, 0.0)) for ref in walk.memories}
    relevant = weigh_evidence(walk.memories.values(), said, query)
    return {
        ref: Relevance(near[ref] * (NEARNESS_ALONE + (1.0 - NEARNESS_ALONE) * one.semantic), one.lexical)
        for ref, one in relevant.items()
    }


def _keys_asked(query: str, entities: Iterable[str]) -> list[Key]:
    """Entities that the caller names, that the question names for sure, and that its words may name."""
    named = (key for entity in entities for key in keys_of_name(entity))
    words = [word for word in name_words(query) if word not in STOP_WORDS]
    guessed = (f"n:{name}" for name in (*words, *map(" ".join, pairwise(words))))
    keys = (*named, *keys_in_question(query, ()), *map(key_of, mentions_in(query)), *guessed)
    return list(dict.fromkeys(keys))[:KEYS_A_HOP]
