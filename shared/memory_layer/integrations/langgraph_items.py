"""Items of a LangGraph store as memories: their ids, their labels, their text, and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from langgraph.store.base import Item, PutOp, SearchItem, get_text_at_path

from memory_layer.domain.portability.exact_json import (
    TEXT_MAX_BYTES,
    kept_value,
    shortened,
    storable_text,
    value_of,
)
from memory_layer.integrations.connection import AGENT_SOURCE
from memory_layer.integrations.keyed_memories import digest

Namespace = tuple[str, ...]

KIND: Final = "langgraph"
UNINDEXED: Final = "langgraph:unindexed"
"""Label of items that a query does not score."""

DEPTH_MAX: Final = 62
"""Labels of a namespace: each of its prefixes is a label of the memory, and a memory has 64."""

TTL_MAX_MINUTES: Final = 100 * 365 * 24 * 60
"""A hundred years."""


def item_id(namespace: Namespace, key: str) -> str:
    """Id of the memory that an item is: the same item is the same memory."""
    return f"lgi_{digest([list(namespace), key])}"


def prefix_label(prefix: Namespace) -> str:
    """Label of all items under a prefix; a hash, because a namespace may be longer than a label."""
    return f"{KIND}:{digest(list(prefix))}" if prefix else KIND


def memory_of(op: PutOp, fields: Sequence[str]) -> dict[str, Any]:
    """Fields of the memory that an item becomes.

    Args:
        op: with a value.
        fields: paths of what a query finds an item by, where the item names none.

    Raises:
        NotJsonError: its value is no JSON.
        ValueError: its namespace is too deep, or its lifetime none.
    """
    _check_bounds(op)
    detail = {"namespace": list(op.namespace), "key": op.key, **kept_value(op.value)}
    if op.ttl is not None:
        detail |= {"ttl_minutes": op.ttl, "put_at": datetime.now(UTC).isoformat()}
    labels = [prefix_label(op.namespace[:depth]) for depth in range(len(op.namespace) + 1)]
    text = "" if op.index is False else indexed_text(op.value or {}, op.index or fields)
    unindexed = {"content": name_of(op), "tags": [*labels, UNINDEXED]}
    spoken = {"content": text, "tags": labels} if text.strip() else unindexed
    return {**spoken, "detail": detail, "source": AGENT_SOURCE}


def _check_bounds(op: PutOp) -> None:
    if len(op.namespace) > DEPTH_MAX:
        raise ValueError(f"a namespace has {DEPTH_MAX} labels at most, and this has {len(op.namespace)}")
    if op.ttl is not None and not 0 < op.ttl <= TTL_MAX_MINUTES:
        raise ValueError(f"a lifetime is more than 0 minutes and {TTL_MAX_MINUTES:,} at most, not {op.ttl}")


def name_of(op: PutOp) -> str:
    """Words that name an item, where no words of its value shall."""
    return storable_text(f"LangGraph item {'/'.join(op.namespace)} {op.key}")


def indexed_text(value: Mapping[str, Any], fields: Sequence[str]) -> str:
    """Text that a query finds an item by: of the whole value (`$`), or of the texts at some paths."""
    lines = list(_lines(value)) if "$" in fields else _texts_at(value, fields)
    return shortened(storable_text("\n".join(lines)), TEXT_MAX_BYTES)


def _texts_at(value: Mapping[str, Any], fields: Sequence[str]) -> list[str]:
    return [text for path in fields for text in get_text_at_path(dict(value), path)]


def _lines(value: Mapping[str, Any]) -> Iterator[str]:
    """The value's only text by itself, or a line for each leaf, led by its name."""
    leaves = list(_leaves(value, ""))
    if len(leaves) == 1 and isinstance(leaves[0][1], str):
        yield leaves[0][1]
    else:
        yield from (f"{name}: {leaf}" for name, leaf in leaves)


def _leaves(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, key)
    elif isinstance(value, list | tuple) and any(isinstance(item, Mapping | list | tuple) for item in value):
        for item in value:
            yield from _leaves(item, name)
    elif isinstance(value, list | tuple):
        yield name, ", ".join(map(str, value))
    elif value is not None:
        yield name, value


def item_of(memory: Any) -> Item:
    """The item that a memory holds."""
    return Item(**_members(memory))


def search_item_of(memory: Any, score: float | None = None) -> SearchItem:
    """The item that a memory holds, with its score in a query."""
    return SearchItem(**_members(memory), score=score)


def _members(memory: Any) -> dict[str, Any]:
    return {
        "value": value_of(memory.detail),
        "key": memory.detail["key"],
        "namespace": tuple(memory.detail["namespace"]),
        "created_at": memory.created_at,
        "updated_at": memory.detail.get("put_at")
        or memory.updated_at,  # a read moves the record's, with a ttl
    }
