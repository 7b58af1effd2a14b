"""Graphs and enrichments as text for people."""

from collections.abc import Mapping
from typing import Any

from memory_layer.cli.printing.tables import dimmed, hint, memory_count, new_table
from memory_layer.cli.terminal.next_command import runnable
from memory_layer.cli.terminal.refusal_text import printable

Document = Mapping[str, Any]

_SHOWN_CHARS = 100
_HOW_NAMED = "Things go by their whole name, such as urn:table:orders; by words: mem search"


def graph(document: Document) -> Any:
    from rich.console import Group

    if not document["nodes"]:
        return hint(f"nothing that may be seen speaks of it. {_HOW_NAMED}")
    nodes = new_table("near", "kind", "what")
    for node in document["nodes"]:
        nodes.add_row(f"{node['nearness']:.2f}", node["kind"], _node_text(node))
    edges = new_table("from", "tie", "to")
    for edge in document["edges"]:
        edges.add_row(*(printable(edge[end]) for end in ("source", "type", "target")))
    more = [] if document["is_whole"] else [dimmed("there is more: raise --limit")]
    return Group(nodes, "", edges, *more)


def _node_text(node: Document) -> str:
    if node["kind"] != "memory":
        return f"{printable(node['id'])}{_total(node)}"
    by = f"  unreviewed, by {node['created_by']}" if node.get("standing") == "unreviewed" else ""
    return f"{printable(node['id'])}: {printable(node['summary'])[:_SHOWN_CHARS]}{printable(by)}"


def _total(node: Document) -> str:
    if "total" in node:
        return f" ({memory_count(node['total'])})"
    return f" (at most {memory_count(node['total_at_most'])})" if "total_at_most" in node else ""


def enrichment_block(document: Document) -> str:
    """Block alone, to be piped on."""
    return printable(document["memory_context"]).rstrip("\n")


def enrichment_notes(document: Document) -> str:
    """URNs that the block lacks: unknown ones, and those of which nothing had room."""
    found, unknown = document["found"], document["unknown"]
    lines = [] if found or unknown else ["there is no URN in it"]
    lines += [f"nothing is known of {', '.join(unknown)}"] if unknown else []
    unshown = [one["urn"] for one in found if not one["memories"]]
    lines += (
        [f"there is no room for what is known of {', '.join(unshown)}: raise --tokens or --limit"]
        if unshown
        else []
    )
    lines += [] if document["is_whole"] else ["it is too long or too deep: not all of it was looked at"]
    lines += [runnable(document["note"])] if document.get("note") else []
    return printable("\n".join(lines))
