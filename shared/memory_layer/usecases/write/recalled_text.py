"""Detection of recalled text that is stored again: it is no new evidence."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from memory_layer.domain.access import Viewer
from memory_layer.domain.duplicates import repeats_recalled
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import EmbedderUnavailable, IndexUnavailable, RecalledText
from memory_layer.ports.commit import Vector
from memory_layer.ports.index import IndexQuery
from memory_layer.ports.process import Ports, compared_vectors
from memory_layer.usecases.recall.find_candidates import recalled_scopes
from memory_layer.usecases.write.near_duplicates import PendingRecord

RECALLED_NEIGHBOURS = 20
RECALL_MEMORY = timedelta(days=30)
"""As long as receipts are kept (SPEC 3.32)."""


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
    ports: Ports,
    scope: Scope,
    persona: str | None,
    texts: Sequence[str],
    now: datetime,
    *,
    by_words: bool = False,
) -> set[str]:
    """Texts that repeat what a recall of the project returned, found with one embedding call for all.

    Args:
        by_words: they are looked for by their words alone, which costs no embedding.
    """
    if not texts:
        return set()
    unknown: Sequence[Vector | None] = [None] * len(texts)
    try:
        vectors = unknown if by_words else _rows_of(ports, texts)
    except EmbedderUnavailable:
        vectors = unknown
    return {
        text
        for text, vector in zip(texts, vectors, strict=True)
        if repeats_recalled(
            text, [found.content for found in _recalled_like(ports, scope, persona, text, vector, now)]
        )
    }


def _rows_of(ports: Ports, texts: Sequence[str]) -> Sequence[Vector]:
    """Rows of texts, to compare with memories of every model."""
    return compared_vectors(ports.embedder, texts, list(ports.embedder.embed(texts)))


def _recalled_like(
    ports: Ports, scope: Scope, persona: str | None, text: str, vector: Vector | None, now: datetime
) -> list[Memory]:
    """Memories recalled within 30 days that resemble a text, of the project and of its tenant's shared one."""
    query = IndexQuery(
        scopes=recalled_scopes(scope),
        text=text,
        vector=vector,
        filters=Filters(status=()),
        viewer=Viewer.of(persona),
        now=now,
        k=RECALLED_NEIGHBOURS,
        content_only=True,
    )
    try:
        found = ports.index.search(query).candidates
    except IndexUnavailable:
        return []
    refs = dict.fromkeys([*found.ranked("content_lexical"), *found.ranked("content_semantic")])
    recalled = ports.store.receipts.recalled_since(scope, refs, now - RECALL_MEMORY)
    read = ports.store.memories.get_many(scope.tenant, [ref for ref in refs if ref in recalled])
    seen = (read[ref] for ref in refs if ref in read)  # the index may be late, and is no authority
    return [memory for memory in seen if query.viewer.may_see(memory.persona)]
