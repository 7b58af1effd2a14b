"""Feed of changes from SQLite into the RAM index: changed records, and the keys of those that are gone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.filter_cells import FILTER_CELLS, filter_rows_of
from memory_layer.adapters.embedded.ram_index.packed_columns import (
    COUNT,
    Chunk,
    PackedQuery,
    instants_of,
    lines_of,
    numbers_of,
    packed_bytes,
    packed_lines,
    packed_numbers,
    packed_texts,
    texts_of,
)
from memory_layer.adapters.embedded.sqlite.record_rows import OUT_OF_RECALL_SQL
from memory_layer.adapters.project_index.filter_columns import FilterRows
from memory_layer.adapters.project_index.record_batch import RecordBatch, VectorRows
from memory_layer.adapters.project_index.term_blobs import mentions_of_bytes, terms_of_bytes
from memory_layer.domain.doubt import WITNESSES_MIN
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.integrity.digests import joined_search_digest
from memory_layer.domain.resolved_time import times_from_json
from memory_layer.domain.retrieval import facts
from memory_layer.domain.retrieval.told_days import told_days
from memory_layer.domain.retrieval.vector_layout import VectorLayout

_CHUNK_RECORDS: Final = 2_048
"""Records that are read at a time: more take more memory, and no less time."""

_CLOSERS: Final = "'\"' || char(39, 41, 93, 125, 187, 8217, 8221, 12301, 12303) || char({})".format(
    ", ".join(str(code) for code in range(0x3001) if chr(code).isspace())
)
"""SQL of the letters that may follow the last question mark of a question (domain.retrieval.facts.asks)."""
_MARKS: Final = ", ".join(f"char({ord(mark)})" for mark in facts.QUESTION_MARKS)
_HAS_MARK: Final = " OR ".join(f"instr(m.content, char({ord(mark)}))" for mark in facts.QUESTION_MARKS)
_FLAGS: Final = (
    f"CASE m.status WHEN 'active' THEN {facts.IS_ACTIVE} WHEN 'stale' THEN {facts.IS_STALE} ELSE 0 END",
    f"{facts.IS_APPROVED} * (m.approved_by IS NOT NULL)",
    f"{facts.IS_DOUBTED} * (m.doubted IS NOT NULL)",
    f"CASE WHEN m.doubted IS NULL OR NOT json_valid(m.doubted) THEN 0 ELSE {facts.STANDS_BACK}"
    f" * ifnull(json_array_length(m.doubted, '$.witnesses') >= {WITNESSES_MIN}, 0) END",
    f"{facts.IS_PINNED} * (m.pinned <> 0)",
    f"CASE WHEN {_HAS_MARK} THEN {facts.HAS_QUESTION} + {facts.IS_QUESTION}"
    f" * (m.body_bytes IS NULL AND substr(rtrim(m.content, {_CLOSERS}), -1) IN ({_MARKS})) ELSE 0 END",
    f"CASE WHEN m.times <> '[]' THEN {facts.TELLS_DAYS}"
    " WHEN m.session_id IS NULL AND substr(m.said_at, 1, 10) <> substr(m.created_at, 1, 10)"
    f" THEN {facts.TELLS_DAYS | facts.DATED_BY_SOURCE} ELSE 0 END",
)
_NUMBERS: Final = {
    **{
        name: ("<i4", f"min(m.{name}, {facts.AMOUNT_MAX})")
        for name in ("unseconded", "use_count", "worked_weight", "failed_weight")
    },
    "flags": ("<u2", " + ".join(_FLAGS)),
    "chars": ("<i4", f"min(length(m.content), {facts.AMOUNT_MAX})"),
    "position": ("<i4", "ifnull(m.position, -1)"),
}
"""Facts besides the filtered fields, by name: their type, and what they are in SQL."""
_INSTANTS: Final = ("last_used_at", "valid_from", "valid_to", "said_at")

_PARTS: Final = ("content_vector", "context_vector", "content_terms", "context_terms")
"""Columns of a search row, in the order of its digest."""
_COLUMNS: Final = {
    **FILTER_CELLS,
    "key": packed_numbers("m.key"),
    "log_position": packed_numbers("m.log_position"),
    "id": packed_texts("m.id"),
    "embedding_model": packed_texts("m.embedding_model"),
    **{name: packed_bytes(f"s.{name}") for name in _PARTS},
    "parts": packed_bytes(" || ".join(f"ifnull(s.{name}, '')" for name in _PARTS)),
    "sizes": packed_lines(f"json_array({', '.join(f'length(s.{name})' for name in _PARTS)})"),
    "digest": packed_texts("CASE WHEN s.digest IS NOT NULL THEN lower(hex(s.digest)) END"),
    "mentions": packed_bytes("ifnull(t.said, '') || ifnull(t.named, '')"),
    "mentions_size": packed_numbers("ifnull(length(t.said), 0) + ifnull(length(t.named), 0)"),
    **{name: packed_numbers(sql) for name, (_, sql) in _NUMBERS.items()},
    **{name: packed_lines(f"m.{name}") for name in _INSTANTS},
    "times": packed_texts("nullif(m.times, '[]')"),
    "beginning": packed_texts(
        "CASE WHEN instr(substr(m.content, 1, 128), ':') THEN substr(m.content, 1, 130) END"
    ),
}
_CHANGED: Final = PackedQuery(
    _COLUMNS,
    "LEFT JOIN search_rows s ON s.memory_key = m.key LEFT JOIN mentions t ON t.memory_key = m.key",
    f"NOT {OUT_OF_RECALL_SQL.format('m.')}",
)
_GONE: Final = (
    "SELECT memory_key FROM tombstones WHERE project_key = ?1 AND log_position > ?2 UNION ALL"
    f" SELECT key FROM memories WHERE project_key = ?1 AND log_position > ?2 AND {OUT_OF_RECALL_SQL.format('')}"
)


def changed_chunks(connection: sqlite3.Connection, project_key: int, after: int) -> Iterator[Chunk]:
    """Records written after a position of the project's log, as they are now, for `batch_of_chunk` to read."""
    return _CHANGED.chunks(connection, project_key, after, _CHUNK_RECORDS)


