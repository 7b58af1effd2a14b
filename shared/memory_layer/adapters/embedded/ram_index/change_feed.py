"""Feed of changes from SQLite into the RAM index: changed records, and the keys of those that are gone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.filter_cells import FILTER_CELLS, filter_rows_of, instants
from memory_layer.adapters.embedded.sqlite.record_rows import OUT_OF_RECALL_SQL
from memory_layer.adapters.project_index.coded_column import CodedValues
from memory_layer.adapters.project_index.filter_columns import FilterRows
from memory_layer.adapters.project_index.record_batch import RecordBatch, VectorRows
from memory_layer.adapters.project_index.term_blobs import mentions_of_blobs, terms_of_blobs
from memory_layer.domain.doubt import WITNESSES_MIN
from memory_layer.domain.integrity.digests import search_digest
from memory_layer.domain.resolved_time import times_from_json
from memory_layer.domain.retrieval import facts
from memory_layer.domain.retrieval.told_days import told_days
from memory_layer.domain.retrieval.vector_layout import VectorLayout

Chunk = list[tuple[Any, ...]]
"""Rows as SQLite gives them."""

_CHUNK_RECORDS = 512
"""Rows that are objects of Python's at a time: an eighth of what is quickest, and nearly as quick."""

_CLOSERS = "'\"' || char(39, 41, 93, 125, 187, 8217, 8221, 12301, 12303) || char({})".format(
    ", ".join(str(code) for code in range(0x3001) if chr(code).isspace())
)
"""SQL of the letters that may follow the last question mark of a question (domain.retrieval.facts.asks)."""
_MARKS = ", ".join(f"char({ord(mark)})" for mark in facts.QUESTION_MARKS)
_FACTS = (
    ("unseconded", "m.unseconded"),
    ("use_count", "m.use_count"),
    ("worked_weight", "m.worked_weight"),
    ("failed_weight", "m.failed_weight"),
    ("last_used_at", "m.last_used_at"),
    ("valid_from", "m.valid_from"),
    ("valid_to", "m.valid_to"),
    ("times", "nullif(m.times, '[]')"),
    ("said_at", "m.said_at"),
    (
        "tells_days",
        "m.times <> '[]' OR m.session_id IS NULL AND substr(m.said_at, 1, 10) <> substr(m.created_at, 1, 10)",
    ),
    ("is_approved", "m.approved_by IS NOT NULL"),
    ("is_doubted", "m.doubted IS NOT NULL"),
    (
        "stands_back",
        "CASE WHEN m.doubted IS NULL OR NOT json_valid(m.doubted) THEN 0 "
        f"ELSE ifnull(json_array_length(m.doubted, '$.witnesses') >= {WITNESSES_MIN}, 0) END",
    ),
    ("pinned", "m.pinned"),
    ("chars", "length(m.content)"),
    ("is_question", f"m.body_bytes IS NULL AND substr(rtrim(m.content, {_CLOSERS}), -1) IN ({_MARKS})"),
    (
        "has_question",
        " OR ".join(f"instr(m.content, char({ord(mark)})) > 0" for mark in facts.QUESTION_MARKS),
    ),
    ("position", "m.position"),
    ("beginning", "CASE WHEN instr(substr(m.content, 1, 128), ':') THEN substr(m.content, 1, 130) END"),
)
"""What facts need besides the filtered fields, by name, in SQL."""

_COLUMNS = (
    "m.key",
    "m.log_position",
    "m.id",
    *(sql for _, sql in FILTER_CELLS),
    "s.content_terms",
    "s.context_terms",
    "s.content_vector",
    "s.context_vector",
    "s.digest",
    "t.said",
    "t.named",
    *(sql for _, sql in _FACTS),
)
_NAMES = (
    *("key", "log_position", "id"),
    *(name for name, _ in FILTER_CELLS),
    *("content_terms", "context_terms", "content_vector", "context_vector", "search_digest", "said", "named"),
    *(name for name, _ in _FACTS),
)
_CHANGED = (
    f"SELECT {', '.join(_COLUMNS)} FROM memories m LEFT JOIN search_rows s ON s.memory_key = m.key"
    " LEFT JOIN mentions t ON t.memory_key = m.key"
    f" WHERE m.project_key = ?1 AND m.log_position > ?2 AND NOT {OUT_OF_RECALL_SQL.format('m.')}"
)
_GONE = (
    "SELECT memory_key FROM tombstones WHERE project_key = ?1 AND log_position > ?2 UNION ALL"
    f" SELECT key FROM memories WHERE project_key = ?1 AND log_position > ?2 AND {OUT_OF_RECALL_SQL.format('')}"
)


def changed_chunks(connection: sqlite3.Connection, project_key: int, after: int) -> Iterator[Chunk]:
    """Records written after a position of the project's log, as they are now, for `batch_of_chunk` to read."""
    cursor = connection.execute(_CHANGED, (project_key, after))
    while chunk := cursor.fetchmany(_CHUNK_RECORDS):
        yield chunk


def record_count(connection: sqlite3.Connection, project_key: int) -> int:
    """Records of a project, those out of recall among them."""
    sql = "SELECT count(*) FROM memories WHERE project_key = ?"
    return int(connection.execute(sql, (project_key,)).fetchone()[0])


def removed_keys(connection: sqlite3.Connection, project_key: int, after: int) -> list[int]:
    """Keys of the records that were erased, or left recall, after a position of the project's log."""
    return [key for (key,) in connection.execute(_GONE, (project_key, after))]


