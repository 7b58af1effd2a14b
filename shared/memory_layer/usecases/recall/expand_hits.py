"""Third step of a recall: hits expanded by the graph, with records tied to the best hits and to named entities.

Steps: recall.py, find_candidates.py, judge_candidates.py, expand_hits.py, domain/ranking.py.
"""

from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import chain

from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.retrieval import graph_expansion
from memory_layer.domain.retrieval.blending import QUESTION_FACTOR, Relevance
from memory_layer.domain.retrieval.mentions import Key, entity_key, form_of, names_exactly
from memory_layer.domain.text.entity_extraction import name_words_of
from memory_layer.domain.time.entity_events import Link
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.find_candidates import CandidateSearch
from memory_layer.usecases.recall.graph_edges import GraphEdges, edges_after_search
from memory_layer.usecases.recall.judge_candidates import (
    CandidateHits,
    ExpandedHits,
    HitReader,
    weigh_evidence,
)

LINKED_SHARE = 0.5
"""Weight of an entity at the other end of a link, as a share of the named one's."""


def expand_hits(
    ports: Ports,
    search: CandidateSearch,
    hits: Sequence[Memory],
    found: CandidateHits,
    reading: HitReader,
    entities: Sequence[str],
) -> ExpandedHits:
    """Raises hits that the graph ties to the question, and adds tied records that its words alone did not find.

    Cost: one look-up in the index and one read of records more than the hybrid search.

    Args:
        hits: visible, the most relevant first.
        entities: named by the caller.

    Source: ADR-0012.
    """
    relevance = weigh_evidence(hits, found.relevance, search.query)
    scores, there = {ref: one.semantic for ref, one in relevance.items()}, {m.ref: m for m in hits}
    best = [
        there[ref] for ref in nsmallest(graph_expansion.TIES_OF, there, key=lambda ref: (-scores[ref], ref))
    ]
    named = graph_expansion.keys_in_question(search.query, entities)
    known = edges_after_search(ports, search, reading, found)
    shares = _shares(known, named, best, scores)
    more = _brought_in(reading, shares, scores)
    if more:
        relevance |= weigh_evidence(
            more, {m.ref: found.relevance.get(m.ref, _FAR) for m in more}, search.query
        )
    memories = [*hits, *more]
    raised_by_ties = {
        ref: Relevance(graph_expansion.raise_toward_one(one.semantic, shares.get(ref, 0.0)), one.lexical)
        for ref, one in relevance.items()
    }
    near = raise_by_words(memories, raised_by_ties, search.query)
    return ExpandedHits(memories, near, is_named=bool(entities) and bool(more), notes=known.notes)


def raise_by_words(
    memories: Sequence[Memory], relevance: Mapping[Ref, Relevance], query: str
) -> dict[Ref, Relevance]:
    """Relevance raised by the records' own words: answers beside their questions, records about a person named."""
    there = {memory.ref: memory for memory in memories}
    scores = {ref: relevance[ref].semantic for ref in there}
    answered, names = graph_expansion.with_answers(scores, memories, QUESTION_FACTOR), name_words_of(query)
    return {
        ref: Relevance(
            graph_expansion.raise_toward_one(
                answered[ref], graph_expansion.SUBJECT_SHARE * graph_expansion.is_about(m, names)
            ),
            relevance[ref].lexical,
        )
        for ref, m in there.items()
    }


_FAR = Relevance(0.0, 0.0)
"""Relevance of a record that neither words nor meaning found."""


def _shares(
    known: GraphEdges,
    named: Mapping[Key, float],
    best: Sequence[Memory],
    scores: Mapping[Ref, float],
) -> dict[Ref, float]:
    """Share by which each record tied to the question is raised: that of its strongest tie."""
    asked = {**named, **_linked(known.ports, known.search, named)}
    keys = dict(chain(asked.items(), graph_expansion.keys_of_hits(best, scores).items()))
    weights = {key: max(keys[key], asked.get(key, 0.0)) for key in list(keys)[: graph_expansion.KEYS_MAX]}
    shares: dict[Ref, float] = {}
    hub_above = graph_expansion.RARE_MAX**2  # a tie to such a thing would add next to nothing
    for key, mentioning in known.of(list(weights), k=graph_expansion.RARE_MAX, hub_above=hub_above).items():
        if key in asked or graph_expansion.is_rare(mentioning.total):
            for ref, share in graph_expansion.shares_of(
                weights[key], mentioning.total, mentioning.refs
            ).items():
                shares[ref] = max(shares.get(ref, 0.0), share)
    return shares


def _linked(ports: Ports, search: CandidateSearch, named: Iterable[Key]) -> dict[Key, float]:
    """Entities linked to the named ones; only entities of reported events have links."""
    urns = [form_of(key) for key in named if names_exactly(key)]
    links = ports.store.links_of(search.project, urns, as_of=search.now) if urns else {}
    return {entity_key(end): LINKED_SHARE for end in other_ends(links)}


def other_ends(links: Mapping[str, Iterable[Link]]) -> list[str]:
    """Lists each entity at the other end of the links, in order. Args: links: by the entity that was asked about."""
    ends = (end for urn, of_one in links.items() for link in of_one for end in link if end != urn)
    return [end for end in dict.fromkeys(ends) if end not in links]


def _brought_in(reading: HitReader, shares: Mapping[Ref, float], known: Mapping[Ref, float]) -> list[Memory]:
    refs = sorted((ref for ref in shares if ref not in known), key=lambda ref: (-shares[ref], ref))
    return reading.some(refs[: graph_expansion.RARE_MAX]) if refs else []
