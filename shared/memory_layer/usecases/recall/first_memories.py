"""Memories that are known first, whatever is asked: those that a session begins with."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Final, NamedTuple

from memory_layer.domain.filters import Filters
from memory_layer.domain.learning.knowledge_page import STRATEGIES
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.ranking import belief_millionths
from memory_layer.domain.retrieval.candidates import RecordTable, table_of_refs
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.compose_knowledge import is_of_failed_runs
from memory_layer.usecases.recall.find_candidates import (
    NO_INDEX,
    CandidateSearch,
    newest_records,
    newest_unseen,
)
from memory_layer.usecases.recall.judge_candidates import HitReader
from memory_layer.usecases.recall.prompt_candidates import in_standing, rules_among

PINNED_RELEVANCE: Final = 1.0
"""Relevance of what a person has pinned: nothing stands before it."""

WARNINGS: Final = (
    Filters(type=("warning",), standing="trusted"),
    Filters(category=("gotcha",), standing="trusted"),
)

FIRST: Final[tuple[Filters, ...]] = (
    Filters(pinned=True),
    *rules_among(Filters(standing="trusted")),
    *WARNINGS,
)
"""Kinds of memories that are known first, beside proven strategies; the rules are those of every prompt."""


class FirstMemories(NamedTuple):
    """Visible memories that are known first, best first, each with its relevance; and notes on what was missing."""

    memories: tuple[Memory, ...]
    relevance: dict[Ref, float]
    notes: tuple[str, ...]


def first_memories(
    ports: Ports, search: CandidateSearch, reading: HitReader, unseen: Sequence[Ref] | None, depth: int
) -> FirstMemories:
    """Finds what is pinned, the rules and warnings that somebody vouches for, and the latest proven strategies.

    No relevance is judged: the relevance of each is what it matters to the project.

    Args:
        unseen: records that the index has not seen yet; None: there is no index to ask.
        depth: the most that are read of each kind.
    """
    kinds = [_of_standing(search, kind) for kind in FIRST]
    proven = _of_standing(search, STRATEGIES.filters)
    refs, notes = _refs(ports, search, [*kinds, proven], unseen, depth)
    shown = reading.some(list(dict.fromkeys(refs)))
    accepts = [kind.acceptor() for kind in kinds]
    first = [memory for memory in shown if any(accept(memory) for accept in accepts)]
    strategies = _latest_proven(ports, [memory for memory in shown if proven.accept(memory)])
    found = sorted({memory.ref: memory for memory in (*first, *strategies)}.values(), key=_place)
    return FirstMemories(tuple(found), {memory.ref: _relevance(memory) for memory in found}, notes)


def _of_standing(search: CandidateSearch, kind: Filters) -> Filters:
    """Kind as it is asked for: a standing that the caller wants goes before the kind's own."""
    return replace(kind, standing=search.filters.standing or kind.standing)


def _refs(
    ports: Ports,
    search: CandidateSearch,
    kinds: Sequence[Filters],
    unseen: Sequence[Ref] | None,
    depth: int,
) -> tuple[list[Ref], tuple[str, ...]]:
    """Records in the best standing of each kind, and those that the index has not seen; without it the newest."""
    if unseen is not None:
        try:
            found = [ref for kind in kinds for ref in in_standing(ports, search, kind, k=depth).refs()]
        except IndexUnavailable:
            return list(newest_records(ports, search)), (NO_INDEX,)
        return [*found, *newest_unseen(unseen)], ()
    return list(newest_records(ports, search)), (NO_INDEX,)


def _latest_proven(ports: Ports, strategies: Sequence[Memory]) -> list[Memory]:
    """The latest strategies that are proven, as many as a page of knowledge has."""
    latest = sorted(strategies, key=lambda memory: (memory.updated_at, memory.ref), reverse=True)
    return list(islice((one for one in latest if not is_of_failed_runs(ports, one)), STRATEGIES.at_most))


def _place(memory: Memory) -> tuple[bool, float, Ref]:
    return not memory.pinned, -memory.confidence * memory.relevance_score, memory.ref


def _relevance(memory: Memory) -> float:
    return PINNED_RELEVANCE if memory.pinned else memory.relevance_score


def records_in_standing(
    ports: Ports, search: CandidateSearch, *, k: int
) -> tuple[RecordTable, tuple[str, ...]]:
    """Finds the records of highest standing that a search asks for, among the newest while there is no index."""
    try:
        return ports.index.standing(search.scopes, search.filters, search.viewer, now=search.now, k=k), ()
    except IndexUnavailable:
        newest = newest_records(ports, search).values()
        best = sorted(newest, key=lambda memory: (-belief_millionths(memory), memory.ref))
        return table_of_refs(search.project.tenant, [memory.ref for memory in best[:k]]), (NO_INDEX,)
