"""The list of projects: those that the caller sees something of, with numbers that follow every write."""

from __future__ import annotations

from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, acting_for
from memory_layer.usecases.ground.projects import list_projects
from memory_layer.usecases.ground.queries import project_stats
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.put import put_memory
from memory_layer.usecases.write.revise import revise
from tests.given import ADMIN, AGENT

SERVICE = Principal("acme", "front-desk", acts_for=True)


def listed(backend: EmbeddedBackend, who: Principal, limit: int = 50) -> list[tuple[str, int, int]]:
    backend.drain()
    found: list[tuple[str, int, int]] = []
    after: str | None = None
    for _ in range(20):
        page, after = list_projects(backend.ports, who, after=after, limit=limit)
        found += [(one.project, one.total, one.active) for one in page]
        if after is None:
            return found
    raise AssertionError("the pages do not end")


def put(backend: EmbeddedBackend, who: Principal, project: str, id: str, **fields: object) -> None:
    put_memory(backend.ports, who, project, id, {"content": f"The rule of {project} is {id}.", **fields})


def test_numbers_follow_every_write(backend: EmbeddedBackend) -> None:
    """Falls where a change of status or persona, or an erasure, is not counted."""
    for project in ("b", "a", "c"):
        for id in ("one", "two"):
            put(backend, ADMIN, project, f"{id}-{project}")
    assert listed(backend, ADMIN) == listed(backend, ADMIN, 1) == [("a", 2, 2), ("b", 2, 2), ("c", 2, 2)]
    archive_memory(backend.ports, ADMIN, "a", "one-a")
    revise(backend.ports, ADMIN, "b", "one-b", {"persona": "ann"})
    for id in ("one-c", "two-c"):
        erase_memory(backend.ports, ADMIN, "c", id)
    assert listed(backend, ADMIN) == [("a", 2, 1), ("b", 2, 2)]
    assert listed(backend, AGENT) == [("a", 2, 1), ("b", 1, 1)]
    assert project_stats(backend.ports, AGENT, "b").total == 1


def test_nobody_learns_of_projects_that_they_see_nothing_of(backend: EmbeddedBackend) -> None:
    """A safeguard: falls without the tenant, or the view of the caller."""
    ann, bob = (acting_for(SERVICE, user) for user in ("ann", "bob"))
    put(backend, ann, "desk", "m1", persona="ann")
    assert listed(backend, ann) == [("desk", 1, 1)]
    assert listed(backend, bob) == listed(backend, AGENT) == []
    assert listed(backend, Principal("umbra", "eve", roles=frozenset({"admin"}))) == []
