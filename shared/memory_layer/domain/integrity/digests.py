"""Digests of records, versions, rows, manifests and requests, by which changes to them are detected."""

from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from functools import cache
from hashlib import sha256
from typing import Any

from memory_layer.domain.fields import DERIVED_FIELDS, canonical_json, memory_to_json, record_fields
from memory_layer.domain.memory import Memory, to_thousandths

ACCESS_COUNTERS = ("access_count", "last_accessed_at")
"""Fields written in batches and lossy by design: a recall does not change the content of a record."""


_NOT_DIGESTED = (*ACCESS_COUNTERS, *DERIVED_FIELDS)
"""Fields left out of digests; derived ones follow from others."""


@cache
def _defaults() -> dict[str, Any]:
    """Default value of each optional field, as JSON."""
    plain = {f.name: f.default_factory() if f.default is MISSING else f.default for f in _optional_fields()}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in plain.items()}


def _optional_fields() -> list[Any]:
    return [f for f in fields(Memory) if not (f.default is MISSING and f.default_factory is MISSING)]


@cache
def _scores() -> frozenset[str]:
    return frozenset(field.name for field in record_fields() if field.kind == "score")


def record_digest(memory: Memory) -> str:
    """SHA-256, hex, of the record as canonical JSON, without its access counters."""
    return document_digest(memory_to_json(memory))


def document_digest(document: Mapping[str, Any]) -> str:
    """`record_digest` of a record that is JSON already (see `memory_to_json`).

    Fields with their default value are left out, so that a digest stays valid when records get a new field.
    """
    defaults, scores, values = _defaults(), _scores(), {}
    for name, value in document.items():
        if value != defaults.get(name, _NOTHING) and name not in _NOT_DIGESTED:
            values[name] = to_thousandths(float(value)) + 0.0 if name in scores else _as_before(name, value)
    return sha256(canonical_json(values).encode()).hexdigest()


_NOTHING = object()


def _as_before(name: str, value: Any) -> Any:
    """Value without a member that it lacked before doubts had proposals, where there are none."""
    if name != "doubted" or value.get("proposals"):
        return value
    return {key: entry for key, entry in value.items() if key != "proposals"}


def version_digest(
    record: bytes, id: str, number: int, before: int | None, place: str | int | None, *provenance: str | None
) -> str:
    """SHA-256, hex, of one line of a record's history.

    Args:
        record: its bytes at that version, as stored.
        before: the version that the change was based on.
        place: position of the change in its project's log, as the store writes it.
        provenance: verb, author, time and reason, each as stored.
    """
    line = sha256(canonical_json([id, number, before, place, *provenance]).encode() + b"\n")
    line.update(record)
    return line.hexdigest()


def search_digest(id: str, *parts: bytes | None) -> str:
    """SHA-256, hex, of a record's search data: its vectors and, where a store keeps them, its analysed terms."""
    sizes = ["null" if part is None else str(len(part)) for part in parts]
    return joined_search_digest(
        ",".join([canonical_json(id), *sizes]), b"".join(part or b"" for part in parts)
    )


def joined_search_digest(head: str, parts: bytes) -> str:
    """`search_digest` of parts that lie end to end; a load holds every row against it.

    Args:
        head: the id as canonical JSON, then the bytes of each part, `null` of one that there is not; with commas.
    """
    return sha256(f"[{head}]".encode() + parts).hexdigest()


def row_digest(cells: Iterable[str | bytes | float | None]) -> str:
    """SHA-256, hex, of the cells of a row, in order; a text and its UTF-8 are equal, as are a number and its digits.

    A row can so be read as bytes, however damaged it is.
    """
    return sha256(b"".join(map(_cell, cells))).hexdigest()


def _cell(cell: str | bytes | float | None) -> bytes:
    """Encodes a cell with its length, so that no byte can move from one cell into the next unseen."""
    if cell is None:
        return b"-,"
    body = cell if isinstance(cell, bytes) else str(cell).encode()
    return b"%d:%b," % (len(body), body)


def manifest_line(id: str, version: int, digest: str) -> str:
    """Line of a project's manifest for one record: id, version and digest, separated by tabs."""
    return f"{id}\t{version}\t{digest}\n"


def manifest_digest(lines: Iterable[str]) -> str:
    """SHA-256, hex, over the manifest lines of a whole project. Args: lines: sorted."""
    digest = sha256()
    for line in lines:
        digest.update(line.encode())
    return digest.hexdigest()


def request_fingerprint(method: str, path: str, body: bytes) -> str:
    """SHA-256, hex, of a request's method, path and body; a key that returns with another is the caller's mistake."""
    return sha256(canonical_json([method.upper(), path]).encode() + b"\n" + body).hexdigest()
