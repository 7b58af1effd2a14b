"""Whoever asks, whatever they ask: nothing of another tenant, nothing of another persona.

Falls without: the tenant in the scope of every read, `Viewer.may_see` in the re-check of a hit, the viewer of counts.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.domain.access import Principal
from memory_layer.domain.filters import Filters
from memory_layer.domain.ranking import TaskProfile
from memory_layer.errors import NotFound
from memory_layer.ports.process import Ports
from memory_layer.settings import read_settings
from memory_layer.usecases.ground.queries import get_memory, list_memories, memory_history, project_stats
from memory_layer.usecases.recall.compose_prompt import compose_prompt
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from tests.fuzzing import examples
from tests.given import NoEmbedder

TENANTS = ("acme", "globex")
PERSONAS = (None, "analyst", "engineer")
PROJECTS = ("web", "_shared")

principals = st.builds(
    lambda tenant, persona, role: Principal(
        tenant=tenant, subject=f"{role}-{persona}", persona=persona, roles=frozenset({role})
    ),
    st.sampled_from(TENANTS),
    st.sampled_from(PERSONAS),
    st.sampled_from(["agent", "reviewer", "admin"]),
)
writes = st.lists(st.tuples(principals, st.sampled_from(PROJECTS), st.booleans()), min_size=1, max_size=12)


@contextmanager
def an_empty_backend() -> Iterator[EmbeddedBackend]:
    with tempfile.TemporaryDirectory() as folder:
        configured = read_settings({}, data_dir=Path(folder), model_dir=Path(folder) / "none")
        backend = open_embedded(configured, embedder=NoEmbedder())
        yield backend
        backend.close()


@settings(max_examples=examples(60))
@given(written=writes, reader=principals)
def test_nobody_sees_what_is_not_theirs(
    written: list[tuple[Principal, str, bool]], reader: Principal
) -> None:
    with an_empty_backend() as backend:
        _check(backend.ports, written, reader)


def _check(ports: Ports, written: list[tuple[Principal, str, bool]], reader: Principal) -> None:
    stored = []
    for number, (writer, project, is_for_all) in enumerate(written):
        if project == "_shared" and not writer.is_reviewer:
            continue
        fields = {"content": f"marker fact {number}", "tags": ("src/**",)}
        asked = RememberRequest(
            fields=fields | ({"persona": None} if is_for_all else {}), on_duplicate="create"
        )
        result = remember(ports, writer, project, asked)
        assert isinstance(result, StoredMemory)
        stored.append(result.memory)

    asked = RecallRequest(query="marker", limit=100)
    shown = [item.memory for item in recall(ports, reader, "web", asked).memories]
    shown += compose_prompt(
        ports, reader, "web", "marker", TaskProfile(write_scope=("src/a.py",)), limit=100
    ).memories
    for project in PROJECTS:
        shown += list_memories(ports, reader, project, Filters(), after=None, limit=200).memories
    theirs = [memory for memory in stored if _is_for(reader, memory.tenant, memory.persona)]
    assert {memory.id for memory in shown} == {memory.id for memory in theirs}
    for project in PROJECTS:
        counted = sum(memory.project == project for memory in theirs)
        assert project_stats(ports, reader, project).total == counted
    for memory in stored:
        if not _is_for(reader, memory.tenant, memory.persona):
            with pytest.raises(NotFound):
                get_memory(ports, reader, memory.project, memory.id)
            with pytest.raises(NotFound):
                memory_history(ports, reader, memory.project, memory.id)


def _is_for(reader: Principal, tenant: str, persona: str | None) -> bool:
    return tenant == reader.tenant and ("admin" in reader.roles or persona in (None, reader.persona))
