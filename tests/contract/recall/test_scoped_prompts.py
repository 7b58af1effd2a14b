"""Prompts of a write scope: which tags put a memory first, where those of a project are globs."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.ranking import TaskProfile
from memory_layer.domain.scope_tags import known_paths
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.review.approve import approve_memory, reject_memory
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.revise import revise
from memory_layer.usecases.write.supersede import supersede_memory
from tests.given import PROJECT, StandingClock

RULES = {
    "api": ("src/api/**", "Answer errors as problem documents."),
    "web": ("src/web/**", "Buttons have an accessible name."),
    "db": ("src/db/**", "Migrations are reversible."),
    "terraform": ("*.tf", "Pin the provider's version."),
    "cli": ("src/cli/**", "Exit with 2 on bad usage."),
    "docs": ("docs/**", "Write dates as 2026-11-05."),
}


def test_a_broad_tag_is_not_first_where_a_projects_tags_are_globs(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls where paths are tags without wildcards, and where the tags of agents are counted."""
    ports = backend.ports
    put_memory(ports, agent, PROJECT, "broad", {"content": "Skip the review of api.", "tags": ["src/**"]})
    approve_memory(ports, admin, PROJECT, "broad")
    for id, (tag, content) in RULES.items():
        put_memory(ports, admin, PROJECT, id, {"content": content, "tags": [tag], "confidence": 0.6})
    fillers = [f"zz/{number}/a.py" for number in range(64)]
    put_memory(ports, agent, PROJECT, "filler", {"content": "Nothing to see here.", "tags": fillers})
    backend.drain()
    known = ports.index.tags((agent.scope(PROJECT),), (viewer_of(admin), ports.clock.now()))
    assert len(known) == len(RULES) + 1 + len(fillers)
    assert len(known_paths(known.trusted)) == len(RULES) + 1
    task = TaskProfile(write_scope=("src/api/errors.py",))
    composed = compose_prompt(ports, admin, PROJECT, "", task, limit=3)
    assert composed.memories[0].id == "api"


def test_tags_are_counted_as_long_as_trusted_memories_carry_them(
    backend: EmbeddedBackend, admin: Principal, agent: Principal
) -> None:
    """Falls where what is kept of them outlives a change of who speaks or of tags."""

    def counted() -> tuple[str, ...]:
        backend.drain()
        return _counted(ports, agent)

    ports = backend.ports
    put_memory(ports, agent, PROJECT, "its", {"content": "Answers are problem documents.", "tags": ["a/b"]})
    put_memory(ports, admin, PROJECT, "mine", {"content": "Migrations are reversible.", "tags": ["c/d"]})
    assert counted() == ("c/d",)
    approve_memory(ports, admin, PROJECT, "its")
    assert counted() == ("a/b", "c/d")
    revise(ports, admin, PROJECT, "mine", {"tags": ["e/f"]})
    assert counted() == ("a/b", "e/f")


@pytest.mark.parametrize("how", ["of another persona", "rejected", "superseded", "archived", "expired"])
def test_tags_that_the_caller_cannot_see_are_not_counted(
    backend: EmbeddedBackend, admin: Principal, clock: StandingClock, how: str
) -> None:
    """A crowd of paths made one tag narrow and another broad for those who never saw the memory that carries them."""

    def first() -> str:
        backend.drain()
        task = TaskProfile(write_scope=("src/web/n/1.py",))
        return compose_prompt(ports, reader, PROJECT, "", task, limit=3).memories[0].id

    ports, reader = backend.ports, Principal(admin.tenant, "bob", "bob@acme.test", persona="b")
    for id, (tag, content) in RULES.items():
        put_memory(ports, admin, PROJECT, id, {"content": content, "tags": [tag], "confidence": 0.6})
    persona = {"persona": "a"} if how == "of another persona" else {}
    until = {"expires_at": clock.now() + timedelta(hours=1)} if how == "expired" else {}
    crowd = [f"src/web/n/{number}" for number in range(60)]
    body = {"content": "Nothing to see here.", "tags": crowd, "confidence": 0.5, **persona, **until}
    put_memory(ports, admin, PROJECT, "crowd", body)
    if how == "rejected":
        reject_memory(ports, admin, PROJECT, "crowd")
    elif how == "archived":
        archive_memory(ports, admin, PROJECT, "crowd")
    elif how == "superseded":
        supersede_memory(
            ports, admin, PROJECT, "crowd", {"content": "Little to see.", "tags": ["z"], "confidence": 0.5}
        )
    elif how == "expired":
        assert first() != "web"
        clock.advance(hours=2)
    assert first() == "web"
    assert len(_counted(ports, reader)) == len(RULES)
    if persona:
        assert len(_counted(ports, replace(reader, persona="a"))) == len(RULES) + len(crowd)


def _counted(ports: Ports, by: Principal) -> tuple[str, ...]:
    return known_paths(ports.index.tags((by.scope(PROJECT),), (viewer_of(by), ports.clock.now())).trusted)
