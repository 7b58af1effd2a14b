"""The rebuild on real engines: nothing is lost, whatever happens while it goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from typing import Any

import pytest

from memory_layer.adapters.aws.integrity.index_digest import index_digest
from memory_layer.adapters.aws.integrity.rebuild import Rebuild
from memory_layer.adapters.aws.integrity.rebuild_report import RebuildReport
from memory_layer.adapters.aws.projection.document_writer import DocumentWriter
from memory_layer.adapters.aws.projection.projector import Projector
from memory_layer.adapters.aws.search.documents import document_id, document_of, routing_of
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from memory_layer.adapters.aws.table.records_table import RecordsTable
from memory_layer.adapters.aws.table.scan import TableScan
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.text.analyzer import STOP_WORDS
from memory_layer.errors import IndexUnavailable, StoreUnavailable
from memory_layer.manifest.index import index_body
from memory_layer.ports.commit import Change, Commit, Erasure, Vectors
from tests.aws.dynamodb_table import create_table, database_of_a_streamed_table, new_client, open_store
from tests.aws.search_domain import Domain, FaultyClient, ask, open_domain
from tests.aws.stream import Stream
from tests.index_examples import DIMENSIONS, MODEL, NO_BODIES, NOW, SCOPE, memory, unit_vectors

pytestmark = pytest.mark.engines

OTHER = Scope("acme", "other")
VECTORS = unit_vectors(64)
PAGE_ITEMS = 6
LIVE_PAGES = 8


class Cloud:
    """A table with its stream, and a domain; `on_page` is called before each page of a scan."""

    def __init__(self, client: Any, table: str, store: DynamoRecordStore, domain: Domain) -> None:
        self.store, self.domain = store, domain
        self._client, self._table_name = client, table
        self._table = RecordsTable(client, table, Backoff())
        self._stream = Stream(client, client.describe_table(TableName=table)["Table"]["LatestStreamArn"])
        self.on_page: Callable[[], None] = lambda: None
        self._projector = Projector(
            DocumentWriter(domain.names.targets, domain.writer(waits_for_refresh=False), NO_BODIES),
            delete_log_entries=self._table.delete_each,
            finish_erasure=store.erased.finish_erasure,
        )
        self.versions: dict[tuple[Scope, str], int] = {}
        self.erased: set[tuple[Scope, str]] = set()

    def write(self, id: str, scope: Scope = SCOPE) -> None:
        """The next version of a record."""
        self.write_all([id], scope)

    def write_all(self, ids: Sequence[str], scope: Scope = SCOPE) -> None:
        changes = tuple(self._change(id, scope) for id in ids)
        self.store.writer.commit(Commit(scope=scope, changes=changes))
        self.versions |= {(scope, change.memory.id): change.memory.version for change in changes}
        self.erased -= {(scope, id) for id in ids}

    def _change(self, id: str, scope: Scope) -> Change:
        before = self.versions.get((scope, id), 0)
        record = memory(id, f"wal of {id}", scope, version=before + 1)
        was_erased = (scope, id) in self.erased
        vectors = Vectors(VECTORS[int(id[1:]) if id[1:].isdigit() else 0])
        return Change(record, 0 if was_erased else before, "written", "ada", NOW, vectors=vectors)

    def erase(self, id: str, scope: Scope = SCOPE) -> None:
        before = self.versions[scope, id]
        self.store.writer.commit(Commit(scope=scope, erasures=(Erasure(id, before),)))
        self.versions[scope, id] = before + 1
        self.erased.add((scope, id))

    def project(self) -> None:
        """What the stream has, to its end."""
        for batch in self._stream.batches():
            assert self._projector.project(batch).failed == []
        self.domain.refresh()

    def rebuild(self, body: dict[str, Any] | None = None, client: Any = None, **given: Any) -> Rebuild:
        return Rebuild(
            self.domain.names,
            body or self.domain.body,
            scan=TableScan(
                FaultyClient(self._client, self._small_pages), self._table_name, Backoff(attempts=1)
            ),
            table=self._table,
            writer=self.domain.writer(client, waits_for_refresh=False),
            bodies=NO_BODIES,
            **{"segments": 2, **given},
        )

    def _small_pages(self, name: str, real: Callable[..., Any], **given: Any) -> Any:
        if name == "scan":
            self.on_page()
            given["Limit"] = PAGE_ITEMS
        return real(**given)

    def in_index(self) -> dict[tuple[Scope, str], tuple[int, bool]]:
        """Version of every document that is searched, and whether it is a tombstone."""
        self.domain.refresh()
        body = {
            "size": 10_000,
            "docvalue_fields": ["tenant", "project", "id", "is_tombstone"],
            "version": True,
        }
        hits = self.domain.client.search(index=self.domain.names.read_alias, body=body)["hits"]["hits"]
        fields = [
            (hit["_version"], {name: value[0] for name, value in hit["fields"].items()}) for hit in hits
        ]
        return {
            (Scope(f["tenant"], f["project"]), f["id"]): (version, f["is_tombstone"]) for version, f in fields
        }

    def in_table(self) -> dict[tuple[Scope, str], tuple[int, bool]]:
        return {key: (version, key in self.erased) for key, version in self.versions.items()}


@contextmanager
def table_with_stream(endpoint: str) -> Iterator[tuple[Any, str]]:
    with database_of_a_streamed_table():
        client = new_client(endpoint)
        name = create_table(client)
        yield client, name
        client.delete_table(TableName=name)


@pytest.fixture
def cloud(dynamodb_endpoint: str, opensearch_endpoint: str) -> Iterator[Cloud]:
    with (
        table_with_stream(dynamodb_endpoint) as (client, table),
        open_store(client, table) as store,
        open_domain(opensearch_endpoint) as domain,
    ):
        opened = Cloud(client, table, store, domain)
        for start in range(0, 12, 6):
            opened.write_all([f"m{n}" for n in range(start, start + 6)])
        opened.write("m0")
        opened.write("m1", OTHER)
        opened.erase("m2")
        yield opened


def indexes(cloud: Cloud) -> tuple[set[str], set[str], set[str]]:
    names = cloud.domain.names
    return names.all_names(), names.read_from(), names.written_to()


def done(report: RebuildReport) -> RebuildReport:
    assert report.is_done, str(report)
    return report


def test_index_of_a_quiet_table_is_verified_by_its_digests(cloud: Cloud) -> None:
    cloud.project()
    old = cloud.domain.index_name
    report = done(cloud.rebuild().run(60))
    assert indexes(cloud) == ({report.index}, {report.index}, {report.index})
    assert report.index != old
    assert report.dropped == (old,)
    assert (report.copied, report.compared, report.records, report.projects) == (13, 0, 12, 2)
    assert cloud.in_index() == cloud.in_table()
    assert ask(cloud.domain.index, "wal", vector=VECTORS[0], k=100).arms.content_semantic.keys() == {
        Ref("shop", id) for scope, id in cloud.versions if scope == SCOPE and id != "m2"
    }


def test_live_writes_of_every_kind_are_in_the_new_index(cloud: Cloud) -> None:
    """Between any two pages: a change, an erasure, a new record, an erased id anew; some reach the stream late.

    The safeguard is the write alias: a new index that the projector does not write to misses what its scan has passed.
    """
    cloud.project()
    pages = count()

    def live() -> None:
        n = next(pages)
        if n > LIVE_PAGES:
            return
        cloud.write_all([f"m{3 + n % 7}", f"new{n}"])
        if n == 1:
            cloud.erase("m10")
        if n == 2:
            cloud.write("m2")
        if n % 2:
            cloud.project()
        assert ask(cloud.domain.index, "wal").arms.content_lexical  # the old one goes on answering

    cloud.on_page = live
    report = done(cloud.rebuild(segments=1).run(60))
    assert next(pages) > 4
    assert report.compared > 0
    cloud.on_page = lambda: None
    cloud.project()
    assert cloud.in_index() == cloud.in_table()
    assert indexes(cloud) == ({report.index}, {report.index}, {report.index})
    assert cloud.store.memories.written_after(SCOPE, 0) == []


def test_damaged_index_is_whole_again(cloud: Cloud) -> None:
    """What reconciles would call missing, stale, orphan and resurrected."""
    cloud.project()
    names, client = cloud.domain.names, cloud.domain.client
    client.delete(index=cloud.domain.index_name, id=document_id(SCOPE, "m5"), routing=routing_of(SCOPE))
    cloud.domain.write([document_of(memory("m2", version=99), None), document_of(memory("ghost"), None)])
    assert cloud.in_index() != cloud.in_table()
    done(cloud.rebuild().run(60))
    assert cloud.in_index() == cloud.in_table()
    assert names.read_from() == names.written_to()


def test_documents_that_were_lost_on_the_way_are_noticed_and_repaired(cloud: Cloud) -> None:
    """The safeguard is the comparison: without it an index that lacks them would be searched."""
    lost = {"left": 3}

    def intercept(name: str, real: Callable[..., Any], **given: Any) -> Any:
        if name == "bulk" and lost["left"]:
            lost["left"] -= 1
            return {"items": [{"index": {"status": 201}}] * (len(given["body"].splitlines()) // 2)}
        return real(**given)

    report = done(cloud.rebuild(client=FaultyClient(cloud.domain.client, intercept)).run(60))
    assert report.repaired > 0
    assert cloud.in_index() == cloud.in_table()


def test_rebuild_that_ran_out_of_time_goes_on(cloud: Cloud) -> None:
    cloud.project()
    pages = []
    cloud.on_page = lambda: pages.append(1)
    reports = [cloud.rebuild(segments=1).run(0)]
    while not reports[-1].is_done:
        assert "run the rebuild again" in str(reports[-1])
        assert cloud.domain.names.read_from() == {cloud.domain.index_name}
        reports.append(cloud.rebuild(segments=1).run(0))
        assert len(reports) < 60
    assert len(reports) > 5
    assert len({report.index for report in reports}) == 1
    assert len(pages) <= len(reports) + 1, "no page is read twice"
    assert cloud.in_index() == cloud.in_table()


def test_rebuild_that_crashed_goes_on(cloud: Cloud) -> None:
    cloud.project()
    pages = count()

    def crash() -> None:
        if next(pages) == 3:
            raise StoreUnavailable("the table is gone")

    cloud.on_page = crash
    with pytest.raises(StoreUnavailable):
        cloud.rebuild(segments=1).run(60)
    assert len(cloud.domain.names.written_to()) == 2
    cloud.write("m9")
    cloud.project()
    report = done(cloud.rebuild(segments=1).run(60))
    assert cloud.in_index() == cloud.in_table()
    assert indexes(cloud) == ({report.index}, {report.index}, {report.index})


def test_index_that_is_too_busy_stops_it_and_keeps_what_was_done(cloud: Cloud) -> None:
    def intercept(_name: str, _real: Callable[..., Any], **given: Any) -> Any:
        items = len(given["body"].splitlines()) // 2
        return {"items": [{"index": {"status": 429, "error": {"type": "rejected"}}}] * items}

    with pytest.raises(IndexUnavailable, match="run it again"):
        cloud.rebuild(client=FaultyClient(cloud.domain.client, intercept)).run(60)
    assert cloud.domain.names.read_from() == {cloud.domain.index_name}
    done(cloud.rebuild().run(60))
    assert cloud.in_index() == cloud.in_table()


def test_two_at_a_time_end_in_one_whole_index(cloud: Cloud) -> None:
    cloud.project()
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(cloud.rebuild().run, 60) for _ in range(2)]
    errors = [error for run in runs if (error := run.exception())]
    assert all(isinstance(error, IndexUnavailable) for error in errors)
    assert len(errors) < 2
    done(cloud.rebuild().run(60))
    every, read, written_to = indexes(cloud)
    assert every == read == written_to
    assert len(read) == 1
    assert cloud.in_index() == cloud.in_table()


def test_new_model_moves_in_without_mixing_vectors(cloud: Cloud) -> None:
    """Both indexes hear of live writes; each takes the vectors of its own model alone."""
    cloud.project()
    body = index_body("lucene", dimensions=8, model="newer", stop_words=STOP_WORDS, replicas=0)
    shorter = Vectors(unit_vectors(1)[0][:8] / float((unit_vectors(1)[0][:8] ** 2).sum()) ** 0.5)

    def live() -> None:
        if (SCOPE, "fresh") not in cloud.versions:
            record = memory("fresh", "wal", embedding_model="newer")
            cloud.store.writer.commit(
                Commit(scope=SCOPE, changes=(Change(record, 0, "written", "ada", NOW, vectors=shorter),))
            )
            cloud.versions[SCOPE, "fresh"] = 1
        cloud.project()

    cloud.on_page = live
    report = done(cloud.rebuild(body, segments=1).run(60))
    assert report.index.rpartition("-")[0] != cloud.domain.index_name.rpartition("-")[0]
    cloud.project()
    found = ask(cloud.domain.new_index("newer"), vector=shorter.content).arms.content_semantic
    assert list(found) == [Ref("shop", "fresh")]
    assert cloud.in_index() == cloud.in_table()


def test_record_that_no_index_takes_is_reported_and_holds_up_nothing(cloud: Cloud) -> None:
    wrong = Vectors(VECTORS[0][:4])
    record: Memory = memory("poison", "wal")
    cloud.store.writer.commit(
        Commit(scope=SCOPE, changes=(Change(record, 0, "written", "ada", NOW, vectors=wrong),))
    )
    report = done(cloud.rebuild().run(60))
    assert report.refused.keys() == {document_id(SCOPE, "poison")}
    assert f"Not indexed: {document_id(SCOPE, 'poison')} (400 " in str(report)
    assert cloud.in_index() == cloud.in_table()


def test_digest_tells_a_version_a_record_and_a_tombstone_apart(cloud: Cloud) -> None:
    client, name = cloud.domain.client, cloud.domain.index_name
    seen = []
    for version, fields in enumerate(({}, {"confidence": 0.5}), start=1):
        cloud.domain.write([document_of(memory("a", version=version, **fields), None)])
        seen.append(index_digest(client, name))
    cloud.domain.write([document_of(memory("b"), None)])
    seen.append(index_digest(client, name))
    assert len({str(digest) for digest in seen}) == 3
    assert seen[2].records == {SCOPE: 2}
    assert sum(seen[2].documents.values()) == 2


def test_examples_have_the_models_dimensions() -> None:
    assert (VECTORS.shape[1], MODEL) == (DIMENSIONS, "test-model")
