"""Answers of lists of memories, as openapi.json describes them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_layer.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class PageAnswer:
    """Page of memories; `note` names those left out because they cannot be read as they were written.

    Args:
        rows: the fields asked for, of each record, with its id and version, in place of `memories`.
        total: number of records on all pages, where `count` asks for it.
    """

    memories: Sequence[Memory]
    next_cursor: str | None
    note: str | None = None
    rows: Sequence[Mapping[str, Any]] | None = None
    total: int | None = None
