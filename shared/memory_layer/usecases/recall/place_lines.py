"""Step of a recall: lines of files change places; the newest release's news stands first, and steps stand in order."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from memory_layer.domain.arrays import np, true_rows
from memory_layer.domain.memory import Memory
from memory_layer.domain.retrieval.facts import is_trusted, stand_back
from memory_layer.domain.retrieval.named_sections import named_section
from memory_layer.domain.retrieval.repeated_news import are_of_releases, asks_of_the_past, newest_first
from memory_layer.domain.retrieval.step_order import asked_section, asks_how, in_step_order
from memory_layer.domain.retrieval.trust_order import (
    BY_FILE,
    BY_RELEASE,
    BY_RELEVANCE,
    BY_TRUST,
    FIRST_PLACES,
)
from memory_layer.domain.text.line_order import vouched_place
from memory_layer.usecases.recall.judge_candidates import Hits
from memory_layer.usecases.recall.rank_hits import RankedHits
from memory_layer.usecases.recall.retrieval import Retrieval

LOOKED_AT: Final = 40
"""Hits among which lines of a file are looked for: the newest release's, and further ones of a section."""


@dataclass(frozen=True, slots=True)
class PlacedLines:
    """Hits in their places.

    Args:
        note: that the section which is asked for goes on behind what is shown, and the limit that shows them.
    """

    hits: RankedHits
    note: str | None = None


def lines_in_place(retrieval: Retrieval, hits: Hits, ranked: RankedHits, limit: int) -> PlacedLines:
    """Ranked hits where lines of files have changed places; scores stay where they are.

    Of lines that say the same of several releases the newest stands first, unless the question names a version or a
    time, or may ask of an earlier release. Lines of a section that a question names come first. Steps of another one
    that it asks for stand in the order of their file; where most of the first five places are of their section, what is
    found of it besides stands behind these before all else.
    What nobody vouches for changes no place: its author could name any release, file and number. What stands first as
    it is vouched for may change places with what is vouched for, too: one line of an agent would stop all else.

    Args:
        retrieval: that has read the first hits.
        hits: whose rows `ranked` names.
        limit: how many are shown.
    """
    known, search = retrieval.reading.known.values(), retrieval.search
    has_news = are_of_releases(known) and search.period is None and not asks_of_the_past(search.query)
    are_of_files = any(map(vouched_place, known))
    has_steps = are_of_files and asks_how(search.query)
    is_named = are_of_files and bool(named_section(search.query, list(known)))
    if not (has_news or has_steps or is_named):  # as in most projects
        return PlacedLines(ranked)
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
    by_release = newest_first(memories) if has_news else list(range(len(memories)))
    order, section = by_release, frozenset[int]()
    named = [by_release[at] for at in named_section(search.query, [memories[at] for at in by_release])]
    if named:
        section = frozenset(named)
        order = [*named, *(at for at in by_release if at not in section)]
    elif has_steps and len(places) and places[0] == 0:
        section = frozenset(by_release[at] for at in _asked(search.query, memories, by_release))
        before = int((places < FIRST_PLACES).sum())
        if 2 * len(section.intersection(by_release[:before])) > FIRST_PLACES:
            order = _gathered(by_release, section, before)
        order = _with_steps_in_order(search.query, memories, order, int((places < limit).sum()))
    of_section = np.isin(order, list(section))
    note = _further_lines(places[of_section].tolist(), limit)
    if order == sorted(order):
        return PlacedLines(ranked, note)
    changed = np.arange(len(ranked.records))
    changed[places] = places[order]
    why = np.full(len(changed), BY_RELEVANCE) if ranked.placed_by is None else ranked.placed_by[changed]
    by_news = [memory for place, memory in enumerate(by_release) if memory != place]
    why[places[np.isin(order, by_news) & ~of_section]] = BY_RELEASE
    why[places[np.not_equal(order, by_release) & of_section]] = BY_FILE
    moved = RankedHits(
        ranked.records.names(changed), ranked.rows[changed], ranked.scores, ranked.signals, why
    )
    return PlacedLines(moved, note)


def _asked(question: str, memories: Sequence[Memory], order: Sequence[int]) -> Iterable[int]:
    """Places, in an order of memories, of the lines of the section that is asked for."""
    return asked_section(question, [memories[at] for at in order])


def _gathered(order: Sequence[int], section: Collection[int], first: int) -> list[int]:
    """Order in which the lines of a section stand directly behind the first ones, before what else is found."""
    behind = order[first:]
    own, others = [at for at in behind if at in section], [at for at in behind if at not in section]
    return [*order[:first], *own, *others]


def _with_steps_in_order(
    question: str, memories: Sequence[Memory], order: Sequence[int], shown: int
) -> list[int]:
    """Order of memories in which those among the first `shown` have changed places again."""
    steps = in_step_order(question, [memories[at] for at in order[:shown]])
    return [*(order[at] for at in steps), *order[shown:]]


def _further_lines(places: Sequence[int], limit: int) -> str | None:
    """Sentence on lines of a section that are found and not shown; None: all are. Args: places: ascending."""
    count = sum(place >= limit for place in places)
    if not count:
        return None
    lines = "1 more line" if count == 1 else f"{count} more lines"
    return (
        f"the section that is asked for has {lines} than is shown; ask with limit {places[-1] + 1} for them"
    )
