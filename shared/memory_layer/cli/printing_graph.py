"""Graphs and enrichments as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_layer.cli.call import printable
from memory_layer.cli.printing import dimmed, new_table

Document = Mapping[str, Any]

_SHOWN_CHARS = 100


def graph(document: Document) -> Any:
    from rich.console import Group

    if not document["nodes"]:
        return dimmed("nothing that may be seen speaks of it")
    nodes = new_table("near", "kind", "what")
    for node in document["nodes"]:
        nodes.add_row(f"{node['nearness']:.2f}", node["kind"], _what(node))
    edges = new_table("from", "tie", "to")
    for edge in document["edges"]:
        edges.add_row(*(printable(edge[end]) for end in ("source", "type", "target")))
    more = [] if document["is_whole"] else [dimmed("there is more: raise --limit")]
    return Group(nodes, edges, *more)


def _what(node: Document) -> str:
    if node["kind"] != "memory":
        total = f" ({node['total']} memories)" if "total" in node else ""
        return f"{printable(node['id'])}{total}"
    return f"{printable(node['id'])}: {printable(node['summary'])[:_SHOWN_CHARS]}"


def enriched(document: Document) -> Any:
    """The block alone, to be piped on; what was not found is told where there is nothing else."""
    if document["memory_context"]:
        return document["memory_context"]
    asked = ", ".join(document["unknown"]) or "there is no URN in it"
    return f"nothing is known: {printable(asked)}"
