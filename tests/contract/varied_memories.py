"""A few hundred memories of every kind, the same in every run: what two backends are compared on."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.learn.report_outcome import OutcomeReport, report_outcome
from memory_layer.usecases.write.add_turns import add_turns
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import remember_many
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import StandingClock

PROJECTS: Final = ("web", "billing", SHARED_PROJECT)
SESSION: Final = "s-1"

_THINGS = (
    "queue",
    "cache",
    "orders table",
    "max_connections",
    "Node.js worker",
    "登录服务",
    "Café index",
    "deploy job",
)
_ACTS = ("keeps messages for", "is retried after", "was drained within", "times out after", "holds back")
_UNITS = ("days", "hours", "minutes", "seconds", "messages")
_WHO = ("Ada", "Grace Hopper", "Łukasz", "the on-call engineer", "Melanie")
_WHY = (
    "because the consumer was slow",
    "since the incident of 3 May 2025",
    "as urn:service:gateway asks for it",
    "und das ist so gewollt",
    "は変更しないでください",
    "see docs/runbook.md",
)
_WHEN = (
    "It broke yesterday.",
    "It was changed two weeks ago.",
    "Das war letzten Freitag.",
    "Im Mai lief es noch.",
)
_SAID = (datetime(2025, 5, 3, 12, tzinfo=UTC), datetime(2025, 6, 10, 23, 59, tzinfo=UTC), None)
_CORRECTIONS = (
    "Messages in the queue live twenty days",
    "The café index is rebuilt on Sundays",
    "Refunds are booked by the billing worker",
    "Alerts go to the pager of the platform team",
    "登录服务 is gone",
    "The Node.js worker runs in four containers",
)
_LONG = "The migration was rehearsed twice, once on a copy and once on the replica. "


@dataclass
class Told:
    """A project's memories in the order in which they are written."""

    project: str
    said: list[dict[str, Any]] = field(default_factory=list)


def told(count: int, seed: int) -> list[Told]:
    """So many memories over all projects; several are equal to the letter, others differ in a number alone."""
    chance = random.Random(seed)
    projects = [Told(project) for project in PROJECTS]
    for number in range(count):
        one = chance.choices(projects, (6, 2, 2))[0]
        one.said.append(_memory(chance, f"m{chance.randrange(10**6):06d}-{number}", number))
    return projects


def _memory(chance: random.Random, id: str, number: int) -> dict[str, Any]:
    thing, entity = chance.choice(_THINGS), chance.choice(("orders", "refunds", "users"))
    content = f"The {thing} {chance.choice(_ACTS)} {chance.randrange(1, 9)} {chance.choice(_UNITS)}"
    if number % 3:
        content += f", {chance.choice(_WHO)} says, {chance.choice(_WHY)}."
    if number % 17 == 0:
        content = f"{content} {_LONG * chance.randrange(2, 12)}"
    fields: dict[str, Any] = {"id": id, "content": content, "confidence": chance.choice((0.5, 0.8, 0.9))}
    if number % 4 == 0:
        fields["entities"] = [f"urn:table:{entity}"]
    if number % 5 == 0:
        fields["tags"] = [chance.choice(("runbook.md", "infra", "api"))]
    if number % 6 == 0:
        fields |= {"content": f"{content} {chance.choice(_WHEN)}", "said_at": chance.choice(_SAID)}
    if number % 7 == 0:
        fields["context"] = f"It came up when {chance.choice(_WHO)} looked at the {chance.choice(_THINGS)}."
    if number % 9 == 0:
        fields |= {
            "category": "preference",
            "content": f"I prefer short answers about the {thing}, note {number % 4}.",
        }
    return fields


def write_all(
    backend: EmbeddedBackend, who: Principal, clock: StandingClock, memories: Sequence[Told]
) -> None:
    """Memories, turns, corrections and outcomes; each project's at one time, in the order given."""
    for one in memories:
        for start in range(0, len(one.said), 50):
            asked = [
                RememberRequest(fields=fields, on_duplicate="create")
                for fields in one.said[start : start + 50]
            ]
            for stored in remember_many(backend.ports, who, one.project, asked):
                assert not isinstance(stored, Exception | IdempotencyRecord), stored
        backend.drain()
    turns = [
        RememberRequest(fields={"id": f"turn-{n}", "content": content}) for n, content in enumerate(_turns())
    ]
    for stored in add_turns(backend.ports, who, "web", SESSION, turns):
        assert not isinstance(stored, Exception | IdempotencyRecord), stored
    backend.drain()
    clock.advance(days=40)
    ids = sorted(fields["id"] for one in memories if one.project == "web" for fields in one.said)
    for n, id in enumerate(ids[:9]):
        report_outcome(backend.ports, who, "web", id, OutcomeReport(result="worked" if n % 4 else "failed"))
    for n, id in enumerate(ids[9:15]):
        said = {"id": f"new-{n}", "content": f"{_CORRECTIONS[n]} now, says {_WHO[n % len(_WHO)]}."}
        supersede_memory(backend.ports, who, "web", id, said)
    for id in ids[15:18]:
        archive_memory(backend.ports, who, "web", id)
    backend.drain()
    clock.advance(hours=3)


def _turns() -> Iterator[str]:
    for n in range(24):
        yield (
            f"Melanie: How long does the queue keep message {n}?",
            f"Ada: For {n} days, I wrote it down on 3 May.",
        )[n % 2]
