"""Third step of a recall: hits expanded by the graph, with records tied to the best hits and to named entities.

Steps: recall.py, find_candidates.py, judge_candidates.py, expand_hits.py, domain/ranking.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memory_layer.domain.arrays import NDArray, joined_rows, np, true_rows
from memory_layer.domain.retrieval import graph_expansion
from memory_layer.domain.retrieval.blending import QUESTION_FACTOR, Relevances
from memory_layer.domain.retrieval.candidates import (
    Mentioned,
    MentionedRows,
    MentionHash,
    RecordTable,
    Rows,
    best_rows,
    joined,
)
from memory_layer.domain.retrieval.facts import is_about
from memory_layer.domain.retrieval.mentions import Key, entity_key, form_of, mention_keys, names_exactly
from memory_layer.domain.text.analyzer import term_hash
from memory_layer.domain.text.entity_extraction import name_words_of
from memory_layer.domain.time.entity_events import Link
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.find_candidates import CandidateSearch
from memory_layer.usecases.recall.graph_edges import edges_after_search
from memory_layer.usecases.recall.judge_candidates import CandidateHits, HitReader, Hits
from memory_layer.usecases.recall.weigh_evidence import weigh_evidence

if TYPE_CHECKING:
    from memory_layer.domain.retrieval.blending import Column

LINKED_SHARE = 0.5
"""Weight of an entity at the other end of a link, as a share of the named one's."""


def expand_hits(
    ports: Ports,
    search: CandidateSearch,
    hits: Hits,
    found: CandidateHits,
    reading: HitReader,
    entities: Sequence[str],
) -> Hits:
    """Raises hits that the graph ties to the question, and adds tied records that its words alone did not find.

    Cost: one look-up in the index more than the hybrid search.

    Args:
        hits: visible, the most relevant first.
        entities: named by the caller.

    Source: ADR-0012.
    """
    hits = weigh_evidence(hits, search)
    named = graph_expansion.keys_in_question(search.query, entities)
    asked = {**named, **_linked(ports, search, named)}
    known = edges_after_search(ports, search, reading, found)
    keeps_hashes = found.records.facts is not None
    weights = _weights(asked, _keys_of_best(hits, reading, keeps_hashes=keeps_hashes))
    tied = known.of(
        [key for key, _ in weights.values()],
        k=graph_expansion.RARE_MAX,
        hub_above=graph_expansion.RARE_MAX**2,  # a tie to such a thing would add next to nothing
    )
    shares = _shares_of_ties(tied, weights, {term_hash(key) for key in asked})
    more, shares_of_more = _brought_in(tied, shares, hits, found, reading)
    together = _together(hits, weigh_evidence(more, search)) if len(more) else hits
    shares_of_all: Column = np.append(_shares_of(hits.records, tied.records, shares), shares_of_more)
    semantic = graph_expansion.raise_toward_one(together.relevances.semantic, shares_of_all)
    raised = raise_by_words(together, semantic, search.query)
    is_named = bool(entities) and len(more) > 0
    return Hits(raised.records, raised.relevances, raised.facts, is_named, known.notes)


def raise_by_words(hits: Hits, semantic: Column, query: str) -> Hits:
    """Raises relevance by the records' own words: answers beside their questions, records about a person named.

    Args:
        semantic: relevance as of now; shape (hits,).
    """
    answered = graph_expansion.with_answers(semantic, hits.facts, QUESTION_FACTOR)
    about = np.where(is_about(hits.facts, name_words_of(query)), graph_expansion.SUBJECT_SHARE, 0.0)
    semantic = graph_expansion.raise_toward_one(answered, about)
    return hits.with_relevances(Relevances(semantic, hits.relevances.lexical))


Weights = Mapping[MentionHash, tuple[Mentioned, float]]
"""Entities to look up, by hash: key, or hash, and weight, 0..1."""


def _keys_of_best(hits: Hits, reading: HitReader, *, keeps_hashes: bool) -> list[tuple[Mentioned, float]]:
    """Keys that the best hits mention or name, each with the relevance of its hit.

    Args:
        keeps_hashes: the index keeps the hashes of them beside the facts.
    """
    best = hits.order[: graph_expansion.TIES_OF]
    records = hits.records.names(best)
    keys: Iterable[Sequence[Mentioned]]
    if keeps_hashes:
        keys = records.mention_hashes()
    else:
        keys = [sorted(mention_keys(memory), key=_hash_of) for memory in reading.some(records.refs())]
    relevance = hits.relevances.semantic[best].tolist()
    return [(key, weight) for of_one, weight in zip(keys, relevance, strict=True) for key in of_one]


