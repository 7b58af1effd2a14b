"""Digests that tell whether a record, or a request, is still the same."""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from hashlib import sha256
from typing import Any

from memory_layer.domain.fields import canonical_json, memory_to_json, record_fields
from memory_layer.domain.memory import Memory, exact

ACCESS_COUNTERS = ("access_count", "last_accessed_at")
"""Written in batches and lossy by design: a recall does not change what a record says."""


_NOT_DIGESTED = (*ACCESS_COUNTERS, "active")
"""The last one follows from the status."""


@cache
def _defaults() -> dict[str, Any]:
    """What a field says if nothing was said, as JSON."""
    plain = {f.name: f.default_factory() if f.default is MISSING else f.default for f in _optional_fields()}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


def _optional_fields() -> list[Any]:
    return [f for f in fields(Memory) if not (f.default is MISSING and f.default_factory is MISSING)]


@cache
def _scores() -> frozenset[str]:
    return frozenset(field.name for field in record_fields() if field.kind == "score")


def record_digest(memory: Memory) -> str:
    """SHA-256, hex, of the record as canonical JSON, without what being read changes."""
    return document_digest(memory_to_json(memory))


def document_digest(document: Mapping[str, Any]) -> str:
    """`record_digest` of a record that is JSON already (see `memory_to_json`).

    Fields that say what they say by default are left out, so that a digest outlives the next field that a record gets.
    """
    defaults, scores, said = _defaults(), _scores(), {}
    for name, value in document.items():
        if value != defaults.get(name, _NOTHING) and name not in _NOT_DIGESTED:
            said[name] = exact(float(value)) + 0.0 if name in scores else value
    return sha256(canonical_json(said).encode()).hexdigest()


_NOTHING = object()


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


def row_digest(cells: Iterable[str | bytes | float | None]) -> str:
    """SHA-256, hex, of the cells of a row, in order; a text, its UTF-8 and a number's digits are one and the same.

    So that a row can be read as bytes, whatever has become of it.
    """
    return sha256(b"".join(map(_cell, cells))).hexdigest()


def _cell(cell: str | bytes | float | None) -> bytes:
    """Each says how long it is, so that nothing can move from one into the next."""
    if cell is None:
        return b"-,"
    body = cell if isinstance(cell, bytes) else str(cell).encode()
    return b"%d:%b," % (len(body), body)


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
