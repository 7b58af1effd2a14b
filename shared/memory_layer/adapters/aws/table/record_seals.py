"""Items that are as they were written: seals of record items, and the records of items that hold theirs.

A seal is a digest over a record's attributes as they lie, so no document is built for it. It covers all that a change
of a record writes. Vectors have a digest of their own; recalls are counted in place; the keys of the indexes, the first
version and the size of a body follow from what a verification reads.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from memory_layer.adapters.aws.table import keys, record_items
from memory_layer.domain.integrity.digests import record_digest, search_digest
from memory_layer.domain.integrity.verification import UNREADABLE

if TYPE_CHECKING:
    from memory_layer.domain.memory import Memory
    from memory_layer.ports.commit import Vectors

SEAL: Final = "seal"

SEAL_FORMAT: Final = 3
"""Raised with every change of SEALED_ATTRIBUTES. What an older release sealed is held against its digest; what a newer
one sealed, an older one that still runs beside it takes as it is."""

SEALED_ATTRIBUTES: Final = (
    *("pk", "kind", record_items.DIGEST, "log_sk"),
    *(field.name for field in record_items.STORED_FIELDS),
)
"""Attributes that a seal is taken of, in this order."""

_RELATIONS_AT: Final = SEALED_ATTRIBUTES.index("relations")

READ_ATTRIBUTES: Final = (*SEALED_ATTRIBUTES, SEAL, *record_items.ACCESS_FIELDS)
"""Attributes that a record is read by: without the vectors an item is a third as long."""

VECTOR_READ_ATTRIBUTES: Final = (*record_items.VECTOR_ATTRIBUTES, record_items.VECTORS_DIGEST)


class DamagedItem(ValueError):
    """Error of an item that is not as it was written; one of UNREADABLE, as a value that cannot be parsed is."""


def sound_item(item: record_items.Item) -> record_items.Item:
    """Item beside the records that matches its digest, if it has one. Raises: DamagedItem, or one of UNREADABLE."""
    stored = item.get(record_items.DIGEST)
    if stored is not None and stored != {"S": record_items.attributes_digest(item)}:
        raise DamagedItem("it does not match its digest")
    return item


def sound_items(items: Iterable[record_items.Item]) -> list[record_items.Item]:
    """The items that match their digests; a verification names the others."""
    found: list[record_items.Item] = []
    for item in items:
        with suppress(*UNREADABLE):
            found.append(sound_item(item))
    return found


def seal_of(item: record_items.Item) -> record_items.Value:
    """Seal of an item: 16 bytes of a SHA-256, in hex, over the sealed attributes as they lie.

    The second format of marshal has been the same since Python 2.5, and a test holds it.

    Raises:
        One of UNREADABLE: it is damaged.
    """
    cells: list[Any] = list(map(item.get, SEALED_ATTRIBUTES))
    if cells[_RELATIONS_AT] is not None:  # DynamoDB keeps no order of a map's keys
        cells[_RELATIONS_AT] = [sorted(one["M"].items()) for one in cells[_RELATIONS_AT]["L"]]
    return {"S": f"{SEAL_FORMAT}:{sha256(marshal.dumps(cells, 2)).hexdigest()[:32]}"}


def sealed(item: record_items.Item) -> dict[str, record_items.Value]:
    """Item with its seal."""
    return {**item, SEAL: seal_of(item)}


def is_tombstone(item: record_items.Item) -> bool:
    """Tells a tombstone from a record; one whose kind alone is damaged has its seal still, and tombstones have none."""
    return item.get("kind") == {"S": record_items.TOMBSTONE} and SEAL not in item


def holds_seal(item: record_items.Item) -> bool | None:
    """True for an item that is as it was sealed, or that a newer release sealed; None: it is older than these seals.

    Another format is taken of other attributes: before a digest that this one makes, its number is damaged.

    Raises:
        One of UNREADABLE: it is damaged beyond comparison.
    """
    stored = item.get(SEAL)
    if stored is None:
        return None
    number, _, digest = stored["S"].partition(":")
    format, own = int(number), seal_of(item)
    if format == SEAL_FORMAT:
        return bool(stored == own)
    if digest == own["S"].partition(":")[2]:
        return False
    return True if format > SEAL_FORMAT else None


def sound_memory_of(item: record_items.Item) -> Memory:
    """Record of an item that holds its seal or, where it is older than seals, its digest.

    Args:
        item: with READ_ATTRIBUTES at least.

    Raises:
        DamagedItem, or another of UNREADABLE: it is not as it was written.
    """
    is_sealed = holds_seal(item)
    if is_sealed is False or (is_sealed is None and not record_items.is_memory(item)):
        raise DamagedItem("it does not match its seal")
    memory = _memory_of(item)
    if is_sealed is None and item.get(record_items.DIGEST) not in (None, {"S": record_digest(memory)}):
        raise DamagedItem("it does not match its digest")
    return memory


def sound_memory_or_none(item: record_items.Item) -> Memory | None:
    """Record of an item as `sound_memory_of` reads it; None for a tombstone, and for a damaged one."""
    try:
        return None if is_tombstone(item) else sound_memory_of(item)
    except UNREADABLE:
        return None


def _memory_of(item: record_items.Item) -> Memory:
    """Record of an item; without its counts of recalls where they are damaged: they are no evidence."""
    try:
        return record_items.memory_of(item)
    except UNREADABLE:
        uncounted = {name: value for name, value in item.items() if name not in record_items.ACCESS_FIELDS}
        return record_items.memory_of(uncounted)


def sound_vectors_of(item: record_items.Item) -> Vectors | None:
    """Vectors kept beside a record; None if it has none.

    Args:
        item: with VECTOR_READ_ATTRIBUTES at least.

    Raises:
        DamagedItem, or another of UNREADABLE: they are not as they were written.
    """
    stored = item.get(record_items.VECTORS_DIGEST)
    if stored not in (None, {"S": search_digest(keys.id_of(item), *_blobs(item))}):
        raise DamagedItem("its vectors do not match their digest")
    return record_items.vectors_of(item)


def sound_vectors_or_none(item: record_items.Item) -> Vectors | None:
    """Vectors as `sound_vectors_of` reads them; None also for damaged ones, which a verification names."""
    try:
        return sound_vectors_of(item)
    except UNREADABLE:
        return None


def _blobs(item: record_items.Item) -> list[bytes | None]:
    names = record_items.VECTOR_ATTRIBUTES
    return [record_items.bytes_of(item[name]) if name in item else None for name in names]
