"""Search for learnings that say the same in other words: a second run's paraphrase makes no second memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from memory_layer.domain.conflicts.sameness import sameness
from memory_layer.domain.duplicates import DUPLICATE_COSINE
from memory_layer.domain.memory import LEARNING_ID_PREFIX, Memory, Ref, Scope
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.commit import Vector, Vectors
from memory_layer.ports.index import NearQuery
from memory_layer.ports.process import Ports

NEIGHBOURS = 16
"""Nearest contents that are looked at, whatever they are: learnings among notes on one subject."""

SCAN_SLACK = 0.01
"""An index may know vectors less exactly than the store."""


@dataclass(frozen=True, slots=True)
class _Said:
    """Learning with the vector of its words."""

    memory: Memory
    vector: Vector

    def likeness(self, other: _Said) -> float:
        """Cosine to another learning that says the same; 0 where it does not."""
        mine, theirs = self.memory, other.memory
        if theirs.persona != mine.persona or theirs.embedding_model != mine.embedding_model:
            return 0.0
        cosine = float(self.vector @ other.vector)
        if cosine <= DUPLICATE_COSINE:
            return 0.0
        return cosine if sameness(mine.content, theirs.content, cosine) else 0.0


def same_learnings(
    ports: Ports, scope: Scope, new: Iterable[tuple[Memory, Vectors | None]], now: datetime
) -> dict[str, str]:
    """Finds, for new learnings, the ids of those that say the same: of the project, or earlier among the new ones.

    Nothing is found for one without vectors: the review of near-duplicates lists both later.
    """
    found: dict[str, str] = {}
    said = (_Said(memory, vectors.content) for memory, vectors in new if vectors is not None)
    for _, group in groupby(sorted(said, key=_order), key=lambda one: one.memory.persona):
        asked = list(group)
        found |= dict(_pairs(asked, list(_known(ports, scope, asked, now))))
    return found


def _order(one: _Said) -> tuple[str, str]:
    return one.memory.persona or "", one.memory.id


def _pairs(asked: Iterable[_Said], known: list[_Said]) -> Iterator[tuple[str, str]]:
    """Yields new learnings' ids, each with that of the nearest one that says the same; those without join the known."""
    for one in asked:
        likeness, id = max(((one.likeness(other), other.memory.id) for other in known), default=(0.0, ""))
        if likeness:
            yield one.memory.id, id
        else:
            known.append(one)


def _known(ports: Ports, scope: Scope, asked: list[_Said], now: datetime) -> Iterator[_Said]:
    """Yields the project's learnings near to those asked for, also those that the index has not seen yet."""
    near = NearQuery(
        scope=scope,
        vectors=[one.vector for one in asked],
        persona=asked[0].memory.persona,
        now=now,
        k=NEIGHBOURS,
        nearer_than=DUPLICATE_COSINE - SCAN_SLACK,
    )
    for memory, vector in _read(ports, scope, _near_refs(ports, near)):
        if memory.type == "learning" and memory.is_active and not memory.has_expired(now):
            yield _Said(memory, vector)


def _near_refs(ports: Ports, near: NearQuery) -> set[Ref]:
    try:
        position = ports.index.covered(near.scope)
        unseen = [] if position is None else ports.store.memories.written_after(near.scope, position)
        found = ports.index.nearest_contents(near).near
    except IndexUnavailable:
        return set()
    return {ref for refs in (unseen, *found) for ref in refs if ref.id.startswith(LEARNING_ID_PREFIX)}


def _read(ports: Ports, scope: Scope, refs: set[Ref]) -> Iterator[tuple[Memory, Vector]]:
    own = [ref for ref in refs if ref.project == scope.project]
    for memory, vectors in ports.store.memories.with_vectors(scope.tenant, own).values():
        if vectors is not None:
            yield memory, vectors.content