def batch_of_chunk(chunk: Chunk, project: str, layout: VectorLayout) -> RecordBatch:
    """Turns a chunk of a project's rows into columns; vectors of a model that has no block are left out.

    Raises:
        ValueError: the vectors or the terms of a record are not as they were written.
    """
    columns = dict(zip(_NAMES, zip(*chunk, strict=True), strict=True))
    _refuse_damaged(columns)
    filters, models = filter_rows_of(columns)
    model_of_each = [models.values[row] for row in models.rows.tolist()]
    return RecordBatch(
        keys=np.array(columns["key"], np.int64),
        positions=np.array(columns["log_position"], np.int64),
        ids=columns["id"],
        filters=filters,
        facts=_facts(columns, filters, project),
        content_terms=terms_of_blobs(columns["content_terms"]),
        context_terms=terms_of_blobs(columns["context_terms"]),
        mentions=mentions_of_blobs(columns["said"], columns["named"]),
        content_vectors=_vectors(columns["content_vector"], model_of_each, layout),
        context_vectors=_vectors(columns["context_vector"], model_of_each, layout),
    )


def _refuse_damaged(columns: Mapping[str, Sequence[Any]]) -> None:
    """Holds vectors and terms against their digests: a changed bit of them would change answers and say nothing."""
    names = ("id", "search_digest", "content_vector", "context_vector", "content_terms", "context_terms")
    for id, digest, *parts in zip(*(columns[name] for name in names), strict=True):
        if digest is not None and digest.hex() != search_digest(id, *parts):
            raise ValueError(f"what {id} is found by is not as it was written; mem verify names it")


def _facts(columns: Mapping[str, Sequence[Any]], filters: FilterRows, project: str) -> facts.Facts:
    """Facts of the records, as `facts.facts_of` reads them off records."""
    found = np.zeros(len(columns["key"]), facts.fact_dtype())
    for name in ("confidence", "relevance_score", "outcome_score"):
        found[name] = filters.scores[name]
    for name in ("unseconded", "use_count", "worked_weight", "failed_weight", "chars"):
        found[name] = np.minimum(np.array(columns[name], np.int64), facts.AMOUNT_MAX)
    for name in ("updated_at", "expires_at"):
        found[name] = filters.instants[name]
    found["last_used_at"] = instants(columns["last_used_at"], facts.ALWAYS)
    found["valid_from"] = instants(columns["valid_from"], facts.ALWAYS)
    found["valid_to"] = instants(columns["valid_to"], facts.NEVER)
    own = filters.instants["created_at"]
    for moments in (found["valid_from"], instants(columns["said_at"], facts.ALWAYS)):
        own = np.where(moments == facts.ALWAYS, own, moments)
    found["told"] = (own // facts.DAY_US)[:, None, None]
    for row, times in enumerate(columns["times"]):
        if times is not None:
            found["told"][row] = told_days(times_from_json(json.loads(times)), 0)
    found["category"] = _codes(filters.texts["category"], facts.category_code)
    found["source"] = _codes(filters.texts["source"], facts.source_code)
    found["flags"] = _flags(columns, filters.texts["status"])
    is_silent = np.array([times is None for times in columns["times"]], np.bool_)
    found["flags"][is_silent & (found["flags"] & facts.TELLS_DAYS != 0)] |= facts.DATED_BY_SOURCE
    found["position"] = [-1 if position is None else position for position in columns["position"]]
    found["session"] = [facts.session_hash(project, session) for session in columns["session_id"]]
    for row, beginning in enumerate(columns["beginning"]):
        if beginning is not None:
            found["subject"][row] = facts.subject_hashes(beginning)
    return found


def _codes(texts: CodedValues[str | None], code_of: Callable[[str], int]) -> NDArray[np.int8]:
    code = {text: code_of(text or "") for text in set(texts.values)}
    return np.array([code[text] for text in texts.values], np.int8)[texts.rows]


def _flags(columns: Mapping[str, Sequence[Any]], statuses: CodedValues[str | None]) -> NDArray[np.uint16]:
    of_status = {"active": facts.IS_ACTIVE, "stale": facts.IS_STALE}
    flags = np.array([of_status.get(status or "", 0) for status in statuses.values], np.uint16)[statuses.rows]
    for name, flag in (
        ("is_approved", facts.IS_APPROVED),
        ("is_doubted", facts.IS_DOUBTED),
        ("stands_back", facts.STANDS_BACK),
        ("pinned", facts.IS_PINNED),
        ("is_question", facts.IS_QUESTION),
        ("has_question", facts.HAS_QUESTION),
        ("tells_days", facts.TELLS_DAYS),
    ):
        flags |= np.array(columns[name], np.bool_) * np.uint16(flag)
    return flags


def _vectors(blobs: Sequence[bytes | None], models: Sequence[str | None], layout: VectorLayout) -> VectorRows:
    """Rows of the vectors whose model has a block, and that have its length."""
    lengths = {model: 2 * length for model, length in layout.dimensions.items()}
    records = [
        row for row, blob in enumerate(blobs) if blob and len(blob) == lengths.get(models[row] or "", -1)
    ]
    if layout.is_plain:
        joined = b"".join([blobs[record] or b"" for record in records])
        return VectorRows(np.array(records, np.intp), np.frombuffer(joined, "<f2").reshape(-1, layout.width))
    vectors = [np.frombuffer(blobs[record] or b"", "<f2") for record in records]
    rows = layout.rows([models[record] for record in records], vectors)
    return VectorRows(np.array(records, np.intp), rows)
