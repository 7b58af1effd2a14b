"""Batches of records for the index in RAM, read off the records themselves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index import filter_columns
from memory_layer.adapters.project_index.coded_column import CodedValues
from memory_layer.adapters.project_index.filter_columns import FilterRows
from memory_layer.adapters.project_index.postings import TermRows
from memory_layer.adapters.project_index.record_batch import RecordBatch, VectorRows
from memory_layer.adapters.project_index.term_blobs import terms_of_blobs
from memory_layer.domain.memory import OUT_OF_RECALL, Memory, searchable_text
from memory_layer.domain.retrieval.candidates import identity_of
from memory_layer.domain.retrieval.facts import NEVER, facts_of, microseconds
from memory_layer.domain.retrieval.mentions import mention_keys
from memory_layer.domain.text.analyzer import analyze, encode_terms, term_hash

if TYPE_CHECKING:
    from memory_layer.ports.commit import Vector, Vectors

Embedded = tuple[Memory, "Vectors | None"]
"""Record with all its words, and its vectors."""


def batch_of_records(records: Sequence[Embedded], model: str, dimensions: int) -> RecordBatch:
    """Columns of records; their keys are the numbers by which tables know them, their positions their versions.

    Records out of recall have neither terms nor ties nor vectors. Vectors of another model are left out.
    """
    memories = [memory for memory, _ in records]
    searched = [None if memory.tier in OUT_OF_RECALL else memory for memory in memories]
    vectors = [_current(memory, found, model, dimensions) for memory, found in records]
    return RecordBatch(
        keys=np.array([identity_of(memory.ref) for memory in memories], np.int64),
        positions=np.array([memory.version for memory in memories], np.int64),
        ids=[memory.id for memory in memories],
        filters=_filters(memories),
        facts=facts_of(memories),
        content_terms=terms_of_blobs([_terms(one.content if one else None) for one in searched]),
        context_terms=terms_of_blobs(
            [_terms(searchable_text(one.content, one.context) if one else None) for one in searched]
        ),
        mentions=_ties(searched),
        content_vectors=_vectors([None if found is None else found.content for found in vectors], dimensions),
        context_vectors=_vectors([None if found is None else found.context for found in vectors], dimensions),
    )


def coded(values: Iterable[Any]) -> CodedValues[Any]:
    """Column by its distinct values, which are hashable."""
    codes: dict[Any, int] = {}
    rows = [codes.setdefault(value, len(codes)) for value in values]
    return CodedValues(list(codes), np.array(rows, np.intp))


def _current(memory: Memory, found: Vectors | None, model: str, dimensions: int) -> Vectors | None:
    is_searched = memory.tier not in OUT_OF_RECALL and memory.embedding_model == model
    return found if found is not None and is_searched and len(found.content) == dimensions else None


def _filters(memories: Sequence[Memory]) -> FilterRows:
    labels: dict[str, CodedValues[Sequence[str]]] = {
        name: coded(tuple(getattr(memory, name)) for memory in memories) for name in filter_columns.LABELS
    }
    return FilterRows(
        texts={name: coded(_text(memory, name) for memory in memories) for name in filter_columns.TEXTS},
        scores={name: _scores(memories, name) for name in filter_columns.SCORES},
        instants={name: _instants(memories, name) for name in filter_columns.INSTANTS},
        labels=labels,
    )


def _text(memory: Memory, name: str) -> str | None:
    value = memory.detail.get(name) if name == "complexity" else getattr(memory, name)
    return value if isinstance(value, str) else None


def _scores(memories: Sequence[Memory], name: str) -> NDArray[np.int16]:
    values = [getattr(memory, name) for memory in memories]
    return np.array(
        [filter_columns.NO_SCORE if one is None else round(one * 1000) for one in values], np.int16
    )


def _instants(memories: Sequence[Memory], name: str) -> NDArray[np.int64]:
    moments = [getattr(memory, name) for memory in memories]
    return np.array([NEVER if moment is None else microseconds(moment) for moment in moments], np.int64)


def _terms(text: str | None) -> bytes:
    return b"" if text is None else encode_terms(analyze(text))


def _ties(searched: Sequence[Memory | None]) -> TermRows:
    ties = [sorted({term_hash(key) for key in mention_keys(one)}) if one else [] for one in searched]
    hashes = np.array([hash for of_one in ties for hash in of_one], np.uint32)
    return TermRows(hashes, np.ones(len(hashes), np.uint8), np.array([len(one) for one in ties], np.int64))


def _vectors(vectors: Sequence[Vector | None], dimensions: int) -> VectorRows:
    present = [row for row, vector in enumerate(vectors) if vector is not None]
    found = np.array([vectors[row] for row in present], np.float16).reshape(-1, dimensions)
    return VectorRows(np.array(present, np.intp), found)
