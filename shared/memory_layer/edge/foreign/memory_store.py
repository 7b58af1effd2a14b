"""Listings of a hosted memory store: text files with a path, as agents keep them.

Source: Anthropic API, memory stores, list memories.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from memory_layer.edge.foreign.agent_notes import read_agent_notes
from memory_layer.edge.foreign.exported_item import items_of, moment_text, text_of
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignMemory, ForeignRefusal, LeftOut

FOLDER: Final = "memory_prefix"
_A_FOLDER: Final = "a folder; list it with the depth of its files"
_NO_WORDS: Final = "its words are not in the listing; list it with view=full"


def read_memory_store(document: Any) -> ForeignFile:
    """Paragraphs and list items of the files of a listing, each tagged with its file's path."""
    listed = document.get("data") if isinstance(document, Mapping) else document
    objects, left_out = items_of(listed, "/data" if isinstance(document, Mapping) else "")
    memories = list[ForeignMemory]()
    refused = list[ForeignRefusal]()
    for where, one in objects:
        content = text_of(one.get("content"))
        if content is None:
            left_out.append(LeftOut(where, _A_FOLDER if one.get("type") == FOLDER else _NO_WORDS))
            continue
        file = _placed(where, one, read_agent_notes(content, text_of(one.get("path"))))
        memories += file.memories
        refused += file.refused
        left_out += file.left_out
    return ForeignFile(
        memories=tuple(memories), refused=tuple(refused), left_out=tuple(left_out), is_whole=True
    )


def _placed(where: str, one: Mapping[str, Any], file: ForeignFile) -> ForeignFile:
    """Contents of a file with its place in the listing, and the time of its last change."""
    said_at = moment_text(one.get("updated_at")) or moment_text(one.get("created_at"))
    return replace(
        file,
        memories=tuple(
            replace(memory, where=f"{where}: {memory.where}", fields=_dated(memory.fields, said_at))
            for memory in file.memories
        ),
        refused=tuple(replace(part, where=f"{where}: {part.where}") for part in file.refused),
        left_out=tuple(replace(part, where=f"{where}: {part.where}") for part in file.left_out),
    )


def _dated(fields: Mapping[str, Any], said_at: str | None) -> Mapping[str, Any]:
    if said_at is None or "said_at" in fields:
        return fields
    return {**fields, "said_at": datetime.fromisoformat(said_at)}
