"""What a reconcile reads: an index and a table that are equal, filled at once, and clients that count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from memory_layer.adapters.aws.integrity.reconciliation import Reconciliation
from memory_layer.adapters.aws.projection.bulk_writes import BulkWriter
from memory_layer.adapters.aws.projection.item_documents import documents_of
from memory_layer.adapters.aws.search.aliases import IndexNames
from memory_layer.adapters.aws.search.documents import document_id, routing_of
from memory_layer.adapters.aws.search.opensearch_client import slow_request_params
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.record_items import (
    TOMBSTONE,
    VECTOR_ATTRIBUTES,
    VECTORS_DIGEST,
    Item,
    Value,
    item_of,
    text_attributes,
    with_digest,
)
from memory_layer.adapters.aws.table.records_table import RecordsTable
from memory_layer.domain.memory import Scope
from tests.aws.search_domain import Domain
from tests.given import START, StandingClock, a_memory, some_vectors
from tests.index_examples import NO_BODIES

BODY = "A deploy of the shop needs two approvals. " * 25
"""About 1 kB."""

ERASED_SHARE = 20
"""One record in so many is erased."""


@dataclass
class Reads:
    """By operation of the table, units that it says were used and bytes of items that it answered with; hits of the
    index, and names of what came with them."""

    units: Counter[str] = field(default_factory=Counter)
    items: Counter[str] = field(default_factory=Counter)
    attributes: set[str] = field(default_factory=set)
    searches: int = 0
    hits: int = 0
    fields: set[str] = field(default_factory=set)


class CountingTable:
    """A DynamoDB client that has every read weighed."""

    def __init__(self, client: Any, reads: Reads) -> None:
        self._client = client
        self._reads = reads

    def __getattr__(self, operation: str) -> Callable[..., Any]:
        def call(**request: Any) -> Any:
            answer = getattr(self._client, operation)(**request, ReturnConsumedCapacity="TOTAL")
            used = answer["ConsumedCapacity"]
            for part in used if isinstance(used, list) else [used]:
                self._reads.units[operation] += part["CapacityUnits"]
            items = answer.get("Items") or [
                i for found in answer.get("Responses", {}).values() for i in found
            ]
            self._reads.items[operation] += len(items)
            self._reads.attributes |= {name for item in items for name in item}
            return answer

        return call


class CountingDomain:
    """An OpenSearch client that counts what comes back."""

    def __init__(self, client: Any, reads: Reads) -> None:
        self._client = client
        self._reads = reads

    def search(self, **request: Any) -> Any:
        answer = self._client.search(**request)
        self._reads.searches += 1
        for hit in answer["hits"]["hits"]:
            self._reads.hits += 1
            self._reads.fields |= {*hit.get("fields", ()), *hit.get("_source", ())}
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)


def fill(client: Any, table: str, domain: Domain, scope: Scope, records: int) -> None:
    """So many records in both, some of them erased."""
    items = (_item(scope, number) for number in range(records))
    while page := list(islice(items, 500)):
        for start in range(0, len(page), 25):
            _put(client, table, page[start : start + 25])
        _index(domain, page)
    domain.refresh()


def reconciliation(client: Any, table: str, domain: Domain, reads: Reads) -> Reconciliation:
    names = IndexNames(CountingDomain(domain.client, reads), domain.names.prefix)  # type: ignore[arg-type]
    counted = RecordsTable(CountingTable(client, reads), table, Backoff())
    writer = BulkWriter(domain.client)
    return Reconciliation(names, counted, writer, NO_BODIES, domain.names.targets, StandingClock())


def lose(domain: Domain, scope: Scope, numbers: Iterable[int]) -> None:
    """Delete documents of records that are not erased; at their own versions, or the index would go on knowing them
    for a minute as a later one."""
    lines = [
        {
            "delete": {
                "_index": domain.index_name,
                "_id": document_id(scope, _id(number)),
                "routing": routing_of(scope),
                "version": _version(number),
                "version_type": "external_gte",
            }
        }
        for number in numbers
    ]
    answer = domain.client.bulk(body=lines, params=slow_request_params(refresh="true"))
    assert not answer["errors"]


def _item(scope: Scope, number: int) -> dict[str, Value]:
    id = _id(number)
    if number % ERASED_SHARE == 0:
        return _tombstone(scope, id)
    return item_of(
        a_memory(scope, id, content=f"{number}: {BODY}", version=_version(number)), some_vectors(number % 50)
    )


def _id(number: int) -> str:
    return f"mem_{number:032d}"


def _version(number: int) -> int:
    return 2 if number % ERASED_SHARE == 0 else 1 + number % 5


def _tombstone(scope: Scope, id: str) -> dict[str, Value]:
    return with_digest(
        {
            **keys.record_key(scope, id),
            **text_attributes(
                {"kind": TOMBSTONE, "tenant": scope.tenant, "project": scope.project, "id": id}
            ),
            **text_attributes(
                {"age_pk": keys.erased_partition(scope), "age_sk": keys.age_sort(START, id, None)}
            ),
            "version": {"N": str(_version(0))},
        }
    )


def _put(client: Any, table: str, items: Sequence[Item]) -> None:
    waiting = [{"PutRequest": {"Item": item}} for item in items]
    while waiting:
        answer = client.batch_write_item(RequestItems={table: waiting})
        waiting = answer["UnprocessedItems"].get(table, [])


def _index(domain: Domain, items: Sequence[Item]) -> None:
    """Without their vectors, which would take minutes."""
    left_out = (*VECTOR_ATTRIBUTES, VECTORS_DIGEST)
    told = [{name: value for name, value in item.items() if name not in left_out} for item in items]
    documents = list(documents_of(told, NO_BODIES).made.values())
    writer = BulkWriter(domain.client, waits_for_refresh=False)
    assert not writer.write(documents, domain.names.targets, seconds=120).failed
