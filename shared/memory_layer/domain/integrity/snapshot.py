"""Snapshot format: a manifest that names the parts, and lines that hold the records."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.fields import canonical_json, instant, memory_from_json, memory_to_json, rfc3339
from memory_layer.domain.integrity.digests import document_digest
from memory_layer.domain.memory import Memory

if TYPE_CHECKING:  # imported late at run time: listing snapshots does not need numpy
    Array = NDArray[np.float32]

FORMAT: Final = "memory-layer-snapshot/1"
KEPT_DAYS: Final = 35
"""Retention of a snapshot, and so of words that were erased meanwhile (SPEC 8.4)."""

_ID = re.compile(r"snp_(\d{8}T\d{6}Z)_[0-9a-z]{8}")
_ID_TIME = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class SnapshotPart:
    """Blob of a snapshot. `sha256` is that of its bytes as stored, `lines` counts its lines."""

    name: str
    lines: int
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """Snapshot of a project, as its manifest describes it.

    Args:
        manifest: SHA-256 of the project, as a verification reports it.
        parts: hold the records; `lists` hold their manifest lines, in order.
        left_out: ids of records that were damaged when it was taken; at most LEFT_OUT_MAX are named.
        policy: the project's settings as `policy_text` writes them; None: it had none of its own.
        problem: reason that a damaged manifest keeps it from being restored.
        is_unreadable: the manifest may be intact, but could not be read now.
    """

    id: str
    created_at: datetime
    by: str = ""
    records: int = 0
    bytes: int = 0
    manifest: str = ""
    parts: tuple[SnapshotPart, ...] = ()
    lists: tuple[SnapshotPart, ...] = ()
    left_out: tuple[str, ...] = ()
    left_out_count: int = 0
    policy: str | None = None
    problem: str | None = None
    is_unreadable: bool = False

    @property
    def is_whole(self) -> bool:
        """True if no record that existed when it was taken is missing from it."""
        return self.problem is None and self.left_out_count == 0


LEFT_OUT_MAX: Final = 1_000


def snapshot_id(now: datetime, random: str) -> str:
    """Id of a snapshot, which states its time and sorts by it. Args: random: eight letters or digits."""
    return f"snp_{now.astimezone(UTC).strftime(_ID_TIME)}_{random}"


def is_snapshot_id(text: str) -> bool:
    """True for an id of the right form with a valid time: a folder's name may be damaged as well."""
    try:
        time_of(text)
    except ValueError:
        return False
    return True


def time_of(id: str) -> datetime:
    """Start time of a snapshot, to the second, from its id.

    Raises:
        ValueError: the text is no snapshot's id.
    """
    found = _ID.fullmatch(id)
    if found is None:
        raise ValueError(f"{id!r} is no snapshot's id")
    return datetime.strptime(found[1], _ID_TIME).replace(tzinfo=UTC)


def is_outdated(id: str, now: datetime) -> bool:
    return time_of(id) + timedelta(days=KEPT_DAYS) < now


def manifest_text(snapshot: Snapshot) -> str:
    """Writes the manifest of a snapshot as JSON, with a digest of itself."""
    document = asdict(snapshot)
    del document["problem"], document["is_unreadable"]
    document |= {"format": FORMAT, "created_at": rfc3339(snapshot.created_at)}
    return canonical_json({**document, "sha256": _seal(document)})


def snapshot_of(text: str) -> Snapshot:
    """Reads a manifest that `manifest_text` wrote.

    Raises:
        ValueError: the manifest differs from its digest, or has another format.
    """
    document = json.loads(text)
    if not isinstance(document, dict) or document.pop("sha256", None) != _seal(document):
        raise ValueError("its manifest does not match its digest")
    if document.pop("format") != FORMAT:
        raise ValueError("its manifest is of another format; update memory-layer")
    return Snapshot(
        **{name: value for name, value in document.items() if name not in _READ},
        **{name: read(document[name]) for name, read in _READ.items()},
    )


def _parts(parts: list[dict[str, Any]]) -> tuple[SnapshotPart, ...]:
    return tuple(SnapshotPart(**part) for part in parts)


_READ: Mapping[str, Any] = {"created_at": instant, "parts": _parts, "lists": _parts, "left_out": tuple}


def _seal(document: Mapping[str, Any]) -> str:
    return sha256(canonical_json(document).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class SnapshotLine:
    """Record of a snapshot, with its digest and its vectors; None for a vector that it lacked."""

    memory: Memory
    digest: str
    content_vector: Array | None = None
    context_vector: Array | None = None


def line_text(line: SnapshotLine) -> str:
    vectors = [_packed(vector) for vector in (line.content_vector, line.context_vector)]
    document = {"digest": line.digest, "record": memory_to_json(line.memory), "vectors": vectors}
    return f"{canonical_json(document)}\n"


def line_of(text: str) -> SnapshotLine:
    """Reads a line that `line_text` wrote.

    Raises:
        ValueError: the record does not match its digest.
    """
    document = json.loads(text)
    memory = memory_from_json(document["record"])
    if document_digest(document["record"]) != document["digest"]:
        raise ValueError(f"record {memory.id} does not match its digest")
    content, context = map(_unpacked, document["vectors"])
    return SnapshotLine(memory, document["digest"], content, context)


def _packed(vector: Array | None) -> str | None:
    """Encodes a vector as float16, little endian, base64."""
    return None if vector is None else b64encode(vector.astype("<f2").tobytes()).decode()


def _unpacked(text: str | None) -> Array | None:
    return None if text is None else np.frombuffer(b64decode(text), "<f2").astype(np.float32)
