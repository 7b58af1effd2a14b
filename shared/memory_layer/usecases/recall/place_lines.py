"""Step of a recall: lines of files change places; the newest release's news stands first, and steps stand in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memory_layer.domain.arrays import np, true_rows
from memory_layer.domain.memory import Memory
from memory_layer.domain.retrieval.facts import is_trusted, stand_back
from memory_layer.domain.retrieval.repeated_news import are_of_releases, asks_of_the_past, newest_first
from memory_layer.domain.retrieval.step_order import asks_how, in_step_order
from memory_layer.domain.retrieval.trust_order import BY_RELEVANCE, BY_TRUST
from memory_layer.domain.text.line_order import file_place
from memory_layer.usecases.recall.judge_candidates import Hits
from memory_layer.usecases.recall.rank_hits import RankedHits
from memory_layer.usecases.recall.retrieval import Retrieval

LOOKED_AT: Final = 40
"""Hits among which the newest release's line is looked for, where the first ones are of releases."""


def lines_in_place(retrieval: Retrieval, hits: Hits, ranked: RankedHits, limit: int) -> RankedHits:
    """Ranked hits where lines of files have changed places; scores stay where they are.

    Of lines that say the same of several releases the newest stands first, unless the question names a version or a
    time, or may ask of an earlier release. Steps that a question asks for stand in the order of their file.
    What nobody vouches for changes no place: its author could name any release, file and number. What stands first as
    it is vouched for may change places with what is vouched for, too: one line of an agent would stop all else.

    Args:
        retrieval: that has read the first hits.
        hits: whose rows `ranked` names.
        limit: how many are shown.
    """
    known, search = retrieval.reading.known.values(), retrieval.search
    has_news = are_of_releases(known) and search.period is None and not asks_of_the_past(search.query)
    has_steps = asks_how(search.query) and any(map(file_place, known))
    if not (has_news or has_steps):  # as in most projects
        return ranked
    facts = hits.facts[ranked.rows]
    may_change = is_trusted(facts) & ~stand_back(facts)
    if ranked.placed_by is not None:
        may_change &= np.isin(ranked.placed_by, (BY_RELEVANCE, BY_TRUST))
    places = true_rows(may_change)[: max(LOOKED_AT, limit)]
    refs = ranked.records.names(places).refs()
    memories = retrieval.reading.some(refs)
    read = {memory.ref for memory in memories}
    if len(read) < len(refs):
        places = places[[ref in read for ref in refs]]
    order = newest_first(memories) if has_news else list(range(len(memories)))
    if has_steps and len(places) and places[0] == 0:
        order = _with_steps_in_order(search.query, memories, order, int((places < limit).sum()))
    if order == sorted(order):
        return ranked
    changed = np.arange(len(ranked.records))
    changed[places] = places[order]
    return RankedHits(
        ranked.records.names(changed), ranked.rows[changed], ranked.scores, ranked.signals, ranked.placed_by
    )


def _with_steps_in_order(
    question: str, memories: Sequence[Memory], order: Sequence[int], shown: int
) -> list[int]:
    """Order of memories in which those among the first `shown` have changed places again."""
    steps = in_step_order(question, [memories[at] for at in order[:shown]])
    return [*(order[at] for at in steps), *order[shown:]]
