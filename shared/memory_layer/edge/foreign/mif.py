"""Documents of the Memory Interchange Format 2.x that other systems have written.

Source: MIF 2.0, https://github.com/varun29ankuS/mif-spec.
"""

from collections.abc import Mapping
from typing import Any, Final

from memory_layer.edge.foreign.exported_item import (
    ExportedItem,
    items_of,
    kind_named,
    labels,
    object_of,
    text_of,
)
from memory_layer.errors import Invalid
from memory_layer.usecases.transfer.foreign_file import LeftOut

VERSIONS: Final = "2."
_READ: Final = frozenset({"id", "content", "tags", "embeddings"})


def read_mif(document: Any) -> tuple[list[ExportedItem], list[LeftOut]]:
    """Memories of a document; what other systems say of one in their extensions goes with it.

    Raises:
        Invalid: it is of another version, or has no list of memories.
    """
    version = document.get("mif_version") if isinstance(document, Mapping) else None
    if not str(version).startswith(VERSIONS):
        raise Invalid.at("/mif_version", f"version {version!r} is not read; convert it to MIF 2.0 first")
    if not isinstance(document.get("memories"), list):
        raise Invalid.at("/memories", "there is no list of memories; take a whole copy of the file")
    objects, left_out = items_of(document["memories"], "/memories")
    user, system = _user(document), _system(document)
    graph = document.get("knowledge_graph")
    if isinstance(graph, Mapping):
        counts = [len(items_of(graph.get(part), "")[0]) for part in ("entities", "relationships")]
        told = f"{counts[0]} entities and {counts[1]} relationships of its graph, which are no memories"
        left_out += [LeftOut("/knowledge_graph", told)] if any(counts) else []
    return [_item(where, one, user, system, document) for where, one in objects], left_out


def _user(document: Mapping[str, Any]) -> str | None:
    return text_of(object_of(document.get("export_meta")).get("user_id"))


def _system(document: Mapping[str, Any]) -> str | None:
    return text_of(object_of(document.get("generator")).get("name"))


def _item(
    where: str, one: Mapping[str, Any], user: str | None, system: str | None, document: Mapping[str, Any]
) -> ExportedItem:
    names = [entity.get("name") for _, entity in items_of(one.get("entities"), "")[0]]
    urns = [name for name in labels(names) if name.startswith("urn:")]
    words = [name for name in labels(names) if not name.startswith("urn:")]
    origin = object_of(one.get("source"))
    return ExportedItem(
        where=where,
        content=one.get("content"),
        id=one.get("id"),
        user=user,
        said_at=one.get("created_at"),
        fields={
            **kind_named(one.get("memory_type")),
            "tags": labels([*labels(one.get("tags")), *words]) or None,
            "entities": urns or None,
            "session_id": text_of(origin.get("session_id")),
        },
        beside={
            **{name: value for name, value in one.items() if name not in _READ},
            "generator": system,
            "extensions": _extensions(document, one.get("id")),
        },
    )


def _extensions(document: Mapping[str, Any], id: Any) -> dict[str, Any]:
    """Entries of all systems about a memory."""
    if not isinstance(id, str):
        return {}
    by_system = {
        system: object_of(object_of(said).get("memory_metadata")).get(id)
        for system, said in object_of(document.get("vendor_extensions")).items()
    }
    return {system: said for system, said in by_system.items() if said is not None}
