"""What a batch of the table's stream says: which records are as they are now, and what recalls returned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from memory_layer.adapters.aws import keys
from memory_layer.adapters.aws.documents import Document, document_id, document_of, tombstone_of
from memory_layer.adapters.aws.items import Item, is_memory, memory_of, text_of, vectors_of, version_of
from memory_layer.adapters.aws.keys import Key
from memory_layer.adapters.aws.receipts import receipt_of
from memory_layer.domain.memory import Scope
from memory_layer.manifest.stream import RECEIPT_SORT_PREFIX, RECORD_SORT_KEY
from memory_layer.ports import Receipt

StreamRecord = Mapping[str, Any]
"""One of the `Records` of a Lambda event from a DynamoDB stream, with both images."""


@dataclass(frozen=True, slots=True)
class RecordChange:
    """What a batch says of one record in the end.

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


def record_changes(records: Sequence[StreamRecord]) -> list[RecordChange]:
    """One for each record that a batch tells of; later versions win, in whatever order they come."""
    found: dict[str, RecordChange] = {}
    for position, record in enumerate(records):
        event = record["dynamodb"]
        if event["Keys"]["sk"]["S"] != RECORD_SORT_KEY or "NewImage" not in event or not _alters_index(event):
            continue
        told = _told(event, position)
        known = found.get(told.id)
        found[told.id] = told if known is None else _joined(known, told)
    return list(found.values())


def receipts(records: Sequence[StreamRecord]) -> dict[int, Receipt]:
    """Receipts of recalls that are new in the batch, by their positions in it."""
    events = ((position, record["dynamodb"]) for position, record in enumerate(records))
    return {
        position: receipt_of(event["NewImage"])
        for position, event in events
        if event["Keys"]["sk"]["S"].startswith(RECEIPT_SORT_PREFIX)
        and "NewImage" in event
        and "OldImage" not in event
    }


def document_of_item(item: Item) -> Document:
    """The document of a record's item, tombstones included.

    Raises:
        LookupError, ValueError: the item is not whole.
    """
    if is_memory(item):
        return document_of(memory_of(item), vectors_of(item))
    return tombstone_of(scope_of(item), item["id"]["S"], version_of(item))


def scope_of(item: Item) -> Scope:
    return Scope(item["tenant"]["S"], item["project"]["S"])


def item_document_id(item: Item) -> str:
    return document_id(scope_of(item), item["id"]["S"])


def log_keys(names: frozenset[tuple[str, str]]) -> list[Key]:
    """As the table wants them."""
    return [{"pk": {"S": partition}, "sk": {"S": sort}} for partition, sort in sorted(names)]


def _alters_index(event: Mapping[str, Any]) -> bool:
    """Not where only access counts moved: every other change has a version of its own."""
    old = event.get("OldImage")
    return old is None or version_of(old) != version_of(event["NewImage"])


def _told(event: Mapping[str, Any], position: int) -> RecordChange:
    new: Item = event["NewImage"]
    partition = keys.log_partition(scope_of(new))
    named = (text_of(image, "log_sk") for image in (event.get("OldImage"), new) if image is not None)
    entries = frozenset((partition, sort) for sort in named if sort is not None)
    return RecordChange(item_document_id(new), new, position, entries)


def _joined(earlier: RecordChange, later: RecordChange) -> RecordChange:
    """The newest image; log entries of versions up to it.

    The entry of the old image is done with as well: the event of that version may have been given up.
    """
    newest = max(earlier, later, key=lambda change: version_of(change.image))
    return RecordChange(newest.id, newest.image, earlier.first, earlier.log_keys | later.log_keys)
