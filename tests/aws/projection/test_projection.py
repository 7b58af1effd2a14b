"""From the stream into a real index: versions, tombstones, refusals and outages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from opensearchpy import OpenSearch
from opensearchpy.exceptions import ConnectionTimeout, TransportError

from memory_layer.adapters.aws.integrity.rebuild import first_index
from memory_layer.adapters.aws.projection.bulk_writes import BulkWriter
from memory_layer.adapters.aws.projection.document_writer import DocumentWriter
from memory_layer.adapters.aws.projection.projector import Projector
from memory_layer.adapters.aws.search.aliases import own_alias
from memory_layer.adapters.aws.search.documents import document_id, document_of, routing_of, tombstone_of
from memory_layer.adapters.aws.search.opensearch_client import search_client
from memory_layer.adapters.aws.search.search_index import OpenSearchIndex
from memory_layer.adapters.aws.table.keys import record_key
from memory_layer.adapters.aws.table.record_items import TOMBSTONE, Item, item_of
from memory_layer.domain.access import Viewer
from memory_layer.domain.filters import Filters
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.commit import Vectors
from tests.aws.search_domain import QUICK, Domain, FaultyClient, ask, lexical, open_domain
from tests.index_examples import NO_BODIES, NOW, SCOPE, memory, unit_vectors

pytestmark = pytest.mark.engines

VECTORS = unit_vectors(4)


@pytest.fixture
def domain(opensearch_endpoint: str) -> Iterator[Domain]:
    with open_domain(opensearch_endpoint) as opened:
        yield opened


def projector(domain: Domain, client: Any = None) -> Projector:
    return Projector(
        DocumentWriter(domain.names.targets, BulkWriter(client or domain.client, backoff=QUICK), NO_BODIES),
        delete_log_entries=lambda _keys: None,
        finish_erasure=lambda *_: None,
    )


def event(number: int, item: Item) -> dict[str, Any]:
    key = {"pk": item["pk"], "sk": item["sk"]}
    return {"dynamodb": {"Keys": key, "SequenceNumber": str(number), "NewImage": item}}


def written(id: str, version: int, content: str = "wal") -> Item:
    return item_of(memory(id, content, version=version), Vectors(VECTORS[0]), f"log-{version}")


def erased(id: str, version: int) -> Item:
    named = {"kind": TOMBSTONE, "tenant": SCOPE.tenant, "project": SCOPE.project, "id": id}
    return {
        **record_key(SCOPE, id),
        **{name: {"S": value} for name, value in named.items()},
        "version": {"N": str(version)},
    }


def version_in(domain: Domain, id: str) -> int:
    found = domain.client.get(
        index=domain.names.read_alias, id=document_id(SCOPE, id), routing=routing_of(SCOPE)
    )
    return int(found["_version"])


def test_projected_records_are_found_when_it_returns(domain: Domain) -> None:
    assert projector(domain).project([event(1, written("a", 1)), event(2, written("b", 1))]).failed == []
    arms = ask(domain.index, "wal", vector=VECTORS[0]).arms
    assert [ref.id for ref in arms.content_lexical] == [ref.id for ref in arms.content_semantic] == ["a", "b"]


def test_older_deliveries_change_nothing_and_count_as_done(domain: Domain) -> None:
    projector(domain).project([event(1, written("a", 3, "newest wal"))])
    assert projector(domain).project([event(2, written("a", 2, "older"))]).failed == []
    assert projector(domain).project([event(3, written("a", 3, "newest wal"))]).failed == []
    assert lexical(domain.index, "newest") == ["a"]
    assert version_in(domain, "a") == 3


def test_erased_record_stays_away_whatever_comes_late(domain: Domain) -> None:
    """The tombstone is the safeguard: after a plain deletion the index forgets the version, and `a` is back."""
    projector(domain).project([event(1, written("a", 1))])
    projector(domain).project([event(2, erased("a", 2))])
    assert projector(domain).project([event(1, written("a", 1))]).failed == []
    assert lexical(domain.index, "wal", filters=Filters(status=())) == []
    projector(domain).project([event(3, written("a", 3))])
    assert lexical(domain.index, "wal") == ["a"]
    assert projector(domain).project([event(2, erased("a", 2))]).failed == []
    assert lexical(domain.index, "wal") == ["a"]


def test_busy_items_are_sent_again_until_the_index_takes_them(domain: Domain) -> None:
    refusals = {"left": 2}

    def intercept(name: str, real: Callable[..., Any], **given: Any) -> Any:
        answer = real(**given)
        if name == "bulk" and refusals["left"]:
            refusals["left"] -= 1
            answer["items"][0] = {"index": {"status": 429, "error": {"type": "rejected_execution_exception"}}}
        return answer

    client = FaultyClient(domain.client, intercept)
    assert (
        projector(domain, client).project([event(1, written("a", 1)), event(2, written("b", 1))]).failed == []
    )
    assert refusals["left"] == 0
    assert lexical(domain.index, "wal") == ["a", "b"]


def test_time_out_after_the_effect_is_no_harm(domain: Domain) -> None:
    calls = {"bulk": 0}

    def intercept(name: str, real: Callable[..., Any], **given: Any) -> Any:
        answer = real(**given)
        calls[name] += 1
        if calls[name] == 1:
            raise ConnectionTimeout("TIMEOUT", "read timed out", TimeoutError())
        return answer

    client = FaultyClient(domain.client, intercept)
    assert projector(domain, client).project([event(1, written("a", 1))]).failed == []
    assert (calls["bulk"], version_in(domain, "a")) == (2, 1)


def test_document_that_the_index_refuses_fails_alone(domain: Domain) -> None:
    """A vector of another length is a 400 for ever."""
    poison = item_of(memory("b", "wal"), Vectors(unit_vectors(1)[0][:4]), "log")
    batch = [event(1, written("a", 1)), event(2, poison), event(3, written("c", 1))]
    assert projector(domain).project(batch).failed == ["2"]
    assert lexical(domain.index, "wal") == ["a", "c"]


def test_unknown_field_is_refused_by_the_mapping(domain: Domain) -> None:
    body = {"is_tombstone": False, "nobody_knows": 1}
    with pytest.raises(TransportError, match="strict_dynamic_mapping"):
        domain.client.index(index=own_alias(domain.index_name), id="x", body=body, routing="x")


def test_nothing_brings_up_an_index_that_was_dropped(domain: Domain) -> None:
    """`require_alias` is the safeguard: without it the first document makes a bare index of that name."""
    targets = domain.names.targets()
    domain.names.drop(domain.index_name)
    outcome = domain.writer(waits_for_refresh=False).write(
        [tombstone_of(SCOPE, "a", 1)], lambda: targets, seconds=0.01
    )
    assert outcome.waiting
    assert not domain.client.indices.exists(index=domain.index_name)
    assert not domain.client.indices.exists(index=own_alias(domain.index_name))


def test_missing_index_is_unavailable_with_what_to_do(domain: Domain) -> None:
    domain.names.drop(domain.index_name)
    for question in _questions(lambda: domain.index):
        with pytest.raises(IndexUnavailable, match="mem admin reindex"):
            question()
    with pytest.raises(IndexUnavailable, match="mem admin reindex"):
        domain.names.targets()
    assert projector(domain).project([event(7, written("a", 1))]).failed == ["7"]


def test_engine_that_is_gone_is_unavailable() -> None:
    client = search_client("http://127.0.0.1:9")  # the discard port: nobody listens
    for question in _questions(lambda: OpenSearchIndex(client, model="m")):
        with pytest.raises(IndexUnavailable, match="try again"):
            question()


def _questions(new_index: Callable[[], OpenSearchIndex]) -> list[Callable[[], Any]]:
    """Each to an index of its own: the circuit of one is open after the first."""
    return [
        lambda: ask(new_index(), "wal", vector=VECTORS[0]),
        lambda: new_index().standing((SCOPE,), Filters(), Viewer(), now=NOW, k=1).refs(),
        lambda: new_index().tags((SCOPE,)),
        lambda: new_index().stats(SCOPE, Viewer(), now=NOW),
    ]


@pytest.mark.parametrize(
    "damage",
    [
        {"timed_out": True},
        {"_shards": {"failed": 1}},
        {"error": {"type": "search_phase_execution_exception"}, "status": 503},
    ],
)
def test_answer_in_part_is_no_answer(domain: Domain, damage: dict[str, Any]) -> None:
    def intercept(name: str, real: Callable[..., Any], **given: Any) -> Any:
        answer = real(**given)
        parts = answer["responses"] if name == "msearch" else [answer]
        parts[-1].update(damage)
        return answer

    client: Any = FaultyClient(domain.client, intercept)
    for question in _questions(lambda: domain.new_index(client=client)):
        with pytest.raises(IndexUnavailable, match="in full"):
            question()


def test_first_index_is_made_once_however_many_ask(opensearch_endpoint: str, domain: Domain) -> None:
    from concurrent.futures import ThreadPoolExecutor

    domain.names.drop(domain.index_name)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: first_index(domain.names, domain.body), range(8)))
    assert set(made) == domain.names.all_names() == domain.names.read_from() == domain.names.written_to()
    assert len(set(made)) == 1
    assert isinstance(search_client(opensearch_endpoint), OpenSearch)


def test_bulk_of_a_new_and_a_known_document(domain: Domain) -> None:
    documents = [document_of(memory("a", "wal"), None), tombstone_of(SCOPE, "b", 4)]
    assert domain.write(documents).failed == domain.write(documents).failed == {}
    assert version_in(domain, "b") == 4
