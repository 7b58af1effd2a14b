"""Records for the tests of the RAM index, and the rows that the feed would make of them."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.files.blob_store import FileBlobStore
from memory_layer.adapters.project_index.coded_column import uncoded_values
from memory_layer.adapters.project_index.filter_columns import (
    INSTANTS,
    LABELS,
    NO_SCORE,
    SCORES,
    TEXTS,
    FilterRows,
)
from memory_layer.adapters.project_index.postings import TermRows
from memory_layer.adapters.project_index.record_batch import RecordBatch, VectorRows
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import Memory, Scope, content_hash, searchable_text
from memory_layer.domain.retrieval.facts import NEVER, facts_of, microseconds
from memory_layer.domain.retrieval.mentions import mention_keys
from memory_layer.domain.text.analyzer import analyze, encode_terms, term_hash

DIMENSIONS = 16
MODEL = "test-model"
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SCOPE = Scope("acme", "shop")

NO_BODIES = Bodies(FileBlobStore(Path("no-such-folder")))
"""For records that are hot: any other would find its words missing."""


def unit_vectors(count: int, seed: int = 0) -> NDArray[np.float32]:
    """Shape (count, DIMENSIONS)."""
    vectors = np.random.default_rng(seed).standard_normal((count, DIMENSIONS)).astype(np.float32)
    unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def memory(id: str = "m1", content: str = "use WAL mode", scope: Scope = SCOPE, **fields: Any) -> Memory:
    given: dict[str, Any] = {
        "created_by": "ada",
        "created_at": NOW,
        "updated_at": NOW,
        "embedding_model": MODEL,
    } | fields
    return Memory(
        id=id,
        tenant=scope.tenant,
        project=scope.project,
        content=content,
        content_hash=content_hash(content),
        **given,
    )


def index_rows(
    keyed: Sequence[tuple[int, Memory]],
    content_vectors: Sequence[NDArray[np.float32] | None] | None = None,
    context_vectors: Sequence[NDArray[np.float32] | None] | None = None,
) -> RecordBatch:
    """What the feed makes of these records under these keys."""
    memories = [record for _, record in keyed]
    return RecordBatch(
        keys=np.array([key for key, _ in keyed], np.int64),
        positions=np.array([record.version for _, record in keyed], np.int64),
        ids=[record.id for record in memories],
        filters=_filter_rows(memories),
        facts=facts_of(memories),
        content_terms=_term_rows([record.content for record in memories]),
        context_terms=_term_rows([searchable_text(record.content, record.context) for record in memories]),
        mentions=_mention_rows(memories),
        content_vectors=_vector_rows(content_vectors or [None] * len(memories)),
        context_vectors=_vector_rows(context_vectors or [None] * len(memories)),
    )


def _filter_rows(memories: Sequence[Memory]) -> FilterRows:
    return FilterRows(
        texts={name: uncoded_values([_text(record, name) for record in memories]) for name in TEXTS},
        scores={
            name: np.array([_thousandths(getattr(record, name)) for record in memories], np.int16)
            for name in SCORES
        },
        instants={
            name: np.array(
                [NEVER if (at := getattr(record, name)) is None else microseconds(at) for record in memories]
            )
            for name in INSTANTS
        },
        labels={name: uncoded_values([getattr(record, name) for record in memories]) for name in LABELS},
    )


def _text(record: Memory, name: str) -> str | None:
    value = record.detail.get(name) if name == "complexity" else getattr(record, name)
    return value if isinstance(value, str) else None


def _thousandths(score: float | None) -> int:
    return NO_SCORE if score is None else round(score * 1000)


def _term_rows(texts: Sequence[str | None]) -> TermRows:
    decoded = [decode_terms(encode_terms(analyze(text or ""))) for text in texts]
    hashes = [hashes for hashes, _ in decoded]
    counts = [counts for _, counts in decoded]
    return TermRows(np.concatenate(hashes), np.concatenate(counts), np.array([len(h) for h in hashes]))


def _mention_rows(memories: Sequence[Memory]) -> TermRows:
    hashes = [sorted({term_hash(key) for key in mention_keys(record)}) for record in memories]
    sizes = np.array([len(of_one) for of_one in hashes], np.int64)
    return TermRows(
        np.array([hash for of_one in hashes for hash in of_one], np.uint32),
        np.ones(sizes.sum(), np.uint8),
        sizes,
    )


def _vector_rows(vectors: Sequence[NDArray[np.float32] | None]) -> VectorRows:
    present = [row for row, vector in enumerate(vectors) if vector is not None]
    stacked = [vector for vector in vectors if vector is not None]
    matrix = np.array(stacked, np.float16).reshape(len(present), DIMENSIONS)
    return VectorRows(np.array(present, np.intp), matrix)


def decode_terms(blob: bytes) -> tuple[NDArray[np.uint32], NDArray[np.uint8]]:
    """What `encode_terms` wrote: hashes and counts, each of shape (n,)."""
    n = len(blob) // 5
    return np.frombuffer(blob, "<u4", n), np.frombuffer(blob, np.uint8, n, offset=4 * n)
