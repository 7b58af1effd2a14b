"""Memories of many projects straight into the cloud's engines, and how often these are asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memory_layer.adapters.aws.projection.bulk_writes import BulkWriter
from memory_layer.adapters.aws.search.documents import document_of
from memory_layer.adapters.aws.table.record_items import item_of
from memory_layer.adapters.aws.table.record_seals import sealed
from memory_layer.bootstrap.aws import AwsBackend
from memory_layer.domain.memory import Memory
from memory_layer.ports.commit import Vectors

BATCH = 25
"""DynamoDB takes so many at a time."""
CHUNK = 1_000
WRITERS = 4
PATIENCE_S = 240.0


def seed_engines(cloud: AwsBackend, memories: Sequence[Memory], vectors: NDArray[np.float32]) -> None:
    """Into the table and the index as the projector would leave them: what is measured is reading."""
    names, client = cloud._names, cloud._names.client
    # Each refresh builds a graph of vectors, and each merge of two builds another: here one for all.
    client.indices.put_settings(index=names.write_alias, body={"index": {"refresh_interval": "-1"}})
    writer = BulkWriter(names.client, waits_for_refresh=False)
    with ThreadPoolExecutor(WRITERS) as threads:
        for start in range(0, len(memories), CHUNK):
            chunk = memories[start : start + CHUNK]
            found = [Vectors(vector) for vector in vectors[start : start + CHUNK]]
            pairs = list(zip(chunk, found, strict=True))
            items = [sealed(item_of(memory, vector)) for memory, vector in pairs]
            done = threads.map(
                lambda batch: _put(cloud, batch), (items[n : n + BATCH] for n in range(0, len(items), BATCH))
            )
            documents = [document_of(memory, vector) for memory, vector in pairs]
            if failed := writer.write(documents, names.targets, seconds=PATIENCE_S).failed:
                raise SystemExit(f"{len(failed)} documents were refused: {next(iter(failed.values()))}")
            list(done)
    client.indices.refresh(index=names.write_alias, params={"request_timeout": PATIENCE_S})
    client.indices.put_settings(index=names.write_alias, body={"index": {"refresh_interval": "1s"}})


def _put(cloud: AwsBackend, items: Sequence[Any]) -> None:
    table = cloud._settings.records_table
    waiting = [{"PutRequest": {"Item": item}} for item in items]
    while waiting:
        answer = cloud._dynamodb.batch_write_item(RequestItems={table: waiting})
        waiting = answer["UnprocessedItems"].get(table, [])


@contextmanager
def counted_round_trips(cloud: AwsBackend) -> Iterator[Counter[str]]:
    """By engine and operation, while it is open."""
    trips: Counter[str] = Counter()
    transport, events = cloud._names.client.transport, cloud._dynamodb.meta.events
    ask = transport.perform_request

    def asked(method: str, url: str, *args: Any, **given: Any) -> Any:
        trips[f"OpenSearch {url.rsplit('/', 1)[-1]}"] += 1
        return ask(method, url, *args, **given)

    def sent(event_name: str, **_: Any) -> None:
        trips[f"DynamoDB {event_name.rsplit('.', 1)[-1]}"] += 1

    transport.perform_request = asked
    events.register("before-send.dynamodb", sent)
    try:
        yield trips
    finally:
        transport.perform_request = ask
        events.unregister("before-send.dynamodb", sent)
