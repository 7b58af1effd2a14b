"""Progress of a snapshot that is taken in steps, and its form in a blob."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import datetime

from memory_layer.domain.fields import canonical_json, instant, rfc3339
from memory_layer.domain.integrity.snapshot import SnapshotPart


@dataclass(frozen=True, slots=True, kw_only=True)
class SnapshotProgress:
    """Progress of a snapshot.

    Args:
        after: place after which the next step goes on; empty: the beginning.
        parts: hold records; `lines` hold their manifest lines, in no order.
        left_out, left_out_count: as of `Snapshot`.
    """

    id: str
    created_at: datetime
    after: str = ""
    parts: tuple[SnapshotPart, ...] = ()
    lines: tuple[SnapshotPart, ...] = ()
    left_out: tuple[str, ...] = ()
    left_out_count: int = 0


def progress_text(progress: SnapshotProgress) -> str:
    """Writes a progress as JSON."""
    return canonical_json({**asdict(progress), "created_at": rfc3339(progress.created_at)})


def progress_of(text: str) -> SnapshotProgress:
    """Reads what `progress_text` wrote.

    Raises:
        ValueError, TypeError, LookupError: it is something else.
    """
    document = json.loads(text)
    for name in ("parts", "lines"):
        document[name] = tuple(SnapshotPart(**part) for part in document[name])
    document |= {"created_at": instant(document["created_at"]), "left_out": tuple(document["left_out"])}
    return SnapshotProgress(**document)
