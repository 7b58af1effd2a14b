"""Detection of near-duplicates among stored and pending records, and of recalled text that is stored again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from memory_layer.domain.access import Principal, Viewer, may_change
from memory_layer.domain.conflicts.contradiction import Contradiction, contradiction, statement_of
from memory_layer.domain.conflicts.point_of_difference import Point, point_of_difference
from memory_layer.domain.duplicates import DUPLICATE_COSINE, repeats_recalled
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.policy import Policy
from memory_layer.errors import CREDIT_TWIN, Duplicate, EmbedderUnavailable, IndexUnavailable, RecalledText
from memory_layer.ports.commit import Vector, Vectors
from memory_layer.ports.index import IndexQuery
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.find_candidates import recalled_scopes
from memory_layer.usecases.recall.redact_answers import as_shown

NEIGHBOURS = 8
"""Candidates for a near-duplicate; the nearest may belong to another persona or be out of date."""

RECALLED_NEIGHBOURS = 20
RECALL_MEMORY = timedelta(days=30)
"""As long as receipts are kept (SPEC 3.32)."""

SCAN_SLACK = 0.01
"""An index may know vectors less exactly than the store: candidates this far below the threshold are measured."""

_WORTH_MEASURING = DUPLICATE_COSINE - SCAN_SLACK


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
        import numpy as np  # late: reading a record does not need it

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
        """Pending records within the duplicate threshold, each with its cosine."""
        cosines = self._vectors[: len(self._with_vector)] @ vector
        return [
            (self._with_vector[at], float(cosines[at])) for at in (cosines > DUPLICATE_COSINE).nonzero()[0]
        ]


@dataclass(frozen=True, slots=True)
class NearDuplicate:
    """Active record that says almost the same, and the point in which it differs.

    Args:
        similarity: a cosine; 1.0 for equal text.
    """

    memory: Memory
    similarity: float
    differs_in: Point | None = None


def find_twin(
    ports: Ports, entry: PendingRecord, uncommitted: PendingBatch, now: datetime
) -> NearDuplicate | None:
    """Finds the record, stored or of this batch, that says the same to the same persona, or else the nearest.

    The record that it corrects (`supersedes`) is no duplicate.
    """
    memory = entry.memory
    stored = ports.store.same_content(memory.scope, memory.content_hash)
    for candidate in (*stored, *uncommitted.same_content(memory.content_hash)):
        if _is_rival(candidate, memory, now):
            return NearDuplicate(candidate, 1.0)
    if entry.vectors is None:
        return None
    return _nearest_rival(ports, entry, entry.vectors, uncommitted, now)


def refuse_same_content(ports: Ports, memory: Memory, now: datetime) -> None:
    """Refuses a record whose content another one has already.

    Raises:
        Duplicate: another active record of its persona has the very same content.
    """
    for candidate in ports.store.same_content(memory.scope, memory.content_hash):
        if _is_rival(candidate, memory, now):
            raise Duplicate(candidate, 1.0, remedies=(CREDIT_TWIN,))


def _is_rival(candidate: Memory, memory: Memory, now: datetime) -> bool:
    return (
        candidate.is_active
        and candidate.persona == memory.persona
        and candidate.id not in (memory.id, memory.supersedes)
        and not candidate.has_expired(now)
    )


def _nearest_rival(
    ports: Ports, entry: PendingRecord, vectors: Vectors, uncommitted: PendingBatch, now: datetime
) -> NearDuplicate | None:
    measured = [
        *_stored_neighbours(ports, entry.memory, vectors, now),
        *uncommitted.near(vectors.content),
    ]
    rivals = [
        NearDuplicate(candidate, similarity, point_of_difference(entry.memory.content, candidate.content))
        for candidate, similarity in measured
        if similarity > DUPLICATE_COSINE and _is_rival(candidate, entry.memory, now)
    ]
    return max(rivals, key=_nearness, default=None)


def _nearness(twin: NearDuplicate) -> tuple[bool, float, str]:
    return twin.differs_in is None, twin.similarity, twin.memory.id


def _stored_neighbours(
    ports: Ports, memory: Memory, vectors: Vectors, now: datetime
) -> list[tuple[Memory, float]]:
    found = _neighbours(ports, memory, vectors, now)
    near = [ref for ref, cosine in found.items() if cosine > _WORTH_MEASURING]
    if not near:
        return []
    exact = ports.store.vectors(memory.scope, [ref.id for ref in near])
    records = ports.store.get_many(memory.tenant, near)
    return [
        (record, float(exact[ref.id].content @ vectors.content))
        for ref, record in records.items()
        if ref.id in exact and record.embedding_model == memory.embedding_model
    ]


def _neighbours(ports: Ports, memory: Memory, vectors: Vectors, now: datetime) -> dict[Ref, float]:
    query = IndexQuery(
        scopes=(memory.scope,),
        text=None,
        vector=vectors.content,
        filters=Filters(),
        viewer=Viewer(memory.persona),
        now=now,
        k=NEIGHBOURS,
        content_only=True,
        nearer_than=_WORTH_MEASURING,
    )
    try:
        return dict(ports.index.search(query).arms.content_semantic)
    except IndexUnavailable:
        return {}  # equal text is still found; the weekly scan finds the rest


def refuse_recalled_text(ports: Ports, entry: PendingRecord, now: datetime) -> None:
    """Refuses a run or learning that repeats recalled text: it adds no evidence.

    Raises:
        RecalledText: with the ids of the memories that were recalled.
    """
    memory = entry.memory
    if memory.source == "human":
        return
    vector = entry.vectors.content if entry.vectors else None
    recalled = _recalled_like(ports, memory.scope, memory.persona, memory.content, vector, now)
    if repeats_recalled(memory.content, [found.content for found in recalled]):
        raise RecalledText(tuple(found.id for found in recalled[:3]))


def recalled_texts_among(
    ports: Ports, scope: Scope, persona: str | None, texts: Sequence[str], now: datetime
) -> set[str]:
    """Texts that repeat what a recall of the project returned, found with one embedding call for all."""
    if not texts:
        return set()
    try:
        vectors: Sequence[Vector | None] = list(ports.embedder.embed(texts))
    except EmbedderUnavailable:
        vectors = [None] * len(texts)
    return {
        text
        for text, vector in zip(texts, vectors, strict=True)
        if repeats_recalled(
            text, [found.content for found in _recalled_like(ports, scope, persona, text, vector, now)]
        )
    }


def _recalled_like(
    ports: Ports, scope: Scope, persona: str | None, text: str, vector: Vector | None, now: datetime
) -> list[Memory]:
    """Memories recalled within 30 days that resemble a text, of the project and of its tenant's shared one."""
    query = IndexQuery(
        scopes=recalled_scopes(scope),
        text=text,
        vector=vector,
        filters=Filters(status=()),
        viewer=Viewer(persona),
        now=now,
        k=RECALLED_NEIGHBOURS,
        content_only=True,
    )
    try:
        arms = ports.index.search(query).arms
    except IndexUnavailable:
        return []
    refs = dict.fromkeys([*arms.content_lexical, *arms.content_semantic])
    recalled = ports.store.recalled_since(scope, refs, now - RECALL_MEMORY)
    found = ports.store.get_many(scope.tenant, [ref for ref in refs if ref in recalled])
    seen = (found[ref] for ref in refs if ref in found)  # the index may be late, and is no authority
    return [memory for memory in seen if query.viewer.may_see(memory.persona)]


