"""Record store: its parts side by side, so that a signature names the part that is touched."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memory_layer.errors import MemoryLayerError
from memory_layer.ports import audit, collections, maintenance, receipts, records
from memory_layer.ports.commit import Commit


class CommitWriter(Protocol):
    """Writer of commits, the one way by which records change."""

    def commit(self, commit: Commit) -> None:
        """Writes one transaction, durable when it returns. An erasure deletes the bodies of its record as well.

        Raises:
            VersionConflict: a record is no longer at `before` (or exists already).
            ContentTaken: the content of a change that `is_news` is stored already.
            TooMany: a quota is used up.
            InFlight: the idempotency key was used meanwhile; read its answer.
        """

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        """Writes independent transactions, each as `commit`; returns the error of each, in order (None: written)."""


@dataclass(frozen=True, slots=True)
class RecordStore:
    """Store of records, the only authority on their existence. Every read sees every commit acknowledged before it."""

    writer: CommitWriter
    memories: records.MemoryStore
    history: records.HistoryStore
    sessions: records.SessionStore
    receipts: receipts.ReceiptStore
    requests: records.RequestStore
    projects: records.ProjectStore
    learnings: collections.LearningStore
    events: collections.EventStore
    pairs: collections.PairStore
    sweeps: maintenance.SweepStore
    erasures: maintenance.ErasureStore
    integrity: maintenance.IntegrityStore
    audit: audit.AuditStore
