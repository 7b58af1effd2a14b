"""The repository, a clock and ids that stand still, principals, records, ways to store them: what tests are given."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Memory, Scope, Tier, content_hash
from memory_layer.errors import BodyFrozen, EmbedderUnavailable
from memory_layer.ports.commit import Change, Commit, Vectors
from memory_layer.ports.process import Ports
from memory_layer.ports.record_store import RecordStore
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.prepare import OnDuplicate, RememberRequest
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.remember import StoredMemory, remember

REPOSITORY: Final = Path(__file__).resolve().parents[1]
FOREIGN_FILES: Final = REPOSITORY / "tests" / "foreign_files"

START: Final = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

PROJECT: Final = "web"
SCOPE: Final = Scope("acme", PROJECT)
ADMIN: Final = Principal("acme", "ada", "ada@acme.test", roles=frozenset({"admin"}))
REVIEWER: Final = Principal("acme", "rae", "rae@acme.test", roles=frozenset({"reviewer"}))
AGENT: Final = Principal("acme", "agent-7")


@dataclass
class StandingClock:
    """A clock that moves when it is told to."""

    moment: datetime = START

    def now(self) -> datetime:
        return self.moment

    def advance(self, **by: float) -> None:
        self.moment += timedelta(**by)


@dataclass
class Counter:
    """Ids that are the same in every run."""

    made: int = field(default=0)

    def __call__(self, prefix: str) -> str:
        self.made += 1
        return f"{prefix}{self.made:08d}"


class NoEmbedder:
    """The product without its model: it recalls by words alone."""

    model = "none"
    dimensions = 384

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        raise EmbedderUnavailable(f"no model for {len(texts)} texts")


@dataclass
class BlobsInMemory:
    """A BlobStore in a dict that keeps what is frozen as S3's Deep Archive does.

    Args:
        bodies: by key.
        tiers: the tier that each was last put at.
        asked_back: the keys of the frozen bodies that were asked for.
    """

    bodies: dict[str, bytes] = field(default_factory=dict)
    tiers: dict[str, Tier] = field(default_factory=dict)
    asked_back: list[str] = field(default_factory=list)

    def put(self, key: str, body: bytes, *, tier: Tier = "hot") -> None:
        self.bodies[key], self.tiers[key] = body, tier

    def reclass(self, key: str, tier: Tier) -> None:
        self.tiers[key] = tier

    def get(self, key: str, *, thaws: bool = False) -> bytes | None:
        if self.tiers.get(key) == "frozen":
            self.asked_back += [key] if thaws else []
            raise BodyFrozen(f"{key} is in deep archive")
        return self.bodies.get(key)

    def delete(self, key: str) -> None:
        self.bodies.pop(key, None)
        self.tiers.pop(key, None)

    def keys(self, prefix: str) -> list[str]:
        return sorted(key for key in self.bodies if key.startswith(prefix))


def new_scope(tenant: str = "acme") -> Scope:
    """A project that no other test writes."""
    return Scope(tenant, f"p{uuid.uuid4().hex[:12]}")


def a_memory(scope: Scope, id: str = "m1", **fields: Any) -> Memory:
    content = fields.pop("content", f"Content of {id}.")
    said = {
        "content_hash": content_hash(content),
        "created_by": "ada",
        "created_at": START,
        "updated_at": START,
    }
    return Memory(id=id, tenant=scope.tenant, project=scope.project, content=content, **{**said, **fields})


def created(memory: Memory, *, at: datetime = START, **fields: Any) -> Change:
    """Its first version, by ada."""
    return Change(memory, 0, "created", "ada", at, **fields)


def changed(memory: Memory, vectors: Vectors | None = None, **fields: Any) -> Change:
    """One version on."""
    after = replace(memory, version=memory.version + 1, **fields)
    return Change(after, memory.version, "updated", "ada", START, vectors=vectors)


def some_vectors(seed: int, *, with_context: bool = False) -> Vectors:
    """Exact in float16, so that they come back equal."""
    numbers = np.random.default_rng(seed).integers(-8, 9, (2, 384)) / 16
    content, context = numbers.astype(np.float32)
    return Vectors(content, context if with_context else None)


def equal(one: Vectors, other: Vectors) -> bool:
    contexts = (one.context is None, other.context is None)
    if contexts == (False, False):
        return np.array_equal(one.content, other.content) and np.array_equal(one.context, other.context)  # type: ignore[arg-type]
    return contexts == (True, True) and np.array_equal(one.content, other.content)


def with_parts(ports: Ports, **parts: Any) -> Ports:
    """The ports, with these parts of the store in place of its own."""
    return replace(ports, store=replace(ports.store, **parts))


def each_part(store: RecordStore, wrapped: Callable[[Any], Any]) -> RecordStore:
    """The store, each of whose parts is wrapped."""
    return replace(store, **{part.name: wrapped(getattr(store, part.name)) for part in fields(RecordStore)})


def commit_all(store: RecordStore, changes: Sequence[Change]) -> None:
    """Commits each change by itself; none may be refused."""
    commits = [Commit(scope=change.memory.scope, changes=(change,)) for change in changes]
    assert store.writer.commit_each(commits) == [None] * len(commits)


def put_records(store: RecordStore, *memories: Memory, at: datetime = START) -> None:
    """Commits the records as they are, past all use cases."""
    commit_all(store, [created(memory, at=at) for memory in memories])


def read_back(store: RecordStore, scope: Scope, id: str) -> Memory:
    """The record as it is stored; it has to be there."""
    found = store.memories.get(scope, id)
    assert found is not None
    return found


def put_as(
    ports: Ports, by: Principal, id: str, content: str, *, project: str = PROJECT, **fields: Any
) -> Memory:
    """Puts a memory under an id, as a user does."""
    return put_memory(ports, by, project, id, {"content": content, **fields}).memory


def remembered(
    ports: Ports,
    by: Principal,
    content: str,
    *,
    project: str = PROJECT,
    on_duplicate: OnDuplicate = "ask",
    **fields: Any,
) -> Memory:
    """Remembers a text, as a user does; it has to be stored."""
    asked = RememberRequest(fields={"content": content, **fields}, on_duplicate=on_duplicate)
    stored = remember(ports, by, project, asked)
    assert isinstance(stored, StoredMemory)
    return stored.memory


def recalled_ids(
    ports: Ports, by: Principal, query: str, *, project: str = PROJECT, **asked: Any
) -> list[str]:
    """The ids that a question finds, best first."""
    found = recall(ports, by, project, RecallRequest(query=query, **asked))
    return [item.memory.id for item in found.memories]
