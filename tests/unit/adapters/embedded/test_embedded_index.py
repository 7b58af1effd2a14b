"""The index over SQLite: it follows the log of each project, whoever writes it."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from memory_layer.adapters.embedded.ram_index.project_loading import CAUGHT_UP_IN_TURN
from memory_layer.adapters.embedded.ram_index.search_index import EmbeddedIndex
from memory_layer.adapters.embedded.sqlite.database import Database
from memory_layer.adapters.embedded.store.record_repair import RecordRepair
from memory_layer.adapters.embedded.store.record_store import open_record_store
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.retrieval.abstention import FEWEST_FOR_TYPICAL, UNKNOWN_TYPICAL_COSINE
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.commit import Change, Commit, Erasure, Vectors
from memory_layer.ports.index import IndexQuery
from memory_layer.ports.process import Turns
from tests.given import BlobsInMemory
from tests.index_examples import DIMENSIONS, MODEL, NOW, SCOPE, memory, unit_vectors
from tests.single_rows import Listed, Lists, listed

SHARED = Scope("acme", "_shared")
VECTORS = unit_vectors(8)


class Backend:
    """One process on a data folder: a store to write with, an index to ask."""

    def __init__(self, path: Path, **given: Any) -> None:
        self.database = Database(path)
        self.store = open_record_store(self.database, Bodies(BlobsInMemory()))
        self.index = self.new_index(**given)

    def new_index(self, **given: Any) -> EmbeddedIndex:
        return EmbeddedIndex(self.database.reader, model=MODEL, dimensions=DIMENSIONS, **given)

    def write(self, record: Memory, before: int = 0, vector: NDArray[np.float32] | None = None) -> None:
        vectors = None if vector is None else Vectors(vector, np.roll(vector, 1) if record.context else None)
        change = Change(record, before, "write", "ada", NOW, vectors=vectors)
        self.store.writer.commit(Commit(scope=record.scope, changes=(change,)))

    def erase(self, id: str, before: int = 1) -> None:
        self.store.writer.commit(Commit(scope=SCOPE, erasures=(Erasure(id, before),)))


@pytest.fixture
def backend(tmp_path: Path) -> Iterator[Backend]:
    opened = Backend(tmp_path / "memories.db")
    yield opened
    opened.store.close()


def ask(index: EmbeddedIndex, text: str | None = None, **given: Any) -> Listed:
    asked: dict[str, Any] = {
        "scopes": (SCOPE,),
        "text": text,
        "vector": None,
        "filters": Filters(),
        "viewer": Viewer(),
        "now": NOW,
        "k": 10,
    }
    return listed(index.search(IndexQuery(**asked | given)))


def lexical(index: EmbeddedIndex, text: str, **given: Any) -> list[str]:
    return [ref.id for ref in ask(index, text, **given).arms.content_lexical]


def test_every_write_is_seen_by_the_next_search(backend: Backend) -> None:
    first = memory("a", "write ahead log")
    backend.write(first)
    assert lexical(backend.index, "log") == ["a"]
    backend.write(replace(first, content="cache", content_hash="x", version=2), before=1)
    assert (lexical(backend.index, "log"), lexical(backend.index, "cache")) == ([], ["a"])
    backend.write(replace(first, content="cache", content_hash="x", status="archived", version=3), before=2)
    assert lexical(backend.index, "cache") == []
    assert lexical(backend.index, "cache", filters=Filters(status=("archived",))) == ["a"]
    backend.erase("a", before=3)
    assert lexical(backend.index, "cache", filters=Filters(status=())) == []
    backend.write(replace(first, version=5))
    assert lexical(backend.index, "log") == ["a"]


def test_writes_of_another_process_are_noticed(backend: Backend, tmp_path: Path) -> None:
    assert lexical(backend.index, "log") == []
    other = Backend(tmp_path / "memories.db")
    other.write(memory("a", "write ahead log"))
    assert lexical(backend.index, "log") == ["a"]
    other.erase("a")
    assert lexical(backend.index, "log") == []
    other.store.close()


def test_answer_covers_what_was_committed(backend: Backend) -> None:
    assert backend.index.covered(SCOPE) is None
    assert backend.index.tags((SCOPE,)) == []
    backend.write(memory("a", tags=("x",)))
    assert backend.index.covered(SCOPE) is None
    assert backend.index.tags((SCOPE,)) == ["x"]


def test_whoever_looks_for_the_same_words_has_no_sample_measured(backend: Backend) -> None:
    """Every write looks for its twins, and every write may change the sample."""
    vectors = unit_vectors(FEWEST_FOR_TYPICAL, seed=3)
    for n, vector in enumerate(vectors):
        backend.write(memory(f"m{n}"), vector=vector)
    twins = ask(backend.index, vector=vectors[0], content_only=True)
    assert (twins.typical_cosine, len(twins.arms.content_semantic)) == (UNKNOWN_TYPICAL_COSINE, 10)
    assert ask(backend.index, "wal").typical_cosine == UNKNOWN_TYPICAL_COSINE
    assert ask(backend.index, vector=vectors[0]).typical_cosine != UNKNOWN_TYPICAL_COSINE


def everything_asked(index: EmbeddedIndex) -> tuple[Lists, list[Ref], list[str]]:
    arms = ask(index, "wal cache lock", vector=VECTORS[0], filters=Filters(status=())).arms
    standing = index.standing((SCOPE,), Filters(), Viewer(), now=NOW, k=5).refs()
    return arms, standing, index.tags((SCOPE,))


def test_lazy_load_equals_following_along(backend: Backend) -> None:
    texts = ["wal mode", "wal cache", "lock the cache", "lock order", "wal lock cache", "none"]
    for n, text in enumerate(texts):
        context = "cache and wal" if n % 2 else None
        backend.write(memory(f"m{n}", text, context=context, tags=(f"t{n}",)), vector=VECTORS[n])
        everything_asked(backend.index)
    backend.write(memory("m1", "lock", tags=("new",), version=2), before=1, vector=VECTORS[7])
    backend.write(memory("m2", "lock the cache", confidence=0.2, version=2), before=1)
    backend.erase("m3")
    assert everything_asked(backend.index) == everything_asked(backend.new_index())
    assert everything_asked(backend.index)[2] == ["new", "t0", "t4", "t5"]


def test_vectors_kept_by_a_change_stay_and_those_of_another_model_are_not_searched(backend: Backend) -> None:
    backend.write(memory("a"), vector=VECTORS[0])
    backend.write(memory("a", confidence=0.5, version=2), before=1)
    backend.write(memory("old", embedding_model="other-model"), vector=VECTORS[0])
    found = ask(backend.index, vector=VECTORS[0]).arms.content_semantic
    assert found == {Ref("shop", "a"): pytest.approx(1.0, abs=1e-3)}


def test_backfilled_vector_is_found(backend: Backend) -> None:
    backend.write(memory("a", context="c", embedding_model=None))
    assert not ask(backend.index, vector=VECTORS[0]).arms.content_semantic
    backend.write(memory("a", context="c", version=2), before=1, vector=VECTORS[0])
    arms = ask(backend.index, vector=VECTORS[0]).arms
    assert list(arms.content_semantic) == list(arms.context_semantic) == [Ref("shop", "a")]


def test_scopes_are_searched_together_and_cut_to_k(backend: Backend) -> None:
    backend.write(memory("a", "wal", confidence=0.5))
    backend.write(memory("b", "wal and much more that is said here", confidence=0.5))
    backend.write(memory("a", "wal", scope=SHARED, confidence=0.9))
    both = (SCOPE, SHARED)
    found = ask(backend.index, "wal", scopes=both, k=2).arms.content_lexical
    assert list(found) == sorted(found, key=lambda ref: (-found[ref], ref))
    assert set(found) < {Ref("shop", "a"), Ref("shop", "b"), Ref("_shared", "a")}
    assert len(found) == 2
    standing = backend.index.standing(both, Filters(), Viewer(), now=NOW, k=2).refs()
    assert standing == [Ref("_shared", "a"), Ref("shop", "a")]


def test_another_tenants_project_of_the_same_name_is_another(backend: Backend) -> None:
    backend.write(memory("a", "wal", scope=Scope("rival", "shop"), tags=("secret",)))
    assert lexical(backend.index, "wal") == []
    assert backend.index.tags((SCOPE,)) == []
    backend.write(memory("b", "wal"))
    assert lexical(backend.index, "wal") == ["b"]


def test_personas_see_their_own_and_everyones(backend: Backend) -> None:
    backend.write(memory("all", "wal"))
    backend.write(memory("mine", "wal", persona="qa"))
    assert lexical(backend.index, "wal", viewer=Viewer.of("dev")) == ["all"]
    assert lexical(backend.index, "wal", viewer=Viewer.of("qa")) == ["all", "mine"]


def test_projects_least_recently_asked_for_make_room_and_come_back(backend: Backend) -> None:
    scopes = [Scope("acme", f"p{n}") for n in range(4)]
    for scope in scopes:
        backend.write(memory("a", "wal", scope=scope))
    index = backend.new_index(max_bytes=1)
    for scope in (*scopes, *scopes):
        assert lexical(index, "wal", scopes=(scope,)) == ["a"]
    assert index.loaded_projects == [scopes[-1]]


def test_restored_database_is_read_anew(backend: Backend) -> None:
    for id in ("a", "b"):
        backend.write(memory(id, "wal"))
    assert lexical(backend.index, "wal") == ["a", "b"]
    with backend.database.writing() as connection:
        connection.execute("DELETE FROM memories WHERE id = 'b'")
        connection.execute("UPDATE projects SET position = 1")
    assert lexical(backend.index, "wal") == ["a"]


def test_text_of_stop_words_and_unknown_words_finds_nothing(backend: Backend) -> None:
    backend.write(memory("a", "wal"))
    assert lexical(backend.index, "what is the") == []
    assert lexical(backend.index, "unheard") == []
    backend.write(memory("b", "to be or not to be"))
    assert lexical(backend.index, "be") == []


def test_database_that_cannot_be_read_makes_the_index_unavailable() -> None:
    index = EmbeddedIndex(lambda: sqlite3.connect(":memory:"), model=MODEL, dimensions=DIMENSIONS)
    with pytest.raises(IndexUnavailable, match="mem doctor"):
        ask(index, "wal")
    with pytest.raises(IndexUnavailable):
        index.tags((SCOPE,))


class WatchedTurns(Turns):
    """Turns that count how often one was left."""

    def __init__(self) -> None:
        self.lefts = 0

    @contextmanager
    def left(self) -> Iterator[None]:
        self.lefts += 1
        yield


def test_a_project_is_loaded_outside_the_turn_and_a_few_writes_are_followed_within_it(tmp_path: Path) -> None:
    """Safeguard: `LoadedProjects._held`; the recalls of all projects would wait for one that is loaded."""
    turns = WatchedTurns()
    opened = Backend(tmp_path / "memories.db", turns=turns)
    for number in range(CAUGHT_UP_IN_TURN + 1):
        opened.write(memory(f"m{number}", f"note {number}"))
    opened.index.tags((SCOPE,))
    assert turns.lefts == 1
    opened.write(memory("late", "another note"))
    opened.index.tags((SCOPE,))
    assert turns.lefts == 1
    project = opened.index._projects.project(SCOPE, opened.index._key(SCOPE))
    opened.write(memory("later", "one more note"))
    with project.lock, ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(opened.index.tags, (SCOPE,))
        while turns.lefts == 1:
            threading.Event().wait(0.001)
        assert not waiting.done()
        project.lock.release()
        waiting.result(30)
        project.lock.acquire()
    opened.store.close()


def test_a_record_is_healed_outside_the_turn(tmp_path: Path) -> None:
    """Safeguard: `left` in RecordRepair; all recalls would wait for a writer that takes long."""
    turns = WatchedTurns()
    opened = Backend(tmp_path / "memories.db")
    opened.write(memory("m1", "a note"))
    repair = RecordRepair(opened.database, Bodies(BlobsInMemory()), turns)
    assert repair.heal(SCOPE, 1)
    repair.reindex()
    assert turns.lefts == 2
    opened.store.close()
