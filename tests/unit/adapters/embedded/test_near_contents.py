"""Contents near to the lines of a batch: found in one product, in the index and among the writes that it lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_layer.adapters.embedded.files.blob_store import FileBlobStore
from memory_layer.adapters.embedded.ram_index.search_index import EmbeddedIndex
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.store.record_store import open_record_store
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import Memory, Ref
from memory_layer.errors import ContentTaken, NearContentTaken
from memory_layer.ports.commit import Change, Commit, Vectors
from memory_layer.ports.index import NearContents, NearQuery
from tests.given import START, a_memory, changed, commit_all, created, new_scope

DIMENSIONS, ABOVE = 64, 0.9
SCOPE = new_scope()
RECORDS = 5_000
"""More than two chunks of rows."""


class Project:
    """A store with its index, and the vectors of its records."""

    def __init__(self, folder: Path) -> None:
        database = Database(folder / "db")
        self.store = open_record_store(database, Bodies(FileBlobStore(folder / "blobs")))
        self.index = EmbeddedIndex(database.reader, model="m", dimensions=DIMENSIONS)
        self._noise = np.random.default_rng(7)
        self._topics = self._units(self._noise.standard_normal((40, DIMENSIONS)))

    def line(self, topic: int) -> NDArray[np.float32]:
        """A unit vector at about .96 of cosine from others of its topic."""
        noisy = self._topics[topic % 40] + 0.025 * self._noise.standard_normal(DIMENSIONS)
        return self._units(noisy[None])[0]

    def record(self, number: int, **fields: object) -> tuple[Memory, Vectors]:
        memory = a_memory(SCOPE, f"r{number}", content=f"text {number}", embedding_model="m", **fields)
        return memory, Vectors(self.line(number))

    def near(
        self,
        lines: list[NDArray[np.float32]],
        persona: str | None = None,
        k: int = RECORDS,
        above: float = ABOVE,
    ) -> NearContents:
        query = NearQuery(scope=SCOPE, vectors=lines, persona=persona, now=START, k=k, nearer_than=above)
        return self.index.nearest_contents(query)

    def _units(self, vectors: NDArray[np.float64]) -> NDArray[np.float32]:
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    project = Project(tmp_path)
    yield project
    project.store.close()


def fill(project: Project, count: int, first: int = 0) -> dict[str, NDArray[np.float32]]:
    records = [project.record(number) for number in range(first, first + count)]
    commit_all(project.store, [created(memory, vectors=vectors) for memory, vectors in records])
    return {memory.id: vectors.content for memory, vectors in records}


def surely_near(stored: dict[str, NDArray[np.float32]], line: NDArray[np.float32]) -> set[Ref]:
    return {Ref(SCOPE.project, id) for id, vector in stored.items() if float(vector @ line) > ABOVE}


@pytest.mark.parametrize("lines", [1, 4, 5, 30])
def test_every_near_content_is_found_for_every_line(project: Project, lines: int) -> None:
    """Falls where a chunk of rows is left out, or a line is given the records of another."""
    stored = fill(project, RECORDS)
    project.near([project.line(0)])
    asked = [project.line(number) for number in range(lines)]
    found = project.near(asked)
    for line, near in zip(asked, found.near, strict=True):
        expected = surely_near(stored, line)
        assert len(expected) > 50
        assert expected <= near.keys()
        assert all(float(stored[ref.id] @ line) > ABOVE - 0.05 for ref in near)
        exact = np.array([stored[ref.id] @ line for ref in near])
        np.testing.assert_allclose(list(near.values()), exact, atol=0.02)


@pytest.mark.parametrize("lines", [1, 30])
def test_of_many_related_contents_the_nearest_are_found(project: Project, lines: int) -> None:
    """Falls where the nearest of a part, or by an estimate alone, are taken for the nearest of all."""
    stored = fill(project, RECORDS)
    asked = [project.line(number) for number in range(lines)]
    for line, near in zip(asked, project.near(asked, k=8, above=-1.0).near, strict=True):
        best = sorted((float(vector @ line) for vector in stored.values()), reverse=True)[:8]
        assert len(near) == 8
        assert min(float(stored[ref.id] @ line) for ref in near) > best[-1] - 0.02


@pytest.mark.parametrize("written_since", [1, 16, 17, 40])
def test_what_was_written_since_the_index_looked_is_compared(project: Project, written_since: int) -> None:
    """Falls without `contents_since`, and where the index stays behind for good."""
    stored = fill(project, 40)
    project.near([project.line(0)])
    stored |= fill(project, written_since, first=100)
    line = project.line(100)
    found = project.near([line])
    assert surely_near(stored, line) <= found.near[0].keys()
    assert Ref(SCOPE.project, "r100") in found.near[0]
    assert found.seen == 40 + written_since


def test_only_active_contents_of_the_persona_written_since_are_compared(project: Project) -> None:
    """Falls without a condition of `contents_since`."""
    fill(project, 1)
    project.near([project.line(0)])
    others = (
        {"persona": "ada"},
        {"status": "archived"},
        {"expires_at": START - timedelta(days=1)},
        {"embedding_model": "another"},
    )
    for number, fields in enumerate(others, start=1):
        memory, vectors = project.record(40 * number)
        commit_all(project.store, [created(replace(memory, **fields), vectors=vectors)])  # type: ignore[arg-type]
    assert project.near([project.line(0)]).near[0].keys() == {Ref(SCOPE.project, "r0")}
    assert Ref(SCOPE.project, "r40") in project.near([project.line(0)], "ada").near[0]


@pytest.mark.parametrize("lines", [1, 5])
def test_only_active_contents_of_the_persona_in_the_index_are_compared(project: Project, lines: int) -> None:
    """Falls without the mask, for a line alone and for many."""
    fill(project, 1)
    others = ({"persona": "ada"}, {"status": "archived"}, {"expires_at": START - timedelta(days=1)})
    for number, fields in enumerate(others, start=1):
        memory, vectors = project.record(40 * number)
        commit_all(project.store, [created(replace(memory, **fields), vectors=vectors)])  # type: ignore[arg-type]
    for near in project.near([project.line(0)] * lines).near:
        assert near.keys() == {Ref(SCOPE.project, "r0")}
    for near in project.near([project.line(0)] * lines, "ada").near:
        assert Ref(SCOPE.project, "r40") in near


def news(project: Project, number: int, since: int | None, **fields: object) -> Commit:
    memory, vectors = project.record(number, **fields)
    change = replace(created(memory, vectors=vectors), is_news=True, news_since=since)
    return Commit(scope=SCOPE, changes=(change,))


def test_the_store_refuses_what_was_stored_since_the_search(project: Project) -> None:
    """Falls without `NewsGate`; what the search had seen is not for the store to judge."""
    fill(project, 1)
    seen = project.near([project.line(0)]).seen
    assert seen == 1
    project.store.writer.commit(news(project, 40, seen))
    with pytest.raises(NearContentTaken) as taken:
        project.store.writer.commit(news(project, 80, seen))
    assert taken.value.id == "r40"
    assert isinstance(taken.value, ContentTaken)
    for passed in (
        news(project, 120, project.near([project.line(0)]).seen),
        news(project, 160, seen, persona="ada"),
        news(project, 200, None),
        news(project, 201, seen),
    ):
        project.store.writer.commit(passed)


def test_lines_of_one_batch_are_not_judged_by_the_store(project: Project) -> None:
    """Falls where the gate reads rows that its own transaction wrote: the caller has compared them."""
    fill(project, 1)
    seen = project.near([project.line(0)]).seen
    commits = [news(project, number, seen) for number in (40, 80, 120)]
    assert project.store.writer.commit_each(commits) == [None] * 3


def test_a_record_may_be_near_to_what_it_corrects(project: Project) -> None:
    fill(project, 1)
    seen = project.near([project.line(0)]).seen
    project.store.writer.commit(news(project, 40, seen))
    project.store.writer.commit(news(project, 80, seen, supersedes="r40"))


def test_a_changed_text_is_compared_as_it_is_now(project: Project) -> None:
    """Falls where a record's own row is read by its first position in the log."""
    fill(project, 1)
    seen = project.near([project.line(0)]).seen
    memory = project.store.memories.get(SCOPE, "r0")
    assert memory is not None
    vectors = Vectors(project.line(1))
    change: Change = changed(memory, vectors, content="other words")
    project.store.writer.commit(Commit(scope=SCOPE, changes=(change,)))
    assert Ref(SCOPE.project, "r0") in project.near([project.line(1)]).near[0]
    with pytest.raises(NearContentTaken):
        project.store.writer.commit(news(project, 41, seen))
