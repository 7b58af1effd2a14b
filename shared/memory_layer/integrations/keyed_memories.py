"""Memories under keys of a framework's own: put whatever else the project knows, and read while they are kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from memory_layer.client import Memory, MemoryProblem


def digest(value: Any) -> str:
    """Hash of a JSON value, hex: names of any length and letters become ids and labels of memories by it."""
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()[:40]


def put_keyed(client: Memory, id: str, fields: Mapping[str, Any], placeholder: str, **options: Any) -> Any:
    """Answer to the storage of a memory under a key, whatever became of it or of its words meanwhile.

    Words that a recall returned are no news, and are refused as a new memory. Under a key they are kept all the same:
    the key is stored with a placeholder, and the words as its correction.

    Args:
        placeholder: names the key, and no other.
        options: further arguments of `put_memory`.

    Raises:
        MemoryProblem: the service refuses for another reason.
    """
    try:
        return client.put_memory(id, **fields, **options)
    except MemoryProblem as problem:
        _make_way(client, id, problem, {**fields, "content": placeholder})
    return client.put_memory(id, **fields)


def _make_way(client: Memory, id: str, problem: MemoryProblem, held: Mapping[str, Any]) -> None:
    """Readies a key for its words. Raises: MemoryProblem: they are refused for a reason that stays."""
    if problem.code == "recalled_text":
        client.put_memory(id, **held)
    elif problem.code == "conflict" and client.get_memory(id).status == "superseded":
        client.undo_last_change(id)
    else:
        raise problem


def found(client: Memory, id: str) -> Any | None:
    """The record of an id, of whatever status; None: there is none."""
    try:
        return client.get_memory(id)
    except MemoryProblem as problem:
        if problem.code == "not_found":
            return None
        raise


def deleted(client: Memory, id: str, *, hard: bool = False) -> bool:
    """Deletes a memory; False: there was none."""
    try:
        client.delete_memory(id, hard=hard)
    except MemoryProblem as problem:
        if problem.code == "not_found":
            return False
        raise
    return True
