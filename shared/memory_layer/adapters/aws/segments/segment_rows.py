"""Rows of a segment: what a project's records are found, listed and counted by, as columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.project_index.coded_column import CodedValues
from memory_layer.adapters.project_index.filter_columns import FilterRows
from memory_layer.adapters.project_index.memory_batch import batch_of_records, coded
from memory_layer.adapters.project_index.postings import TermRows
from memory_layer.adapters.project_index.record_batch import RecordBatch, VectorRows
from memory_layer.domain.arrays import joined_rows
from memory_layer.domain.memory import OUT_OF_RECALL, Memory
from memory_layer.ports.commit import Vectors

Keys = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeRecord:
    """Record as it is stored. Args: memory: with all its words; said_bytes: size of these, `body_bytes` of its body."""

    memory: Memory
    vectors: Vectors | None
    said_bytes: int
    body_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentRows:
    """Rows of n records, each key once.

    Args:
        batch: of all, those out of recall among them, without terms and vectors.
        models: names of the models of their vectors; None: they have none.
        sizes: by `bytes` and `body_bytes`, shape (n,).
    """

    batch: RecordBatch
    models: CodedValues[str | None]
    sizes: Mapping[str, NDArray[np.int64]]

    def __len__(self) -> int:
        return len(self.batch.keys)

    def take(self, rows: NDArray[np.intp]) -> SegmentRows:
        """Some of the rows, by ascending position; no dictionary names what they do not have."""
        return SegmentRows(
            batch=_pruned(self.batch.take(rows)),
            models=_of_used(self.models.take(rows)),
            sizes={name: sizes[rows] for name, sizes in self.sizes.items()},
        )

    def without(self, keys: Keys) -> SegmentRows:
        """Rows of the other records."""
        kept = ~np.isin(self.batch.keys, keys)
        return self if kept.all() else self.take(np.flatnonzero(kept))

    @property
    def is_searched(self) -> NDArray[np.bool_]:
        """Tests which records recalls search; the others are listed and counted alone."""
        tiers = self.batch.filters.texts["tier"]
        return np.array([tier not in OUT_OF_RECALL for tier in tiers.values], np.bool_)[tiers.rows]

    def is_of(self, model: str) -> NDArray[np.bool_]:
        """Tests which records name this model."""
        return np.array([name == model for name in self.models.values], np.bool_)[self.models.rows]


def rows_of(records: Sequence[WholeRecord], model: str, dimensions: int) -> SegmentRows:
    """Rows of records. Args: model, dimensions: of the vectors that are kept."""
    batch = batch_of_records([(record.memory, record.vectors) for record in records], model, dimensions)
    sizes = {
        "bytes": np.array([record.said_bytes for record in records], np.int64),
        "body_bytes": np.array([record.body_bytes for record in records], np.int64),
    }
    models = coded(record.memory.embedding_model for record in records)
    return SegmentRows(batch=batch, models=models, sizes=sizes)


def merged(parts: Sequence[SegmentRows]) -> SegmentRows:
    """Rows of several segments, older ones first: of a record in several, the newest rows hold."""
    left, seen = list[SegmentRows](), np.empty(0, np.int64)
    for part in reversed(parts):
        left.append(part.without(seen))
        seen = np.concatenate((seen, part.batch.keys))
    return _joined([part for part in reversed(left) if len(part)] or [parts[0].take(np.empty(0, np.intp))])


def _joined(parts: Sequence[SegmentRows]) -> SegmentRows:
    if len(parts) == 1:
        return parts[0]
    batches = [part.batch for part in parts]
    starts = np.cumsum([0, *(len(part) for part in parts)])[:-1].tolist()
    return SegmentRows(
        batch=RecordBatch(
            keys=np.concatenate([batch.keys for batch in batches]),
            positions=np.concatenate([batch.positions for batch in batches]),
            ids=[id for batch in batches for id in batch.ids],
            filters=_joined_filters([batch.filters for batch in batches]),
            facts=joined_rows([batch.facts for batch in batches]),
            content_terms=_joined_terms([batch.content_terms for batch in batches]),
            context_terms=_joined_terms([batch.context_terms for batch in batches]),
            mentions=_joined_terms([batch.mentions for batch in batches]),
            content_vectors=_joined_vectors([batch.content_vectors for batch in batches], starts),
            context_vectors=_joined_vectors([batch.context_vectors for batch in batches], starts),
        ),
        models=_joined_codes([part.models for part in parts]),
        sizes=_each(lambda name: np.concatenate([part.sizes[name] for part in parts]), parts[0].sizes),
    )


def _joined_filters(parts: Sequence[FilterRows]) -> FilterRows:
    first = parts[0]
    return FilterRows(
        texts=_each(lambda name: _joined_codes([part.texts[name] for part in parts]), first.texts),
        scores=_each(lambda name: np.concatenate([part.scores[name] for part in parts]), first.scores),
        instants=_each(lambda name: np.concatenate([part.instants[name] for part in parts]), first.instants),
        labels=_each(lambda name: _joined_codes([part.labels[name] for part in parts]), first.labels),
    )


def _each(of: Callable[[str], Any], names: Mapping[Any, Any]) -> dict[Any, Any]:
    return {name: of(name) for name in names}


def _joined_codes(parts: Sequence[CodedValues[Any]]) -> CodedValues[Any]:
    codes: dict[Any, int] = {}
    rows = [
        np.array([codes.setdefault(value, len(codes)) for value in part.values], np.intp)[part.rows]
        for part in parts
    ]
    return CodedValues(list(codes), np.concatenate(rows))


def _joined_terms(parts: Sequence[TermRows]) -> TermRows:
    return TermRows(
        np.concatenate([part.hashes for part in parts]),
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.sizes for part in parts]),
    )


def _joined_vectors(parts: Sequence[VectorRows], starts: Sequence[int]) -> VectorRows:
    """Vectors of all parts that are as long as those of the newest: others are of a model that is gone."""
    dimensions = parts[-1].vectors.shape[1]
    held = [
        (part, start)
        for part, start in zip(parts, starts, strict=True)
        if len(part.records) and part.vectors.shape[1] == dimensions
    ]
    if not held:
        return VectorRows(np.empty(0, np.intp), np.empty((0, dimensions), np.float16))
    return VectorRows(
        np.concatenate([part.records + start for part, start in held]),
        np.concatenate([part.vectors for part, _ in held]),
    )


def _pruned(batch: RecordBatch) -> RecordBatch:
    filters = replace(
        batch.filters,
        texts={name: _of_used(texts) for name, texts in batch.filters.texts.items()},
        labels={name: _of_used(labels) for name, labels in batch.filters.labels.items()},
    )
    return replace(batch, filters=filters)


def _of_used(column: CodedValues[Any]) -> CodedValues[Any]:
    """Column whose dictionary has the values in use alone: what was erased is not named any more."""
    is_used = np.zeros(len(column.values), np.bool_)
    is_used[column.rows] = True
    places = np.cumsum(is_used) - 1
    values = [value for value, used in zip(column.values, is_used.tolist(), strict=True) if used]
    return CodedValues(values, places[column.rows].astype(np.intp))
