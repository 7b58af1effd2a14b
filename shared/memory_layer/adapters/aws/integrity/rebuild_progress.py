"""How far a rebuild has come: kept in the new index itself, so that it goes on where it was stopped."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from opensearchpy import OpenSearch

from memory_layer.adapters.aws.search.opensearch_client import opensearch_errors, slow_request_params
from memory_layer.adapters.aws.table.scan import Cursor

Phase = Literal["copy", "check"]

FIELD: Final = "rebuild"
"""In the mapping's `_meta`."""

_FINISHED: Final = "finished"


@dataclass(slots=True)
class RebuildProgress:
    """Of two passes over the table: one copies, one compares.

    Args:
        is_resumed: an earlier run did a part of it.
    """

    segments: int
    phase: Phase = "copy"
    cursors: dict[int, Cursor | str] = field(default_factory=dict)
    is_resumed: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def after(self, segment: int) -> Cursor | None:
        """Where to go on in a segment; None: at its beginning."""
        cursor = self.cursors.get(segment)
        return cursor if isinstance(cursor, Mapping) else None

    def is_finished(self, segment: int) -> bool:
        return self.cursors.get(segment) == _FINISHED

    @property
    def is_complete(self) -> bool:
        """Whether the phase is."""
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
    """What is kept in an index; a new one for an index that has none.

    Raises:
        IndexUnavailable: the domain does not answer, or the index is gone.
    """
    kept = _meta(client, name).get(FIELD)
    if kept is None:
        return RebuildProgress(segments)
    cursors = {int(segment): cursor for segment, cursor in kept["cursors"].items()}
    return RebuildProgress(kept["segments"], kept["phase"], cursors, is_resumed=True)


def save_progress(client: OpenSearch, name: str, progress: RebuildProgress) -> None:
    """Raises:
    IndexUnavailable: the domain does not answer, or the index is gone.
    """
    meta = {**_meta(client, name), FIELD: progress.to_json()}
    with opensearch_errors(f"keeping the progress of {name}"):
        client.indices.put_mapping(index=name, body={"_meta": meta}, params=slow_request_params())


def _meta(client: OpenSearch, name: str) -> dict[str, Any]:
    with opensearch_errors(f"reading the progress of {name}"):
        meta: dict[str, Any] = client.indices.get_mapping(index=name)[name]["mappings"]["_meta"]
    return meta