def record_count(connection: sqlite3.Connection, project_key: int) -> int:
    """Records of a project, those out of recall among them."""
    sql = "SELECT count(*) FROM memories WHERE project_key = ?"
    return int(connection.execute(sql, (project_key,)).fetchone()[0])


def removed_keys(connection: sqlite3.Connection, project_key: int, after: int) -> list[int]:
    """Keys of the records that were erased, or left recall, after a position of the project's log."""
    return [key for (key,) in connection.execute(_GONE, (project_key, after))]


def batch_of_chunk(chunk: Chunk, project: str, layout: VectorLayout) -> RecordBatch:
    """Turns a chunk of a project's records into columns; vectors of a model that has no block are left out.

    Raises:
        ValueError: the vectors or the terms of a record are not as they were written.
    """
    count = chunk[COUNT]
    ids, lines = texts_of(chunk["id"], count), lines_of(chunk["sizes"], count)
    sizes = _sizes(lines)
    _refuse_damaged(chunk, ids, lines, sizes.sum(axis=1))
    filters, models = filter_rows_of(chunk), texts_of(chunk["embedding_model"], count)
    of = dict(zip(_PARTS, sizes.T, strict=True))
    return RecordBatch(
        keys=numbers_of(chunk["key"], np.int64, count),
        positions=numbers_of(chunk["log_position"], np.int64, count),
        ids=ids,
        filters=filters,
        facts=_facts(chunk, filters, project),
        content_terms=terms_of_bytes(chunk["content_terms"] or b"", of["content_terms"]),
        context_terms=terms_of_bytes(chunk["context_terms"] or b"", of["context_terms"]),
        mentions=mentions_of_bytes(chunk["mentions"], numbers_of(chunk["mentions_size"], np.int64, count)),
        content_vectors=_vectors(chunk["content_vector"] or b"", of["content_vector"], models, layout),
        context_vectors=_vectors(chunk["context_vector"] or b"", of["context_vector"], models, layout),
    )


