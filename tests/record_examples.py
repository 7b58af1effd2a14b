"""Records for the tests of the record store."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import Any

import numpy as np

from memory_layer.domain.memory import Memory, Scope, content_hash
from memory_layer.ports.commit import Change, Vectors
from tests.conftest import START


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


def created(memory: Memory, **fields: Any) -> Change:
    return Change(memory, 0, "created", "ada", START, **fields)


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
