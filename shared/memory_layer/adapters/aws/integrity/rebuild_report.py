"""Progress of a rebuild, kept in its index, and the report of each run for the person who started it."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from opensearchpy import OpenSearch

from memory_layer.adapters.aws.integrity.index_digest import IndexDigest
from memory_layer.adapters.aws.search.opensearch_client import opensearch_errors, slow_request_params
from memory_layer.adapters.aws.table.scan import Cursor

Phase = Literal["copy", "check"]

PROGRESS_FIELD: Final = "rebuild"
"""Field of the mapping's `_meta`."""

_FINISHED: Final = "finished"


@dataclass(slots=True)
class RebuildProgress:
    """Progress of two passes over the table: one copies, one compares.

    Args:
        is_resumed: an earlier run did a part of it.
    """

    segments: int
    phase: Phase = "copy"
    cursors: dict[int, Cursor | str] = field(default_factory=dict)
    is_resumed: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def after(self, segment: int) -> Cursor | None:
        """Cursor at which to go on in a segment; None: at its beginning."""
        cursor = self.cursors.get(segment)
        return cursor if isinstance(cursor, Mapping) else None

    def is_finished(self, segment: int) -> bool:
        return self.cursors.get(segment) == _FINISHED

    @property
    def is_complete(self) -> bool:
        """Says that every segment of the phase is finished."""
        return all(self.is_finished(segment) for segment in range(self.segments))

    def advance(self, segment: int, cursor: Cursor | None) -> None:
        with self.lock:
            self.cursors[segment] = _FINISHED if cursor is None else cursor

    def begin_check(self) -> None:
        self.phase, self.cursors = "check", {}

    def to_json(self) -> dict[str, Any]:
        with self.lock:
            cursors = {str(segment): cursor for segment, cursor in self.cursors.items()}
        return {"segments": self.segments, "phase": self.phase, "cursors": cursors}


def load_progress(client: OpenSearch, name: str, segments: int) -> RebuildProgress:
    """Reads the progress kept in an index; a new one for an index that has none.

    Raises:
        IndexUnavailable: the domain does not answer, or the index is gone.
    """
    kept = _meta(client, name).get(PROGRESS_FIELD)
    if kept is None:
        return RebuildProgress(segments)
    cursors = {int(segment): cursor for segment, cursor in kept["cursors"].items()}
    return RebuildProgress(kept["segments"], kept["phase"], cursors, is_resumed=True)


def save_progress(client: OpenSearch, name: str, progress: RebuildProgress) -> None:
    """Writes the progress into its index.

    Raises:
        IndexUnavailable: the domain does not answer, or the index is gone.
    """
    meta = {**_meta(client, name), PROGRESS_FIELD: progress.to_json()}
    with opensearch_errors(f"keeping the progress of {name}"):
        client.indices.put_mapping(index=name, body={"_meta": meta}, params=slow_request_params())


def _meta(client: OpenSearch, name: str) -> dict[str, Any]:
    with opensearch_errors(f"reading the progress of {name}"):
        meta: dict[str, Any] = client.indices.get_mapping(index=name)[name]["mappings"]["_meta"]
    return meta


_NAMED_MOST = 20


@dataclass(slots=True)
class RebuildTally:
    """Sums of one run.

    Args:
        digest: of what it copied.
        repaired: documents that were missing or older than the table's when they were compared.
        refused: `_id`s of documents that the index will not take, with its reason.
    """

    digest: IndexDigest = field(default_factory=IndexDigest)
    compared: int = 0
    repaired: int = 0
    refused: dict[str, str] = field(default_factory=dict)

    def add(self, parts: Sequence[RebuildTally]) -> None:
        """Adds the tallies of threads that worked side by side."""
        self.digest = IndexDigest.total([self.digest, *(part.digest for part in parts)])
        self.compared += sum(part.compared for part in parts)
        self.repaired += sum(part.repaired for part in parts)
        for part in parts:
            self.refused |= part.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuildReport:
    """Report of one run of the rebuild.

    Args:
        is_done: the new index is searched; else run it again, and it goes on from here.
        copied: records and tombstones that this run brought over.
        compared: those that it looked up one by one, because something was written meanwhile or it was resumed.
        refused: documents that the index does not take, by `_id`, with the reason: their records need to be changed.
        dropped: indexes that are gone.
    """

    index: str
    is_done: bool
    copied: int
    compared: int
    repaired: int
    records: int
    projects: int
    refused: dict[str, str]
    dropped: tuple[str, ...]

    def __str__(self) -> str:
        state = (
            "is searched now"
            if self.is_done
            else "is not complete: run the rebuild again, it goes on from here"
        )
        lines = [
            f"{self.index} {state}.",
            f"It has {self.records} records of {self.projects} projects.",
            f"This run copied {self.copied} documents, compared {self.compared} and repaired {self.repaired}.",
            *(f"Dropped {name}." for name in self.dropped),
            *(f"Not indexed: {id} ({why})." for id, why in list(self.refused.items())[:_NAMED_MOST]),
        ]
        more = len(self.refused) - _NAMED_MOST
        return "\n".join([*lines, f"… and {more} more."] if more > 0 else lines)


def report_of_run(
    name: str, tally: RebuildTally, found: IndexDigest, dropped: tuple[str, ...], *, is_done: bool
) -> RebuildReport:
    """Report of a run. Args: found: what the index holds now."""
    return RebuildReport(
        index=name,
        is_done=is_done,
        copied=sum(tally.digest.documents.values()),
        compared=tally.compared,
        repaired=tally.repaired,
        records=sum(found.records.values()),
        projects=len(found.records),
        refused=tally.refused,
        dropped=dropped,
    )
