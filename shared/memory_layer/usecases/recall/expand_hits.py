"""The graph beside the hybrid: what the best hits, and the things that a question names, are tied to."""

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
from memory_layer.usecases.recall.graph_edges import GraphEdges, ties_beside
from memory_layer.usecases.recall.judge_candidates import CandidateHits, ExpandedHits, HitReader, judged

LINKED_SHARE = 0.5
"""What a thing that another is linked to weighs of that one."""


def tie_hits(
    ports: Ports,
    search: CandidateSearch,
    hits: Sequence[Memory],
    found: CandidateHits,
    reading: HitReader,
    entities: Sequence[str],
) -> ExpandedHits:
    """Raise what the graph says bears on the question, and bring in what the words alone did not find.

    One look-up in the index and one read of records more than the hybrid takes.

    Args:
        hits: visible, the most relevant first.
        entities: that the caller named.

    Source: ADR-0012.
    """
    relevance = judged(hits, found.relevance, search.query)
    scores, there = {ref: one.semantic for ref, one in relevance.items()}, {m.ref: m for m in hits}
    best = [
        there[ref] for ref in nsmallest(graph_expansion.TIES_OF, there, key=lambda ref: (-scores[ref], ref))
    ]
    named = graph_expansion.keys_in_question(search.query, entities)
    known = ties_beside(ports, search, reading, found)
    shares = _shares(known, named, best, scores)
    more = _brought_in(reading, shares, scores)
    if more:
        relevance |= judged(more, {m.ref: found.relevance.get(m.ref, _FAR) for m in more}, search.query)
    memories = [*hits, *more]
    raised_by_ties = {
        ref: Relevance(graph_expansion.raised(one.semantic, shares.get(ref, 0.0)), one.lexical)
        for ref, one in relevance.items()
    }
    near = hanging_together(memories, raised_by_ties, search.query)
    return ExpandedHits(memories, near, is_named=bool(entities) and bool(more), notes=known.notes)


def hanging_together(
    memories: Sequence[Memory], relevance: Mapping[Ref, Relevance], query: str
) -> dict[Ref, Relevance]:
    """Relevance with what the records themselves tell of each other, and of whom the question names."""
    there = {memory.ref: memory for memory in memories}
    scores = {ref: relevance[ref].semantic for ref in there}
    answered, names = graph_expansion.with_answers(scores, memories, QUESTION_FACTOR), name_words_of(query)
    return {
        ref: Relevance(
            graph_expansion.raised(
                answered[ref], graph_expansion.SUBJECT_SHARE * graph_expansion.is_about(m, names)
            ),
            relevance[ref].lexical,
        )
        for ref, m in there.items()
    }


_FAR = Relevance(0.0, 0.0)
"""Of what neither words nor meaning found."""


def _shares(
    known: GraphEdges,
    named: Mapping[Key, float],
    best: Sequence[Memory],
    scores: Mapping[Ref, float],
) -> dict[Ref, float]:
    """By how much each record that something ties to the question is raised: by the strongest of its ties."""
    asked = {**named, **_linked(known.ports, known.search, named)}
    keys = dict(chain(asked.items(), graph_expansion.keys_of_hits(best, scores).items()))
    weights = {key: max(keys[key], asked.get(key, 0.0)) for key in list(keys)[: graph_expansion.KEYS_MAX]}
    shares: dict[Ref, float] = {}
    hub_above = graph_expansion.RARE_MAX**2  # a tie to such a thing would add next to nothing
    for key, told in known.of(list(weights), k=graph_expansion.RARE_MAX, hub_above=hub_above).items():
        if key in asked or graph_expansion.is_rare(told.total):
            for ref, share in graph_expansion.shares_of(weights[key], told.total, told.refs).items():
                shares[ref] = max(shares.get(ref, 0.0), share)
    return shares


def _linked(ports: Ports, search: CandidateSearch, named: Iterable[Key]) -> dict[Key, float]:
    """The things at the other ends of the links of what is named. Only what somebody has told of has any."""
    urns = [form_of(key) for key in named if names_exactly(key)]
    links = ports.store.links_of(search.project, urns, as_of=search.now) if urns else {}
    return {entity_key(end): LINKED_SHARE for end in other_ends(links)}


def other_ends(links: Mapping[str, Iterable[Link]]) -> list[str]:
    """Each entity that these are linked to, in order. Args: links: by the entity that was asked about."""
    ends = (end for urn, of_one in links.items() for link in of_one for end in link if end != urn)
    return [end for end in dict.fromkeys(ends) if end not in links]


def _brought_in(reading: HitReader, shares: Mapping[Ref, float], known: Mapping[Ref, float]) -> list[Memory]:
    refs = sorted((ref for ref in shares if ref not in known), key=lambda ref: (-shares[ref], ref))
    return reading.some(refs[: graph_expansion.RARE_MAX]) if refs else []
