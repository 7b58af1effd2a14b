"""Answers under idempotency keys, and operations, in DynamoDB."""

from collections.abc import Collection
from datetime import datetime

from memory_layer.adapters.aws.store.transaction import ITEM_MAX_BYTES
from memory_layer.adapters.aws.table import keys, record_items, request_items
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.records_table import RecordsTable
from memory_layer.adapters.stored_form.stored_values import parse_stored
from memory_layer.domain.memory import Scope
from memory_layer.errors import TooLarge
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import Clock
from memory_layer.ports.records import Operation


class RequestItems:
    """Answers of all projects, and operations of all tenants: the port ports.records.RequestStore."""

    def __init__(self, table: RecordsTable, reading: BatchReads, clock: Clock) -> None:
        self._table = table
        self._reading = reading
        self._clock = clock

    def answers(self, scope: Scope, keys: Collection[str], now: datetime) -> dict[str, IdempotencyRecord]:
        return request_items.read_answers(self._reading, scope, keys, now)

    def put_operation(self, operation: Operation) -> None:
        """Writes an operation.

        Raises:
            TooLarge: its result or problem, packed, is more than an item holds.
        """
        item = request_items.operation_item(operation)
        if (packed_bytes := record_items.size_bytes(item)) > ITEM_MAX_BYTES:
            raise TooLarge(
                f"what came of operation {operation.id} takes {packed_bytes} bytes packed, {ITEM_MAX_BYTES} is the "
                "most; keep it as a blob, and name that in the result"
            )
        self._table.put(item)

    def operation(self, tenant: str, id: str) -> Operation | None:
        item = self._table.get(keys.operation_key(tenant, id))
        if item is None or not request_items.is_unexpired(item, self._clock.now()):
            return None
        return parse_stored(request_items.operation_of, item, f"operation {id}")
