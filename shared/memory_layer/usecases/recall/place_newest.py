"""Step of a recall: of news that several releases tell in the same words, the newest release's stands first."""

from __future__ import annotations

from typing import Final

from memory_layer.domain.arrays import np, true_rows
from memory_layer.domain.retrieval.facts import is_trusted, stand_back
from memory_layer.domain.retrieval.repeated_news import are_of_releases, asks_of_the_past, newest_first
from memory_layer.domain.retrieval.trust_order import BY_RELEVANCE
from memory_layer.usecases.recall.judge_candidates import Hits
from memory_layer.usecases.recall.rank_hits import RankedHits
from memory_layer.usecases.recall.retrieval import Retrieval

LOOKED_AT: Final = 40
"""Hits among which the newest release's line is looked for, where the first ones are of releases."""


def newest_release_first(retrieval: Retrieval, hits: Hits, ranked: RankedHits, limit: int) -> RankedHits:
    """Ranked hits where lines that say the same of several releases have changed places; scores stay where they are.

    What nobody vouches for changes no place: its author could name any release. Nor does anything where the question
    names a version or a time, or may ask of an earlier release.

    Args:
        retrieval: that has read the first hits.
        hits: whose rows `ranked` names.
        limit: how many are shown.
    """
    search = retrieval.search
    if not are_of_releases(retrieval.reading.known.values()):  # as in most projects
        return ranked
    if search.period is not None or asks_of_the_past(search.query):
        return ranked
    facts = hits.facts[ranked.rows]
    may_change = is_trusted(facts) & ~stand_back(facts)
    if ranked.placed_by is not None:
        may_change &= ranked.placed_by == BY_RELEVANCE
    places = true_rows(may_change)[: max(LOOKED_AT, limit)]
    refs = ranked.records.names(places).refs()
    memories = retrieval.reading.some(refs)
    known = {memory.ref: at for at, memory in enumerate(memories)}
    if len(known) < len(refs):
        places = places[[ref in known for ref in refs]]
    order = newest_first(memories)
    if order == sorted(order):
        return ranked
    changed = np.arange(len(ranked.records))
    changed[places] = places[order]
    return RankedHits(
        ranked.records.names(changed), ranked.rows[changed], ranked.scores, ranked.signals, ranked.placed_by
    )
