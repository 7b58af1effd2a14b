"""Cells that changes write, made before the lock is taken: what follows from the records alone.

The cells of all changes of a batch are made one kind after the other: a record at a time takes half as long again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from memory_layer.adapters.embedded.sqlite import record_rows
from memory_layer.adapters.embedded.sqlite.mention_rows import named_hashes, said_hashes
from memory_layer.adapters.embedded.sqlite.version_packing import packed_record
from memory_layer.domain.fields import canonical_json, memory_to_json, rfc3339
from memory_layer.domain.integrity.digests import document_digest, search_digest
from memory_layer.domain.memory import searchable_text
from memory_layer.domain.text.analyzer import analyze, encode_terms
from memory_layer.domain.time.decay import due_from
from memory_layer.ports.commit import Change


class SearchCells(NamedTuple):
    """Cells by which a record is found.

    Args:
        parts: vectors and terms of its content, and of its content with its context.
        said, named: hashes of what its words mention, and of what its fields name.
    """

    parts: tuple[bytes | None, ...]
    digest: bytes
    said: bytes
    named: bytes


@dataclass(frozen=True, slots=True)
class ChangeCells:
    """Cells of one change.

    Args:
        digest: of the record.
        record, packed: the record after the change as canonical JSON, and as its version keeps it.
        due: when the record is due next.
        stored: in the order of STORED_COLUMNS.
        search: of a new record; None: they are made where its words or vectors turn out to be others.
    """

    digest: bytes
    record: str
    packed: bytes
    due: str | None
    stored: Sequence[Any]
    search: SearchCells | None


def change_cells(changes: Sequence[Change]) -> list[ChangeCells]:
    """Cells of each change."""
    memories = [change.memory for change in changes]
    documents = [memory_to_json(memory, is_sorted=True) for memory in memories]
    digests = [bytes.fromhex(document_digest(document)) for document in documents]
    records = [canonical_json(document) for document in documents]
    packed = [packed_record(record) for record in records]
    due = [_due(change) for change in changes]
    stored = [record_rows.row_of(memory) for memory in memories]
    new = iter(search_cells([change for change in changes if change.before == 0]))
    search = [next(new) if change.before == 0 else None for change in changes]
    return list(map(ChangeCells, digests, records, packed, due, stored, search))


def _due(change: Change) -> str | None:
    at = due_from(change.memory, change.at)
    return None if at is None else rfc3339(at)


def search_cells(changes: Sequence[Change]) -> list[SearchCells]:
    """Cells by which the records of changes are found, from all their words, in the row or in a body."""
    memories = [change.memory for change in changes]
    contents = [change.memory.content if change.words is None else change.words for change in changes]
    windows = map(searchable_text, contents, (memory.context for memory in memories))
    terms = [encode_terms(analyze(content)) for content in contents]
    context_terms = [None if window is None else encode_terms(analyze(window)) for window in windows]
    vectors = [_vector_cells(change) for change in changes]
    parts = [(*blobs, *texts) for blobs, *texts in zip(vectors, terms, context_terms, strict=True)]
    digests = [
        bytes.fromhex(search_digest(memory.id, *part)) for memory, part in zip(memories, parts, strict=True)
    ]
    said = [said_hashes(content) for content in contents]
    named = [named_hashes(memory) for memory in memories]
    return list(map(SearchCells, parts, digests, said, named))


def _vector_cells(change: Change) -> tuple[bytes | None, bytes | None]:
    if change.vectors is None:
        return None, None
    return record_rows.vector_blob(change.vectors.content), record_rows.vector_blob(change.vectors.context)