def _hash_of(key: Mentioned) -> MentionHash:
    return key if isinstance(key, int) else term_hash(key)


def _weights(asked: Mapping[Key, float], of_hits: Iterable[tuple[Mentioned, float]]) -> Weights:
    """The first KEYS_MAX entities, those asked about first, each with its greatest weight."""
    weights: dict[MentionHash, tuple[Mentioned, float]] = {}
    for key, weight in (*asked.items(), *of_hits):
        hash = _hash_of(key)
        weights[hash] = key, max(weight, weights[hash][1] if hash in weights else 0.0)
    return {hash: weights[hash] for hash in list(weights)[: graph_expansion.KEYS_MAX]}


def _shares_of_ties(tied: MentionedRows, weights: Weights, asked: set[MentionHash]) -> Column:
    """Share by which each tie raises its record; 0 of ties to entities that distinguish nothing."""
    if not len(tied.records):
        return np.zeros(0)
    is_asked = np.array([hash in asked for hash in weights])
    counts = is_asked | graph_expansion.is_rare(tied.totals)
    of_entities = graph_expansion.shares_of(
        np.array([weight for _, weight in weights.values()]), np.maximum(1, tied.totals)
    )
    return np.asarray((of_entities * counts)[tied.entity_numbers])


def _shares_of(records: RecordTable, tied: RecordTable, shares: Column) -> Column:
    """Share of each record: that of its strongest tie."""
    is_same = records.identities[:, None] == tied.identities
    return np.asarray(np.where(is_same, shares, 0.0).max(axis=1, initial=0.0))


def _brought_in(
    tied: MentionedRows, shares: Column, hits: Hits, found: CandidateHits, reading: HitReader
) -> tuple[Hits, Column]:
    """Records that may be shown and are no hits, by their strongest ties; and the shares of these."""
    is_hit = (tied.records.identities[:, None] == hits.records.identities).any(axis=1)
    rows = true_rows(~is_hit & (shares > 0.0))
    rows = _strongest(tied.records.identities, shares, rows)
    rows = rows[best_rows(shares[rows], tied.records.names(rows), graph_expansion.RARE_MAX)]
    records = tied.records.take(rows)
    visible, facts = reading.visible(records)
    records = records.names(visible)
    return Hits(records, _relevances_of(records, found), facts), shares[rows[visible]]


def _strongest(identities: NDArray[np.int64], shares: Column, rows: Rows) -> Rows:
    """The strongest tie of each record among these rows."""
    rows = rows[np.lexsort((-shares[rows], identities[rows]))]
    same = identities[rows]
    return rows[np.concatenate(([True], same[1:] != same[:-1]))[: len(rows)]]


def _relevances_of(records: RecordTable, found: CandidateHits) -> Relevances:
    """Relevance of records that words or meaning found; 0 of the others."""
    is_same = records.identities[:, None] == found.records.identities
    semantic = np.where(is_same, found.relevances.semantic, 0.0).max(axis=1, initial=0.0)
    lexical = np.where(is_same, found.relevances.lexical, 0.0).max(axis=1, initial=0.0)
    return Relevances(semantic, lexical)


def _together(hits: Hits, more: Hits) -> Hits:
    return Hits(
        joined([hits.records, more.records]),
        Relevances(
            np.concatenate([hits.relevances.semantic, more.relevances.semantic]),
            np.concatenate([hits.relevances.lexical, more.relevances.lexical]),
        ),
        joined_rows([hits.facts, more.facts]),
    )


def _linked(ports: Ports, search: CandidateSearch, named: Iterable[Key]) -> dict[Key, float]:
    """Entities linked to the named ones; only entities of reported events have links."""
    urns = [form_of(key) for key in named if names_exactly(key)]
    events = ports.store.events
    links = events.links_of(search.project, urns, search.viewer, as_of=search.now) if urns else {}
    return {entity_key(end): LINKED_SHARE for end in other_ends(links)}


def other_ends(links: Mapping[str, Iterable[Link]]) -> list[str]:
    """Lists each entity at the other end of the links, in order. Args: links: by the entity that was asked about."""
    ends = (end for urn, of_one in links.items() for link in of_one for end in link if end != urn)
    return [end for end in dict.fromkeys(ends) if end not in links]
