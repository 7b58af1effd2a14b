"""Wiring of what a deployment does with its table's stream: the index, the chain of changes, the bus, what failed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from memory_layer.ports.process import Clock
from memory_layer.settings import AwsSettings

if TYPE_CHECKING:
    from memory_layer.adapters.aws.projection.projector import ChainEvents, IndexWriter, Projector, SetAside
    from memory_layer.adapters.aws.store.record_store import DynamoRecordStore

Count = Callable[[Mapping[str, int]], Any]


def projector_of(
    settings: AwsSettings,
    dynamodb: Any,
    store: DynamoRecordStore,
    writer: IndexWriter,
    *,
    clock: Clock,
    count: Count,
) -> Projector:
    """Projector of the table's stream. Args: count: told how many changes the bus was told, by type."""
    from memory_layer.adapters.aws.projection.projector import Projector
    from memory_layer.adapters.aws.services.backoff import Backoff
    from memory_layer.adapters.aws.table.records_table import RecordsTable

    table = RecordsTable(dynamodb, settings.records_table, Backoff())
    return Projector(
        writer,
        delete_log_entries=table.delete_each,
        finish_erasure=store.erased.finish_erasure,
        set_aside=_set_aside(settings),
        chain_events=store.chain.append,
        publish_changes=_publish_changes(settings, store, clock, count),
    )


def _publish_changes(
    settings: AwsSettings, store: DynamoRecordStore, clock: Clock, count: Count
) -> ChainEvents | None:
    from functools import partial

    from memory_layer.adapters.aws.projection.change_publisher import ChangePublisher
    from memory_layer.adapters.aws.services.boto_clients import events
    from memory_layer.edge.events.traced_work import publish_span

    if not settings.event_bus:
        return None
    read = partial(store.memories.get_many, with_bodies=False)
    client = events(None, settings.endpoint)
    bus = settings.event_bus
    return ChangePublisher(
        store.chain.chained, read, clock, client, bus, count=count, span=publish_span
    ).publish


def _set_aside(settings: AwsSettings) -> SetAside | None:
    from memory_layer.adapters.aws.projection.failure_queue import FailureQueue
    from memory_layer.adapters.aws.services.boto_clients import sqs

    url = settings.failed_changes_queue
    return FailureQueue(sqs(None, settings.endpoint), url).set_aside if url else None
