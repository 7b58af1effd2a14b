"""A small project with something of everything: versions, a conversation, relations, an erased record."""

from __future__ import annotations

from memory_layer.bootstrap import Embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.memory import Relation
from memory_layer.usecases.add_turns import add_turns
from memory_layer.usecases.forget import erase_memory
from memory_layer.usecases.remember import Asked, remember
from memory_layer.usecases.revise import revise

PROJECT = "web"


def fill(backend: Embedded, admin: Principal) -> list[str]:
    """Returns: the ids that are there, in order."""
    said = [
        {"id": "pnpm", "content": "This project uses pnpm, never npm.", "tags": ["tooling", "src/**"]},
        {"id": "wal", "content": "SQLite runs in WAL mode.", "entities": ["urn:tech:sqlite"]},
        {"id": "deploy", "content": "Deploys go out on Tuesdays.", "detail": {"days": ["Tue"], "n": 1.5}},
        {"id": "secret-ish", "content": "Rotate keys every quarter.", "context": "From the runbook."},
        {"id": "gone", "content": "This was told in confidence."},
    ]
    for fields in said:
        remember(backend.ports, admin, PROJECT, Asked(fields=fields))
    revise(backend.ports, admin, PROJECT, "wal", {"content": "SQLite runs in WAL mode, synchronous FULL."})
    revise(backend.ports, admin, PROJECT, "wal", {"relations": (Relation("about", "urn:tech:sqlite"),)})
    revise(
        backend.ports, admin, PROJECT, "deploy", {"expires_at": backend.ports.clock.now().replace(year=2030)}
    )
    turns = ["We ship on Friday.", "Friday is a holiday.", "Then on Thursday."]
    add_turns(backend.ports, admin, PROJECT, "talk", [Asked(fields={"content": text}) for text in turns])
    backend.drain()
    erase_memory(backend.ports, admin, PROJECT, "gone")
    backend.drain()
    return sorted(
        memory.id for memory in backend.ports.store.every(admin.scope(PROJECT), after=None, limit=99).memories
    )
