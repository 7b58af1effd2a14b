"""The index goes away for a while, or for good: recalls say so, writes go on, and nothing is missing afterwards."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory_layer.adapters.aws.integrity.index_presence import IndexMark, WrittenIndexes
from memory_layer.adapters.aws.projection.bulk_writes import BulkWriter
from memory_layer.adapters.aws.projection.document_writer import DocumentWriter
from memory_layer.adapters.aws.projection.projector import Projector
from memory_layer.adapters.aws.search.opensearch_client import IndexMissing
from memory_layer.adapters.aws.search.search_index import OpenSearchIndex
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import item_of
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.domain.access import Principal, Viewer
from memory_layer.domain.circuit_breaker import FIRST_PAUSE_S, LONGEST_PAUSE_S
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Scope
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.process import Ports
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.enrich import enrich
from memory_layer.usecases.recall.explore_graph import explore_graph
from memory_layer.usecases.recall.recall import RecallRequest, RecallResult, recall
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from memory_layer.usecases.write.revise import revise
from tests.aws.deployment import Deployment, deployed
from tests.aws.dynamodb_table import fresh_table
from tests.aws.gate import Gate
from tests.aws.search_domain import QUICK, Domain, ask, open_domain
from tests.bench.cloud.engine_calls import recorded
from tests.given import ADMIN, PROJECT, NoEmbedder
from tests.index_examples import NO_BODIES, NOW, SCOPE, memory

pytestmark = pytest.mark.engines


def written(ports: Ports, content: str, principal: Principal = ADMIN, **fields: Any) -> str:
    stored = remember(ports, principal, PROJECT, RememberRequest(fields={"content": content, **fields}))
    assert isinstance(stored, StoredMemory)
    return stored.memory.id


def asked(ports: Ports, query: str) -> RecallResult:
    return recall(ports, ADMIN, PROJECT, RecallRequest(query=query))


def asked_in_peace(ports: Ports, query: str) -> RecallResult:
    """An engine that has much else to do may let answers wait for too long; recalls then leave it alone for a while."""
    for _ in range(60):
        if "index" not in str((told := asked(ports, query)).note):
            return told
        time.sleep(FIRST_PAUSE_S)
    raise AssertionError("recalls go on saying that the index is away")


def shown(recalled: RecallResult) -> set[str]:
    return {item.memory.id for item in recalled.memories}


def unindexed(deployment: Deployment) -> int:
    """Entries of the project's log: changes that the index does not have yet."""
    scope = Scope(ADMIN.tenant, PROJECT)
    table = RecordsTable(deployment.cloud._dynamodb, deployment.settings.records_table, Backoff())
    return len(list(table.whole(KeyRange(keys.log_partition(scope), "0", "~"))))


def assert_tied(ports: Ports, ids: set[str]) -> None:
    """The graph and enrichment go by what the records say themselves, and tell so."""
    mapped = explore_graph(ports, ADMIN, PROJECT, "urn:table:plans", hops=1, limit=50)
    assert {node.memory.id for node in mapped.nodes if node.memory is not None} == ids
    block = enrich(ports, ADMIN, PROJECT, "see urn:table:plans", limit=10, tokens_max=2_000)
    assert {memory.id for memory in block.memories} == ids
    assert all("search index unavailable" in str(note) for note in (mapped.note, block.note))


@pytest.fixture
def gate(opensearch_endpoint: str) -> Iterator[Gate]:
    gate = Gate(opensearch_endpoint)
    yield gate
    gate.shut()


def test_an_outage_is_told_and_leaves_nothing_behind(
    dynamodb_endpoint: str, gate: Gate, tmp_path: Path
) -> None:
    """Falls without the log, which holds what the index lacks, and without the failures that have it told again."""
    with deployed(dynamodb_endpoint, gate.endpoint, tmp_path, NoEmbedder()) as deployment:
        ports, delivery = deployment.open().ports, deployment.redelivery()
        deployment.cloud._domain.writer._seconds = 0.1  # Lambda's has half a minute for an attempt
        before = written(ports, "The cache holds a thousand plans.", entities=("urn:table:plans",))
        assert delivery.deliver() == 0
        assert shown(asked_in_peace(ports, "cache plans")) == {before}

        gate.shut()
        during = written(ports, "A plan leaves the cache when urn:table:plans changes.")
        revise(ports, ADMIN, PROJECT, before, {"content": "The cache holds two thousand plans."})
        assert delivery.deliver() > 0
        told = asked(ports, "cache plans")
        assert told.degraded
        assert "search index unavailable" in str(told.note)
        assert shown(told) == {before, during}
        assert_tied(ports, {before, during})
        after = written(ports, "Plans in the cache are counted by table.")
        assert delivery.deliver() > 0
        assert unindexed(deployment) == 3

        gate.open()
        while delivery.deliver():
            pass
        assert unindexed(deployment) == 0
        assert shown(asked_in_peace(ports, "two thousand plans in the cache")) == {before, during, after}
        stored = ports.index.stats(Scope(ADMIN.tenant, PROJECT), Viewer(), now=NOW)
        assert stored.total == 3


