"""Digests that tell whether a record, or a request, is still the same."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from typing import Any

from memory_layer.domain.fields import canonical_json, memory_to_json, record_fields
from memory_layer.domain.memory import Memory, exact

ACCESS_COUNTERS = ("access_count", "last_accessed_at")
"""Written in batches and lossy by design: a recall does not change what a record says."""


@cache
def _score_names() -> tuple[str, ...]:
    return tuple(field.name for field in record_fields() if field.kind == "score")


def record_digest(memory: Memory) -> str:
    """SHA-256, hex, of the record as canonical JSON, without what being read changes."""
    return document_digest(memory_to_json(memory))


def document_digest(document: dict[str, Any]) -> str:
    """`record_digest` of a record that is JSON already (see `memory_to_json`); a store keeps 0 for -0.0 and for 0."""
    scores = {name: document[name] for name in _score_names()}
    exactly = {name: None if score is None else exact(float(score)) + 0.0 for name, score in scores.items()}
    said = {name: value for name, value in document.items() if name not in ACCESS_COUNTERS}
    return sha256(canonical_json({**said, **exactly}).encode()).hexdigest()


def version_digest(
    record: bytes, id: str, number: int, before: int | None, place: str | int | None, *told: str | None
) -> str:
    """SHA-256, hex, of one line of a record's history.

    Args:
        record: as it was then, in the bytes that the store keeps.
        before: the version that the change was made of.
        place: where the change stands in its project's log, as the store writes it.
        told: verb, who, when and why, each as the store keeps it.
    """
    line = sha256(canonical_json([id, number, before, place, *told]).encode() + b"\n")
    line.update(record)
    return line.hexdigest()


def search_digest(id: str, *parts: bytes | None) -> str:
    """SHA-256, hex, of what a record is found by: its vectors and, where a store keeps them, its analysed terms."""
    sizes = [None if part is None else len(part) for part in parts]
    told = sha256(canonical_json([id, *sizes]).encode())
    for part in parts:
        told.update(part or b"")
    return told.hexdigest()


def manifest_line(id: str, version: int, digest: str) -> str:
    """What a project's manifest says of one record."""
    return f"{id}\t{version}\t{digest}\n"


def manifest_digest(lines: Iterable[str]) -> str:
    """SHA-256, hex, over the manifest lines of a whole project. Args: lines: sorted."""
    told = sha256()
    for line in lines:
        told.update(line.encode())
    return told.hexdigest()


def request_fingerprint(method: str, path: str, body: bytes) -> str:
    """SHA-256, hex, of what a request asks for: the same key with another one is a mistake of the caller."""
    return sha256(canonical_json([method.upper(), path]).encode() + b"\n" + body).hexdigest()