def can_coexist(twin: NearDuplicate, memory: Memory) -> bool:
    """True if a memory differs from its twin in a point, and both can hold."""
    return twin.differs_in is not None and twin_contradiction(twin, memory) is None


def duplicate_error(principal: Principal, memory: Memory, twin: NearDuplicate, policy: Policy) -> Duplicate:
    """Builds the refusal of a memory that has a twin, with their difference, quoted as the twin may be shown."""
    known = as_shown(twin.memory, policy.privacy_mode)
    return Duplicate(
        known,
        twin.similarity,
        _difference(memory, known, twin),
        is_yours=may_change(principal, twin.memory),
    )


def _difference(memory: Memory, known: Memory, twin: NearDuplicate) -> str | None:
    """Words for the difference of a memory and its twin; only its kind if redaction hides it; None: they agree."""
    if twin.differs_in is not None:
        shown = point_of_difference(memory.content, known.content)
        return f"this {shown.told}" if shown else f"another {twin.differs_in.kind}"
    found = twin_contradiction(NearDuplicate(known, twin.similarity), memory)
    return None if found is None else found.reason


def twin_contradiction(twin: NearDuplicate, memory: Memory) -> Contradiction | None:
    """Contradiction between a memory and its twin; None: both can hold."""
    return contradiction(statement_of(twin.memory), statement_of(memory), cosine=twin.similarity)
