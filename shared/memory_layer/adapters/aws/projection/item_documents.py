"""Documents of items, with the words of warm records read from their bodies side by side."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from memory_layer.adapters.aws.search.documents import Document, document_id, document_of, tombstone_of
from memory_layer.adapters.aws.table import record_items, record_seals
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import OUT_OF_RECALL, Memory, Scope

if TYPE_CHECKING:
    from memory_layer.ports.commit import Vectors

ITEM_ERRORS: Final = (LookupError, TypeError, ValueError, AttributeError)
"""Errors of reading an item whose attributes are missing or of another kind."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ItemDocuments:
    """Result of making documents, by `_id`.

    Args:
        made: in no order of theirs.
        broken: why of an item none can be made.
    """

    made: dict[str, Document] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class WholeItem:
    """Record of an item, with all its words unless their body is missing. Args: body_bytes: size of a body's words."""

    memory: Memory
    vectors: Vectors | None
    body_bytes: int | None


@dataclass(frozen=True, slots=True)
class WholeItems:
    """Records of items, and the items of which there are none. Args: broken: by `_id`, why an item cannot be read."""

    records: list[WholeItem] = field(default_factory=list)
    tombstones: list[record_items.Item] = field(default_factory=list)
    broken: dict[str, str] = field(default_factory=dict)


def whole_items(items: Sequence[record_items.Item], bodies: Bodies) -> WholeItems:
    """Records of items, tombstones apart.

    A body that is missing or damaged keeps nothing waiting: its record is found by its vectors and its first words.

    Args:
        items: of different records, with their vectors.

    Raises:
        StoreUnavailable: the bodies cannot be asked now.
    """
    found = WholeItems()
    for item in items:
        try:
            if record_seals.is_tombstone(item):
                found.tombstones.append(item)
            else:
                found.records.append(_stored(item))
        except ITEM_ERRORS as error:
            found.broken[item_document_id(item)] = item_flaw(error)
    return replace(found, records=_with_words(found.records, bodies))


def _stored(item: record_items.Item) -> WholeItem:
    return WholeItem(
        record_seals.sound_memory_of(item),
        record_seals.sound_vectors_of(item),
        record_items.number_of(item, record_items.BODY_BYTES),
    )


def documents_of(items: Sequence[record_items.Item], bodies: Bodies) -> ItemDocuments:
    """Document of each item, tombstones included.

    Args:
        items: of different records, with their vectors.

    Raises:
        StoreUnavailable: the bodies cannot be asked now.
    """
    whole = whole_items(items, bodies)
    found = ItemDocuments(broken=whole.broken)
    for item in whole.tombstones:
        try:
            tombstone = tombstone_of(scope_of(item), item["id"]["S"], record_items.version_of(item))
            found.made[item_document_id(item)] = tombstone
        except ITEM_ERRORS as error:
            found.broken[item_document_id(item)] = item_flaw(error)
    _add(found, whole.records)
    return found


def needs_body(item: record_items.Item) -> bool:
    """Says that the words of an item's document lie in a body."""
    return record_items.BODY_BYTES in item and record_items.text_of(item, "tier") not in OUT_OF_RECALL


def _add(found: ItemDocuments, records: Sequence[WholeItem]) -> None:
    for record in records:
        memory = record.memory
        name = document_id(memory.scope, memory.id)
        try:
            found.made[name] = document_of(memory, record.vectors, record.body_bytes)
        except ITEM_ERRORS as error:
            found.broken[name] = item_flaw(error)


def _with_words(records: Sequence[WholeItem], bodies: Bodies) -> list[WholeItem]:
    """Records with their words, which are not read for those that no question finds."""
    searched = [record.memory for record in records if record.memory.tier not in OUT_OF_RECALL]
    whole, unread = bodies.whole(searched)
    for one in unread:
        _log.error("%s is searched by its first words alone: %s", one.memory.id, one.error.detail)
    words = {(memory.scope, memory.id): memory for memory in whole}
    return [
        replace(record, memory=words.get((record.memory.scope, record.memory.id), record.memory))
        for record in records
    ]


def item_flaw(error: Exception) -> str:
    """Description of a damaged item, by the type of error alone: its message may quote what the item holds."""
    return f"its item is not whole ({type(error).__name__})"


def scope_of(item: record_items.Item) -> Scope:
    return Scope(item["tenant"]["S"], item["project"]["S"])


def item_document_id(item: record_items.Item) -> str:
    """Document id of an item, read off its key, which even a damaged item has."""
    tenant, project, _, id = item["pk"]["S"].split("#", 3)
    return document_id(Scope(tenant, project), id)
