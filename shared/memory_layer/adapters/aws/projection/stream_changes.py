"""Parsed batches of the table's stream: the last state of each record, news for the audit log, and damaged items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from memory_layer.adapters.aws.projection.item_documents import (
    ITEM_ERRORS,
    item_document_id,
    item_flaw,
    scope_of,
)
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.audit_items import TOLD, ToldEvent, told_events
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.record_items import Item, text_of, version_of
from memory_layer.manifest.tables import RECEIPT_SORT_PREFIX, RECORD_SORT_KEY

StreamRecord = Mapping[str, Any]
"""One of the `Records` of a Lambda event from a DynamoDB stream, with both images."""


@dataclass(frozen=True, slots=True)
class RecordChange:
    """Last change of one record in a batch.

    Args:
        id: of its document.
        image: the newest that the batch has of it.
        first: position in the batch of the first event that tells of it: if the index does not take this image, all is
            told again from there, or log entries of the versions before would never be done with.
        log_keys: the log entries that are done with once the index has this image.
    """

    id: str
    image: Item
    first: int
    log_keys: frozenset[tuple[str, str]]

    @property
    def older_log_keys(self) -> frozenset[tuple[str, str]]:
        """Log entries but for that of this image: recalls look at the record as long as it has one."""
        newest = text_of(self.image, "log_sk")
        return frozenset(entry for entry in self.log_keys if entry[1] != newest)


@dataclass(frozen=True, slots=True)
class PoisonRecord:
    """Item that can never be indexed, however often it is delivered.

    Args:
        first: position in the batch of the first event that tells of it.
        key: of the item, `pk` and `sk`.
        version: of the record, None where its item does not say.
        reason: kinds and statuses; no word of what the item holds.
        done_with: log entries of the versions before it.
    """

    first: int
    key: Mapping[str, str]
    version: int | None
    reason: str
    done_with: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class StreamBatch:
    """Parsed batch.

    Args:
        changes: one for each record; later versions win, in whatever order they come.
        broken: events of items that cannot be read.
        told: for the audit log, by their positions in the batch.
    """

    changes: Sequence[RecordChange]
    broken: Sequence[PoisonRecord]
    told: Mapping[int, Sequence[ToldEvent]]


def parse_batch(records: Sequence[StreamRecord]) -> StreamBatch:
    """Parses a batch; an item that cannot be read holds up no other."""
    changes: dict[str, RecordChange] = {}
    broken: list[PoisonRecord] = []
    told: dict[int, Sequence[ToldEvent]] = {}
    for position, record in enumerate(records):
        event = record["dynamodb"]
        try:
            if _is_of_record(event):
                change = _change(event, position)
                known = changes.get(change.id)
                changes[change.id] = change if known is None else _merged(known, change)
            elif _tells_of_events(event):
                told[position] = told_events(event["NewImage"])
        except ITEM_ERRORS as error:
            broken.append(_broken(event["NewImage"], position, item_flaw(error)))
    return StreamBatch(list(changes.values()), broken, told)


def poison_of(change: RecordChange, reason: str) -> PoisonRecord:
    return replace(_broken(change.image, change.first, reason), done_with=change.older_log_keys)


def _broken(item: Item, first: int, reason: str) -> PoisonRecord:
    key = {name: item[name]["S"] for name in ("pk", "sk")}
    version = str(item.get("version", {}).get("N", ""))
    return PoisonRecord(first, key, int(version) if version.isdecimal() else None, reason)


def _is_of_record(event: Mapping[str, Any]) -> bool:
    return event["Keys"]["sk"]["S"] == RECORD_SORT_KEY and "NewImage" in event and _alters_index(event)


def is_new_receipt(event: Mapping[str, Any]) -> bool:
    """Tells a receipt that was just written. Args: event: the `dynamodb` part of a stream record."""
    is_receipt = event["Keys"]["sk"]["S"].startswith(RECEIPT_SORT_PREFIX)
    return is_receipt and "NewImage" in event and "OldImage" not in event


def _tells_of_events(event: Mapping[str, Any]) -> bool:
    return TOLD in event.get("NewImage", {}) and "OldImage" not in event


def log_keys(names: frozenset[tuple[str, str]]) -> list[Key]:
    """Keys of log entries, as the table wants them."""
    return [{"pk": {"S": partition}, "sk": {"S": sort}} for partition, sort in sorted(names)]


def _alters_index(event: Mapping[str, Any]) -> bool:
    """Says that an event changes more than access counts: every other change has a version of its own."""
    old = event.get("OldImage")
    return old is None or version_of(old) != version_of(event["NewImage"])


def _change(event: Mapping[str, Any], position: int) -> RecordChange:
    new: Item = event["NewImage"]
    partition = keys.log_partition(scope_of(new))
    named = (text_of(image, "log_sk") for image in (event.get("OldImage"), new) if image is not None)
    entries = frozenset((partition, sort) for sort in named if sort is not None)
    return RecordChange(item_document_id(new), new, position, entries)


def _merged(earlier: RecordChange, later: RecordChange) -> RecordChange:
    """Newest of two images, with the log entries of versions up to it.

    The entry of the old image is done with as well: the event of that version may have been given up.
    """
    newest = max(earlier, later, key=lambda change: version_of(change.image))
    return RecordChange(newest.id, newest.image, earlier.first, earlier.log_keys | later.log_keys)
