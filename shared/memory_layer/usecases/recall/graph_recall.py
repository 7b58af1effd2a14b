"""Recall by the graph alone: memories near the entities that a question names, the nearest first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, pairwise
from typing import Final

from memory_layer.domain.arrays import np
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.retrieval.blending import Relevances
from memory_layer.domain.retrieval.candidates import joined, table_of_refs
from memory_layer.domain.retrieval.facts import facts_of
from memory_layer.domain.retrieval.graph import share_of_best
from memory_layer.domain.retrieval.graph_expansion import keys_in_question
from memory_layer.domain.retrieval.mentions import Key, key_of, keys_of_name
from memory_layer.domain.retrieval.own_ties import nearness
from memory_layer.domain.text.analyzer import STOP_WORDS
from memory_layer.domain.text.entity_extraction import mentions_in, name_words
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.find_candidates import CandidateSearch
from memory_layer.usecases.recall.graph_edges import GraphEdges, edges_after_search
from memory_layer.usecases.recall.judge_candidates import (
    CandidateHits,
    HitReader,
    Hits,
)
from memory_layer.usecases.recall.walk_graph import KEYS_A_HOP, GraphWalk, Node, walk_from
from memory_layer.usecases.recall.weigh_evidence import weigh_evidence

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
    named: dict[Node, float] = {key: 1.0 for key in keys if key in graph.nodes}
    start = named
    if not named:
        refs = [memory.ref for memory in around[:STARTS_WITHOUT_NAMES]]
        walk = go(keys=(), refs=refs)
        graph, start = walk.graph(), {ref: max(_LEAST, relevance[ref]) for ref in refs}
    near = _near(walk, nearness(graph, start, walk.voices()), found, known)
    return replace(near, is_named=bool(named), notes=known.notes)


_LEAST: Final = 0.001
"""Least weight of a start: a start of weight 0 would lead nowhere."""


def _near(walk: GraphWalk, scores: Mapping[Node, float], found: CandidateHits, known: GraphEdges) -> Hits:
    """Memories that the walk came near to, with their nearness for relevance, as far as their words bear it out."""
    shares = share_of_best({ref: scores.get(ref, 0.0) for ref in walk.memories})
    refs = [ref for ref in walk.memories if shares[ref] > 0.0]
    said = _said({ref: walk.memories[ref] for ref in refs}, found, known)
    relevant = weigh_evidence(said, known.search).relevances
    near = np.array([shares[ref] for ref in refs])
    by_words = NEARNESS_ALONE + (1.0 - NEARNESS_ALONE) * relevant.semantic
    return replace(said, relevances=Relevances(near * by_words, relevant.lexical))


def _said(memories: Mapping[Ref, Memory], found: CandidateHits, known: GraphEdges) -> Hits:
    """Hits of memories, with the relevance of those that words or meaning found; 0 of the others.

    They are rows of the search itself, or of the index, as far as they are known there, with the facts kept of them.
    """
    tables = [(found.records, found.records.refs())]
    keeps_facts = found.records.facts is not None and known.reading.trusts_facts
    if keeps_facts:
        tables += [(table, refs) for table, refs in known.listed if table.facts is not None]
    starts = accumulate((len(refs) for _, refs in tables), initial=0)
    rows: dict[Ref, int] = {}
    for start, (_, refs) in reversed(list(zip(starts, tables, strict=False))):
        rows.update(zip(refs, range(start, start + len(refs)), strict=True))  # those of the search last
    others = [ref for ref in memories if ref not in rows]
    table = joined([*(table for table, _ in tables), table_of_refs(known.search.project.tenant, others)])
    rows.update(zip(others, range(len(table) - len(others), len(table)), strict=True))
    at = np.array([rows[ref] for ref in memories], np.intp)
    facts = table.facts if keeps_facts and not others else None
    semantic, lexical = (
        np.append(one, np.zeros(len(table) - len(one)))[at]
        for one in (found.relevances.semantic, found.relevances.lexical)
    )
    return Hits(
        table.names(at),
        Relevances(semantic, lexical),
        facts_of(list(memories.values())) if facts is None else facts.take(at),
    )


def _keys_asked(query: str, entities: Iterable[str]) -> list[Key]:
    """Entities that the caller names, that the question names for sure, and that its words may name."""
    named = (key for entity in entities for key in keys_of_name(entity))
    words = [word for word in name_words(query) if word not in STOP_WORDS]
    guessed = (f"n:{name}" for name in (*words, *map(" ".join, pairwise(words))))
    keys = (*named, *keys_in_question(query, ()), *map(key_of, mentions_in(query)), *guessed)
    return list(dict.fromkeys(keys))[:KEYS_A_HOP]
