"""Work that is there whole or not at all: rehearsed first, then done in one transaction."""

import struct
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import IO, Any, Final, TypeVar

from memory_layer.domain.arrays import NDArray, np
from memory_layer.domain.memory import Scope
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.commit import Commit, IdempotencyRecord
from memory_layer.ports.process import Embedder, Ports
from memory_layer.ports.record_store import RecordStore
from memory_layer.ports.records import Operation, RequestStore

T = TypeVar("T")

SPOOL_MAX_BYTES: Final = 2**20
"""Size up to which vectors wait in memory, then in a file without a name."""


def all_or_nothing(ports: Ports, work: Callable[[Ports], T]) -> T:
    """Does work whose writes are seen by others, and durable, all at once or never, also after a kill (ADR-0016).

    The work is rehearsed first, so that no writer waits for the embedder; then done in one transaction. On a backend
    whose transactions are bounded each of its commits stands alone, and a repetition completes what is missing.

    Args:
        work: does the same each time; what it writes and publishes goes through the ports that it is given. Work
            inside that is to be whole by itself becomes part of this.
    """
    if ports.transactions is None:
        return work(ports)
    events = _HeldEvents()
    with closing(RememberedVectors(ports.embedder)) as embedder:
        inner = replace(ports, embedder=embedder, transactions=None)
        work(replace(inner, store=_rehearsed(ports.store), bus=_HeldEvents()))
        with ports.transactions.begin():
            result = work(replace(inner, bus=events))
    for kind, detail in events.held:
        ports.bus.publish(kind, detail)
    return result


@dataclass
class _HeldEvents:
    """Bus whose events are published once what they tell of can be seen."""

    held: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)

    def publish(self, kind: str, detail: Mapping[str, Any]) -> None:
        self.held.append((kind, detail))


def _rehearsed(store: RecordStore) -> RecordStore:
    """The store as it reads, without its commits and operations."""
    return replace(store, writer=_RehearsedCommits(), requests=_RehearsedRequests(store.requests))


class _RehearsedCommits:
    """Writer that takes every commit and writes nothing."""

    def commit(self, commit: Commit) -> None:
        """Writes nothing."""

    def commit_each(self, commits: Sequence[Commit]) -> list[MemoryLayerError | None]:
        return [None] * len(commits)


@dataclass(frozen=True, slots=True)
class _RehearsedRequests:
    """Requests that are read as they are, with operations that are not written."""

    requests: RequestStore

    def answers(self, scope: Scope, keys: Collection[str], now: datetime) -> dict[str, IdempotencyRecord]:
        return self.requests.answers(scope, keys, now)

    def operation(self, tenant: str, id: str) -> Operation | None:
        return self.requests.operation(tenant, id)

    def put_operation(self, operation: Operation) -> None:
        """Writes nothing."""


class RememberedVectors:
    """Embedder that embeds each text once and keeps the vectors until it is closed."""

    def __init__(self, embedder: Embedder) -> None:
        self.model = embedder.model
        self.dimensions = embedder.dimensions
        self._embedder = embedder
        self._places: dict[bytes, int] = {}  # by the hash of the text
        self._spool: IO[bytes] = SpooledTemporaryFile(SPOOL_MAX_BYTES)  # noqa: SIM115

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        hashes = [sha256(text.encode()).digest()[:16] for text in texts]
        unknown = {hash: text for hash, text in zip(hashes, texts, strict=True) if hash not in self._places}
        if unknown:
            self._remember(unknown)
        return self._read([self._places[hash] for hash in hashes])

    def _remember(self, unknown: Mapping[bytes, str]) -> None:
        vectors = self._embedder.embed(list(unknown.values()))
        self._spool.seek(0, 2)
        first = len(self._places)
        self._spool.write(vectors.astype("<f4").tobytes())
        self._places |= {hash: first + number for number, hash in enumerate(unknown)}

    def _read(self, places: Sequence[int]) -> "NDArray[np.float32]":
        size = self.dimensions * struct.calcsize("f")
        parts = []
        for place in places:
            self._spool.seek(place * size)
            parts.append(self._spool.read(size))
        return np.frombuffer(b"".join(parts), "<f4").reshape(len(places), self.dimensions)

    def close(self) -> None:
        """Forgets the vectors."""
        self._spool.close()
