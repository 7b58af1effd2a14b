"""Documents of records in the search index: one whole document each, or the tombstone of an erased one."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any
from zlib import crc32

from memory_layer.adapters.aws.table import keys
from memory_layer.domain.memory import OUT_OF_RECALL, Memory, Scope, searchable_text
from memory_layer.domain.retrieval.mentions import mention_keys
from memory_layer.domain.retrieval.told_days import own_day, tells_days, told_days
from memory_layer.domain.text.analyzer import analyze, encode_terms, encoded_length, folded
from memory_layer.manifest import index

if TYPE_CHECKING:
    from memory_layer.ports.commit import Vector, Vectors

Document = dict[str, Any]

_SEPARATOR = "#"
_TEXTS = tuple(name for name in index.KEYWORDS if name not in ("complexity", "tags", "entities"))


def document_id(scope: Scope, id: str) -> str:
    """`_id` of a document; at most 512 bytes, as slugs and ids have at most 128 characters of ASCII."""
    return f"{keys.project_partition(scope)}{_SEPARATOR}{id}"


def routing_of(scope: Scope) -> str:
    """Routing of all documents of a project, which thus lie on one shard, or on few where an index spreads them."""
    return keys.project_partition(scope)


def document_of(memory: Memory, vectors: Vectors | None, body_bytes: int | None = None) -> Document:
    """Document with all that filters, both arms, standing and statistics ask about a record, without access counts.

    Of one that no question shall find there are neither words nor vectors.

    Args:
        body_bytes: how long its words are, if `memory` has their beginning alone.
    """
    document = {
        **_identity(memory.scope, memory.id, memory.version),
        "is_tombstone": False,
        **({} if memory.tier in OUT_OF_RECALL else _searched(memory, vectors)),
        **{name: value for name in _TEXTS if (value := getattr(memory, name)) is not None},
        **{name: list(values) for name in ("tags", "entities") if (values := getattr(memory, name))},
        **_scores(memory),
        **_instants(memory),
        "use_count": memory.use_count,
        "pinned": memory.pinned,
        index.TRUSTED: memory.is_trusted,
        "bytes": said_bytes(memory, body_bytes),
        **({} if body_bytes is None else {"body_bytes": body_bytes}),
    }
    complexity = memory.detail.get("complexity")
    if isinstance(complexity, str):
        document["complexity"] = complexity
    return document


def tombstone_of(scope: Scope, id: str, version: int) -> Document:
    """Tombstone of an erased record: nobody finds it, and nothing older takes its place."""
    return {**_identity(scope, id, version), "is_tombstone": True}


def version_hash(document_id: str, version: int) -> int:
    """31 bits of a key and its version: sums of them tell whether two sets of documents are the same."""
    return crc32(f"{document_id}{_SEPARATOR}{version}".encode()) >> 1


def key_hash(document_id: str) -> int:
    """31 bits of a key."""
    return crc32(document_id.encode()) >> 1


def _identity(scope: Scope, id: str, version: int) -> Document:
    name = document_id(scope, id)
    return {
        "tenant": scope.tenant,
        "project": scope.project,
        "id": id,
        "version": version,
        "key_hash": key_hash(name),
        "version_hash": version_hash(name, version),
    }


def _searched(memory: Memory, vectors: Vectors | None) -> Document:
    """Searched fields; texts are folded here as queries are, because not every distribution of OpenSearch can."""
    with_context = searchable_text(memory.content, memory.context)
    found = _text(index.CONTENT_TEXT, memory.content)
    if ties := mention_keys(memory):
        found |= {index.MENTIONS: list(ties), index.TIES: len(ties)}
    if tells_days(memory):
        found |= _told(dict.fromkeys(told_days(memory.times, own_day(memory))))
    if with_context is not None:
        found |= _text(index.CONTEXT_TEXT, with_context)
    if vectors is not None:
        found |= _vector(index.CONTENT_VECTOR, vectors.content)
    if vectors is not None and vectors.context is not None:
        found |= _vector(index.CONTEXT_VECTOR, vectors.context)
    return found


def _told(spans: Iterable[tuple[int, int]]) -> Document:
    days = list(spans)
    return {
        index.TOLD: [{"gte": first, "lte": last} for first, last in days],
        index.TOLD_COLUMN: [f"{first}/{last}" for first, last in days],
    }


def _text(field: str, text: str) -> Document:
    terms = encode_terms(analyze(text))
    counted = {index.TERMS[field]: b64encode(terms).decode(), index.LENGTHS[field]: encoded_length(terms)}
    return {field: folded(text), **counted}


def _vector(field: str, vector: Vector) -> Document:
    """Vector as a field, in the float16 that the record store keeps: nothing is lost."""
    stored = b64encode(vector.astype("<f2").tobytes()).decode()
    return {field: vector.tolist(), index.EXACT[field]: stored}


def _scores(memory: Memory) -> Mapping[str, int]:
    given = ((name, getattr(memory, name)) for name in index.THOUSANDTHS)
    scores = {name: round(score * 1000) for name, score in given if score is not None}
    return {**scores, "standing": scores["confidence"] * scores["relevance_score"]}


def _instants(memory: Memory) -> Mapping[str, int]:
    given = ((name, getattr(memory, name)) for name in index.MICROSECONDS)
    return {name: keys.microseconds(at) for name, at in given if at is not None}


def said_bytes(memory: Memory, body_bytes: int | None) -> int:
    """Size of what was said, in UTF-8, wherever its words lie."""
    detail = json.dumps(dict(memory.detail), separators=(",", ":"), ensure_ascii=False)
    said = len(memory.content.encode()) if body_bytes is None else body_bytes
    return said + sum(len(text.encode()) for text in (detail, memory.context or ""))
