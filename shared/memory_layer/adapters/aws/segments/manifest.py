"""Manifest of a project: the segments that hold its records, oldest first, and how many records there are."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from typing import Any, Final

from memory_layer.adapters.aws.segments.segment_form import FORMAT, DamagedSegment

SEGMENTS_MAX: Final = 3
"""Segments of a project: a recall in a cold process reads so many objects, and the manifest."""

_MERGE_RATIO: Final = 4
"""Ratio of sizes: a segment stays as it is while it is so many times larger than all behind it."""


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """Segment in a manifest.

    Args:
        name: the SHA-256 of its bytes, and a token that no other writer has.
    """

    name: str
    records: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """Manifest of a project.

    Args:
        generation: rises when something was erased: who has loaded an older one loads all anew.
        counts: records and active ones among them, by persona; "" are those of nobody's own.
        embedded: records with vectors, by model.
        revision: rises when an erasure found nothing to take out: who has read the manifest before, and the record
            that was erased since, cannot replace it any more.
    """

    segments: tuple[SegmentEntry, ...] = ()
    generation: int = 0
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    embedded: Mapping[str, int] = field(default_factory=dict)
    revision: int = 0

    @property
    def records(self) -> int:
        return sum(total for total, _ in self.counts.values())

    @property
    def names(self) -> frozenset[str]:
        return frozenset(entry.name for entry in self.segments)


def encoded(manifest: Manifest) -> bytes:
    """Bytes of a manifest, with a digest of what it says."""
    said = json.dumps({"format": FORMAT, **asdict(manifest)}, sort_keys=True, separators=(",", ":"))
    return json.dumps({"digest": _digest(said), "said": said}).encode()


def decoded(body: bytes) -> Manifest:
    """Manifest of its bytes. Raises: DamagedSegment: it is not as it was written, or of another format."""
    try:
        outer = json.loads(body)
        said = outer["said"]
        if outer["digest"] != _digest(said):
            raise DamagedSegment("the manifest does not match its digest")
        return _manifest_of(json.loads(said))
    except (LookupError, TypeError, AttributeError) as error:
        raise DamagedSegment("the manifest is not whole") from error
    except ValueError as error:
        raise DamagedSegment(f"the manifest cannot be read: {error}") from error


def _manifest_of(said: Mapping[str, Any]) -> Manifest:
    if said["format"] != FORMAT:
        raise DamagedSegment("the manifest is of another format")
    segments = tuple(SegmentEntry(**entry) for entry in said["segments"])
    counts = {persona: (total, active) for persona, (total, active) in said["counts"].items()}
    return Manifest(segments, said["generation"], counts, said["embedded"], said.get("revision", 0))


def _digest(said: str) -> str:
    return sha256(said.encode()).hexdigest()


def tail_to_merge(sizes: Sequence[int], new: int) -> int:
    """Number of the newest segments that new records are merged with.

    Args:
        sizes: records of each segment, oldest first.
        new: number of new records.
    """
    total, taken = new, 0
    for size in reversed(sizes):
        has_room = len(sizes) - taken < SEGMENTS_MAX
        if has_room and size > _MERGE_RATIO * total:
            break
        total, taken = total + size, taken + 1
    return taken
