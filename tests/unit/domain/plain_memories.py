"""Memories with nothing in them but what a test says."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from memory_layer.domain.memory import Memory, content_hash

NOW = datetime(2026, 2, 5, 10, 0, tzinfo=UTC)


def plain_memory(id: str, content: str, **fields: object) -> Memory:
    """By ann@example.com, of the project `shop`, written `NOW`."""
    plain = Memory(
        id=id,
        tenant="local",
        project="shop",
        content=content,
        created_by="ann@example.com",
        content_hash=content_hash("x"),
        created_at=NOW,
        updated_at=NOW,
    )
    return replace(plain, **fields)  # type: ignore[arg-type]