def _sizes(lines: Sequence[str]) -> NDArray[np.int64]:
    """Bytes of each part of each record, shape (m, parts). Args: lines: JSON arrays."""
    numbers = ",".join(lines).replace("[", "").replace("]", "").replace("null", "0")
    sizes: NDArray[np.int64] = numbers_of(numbers, np.int64, len(lines) * len(_PARTS))
    return sizes.reshape(-1, len(_PARTS))


def _refuse_damaged(chunk: Chunk, ids: Sequence[str], lines: Sequence[str], sizes: NDArray[np.int64]) -> None:
    """Holds vectors and terms against their digests: a changed bit of them would change answers and say nothing."""
    parts, end, digests = chunk["parts"], 0, texts_of(chunk["digest"], len(ids))
    for id, digest, line, size in zip(ids, digests, lines, sizes.tolist(), strict=True):
        begin, end = end, end + size
        if digest is not None and digest != joined_search_digest(
            f"{canonical_json(id)},{line[1:-1]}", parts[begin:end]
        ):
            raise ValueError(f"what {id} is found by is not as it was written; mem verify names it")


def _facts(chunk: Chunk, filters: FilterRows, project: str) -> facts.Facts:
    """Facts of the records, as `facts.facts_of` reads them off records."""
    count = chunk[COUNT]
    found = np.zeros(count, facts.fact_dtype())
    for name in ("confidence", "relevance_score", "outcome_score"):
        found[name] = filters.scores[name]
    for name, (of, _) in _NUMBERS.items():
        found[name] = numbers_of(chunk[name], of, count)
    for name in ("updated_at", "expires_at"):
        found[name] = filters.instants[name]
    found["last_used_at"] = instants_of(chunk["last_used_at"], count, facts.ALWAYS)
    found["valid_from"] = instants_of(chunk["valid_from"], count, facts.ALWAYS)
    found["valid_to"] = instants_of(chunk["valid_to"], count, facts.NEVER)
    own = filters.instants["created_at"]
    for moments in (found["valid_from"], instants_of(chunk["said_at"], count, facts.ALWAYS)):
        own = np.where(moments == facts.ALWAYS, own, moments)
    found["told"] = (own // facts.DAY_US)[:, None, None]
    for row, times in enumerate(texts_of(chunk["times"], count)):
        if times is not None:
            found["told"][row] = told_days(times_from_json(json.loads(times)), 0)
    found["category"] = _each(filters.texts["category"].values, lambda text: facts.category_code(text or ""))
    found["source"] = _each(filters.texts["source"].values, lambda text: facts.source_code(text or ""))
    found["session"] = _each(
        filters.texts["session_id"].values, lambda text: facts.session_hash(project, text)
    )
    for row, beginning in enumerate(texts_of(chunk["beginning"], count)):
        if beginning is not None:
            found["subject"][row] = facts.subject_hashes(beginning)
    return found


def _each(texts: Sequence[str | None], number_of: Callable[[str | None], int]) -> NDArray[np.int64]:
    """Number of the text of each record, worked out once for all that have the same."""
    numbers = {text: number_of(text) for text in set(texts)}
    return np.fromiter(map(numbers.__getitem__, texts), np.int64, len(texts))


def _vectors(
    joined: bytes, sizes: NDArray[np.int64], models: Sequence[str | None], layout: VectorLayout
) -> VectorRows:
    """Rows of the vectors whose model has a block, and that have its length."""
    wanted = _each(models, lambda model: 2 * layout.dimensions.get(model or "", 0))
    records = np.flatnonzero((sizes == wanted) & (sizes > 0))
    if layout.is_plain and len(joined) == 2 * layout.width * len(records):
        return VectorRows(records, np.frombuffer(joined, "<f2").reshape(-1, layout.width))
    starts = np.cumsum(sizes) - sizes
    vectors = [
        np.frombuffer(joined[start : start + size], "<f2")
        for start, size in zip(starts[records].tolist(), sizes[records].tolist(), strict=True)
    ]
    return VectorRows(records, layout.rows([models[record] for record in records.tolist()], vectors))