def test_an_index_that_is_away_is_left_alone_after_the_first_calls(
    dynamodb_endpoint: str, gate: Gate, tmp_path: Path
) -> None:
    """Falls without the circuit: each recall and each write knocks at the closed port, or waits at a silent one."""
    with deployed(dynamodb_endpoint, gate.endpoint, tmp_path, NoEmbedder()) as deployment:
        ports = deployment.open().ports
        first = written(ports, "The cache holds a thousand plans.")
        gate.shut()
        for _ in range(2):
            assert asked(ports, "cache plans").degraded
        clock = SearchCircuitClock(ports)
        with recorded(deployment.cloud._dynamodb) as seen:
            second = written(ports, "A plan leaves the cache when its table changes.")
            told = asked(ports, "cache plans")
            page = assemble_context(
                ports, ADMIN, PROJECT, ContextRequest(intent="cache plans", time_ms=20_000)
            )
            asked_for = [call for call in seen.taken() if call.engine == "OpenSearch"]
        assert (shown(told), told.degraded, asked_for) == ({first, second}, True, [])
        assert page.assembled.fragments
        with pytest.raises(IndexUnavailable, match="asked again"):
            ports.index.coverage()
        gate.open()
        clock.pass_time()
        assert asked_in_peace(ports, "cache plans")


class SearchCircuitClock:
    """The clock of an index's circuit, which stands until it is told to go."""

    def __init__(self, ports: Ports) -> None:
        circuit = ports.index._requests._circuit  # type: ignore[attr-defined]
        self._now = circuit._timer()
        circuit._timer = lambda: self._now

    def pass_time(self) -> None:
        self._now += LONGEST_PAUSE_S


@pytest.fixture
def domain(opensearch_endpoint: str) -> Iterator[Domain]:
    with open_domain(opensearch_endpoint) as opened:
        yield opened


@pytest.fixture
def table(dynamodb_endpoint: str) -> Iterator[RecordsTable]:
    with fresh_table(dynamodb_endpoint) as (client, name):
        yield RecordsTable(client, name, Backoff())


def lost(domain: Domain) -> None:
    """As a domain that was restored empty."""
    for name in domain.names.all_names():
        domain.names.drop(name)


def opened(domain: Domain, table: RecordsTable) -> OpenSearchIndex:
    return domain.new_index(was_built=IndexMark(table).is_there)


def kept(domain: Domain, table: RecordsTable) -> WrittenIndexes:
    return WrittenIndexes(domain.names, lambda: domain.body, IndexMark(table))


def test_before_the_first_write_a_deployment_is_empty_and_not_broken(
    domain: Domain, table: RecordsTable
) -> None:
    """The safeguard is `_ask`: without it the first recall of a new deployment says that the index is down."""
    lost(domain)
    index = opened(domain, table)
    assert ask(index, "wal").arms.content_lexical == {}
    assert index.standing((SCOPE,), Filters(), Viewer(), now=NOW, k=3).refs() == []
    assert index.tags((SCOPE,)) == []
    assert index.stats(SCOPE, Viewer(), now=NOW).total == 0


def test_the_first_change_makes_an_index_that_is_searched(domain: Domain, table: RecordsTable) -> None:
    lost(domain)
    (target,) = kept(domain, table).targets()
    assert domain.names.read_from() == {target.name}
    assert IndexMark(table).is_there()
    assert ask(opened(domain, table), "wal").arms.content_lexical == {}


def test_a_lost_index_comes_back_and_is_not_searched_before_a_rebuild(
    domain: Domain, table: RecordsTable
) -> None:
    """The safeguard is the mark: without it recalls would miss, without a word, all that was there before."""
    indexes = kept(domain, table)
    indexes.targets()
    domain.put(memory("old", "wal"))
    lost(domain)
    with pytest.raises(IndexMissing, match="mem admin reindex"):
        ask(opened(domain, table), "wal")
    (target,) = indexes.targets()  # in the same sandbox, which knew an index
    assert domain.names.read_from() == set()
    domain.put(memory("new", "wal"))
    with pytest.raises(IndexUnavailable, match="mem admin reindex"):
        ask(opened(domain, table), "wal")
    assert [found.name for found in kept(domain, table).targets()] == [target.name]
    assert kept(domain, table).ensure() == target.name
    domain.names.move(read=target.name, dropped=set())  # as the end of a rebuild does
    assert list(ask(opened(domain, table), "wal").arms.content_lexical)


def test_an_index_that_stood_before_there_were_marks_is_marked(domain: Domain, table: RecordsTable) -> None:
    assert not IndexMark(table).is_there()
    kept(domain, table).targets()
    assert IndexMark(table).is_there()


def test_the_projector_writes_on_into_what_came_back(domain: Domain, table: RecordsTable) -> None:
    indexes = kept(domain, table)
    projector = Projector(
        DocumentWriter(indexes.targets, BulkWriter(domain.client, backoff=QUICK), NO_BODIES),
        delete_log_entries=lambda _keys: None,
        finish_erasure=lambda *_: None,
    )
    indexes.targets()
    lost(domain)
    item = item_of(memory("new", "wal"))
    key = {"pk": item["pk"], "sk": item["sk"]}
    record = {"dynamodb": {"Keys": key, "SequenceNumber": "1", "NewImage": item}}
    assert projector.project([record]).failed == []
    assert domain.client.count(index=domain.names.write_alias)["count"] == 1
