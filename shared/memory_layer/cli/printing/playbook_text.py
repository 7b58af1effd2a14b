"""Reorganised playbooks and decisions on them, for a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memory_layer.cli.printing.tables import one_line
from memory_layer.cli.terminal.next_command import runnable


def reorganisation(document: Mapping[str, Any]) -> str:
    """Each union with what becomes of it, and the commands that decide."""
    if document["id"] is None:
        return "nothing to reorganise"
    words = {one["id"]: one["content"] for one in document["present"]}
    lines = [line for union in document["unions"] for line in _union(union, words)]
    counts = f"{len(document['present'])} bullets would be {len(document['proposed'])}"
    ways = f"mem reorganise --accept {document['id']}\nmem reorganise --drop {document['id']}"
    return "\n".join([*lines, counts, *([document["note"]] if document.get("note") else []), ways])


def _union(union: Mapping[str, Any], words: Mapping[str, str]) -> list[str]:
    gone = [f"- {one_line(words.get(id, id))}" for id in (union["into"], *union["others"])]
    return [*gone, f"+ {one_line(union['content'])}", ""]


def next_page(document: Mapping[str, Any]) -> str:
    """Moment of a page of the playbook, in the command that tells what has changed since; and what is not on it."""
    if document.get("note"):
        return str(document["note"])
    return runnable(
        f"as of {document['as_of']}; what changes after it: mem playbook --since {document['as_of']}"
    )


def decided(document: Mapping[str, Any]) -> str:
    """Sum of a decision, and a line for each problem."""
    return "\n".join([f"decided on {document['done']}", *(f"! {one}" for one in document["problems"])])
