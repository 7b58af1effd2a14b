"""An index that says something else than the store is found out and brought right; the same on every backend."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import pytest
from opensearchpy.exceptions import ConflictError

from memory_layer.adapters.aws.search.aliases import own_alias
from memory_layer.adapters.aws.search.documents import Document, document_id, document_of, routing_of
from memory_layer.adapters.aws.segments.manifest import SegmentEntry
from memory_layer.adapters.aws.segments.segment_index import SegmentIndex
from memory_layer.adapters.aws.segments.segment_rows import SegmentRows, WholeRecord, merged, rows_of
from memory_layer.adapters.aws.segments.segment_store import SegmentStore
from memory_layer.adapters.embedded.ram_index.change_feed import batch_of_chunk, changed_chunks
from memory_layer.adapters.embedded.ram_index.search_index import EmbeddedIndex
from memory_layer.adapters.embedded.sqlite.project_rows import project_key
from memory_layer.adapters.project_index.record_batch import RecordBatch
from memory_layer.bootstrap.embedded import EmbeddedBackend
from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.filters import Filters
from memory_layer.domain.integrity.index_comparison import ReconcileReport
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.retrieval.candidates import identity_of
from memory_layer.domain.retrieval.mentions import keys_of_name
from memory_layer.domain.time.sweep_state import SweepReport
from memory_layer.manifest.index import MENTIONS
from memory_layer.ports.index import IndexQuery
from memory_layer.ports.process import layout_of
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.write.forget import archive_memory, erase_memory
from memory_layer.usecases.write.put import put_memory
from tests.contract.conftest import EMBEDDED_ONLY
from tests.given import PROJECT, SCOPE, a_memory, recalled_ids

Open = Callable[..., EmbeddedBackend]
UNTIED = "DELETE FROM mentions WHERE memory_key = (SELECT key FROM memories WHERE id = ?)"
EVERYONE = Viewer(sees_all_personas=True)
ALL = {"alpha", "beta", "gamma", "delta"}


class Vandal(Protocol):
    """Breaks the index behind its back."""

    def lose(self, id: str) -> None: ...
    def bring_back(self, memory: Memory) -> None:
        """The record as it was before its last change."""

    def invent(self, id: str) -> None: ...
    def untie(self, id: str) -> None:
        """It loses what it is tied to, and nothing else."""


class DocumentVandal:
    """On OpenSearch; without `gc_deletes` nothing remembers what was deleted, as after a while."""

    def __init__(self, backend: EmbeddedBackend) -> None:
        index: Any = backend.ports.index
        self._store: Any = backend.ports.store
        self._client = index._client
        (name,) = self._client.indices.get_alias(name=index._alias)
        self._alias = own_alias(name)
        self._client.indices.put_settings(index=name, body={"index.gc_deletes": "0s"})

    def lose(self, id: str) -> None:
        """At its own version: a delete without one would count as a later one."""
        where = {"index": self._alias, "id": document_id(SCOPE, id), "routing": routing_of(SCOPE)}
        version = self._client.get(**where)["_version"]
        self._client.delete(**where, refresh=True, version=version, version_type="external_gte")

    def bring_back(self, memory: Memory) -> None:
        where = {"index": self._alias, "id": document_id(SCOPE, memory.id), "routing": routing_of(SCOPE)}
        self._client.delete(**where, refresh=True)
        self._put(memory)

    def invent(self, id: str) -> None:
        self._put(a_memory(SCOPE, id, content="A ghost of the deploy."))

    def untie(self, id: str) -> None:
        memory = self._store.memories.get(SCOPE, id)
        whole = document_of(memory, self._store.memories.vectors(SCOPE, [id])[id])
        assert whole.pop(MENTIONS)
        self._index(memory, whole)

    def _put(self, memory: Memory) -> None:
        """What was deleted is forgotten by the next look at the clock, which OpenSearch takes five times a second."""
        for _ in range(50):
            try:
                return self._index(memory)
            except ConflictError:
                time.sleep(0.1)
        raise AssertionError(f"{memory.id} is not taken at version {memory.version}")

    def _index(self, memory: Memory, document: Document | None = None) -> None:
        self._client.index(
            index=self._alias,
            id=document_id(SCOPE, memory.id),
            routing=routing_of(SCOPE),
            body=document or document_of(memory, None),
            params={"version": memory.version, "version_type": "external_gte", "refresh": "true"},
        )


class RowVandal:
    """In RAM."""

    def __init__(self, backend: EmbeddedBackend) -> None:
        index = backend.ports.index
        assert isinstance(index, EmbeddedIndex)
        self._store: Any = backend.ports.store
        index.tags((SCOPE,))
        self._reader = index._reader()
        self._project = index._projects.project(SCOPE, project_key(self._reader, SCOPE))
        (chunk,) = changed_chunks(self._reader, self._project.key, 0)
        self._rows = batch_of_chunk(chunk, PROJECT, layout_of(backend.ports.embedder))

    def lose(self, id: str) -> None:
        self._project.index.remove([int(self._row(id).keys[0])])

    def bring_back(self, memory: Memory) -> None:
        """Erased ones as they were; of others, that the last change has not arrived."""
        self._project.index.put(self._row(memory.id))

    def invent(self, id: str) -> None:
        self._project.index.put(replace(self._rows.take(np.array([0])), keys=np.array([10**6]), ids=[id]))

    def untie(self, id: str) -> None:
        """Its row in the file."""
        with self._store.memories._database.writing() as connection:
            connection.execute(UNTIED, (id,))

    def _row(self, id: str) -> RecordBatch:
        row = self._rows.take(np.array([list(self._rows.ids).index(id)]))
        return replace(row, positions=row.positions - 1)


class SegmentVandal:
    """In the bucket: segments and manifests that are sound, and say something else than the records."""

    def __init__(self, backend: EmbeddedBackend) -> None:
        index: Any = backend.ports.index
        self._store: SegmentStore = index._store
        self._model = backend.ports.embedder

    def lose(self, id: str) -> None:
        self._write(id)

    def bring_back(self, memory: Memory) -> None:
        found = [WholeRecord(memory=memory, vectors=None, said_bytes=9)]
        self._write(memory.id, rows_of(found, self._model.model, self._model.dimensions))

    def invent(self, id: str) -> None:
        self.bring_back(a_memory(SCOPE, id, content="A ghost of the deploy."))

    def untie(self, id: str) -> None:
        pytest.skip(f"a segment is held against its digest: {id} loses no tie by itself")

    def _write(self, id: str, *more: SegmentRows) -> None:
        """All rows but those of a record, and others in their place."""
        stored = self._store.manifest(SCOPE)
        held = merged([self._store.segment(SCOPE, entry.name) for entry in stored.manifest.segments])
        key = np.array([identity_of(Ref(PROJECT, id))], np.int64)
        rows = merged([held.without(key), *more])
        name, size = self._store.put_segment(SCOPE, rows)
        segments = (SegmentEntry(name, len(rows), size),)
        changed = replace(stored.manifest, segments=segments, generation=stored.manifest.generation + 1)
        self._store.replace_manifest(SCOPE, changed, stored.etag)


def vandal(backend: EmbeddedBackend) -> Vandal:
    if isinstance(backend.ports.index, EmbeddedIndex):
        return RowVandal(backend)
    is_small = isinstance(backend.ports.index, SegmentIndex)
    return SegmentVandal(backend) if is_small else DocumentVandal(backend)


@pytest.fixture
def backend(open_backend: Open, admin: Principal) -> EmbeddedBackend:
    """Four memories and one that is archived, all of them in the index."""
    backend = open_backend()
    for id in (*sorted(ALL), "old"):
        put_memory(backend.ports, admin, PROJECT, id, {"content": f"{id}: the deploy needs two approvals."})
    archive_memory(backend.ports, admin, PROJECT, "old")
    backend.drain()
    backend.ports.index.tags((SCOPE,))
    return backend


def sweep(backend: EmbeddedBackend, *, is_dry_run: bool = False) -> SweepReport:
    return run_sweep(backend.ports, "reconcile", holder="test", seconds=60, is_dry_run=is_dry_run)


def indexed(backend: EmbeddedBackend) -> set[str]:
    """What the index says is in use."""
    refs = backend.ports.index.standing(
        (SCOPE,), Filters(status=("active",)), EVERYONE, now=backend.ports.clock.now(), k=50
    )
    return {ref.id for ref in refs.refs()}


def found_by_words(backend: EmbeddedBackend, text: str) -> set[str]:
    query = IndexQuery(
        scopes=(SCOPE,),
        text=text,
        vector=None,
        filters=Filters(),
        viewer=EVERYONE,
        now=backend.ports.clock.now(),
        k=50,
    )
    return {ref.id for ref in backend.ports.index.search(query).candidates.ranked("content_lexical")}


def recalled(backend: EmbeddedBackend, admin: Principal, query: str) -> set[str]:
    return set(recalled_ids(backend.ports, admin, query, limit=50))


def tied(backend: EmbeddedBackend, name: str) -> set[str]:
    """What the index says is tied to a thing."""
    keys, now = keys_of_name(name), backend.ports.clock.now()
    told = backend.ports.index.mentioning((SCOPE,), keys, Filters(), EVERYONE, now=now, k=50)
    return {ref.id for one in told.by_entity() for ref in one.refs}


def assert_right(backend: EmbeddedBackend, admin: Principal, ids: set[str]) -> None:
    assert indexed(backend) == ids
    assert found_by_words(backend, "deploy") == ids
    assert recalled(backend, admin, "approvals of a deploy") == ids
    again = sweep(backend)
    assert (dict(again.did), again.failed) == ({}, ())


def test_an_index_that_is_right_is_left_alone(backend: EmbeddedBackend, admin: Principal) -> None:
    erase_memory(backend.ports, admin, PROJECT, "delta")
    backend.drain()
    backend.ports.index.tags((SCOPE,))
    report = sweep(backend)
    assert (report.is_complete, dict(report.did), report.failed) == (True, {}, ())
    assert report.looked_at >= 4
    assert_right(backend, admin, ALL - {"delta"})


def test_a_project_without_records_is_right(open_backend: Open) -> None:
    reconciled = open_backend().ports.index.reconcile(Scope("acme", "nothing"), after=None, is_dry_run=False)
    assert reconciled == ReconcileReport()


def test_what_is_missing_is_added(backend: EmbeddedBackend, admin: Principal) -> None:
    vandal(backend).lose("beta")
    assert indexed(backend) == ALL - {"beta"}
    assert dict(sweep(backend, is_dry_run=True).did) == {"missing": 1}
    assert indexed(backend) == ALL - {"beta"}, "a dry run repairs nothing"
    report = sweep(backend)
    assert (report.is_complete, dict(report.did), report.failed) == (True, {"missing": 1}, ())
    assert_right(backend, admin, ALL)


def test_what_is_stale_is_renewed(backend: EmbeddedBackend, admin: Principal) -> None:
    before = backend.ports.store.memories.get(SCOPE, "beta")
    assert before is not None
    put_memory(
        backend.ports, admin, PROJECT, "beta", {"content": "beta: a deploy takes one approval and luck."}
    )
    backend.drain()
    backend.ports.index.tags((SCOPE,))
    vandal(backend).bring_back(before)
    assert dict(sweep(backend).did) == {"stale": 1}
    assert found_by_words(backend, "luck") == {"beta"}
    assert_right(backend, admin, ALL)


def test_what_the_store_never_knew_goes(backend: EmbeddedBackend, admin: Principal) -> None:
    vandal(backend).invent("ghost")
    assert indexed(backend) == ALL | {"ghost"}
    assert dict(sweep(backend).did) == {"orphan": 1}
    assert_right(backend, admin, ALL)


@pytest.mark.parametrize("version", [1, 2], ids=["as it last was", "as new as its tombstone"])
def test_what_was_erased_and_is_found_again_goes_for_good(
    version: int, backend: EmbeddedBackend, admin: Principal
) -> None:
    """The safeguard is that a tombstone is no document of the same version (`_is_equal`, `_kind`)."""
    breaker = vandal(backend)
    last = backend.ports.store.memories.get(SCOPE, "gamma")
    assert last is not None
    erase_memory(backend.ports, admin, PROJECT, "gamma")
    backend.drain()
    backend.ports.index.tags((SCOPE,))
    breaker.bring_back(replace(last, version=version))
    assert indexed(backend) == ALL
    assert dict(sweep(backend).did) == {"resurrected": 1}
    assert_right(backend, admin, ALL - {"gamma"})


def test_all_at_once(backend: EmbeddedBackend, admin: Principal) -> None:
    breaker = vandal(backend)
    breaker.lose("alpha")
    breaker.lose("delta")
    breaker.invent("ghost")
    assert dict(sweep(backend).did) == {"missing": 2, "orphan": 1}
    assert_right(backend, admin, ALL)


def test_what_is_on_its_way_is_left_alone(backend: EmbeddedBackend, admin: Principal) -> None:
    """A write that the index does not have yet is no difference. On aws the safeguard is the log (`_on_its_way`)."""
    put_memory(backend.ports, admin, PROJECT, "new", {"content": "new: the deploy needs two approvals."})
    report = sweep(backend)
    assert (dict(report.did), report.failed) == ({}, ())
    backend.drain()
    assert_right(backend, admin, ALL | {"new"})


def test_another_tenant_s_project_of_the_same_name_is_none_of_it(
    backend: EmbeddedBackend, admin: Principal
) -> None:
    other = replace(admin, tenant="globex")
    put_memory(backend.ports, other, PROJECT, "alpha", {"content": "alpha: the deploy needs nobody."})
    backend.drain()
    backend.ports.index.tags((Scope("globex", PROJECT),))
    vandal(backend).lose("alpha")
    assert backend.ports.index.reconcile(
        Scope("globex", PROJECT), after=None, is_dry_run=False
    ) == ReconcileReport(looked_at=1)
    assert dict(sweep(backend).did) == {"missing": 1}
    assert_right(backend, admin, ALL)


def test_a_record_that_lost_its_ties_gets_them_anew(
    open_backend: Open, backend: EmbeddedBackend, admin: Principal
) -> None:
    """Version and words are as they were; falls where nobody looks at the ties themselves."""
    said = {"content": "The deploy of delta, by Amy Nutt.", "entities": ("urn:x:delta",)}
    put_memory(backend.ports, admin, PROJECT, "delta", said)
    backend.drain()
    vandal(backend).untie("delta")
    fresh = open_backend()
    assert (tied(fresh, "urn:x:delta"), found_by_words(fresh, "deploy")) == (set(), ALL)
    assert dict(sweep(fresh, is_dry_run=True).did)
    report = sweep(fresh)
    assert (sum(report.did.values()) > 0, report.failed) == (True, ())
    fresh.drain()
    assert tied(fresh, "urn:x:delta") == tied(fresh, "Amy Nutt") == {"delta"}
    assert_right(fresh, admin, ALL)


@EMBEDDED_ONLY
def test_a_record_that_lost_its_vectors_and_words_gets_them_anew(
    open_backend: Open, backend: EmbeddedBackend, admin: Principal
) -> None:
    store: Any = backend.ports.store
    with store.memories._database.writing() as connection:
        connection.execute(
            "DELETE FROM search_rows WHERE memory_key = (SELECT key FROM memories WHERE id = 'beta')"
        )
    fresh = open_backend()
    assert found_by_words(fresh, "deploy") == ALL - {"beta"}
    report = sweep(fresh)
    assert dict(report.did) == {"missing": 1, "embedded": 1}
    assert fresh.ports.store.memories.vectors(SCOPE, ["beta"]).keys() == {"beta"}
    assert_right(fresh, admin, ALL)
    assert Ref(PROJECT, "beta") in fresh.ports.store.memories.get_many("acme", {Ref(PROJECT, "beta")})
