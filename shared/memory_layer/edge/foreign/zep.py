"""Exports of Zep: facts or edges of a graph, with the time in which each is so, and episodes as they were said.

Source: Zep documentation, facts; API reference, graph edges and episodes, v2 to v4.
"""

from collections.abc import Mapping
from typing import Any, Final

from memory_layer.edge.foreign.exported_item import ExportedItem, items_of, moment_text, text_of
from memory_layer.usecases.transfer.foreign_file import LeftOut

PARTS: Final = ("facts", "edges", "episodes")


def read_zep(document: Any) -> tuple[list[ExportedItem], list[LeftOut]]:
    """Facts and episodes of an export; nodes give their names to the facts between them, and are no memories."""
    whole = document if isinstance(document, Mapping) else {"edges": document}
    names = _names_of_nodes(whole.get("nodes"))
    items, left_out = list[ExportedItem](), list[LeftOut]()
    for part in PARTS:
        objects, others = items_of(_as_objects(whole.get(part)), f"/{part}" if whole is document else "")
        left_out += others
        items += [_episode(*one) if part == "episodes" else _fact(*one, names) for one in objects]
    if names:
        left_out.append(LeftOut("/nodes", f"{len(names)} nodes, which the facts name"))
    return items, left_out


def _as_objects(listed: Any) -> Any:
    """List of facts, of which each may be its words alone."""
    return (
        [{"fact": one} if isinstance(one, str) else one for one in listed] if isinstance(listed, list) else []
    )


def _names_of_nodes(nodes: Any) -> dict[str, str]:
    objects, _ = items_of(nodes, "")
    return {str(node.get("uuid")): name for _, node in objects if (name := text_of(node.get("name")))}


def _fact(where: str, one: Mapping[str, Any], names: Mapping[str, str]) -> ExportedItem:
    ends = {
        end: one.get(f"{end}_node_name") or names.get(str(one.get(f"{end}_node_uuid")))
        for end in ("source", "target")
    }
    return ExportedItem(
        where=where,
        content=one.get("fact"),
        id=one.get("uuid"),
        user=text_of(one.get("user_id")),
        said_at=one.get("created_at"),
        fields={
            "valid_from": moment_text(one.get("valid_at")),
            "valid_to": moment_text(one.get("invalid_at")) or moment_text(one.get("expired_at")),
        },
        beside={**{name: value for name, value in one.items() if name not in ("uuid", "fact")}, **ends},
    )


def _episode(where: str, one: Mapping[str, Any]) -> ExportedItem:
    return ExportedItem(
        where=where,
        content=one.get("content"),
        id=one.get("uuid"),
        user=text_of(one.get("user_id")),
        source="run",
        said_at=one.get("created_at"),
        fields={"session_id": text_of(one.get("session_id")) or text_of(one.get("thread_id"))},
        beside={name: value for name, value in one.items() if name not in ("uuid", "content")},
    )
