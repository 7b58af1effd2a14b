"""Answers about the versions of a store's files, with the members that the client of Memory Stores knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memory_layer.domain.access import AGENT_PREFIX
from memory_layer.domain.portability.file_text import text_sha256
from memory_layer.edge.shapes.store_bodies import STORE, View, version_id
from memory_layer.usecases.files.file_versions import FileVersion, Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreActor:
    """Author of a change.

    Args:
        type: `user_actor`: a person; `api_actor`: an agent or a service.
        user_id: e-mail address of a person.
        api_key_id: name that its token gives an agent or a service.
    """

    type: Literal["user_actor", "api_actor"]
    user_id: str | None = None
    api_key_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreVersion:
    """Version of a file.

    Args:
        type: always `memory_version`.
        memory_store_id: the store.
        memory_id: the file; its versions stay when it is deleted.
        created_at: when the change was made.
        operation: how it came about.
        path: where the file lay; null: it was redacted.
        content: its text; null with `view=basic`, of a deletion, and of what was redacted.
        content_size_bytes: length of its text in bytes of UTF-8; null as its hash.
        created_by: who made the change.
        redacted_at: since when its words are gone; null: they are there.
        redacted_by: who took them out.
    """

    id: str
    type: Literal["memory_version"] = "memory_version"
    memory_store_id: str
    memory_id: str
    operation: Operation
    path: str | None
    content: str | None
    content_sha256: str | None
    content_size_bytes: int | None
    created_at: datetime
    created_by: StoreActor
    redacted_at: datetime | None
    redacted_by: StoreActor | None


@dataclass(frozen=True, slots=True)
class StoreVersionsPage:
    """Page of versions.

    Args:
        data: the newest first.
        next_page: what `page` takes for the next one; null: this is the last.
        note: whose files' versions are not listed, where there are too many; null: all are.
    """

    data: Sequence[StoreVersion]
    next_page: str | None
    note: str | None = None


def version_answer(project: str, found: FileVersion, view: View) -> StoreVersion:
    text = found.text
    return StoreVersion(
        id=version_id(found.last, found.memory_id),
        memory_store_id=f"{STORE}{project}",
        memory_id=found.memory_id,
        operation=found.operation,
        path=found.path,
        content=text if view == "full" else None,
        content_sha256=None if text is None else text_sha256(text),
        content_size_bytes=None if text is None else len(text.encode()),
        created_at=found.at,
        created_by=actor(found.by),
        redacted_at=found.redaction.at if found.redaction else None,
        redacted_by=actor(found.redaction.by) if found.redaction else None,
    )


def actor(name: str) -> StoreActor:
    """Actor by the name that the history has: an e-mail address is a person's."""
    if "@" in name and not name.startswith(AGENT_PREFIX):
        return StoreActor(type="user_actor", user_id=name)
    return StoreActor(type="api_actor", api_key_id=name)
