"""Texts of files in memories: what a memory's content cannot hold as it is lies in its `detail` besides."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

from memory_layer.domain.memory import CONTENT_MAX_BYTES, FILE_MAX_BYTES, Memory
from memory_layer.domain.portability.exact_json import kept_value, storable_text, value_of

FILE_PATH: Final = "path"
"""Member of `detail` that holds the path of a file."""

_HELD: Final = ("value", "is_escaped")


def content_max_bytes(detail: Mapping[str, Any] | None) -> int:
    """Bytes of UTF-8 that a content may have. Args: detail: of its record."""
    return FILE_MAX_BYTES if FILE_PATH in (detail or {}) else CONTENT_MAX_BYTES


def file_fields(path: str, text: str, detail: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Fields of a record that is a file: `content` and `detail`.

    Args:
        detail: the record's members so far, which stay.
    """
    others = {name: value for name, value in (detail or {}).items() if name not in (FILE_PATH, *_HELD)}
    plain = storable_text(text)
    if plain == text and text.strip():
        return {"content": text, "detail": {**others, FILE_PATH: path}}
    shown = plain if plain.strip() else f"Blank file {path}"
    return {"content": shown, "detail": {**others, FILE_PATH: path, **kept_value(text)}}


def text_of(memory: Memory) -> str:
    """Text of the file that a memory is, byte by byte as it was written."""
    is_kept = FILE_PATH in memory.detail and isinstance(memory.detail.get("value"), str)
    return str(value_of(memory.detail)) if is_kept else memory.content


def text_sha256(text: str) -> str:
    """SHA-256 of a text's UTF-8, hex; nothing is normalized."""
    return sha256(text.encode()).hexdigest()
