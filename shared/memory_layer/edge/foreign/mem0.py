"""Exports of mem0: an array of memories, or the results of its API.

Source: mem0 API reference, get all memories, v1 and v2.
"""

from collections.abc import Mapping
from typing import Any, Final

from memory_layer.edge.foreign.exported_item import (
    ExportedItem,
    items_of,
    kind_named,
    labels,
    moment_text,
    object_of,
    text_of,
)
from memory_layer.usecases.transfer.foreign_file import LeftOut

_OWNERS: Final = ("user_id", "agent_id", "app_id")
_READ: Final = frozenset({"id", "memory", "hash", "score"})


def read_mem0(document: Any) -> tuple[list[ExportedItem], list[LeftOut]]:
    """Memories of an export, and its parts that are none; of an answer with relations, how many there are."""
    listed, pointer = _listed(document)
    objects, left_out = items_of(listed, pointer)
    relations = document.get("relations") if isinstance(document, Mapping) else None
    if relations:
        count = len(relations) if isinstance(relations, list) else 1
        left_out.append(LeftOut("/relations", f"{count} relations of its graph, which are no memories"))
    return [_item(where, one) for where, one in objects], left_out


def _listed(document: Any) -> tuple[Any, str]:
    if not isinstance(document, Mapping):
        return document, ""
    name = next((name for name in ("results", "memories") if name in document), None)
    return (document[name], f"/{name}") if name else ([document], "")


def _item(where: str, one: Mapping[str, Any]) -> ExportedItem:
    metadata = object_of(one.get("metadata"))
    tags = [*labels(one.get("categories")), *labels(metadata.get("tags"))]
    return ExportedItem(
        where=where,
        content=one.get("memory"),
        id=one.get("id"),
        user=next((name for owner in _OWNERS if (name := text_of(one.get(owner)))), None),
        said_at=one.get("created_at"),
        fields={
            **kind_named(metadata.get("category")),
            "tags": labels(tags) or None,
            "expires_at": moment_text(one.get("expiration_date")),
        },
        beside={name: value for name, value in one.items() if name not in _READ},
    )
