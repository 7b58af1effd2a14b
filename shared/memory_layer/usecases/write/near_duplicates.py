"""Detection of near-duplicates among stored and pending records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from memory_layer.domain.arrays import np
from memory_layer.domain.conflicts.contradiction import CANDIDATE_COSINE, may_contradict
from memory_layer.domain.conflicts.pair_verdict import is_in_force
from memory_layer.domain.duplicates import DUPLICATE_COSINE
from memory_layer.domain.memory import OUT_OF_RECALL, STUB_MAX_CHARS, Memory, Ref, Scope
from memory_layer.domain.outcome import ARCHIVE_BELOW_SCORE
from memory_layer.domain.trust import vouches_less
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.commit import Vector, Vectors
from memory_layer.ports.index import NearContents, NearQuery
from memory_layer.ports.process import Ports
from memory_layer.usecases.write.comparable_rows import are_comparable, row_of, stored_row
from memory_layer.usecases.write.near_verdicts import NearDuplicate, judge_near, judge_related
from memory_layer.usecases.write.same_content import is_rival
from memory_layer.usecases.write.unseen_contents import Unseen, near_unseen, read_unseen

NEIGHBOURS = 8
"""Candidates for a near-duplicate or a contradiction; the nearest may belong to another persona or be out of date."""

SCAN_SLACK = 0.01
"""An index may know vectors less exactly than the store: candidates this far below the threshold are measured."""

_WORTH_MEASURING = DUPLICATE_COSINE - SCAN_SLACK

_RELATED = CANDIDATE_COSINE - SCAN_SLACK
"""Cosine from which on a record may say otherwise, in other words."""


@dataclass(frozen=True, slots=True)
class PendingRecord:
    """Record on its way into the store, with its vectors if the embedder is up."""

    memory: Memory
    vectors: Vectors | None


class PendingBatch:
    """Records that a batch is about to store; the batch's later lines are compared with them.

    Args:
        capacity: lines of the batch, at most.
        dimensions: of the vectors.
    """

    def __init__(self, capacity: int, dimensions: int) -> None:
        self._with_vector: list[Memory] = []
        self._vectors = np.empty((capacity, dimensions), np.float32)
        self._by_content: dict[str, list[Memory]] = defaultdict(list)

    def add(self, entry: PendingRecord) -> None:
        self._by_content[entry.memory.content_hash].append(entry.memory)
        if entry.vectors is not None:
            self._vectors[len(self._with_vector)] = entry.vectors.content
            self._with_vector.append(entry.memory)

    def same_content(self, content_hash: str) -> list[Memory]:
        return self._by_content.get(content_hash, [])

    def near(self, vector: Vector) -> list[tuple[Memory, float]]:
        """Pending records within the duplicate threshold, and the nearest related ones, each with its cosine."""
        cosines = self._vectors[: len(self._with_vector)] @ vector
        near = (cosines >= CANDIDATE_COSINE).nonzero()[0]
        if len(near) > NEIGHBOURS:
            least = min(DUPLICATE_COSINE, float(np.partition(cosines[near], -NEIGHBOURS)[-NEIGHBOURS]))
            near = near[cosines[near] >= least]
        return [(self._with_vector[at], float(cosines[at])) for at in near]


@dataclass(frozen=True, slots=True)
class StoredNear:
    """Stored records near to a pending one.

    Args:
        near: with their cosines as the index knows them; from `_RELATED` on.
        related: those of them that may say otherwise and are too far to say the same, as they are stored.
        seen: as ports.index.NearContents.
        same: those with the very same content; None: nobody has looked.
    """

    near: Mapping[Ref, float]
    related: Mapping[Ref, Memory]
    seen: int | None = None
    same: Sequence[Memory] | None = None

    def measured(self, project: str) -> list[Ref]:
        """Records of a project that may say the same: each is compared as it is stored, whatever comes of it."""
        return [
            ref for ref, cosine in self.near.items() if cosine > _WORTH_MEASURING and ref.project == project
        ]


NOTHING_NEAR: Final = StoredNear({}, {})


def search_known(
    ports: Ports, entries: Sequence[PendingRecord], now: datetime, unseen: Unseen | None = None
) -> list[StoredNear]:
    """Searches for the stored records near to each pending one, and for its very content, side by side.

    Args:
        unseen: read before; None: it is read now.
    """
    found, same = ports.together.both(
        lambda: search_near(ports, entries, now, unseen), lambda: [_same_content(ports, e) for e in entries]
    )
    return [replace(near, same=equal) for near, equal in zip(found, same, strict=True)]


def _same_content(ports: Ports, entry: PendingRecord) -> list[Memory]:
    return ports.store.memories.same_content(entry.memory.scope, entry.memory.content_hash)


def search_near(
    ports: Ports, entries: Sequence[PendingRecord], now: datetime, unseen: Unseen | None = None
) -> list[StoredNear]:
    """Searches for the stored records near to each pending one, in one pass for each persona."""
    by_persona: dict[str | None, list[tuple[int, Vector]]] = defaultdict(list)
    for line, entry in enumerate(entries):
        if entry.vectors is not None:
            by_persona[entry.memory.persona].append((line, row_of(ports, entry.memory, entry.vectors)))
    found = [NOTHING_NEAR] * len(entries)
    for persona, lines in by_persona.items():
        scope, vectors = entries[0].memory.scope, [vector for _, vector in lines]
        answer = _nearest_contents(ports, scope, persona, vectors, now, unseen)
        texts = [entries[line].memory.content for line, _ in lines]
        related = _related_records(ports, scope, texts, answer)
        for (line, _), near, others in zip(lines, answer.near, related, strict=True):
            found[line] = StoredNear(near, others, answer.seen)
    return found


def _related_records(
    ports: Ports, scope: Scope, texts: Sequence[str], answer: NearContents
) -> list[Mapping[Ref, Memory]]:
    """Reads the records that are too far for a duplicate and may contradict their text, all of a batch at once."""
    asked = [
        [ref for ref, cosine in near.items() if cosine <= _WORTH_MEASURING and ref.project == scope.project]
        for near in answer.near
    ]
    ids = {ref.id for refs in asked for ref in refs}
    contents = ports.store.memories.stored_contents(scope, ids) if ids else {}
    may_matter = [
        [ref for ref in refs if ref.id in contents and _may_matter(text, contents[ref.id])]
        for text, refs in zip(texts, asked, strict=True)
    ]
    wanted = {ref for refs in may_matter for ref in refs}
    records = ports.store.memories.get_many(scope.tenant, wanted) if wanted else {}
    return [{ref: records[ref] for ref in refs if ref in records} for refs in may_matter]


def _may_matter(text: str, stored: str) -> bool:
    """Tests if a known content may contradict a text; of a stub the end is not known."""
    return len(stored) == STUB_MAX_CHARS or may_contradict(text, stored)


def _nearest_contents(
    ports: Ports,
    scope: Scope,
    persona: str | None,
    vectors: Sequence[Vector],
    now: datetime,
    unseen: Unseen | None,
) -> NearContents:
    query = NearQuery(
        scope=scope, vectors=vectors, persona=persona, now=now, k=NEIGHBOURS, nearer_than=_RELATED
    )
    unseen = read_unseen(ports, scope) if unseen is None else unseen
    try:
        if isinstance(unseen, IndexUnavailable):
            raise unseen
        found, news = ports.together.both(
            lambda: ports.index.nearest_contents(query),
            lambda: near_unseen(ports, scope, unseen, vectors, _RELATED),
        )
    except IndexUnavailable:  # equal text is still found; the weekly scan finds the rest
        return NearContents(({},) * len(vectors))
    if not unseen:
        return found
    both = ({**late, **near} for late, near in zip(news, found.near, strict=True))
    return replace(found, near=tuple(map(_nearest_of, both)))


def _nearest_of(near: Mapping[Ref, float]) -> dict[Ref, float]:
    """The nearest records, and all that may be duplicates."""
    ranked = sorted(near.items(), key=lambda item: (-item[1], item[0]))
    return dict(ranked[:NEIGHBOURS]) | {ref: cosine for ref, cosine in ranked if cosine > _WORTH_MEASURING}


def find_near(
    ports: Ports,
    entry: PendingRecord,
    uncommitted: PendingBatch,
    now: datetime,
    stored_near: StoredNear | None = None,
) -> list[NearDuplicate]:
    """Finds the records, stored or of this batch, near to a new one and for the same persona.

    The record that it corrects (`supersedes`) is none of them, nor is one that says the same and is vouched for less.

    Args:
        stored_near: as `search_near` or `search_known` found them; None: they are searched for now.

    Returns:
        First what says the same, then what says otherwise of the same thing, then the nearest.
    """
    memory = entry.memory
    same = None if stored_near is None else stored_near.same
    stored = _same_content(ports, entry) if same is None else same
    for candidate in (*stored, *uncommitted.same_content(memory.content_hash)):
        if is_rival(candidate, memory, now) and not vouches_less(candidate, memory):
            return [NearDuplicate(candidate, 1.0, is_covered=True)]
    if entry.vectors is None:
        return []
    found = stored_near or search_near(ports, [entry], now)[0]
    rivals = _rivals(ports, entry, entry.vectors, uncommitted, found, now)
    return sorted(rivals, key=_nearness, reverse=True)


def find_twin(
    ports: Ports,
    entry: PendingRecord,
    uncommitted: PendingBatch,
    now: datetime,
    stored_near: StoredNear | None = None,
) -> NearDuplicate | None:
    """First of what `find_near` finds."""
    return next(iter(find_near(ports, entry, uncommitted, now, stored_near)), None)


def _rivals(
    ports: Ports,
    entry: PendingRecord,
    vectors: Vectors,
    uncommitted: PendingBatch,
    stored: StoredNear,
    now: datetime,
) -> list[NearDuplicate]:
    related = ((known, stored.near[ref]) for ref, known in stored.related.items())
    candidates = (
        *_measured(ports, entry.memory, vectors, stored.measured(entry.memory.project)),
        *uncommitted.near(vectors.content),
        *(one for one in related if are_comparable(ports, entry.memory, one[0])),
    )
    judged = (
        _judged(entry.memory, candidate, similarity, now)
        for candidate, similarity in candidates
        if is_rival(candidate, entry.memory, now) and _is_searched(candidate)
    )
    return [near for near in judged if near is not None and not _is_lesser_twin(near, entry.memory)]


def _is_lesser_twin(near: NearDuplicate, memory: Memory) -> bool:
    return near.is_same and vouches_less(near.memory, memory)


def _judged(memory: Memory, candidate: Memory, similarity: float, now: datetime) -> NearDuplicate | None:
    if similarity > DUPLICATE_COSINE:
        return judge_near(memory, candidate, similarity)
    return judge_related(memory, candidate, similarity) if is_in_force(candidate, now) else None


def _is_searched(candidate: Memory) -> bool:
    """Tests if an index may name the record: the index is no authority."""
    return candidate.tier not in OUT_OF_RECALL and candidate.outcome_score >= ARCHIVE_BELOW_SCORE


def _nearness(twin: NearDuplicate) -> tuple[bool, bool, bool, float, str]:
    has_otherwise = twin.says_otherwise is not None
    return twin.is_same, has_otherwise, twin.is_covered, twin.similarity, twin.memory.id


def _measured(
    ports: Ports, memory: Memory, vectors: Vectors, near: Sequence[Ref]
) -> list[tuple[Memory, float]]:
    """Records that an index found, as they are stored now, with exact cosines."""
    if not near:
        return []
    records, exact = ports.together.both(
        lambda: ports.store.memories.get_many(memory.tenant, near),
        lambda: ports.store.memories.vectors(memory.scope, [ref.id for ref in near]),
    )
    row = row_of(ports, memory, vectors)
    return [
        (record, float(there @ row))
        for ref, record in records.items()
        if ref.id in exact and are_comparable(ports, memory, record)
        if (there := stored_row(ports, record, exact[ref.id].content)) is not None
    ]
