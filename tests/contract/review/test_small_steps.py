"""An approved memory, its author's steps against it one by one: words, labels, times and place stay as approved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, acting_for
from memory_layer.domain.memory import Memory, Relation
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.process import Ports
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.review.approve import approve_memory
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.merge_memories import merge_memories
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.restore_version import restore_version
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.undo import undo_last_change
from tests.given import PROJECT, REVIEWER, SCOPE, START, put_as, read_back

AUTHOR: Final = Principal("acme", "bot-1")
SERVICE: Final = Principal("acme", "bot-2", acts_for=True)
KEPT: Final = ("content", "summary", "detail", "context", "tags", "entities", "relations", "category", "type")
KEPT_TIMES: Final = ("status", "expires_at", "valid_from", "valid_to", "pinned", "confidence", "created_by")
WORDS: Final = "The backup of the ledger runs at four and keeps nine copies."

Open = Callable[..., EmbeddedBackend]

SMALL: Final = tuple(
    WORDS.replace(old, new)
    for old, new in (
        ("four", "five"),
        ("nine", "two"),
        ("runs", "ran"),
        ("keeps", "drops"),
        ("ledger", "menu"),
    )
)
"""Changes of a word each: together they say something else."""

LABELS: Final[tuple[Mapping[str, Any], ...]] = (
    {"tags": ("src/**",)},
    {"entities": ("urn:service:elsewhere",)},
    {"relations": (Relation("supersedes", "other"),)},
    {"category": "decision"},
    {"type": "warning"},
    {"summary": "The ledger has no backup."},
    {"detail": {"note": "there is no backup"}},
    {"context": "This is out of date."},
    {"expires_at": START + timedelta(minutes=1)},
    {"valid_to": START - timedelta(days=1)},
    {"pinned": True},
    {"active": False},
    {"persona": "bot-1"},
    {"confidence": 0.1},
    {"said_at": START - timedelta(days=900)},
)


def _steps(ports: Ports, by: Principal) -> list[Callable[[], object]]:
    """All that a principal may try against the memory, a step a route."""
    fields = [*({"content": text} for text in SMALL), *LABELS]
    return [
        *(lambda said=said: revise(ports, by, PROJECT, "ledger", said) for said in fields),
        *(
            lambda said=said: put_memory(ports, by, PROJECT, "ledger", said)
            for said in fields
            if "content" in said
        ),
        lambda: supersede_memory(ports, by, PROJECT, "ledger", {"content": SMALL[0]}),
        lambda: merge_memories(ports, by, PROJECT, "own", ["ledger"], content=SMALL[0]),
        lambda: merge_memories(ports, by, PROJECT, "ledger", ["own"], content=SMALL[0]),
        lambda: restore_version(ports, by, PROJECT, "ledger", 1),
        lambda: undo_last_change(ports, by, PROJECT, "ledger"),
        lambda: archive_memory(ports, by, PROJECT, "ledger"),
        lambda: erase_memory(ports, by, PROJECT, "ledger"),
        *(
            lambda run=run: report_outcome(
                ports,
                by,
                PROJECT,
                "ledger",
                OutcomeReport(result="failed", session_id=f"s{run}", run_id=f"r{run}"),
            )
            for run in range(6)
        ),
    ]


def _as_it_stands(memory: Memory) -> dict[str, Any]:
    return {name: getattr(memory, name) for name in (*KEPT, *KEPT_TIMES)}


@pytest.mark.parametrize(
    "by", [AUTHOR, acting_for(SERVICE, AUTHOR.name)], ids=["its author", "a service for it"]
)
def test_no_step_moves_what_was_approved(open_backend: Open, by: Principal) -> None:
    """Falls without `_refuse_agents_labels`."""
    backend = open_backend()
    ports = backend.ports
    put_as(ports, AUTHOR, "ledger", content=WORDS, tags=("docs/ledger.md",))
    put_as(ports, AUTHOR, "own", content="The menu is printed on Mondays.")
    approve_memory(ports, REVIEWER, PROJECT, "ledger")
    approved = _as_it_stands(read_back(ports.store, SCOPE, "ledger"))
    for step in _steps(ports, by):
        with suppress(MemoryLayerError):
            step()
        assert _as_it_stands(read_back(ports.store, SCOPE, "ledger")) == approved
    backend.drain()
    request = RecallRequest(query="When does the backup of the ledger run?")
    assert recall(ports, REVIEWER, PROJECT, request).memories[0].memory.id == "ledger"
