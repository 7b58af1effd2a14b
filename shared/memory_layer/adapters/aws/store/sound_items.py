"""Records of items that are as they were written: each is held against its seal, and healed or named if it is not."""

import logging
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from memory_layer.adapters.aws.store.item_repair import UNREADABLE, ItemRepair
from memory_layer.adapters.aws.table import keys, record_items, record_seals
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.records_table import RecordsTable
from memory_layer.adapters.stored_form.damage_log import DamageLog, damaged_record
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.commit import Vectors

_WITH_VECTORS: Final = (*record_seals.READ_ATTRIBUTES, *record_seals.VECTOR_READ_ATTRIBUTES)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DamagedRecordItem:
    """Item of a record that is damaged and cannot be healed.

    Args:
        says: the record as the item tells it, for what may be named to whom; None: it cannot be read.
    """

    ref: Ref
    says: Memory | None

    @property
    def id(self) -> str:
        return self.ref.id


class SoundItems:
    """Reader of records, the only one, that never returns a damaged one."""

    def __init__(self, table: RecordsTable, reading: BatchReads) -> None:
        self._table = table
        self._reading = reading
        self._repair = ItemRepair(table)
        self._damage = DamageLog()

    def one(self, scope: Scope, id: str) -> Memory | None:
        """Reads the record under an id; None: there is none. Raises: DamagedRecord."""
        item = self._table.get(keys.record_key(scope, id))
        found = None if item is None else self.of_item(item, tries_again=True)
        if isinstance(found, DamagedRecordItem):
            raise damaged_record(scope, id)
        return found

    def memories(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, Memory]:
        """Reads the sound records that exist and are not erased, in the order asked for."""
        found = self.read(tenant, refs)
        return {ref: one for ref, one in found.items() if isinstance(one, Memory)}

    def read(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, Memory | DamagedRecordItem]:
        """Reads records as `memories` does, with those that are damaged."""
        items = self._items(tenant, refs, record_seals.READ_ATTRIBUTES)
        found = {ref: self.of_item(items[ref]) for ref in dict.fromkeys(refs) if ref in items}
        return {ref: one for ref, one in found.items() if one is not None}

    def with_vectors(self, tenant: str, refs: Collection[Ref]) -> dict[Ref, tuple[Memory, Vectors | None]]:
        """Reads records as `memories` does, with their vectors: a part of an item costs as much as all of it."""
        items = self._items(tenant, refs, _WITH_VECTORS)
        found = {ref: (self.of_item(items[ref]), items[ref]) for ref in dict.fromkeys(refs) if ref in items}
        return {
            ref: (memory, record_seals.sound_vectors_or_none(item))
            for ref, (memory, item) in found.items()
            if isinstance(memory, Memory)
        }

    def _items(
        self, tenant: str, refs: Collection[Ref], names: tuple[str, ...]
    ) -> dict[Ref, record_items.Item]:
        wanted = [keys.record_key(Scope(tenant, ref.project), ref.id) for ref in dict.fromkeys(refs)]
        return {keys.ref_of(item): item for item in self._reading.items(wanted, names)} if wanted else {}

    def of_item(
        self, item: record_items.Item, *, tries_again: bool = False
    ) -> Memory | DamagedRecordItem | None:
        """Record of an item, which is healed if need be; None for a tombstone.

        Args:
            item: with READ_ATTRIBUTES at least.
            tries_again: also heals what could not be healed before; readers of many do not wait for that.
        """
        if record_seals.is_tombstone(item):
            self._forget(*_owner(item))
            return None
        try:
            memory = record_seals.sound_memory_of(item)
        except UNREADABLE:
            return self._healed(item, tries_again)
        self._forget(memory.scope, memory.id)
        return memory

    def _forget(self, scope: Scope, id: str) -> None:
        if self._damage.any:
            self._damage.discard(scope, id)

    def _healed(self, item: record_items.Item, tries_again: bool) -> Memory | DamagedRecordItem | None:
        scope, id = _owner(item)
        if not tries_again and self._damage.has(scope, id):
            return _damaged(item)
        try:
            now = self._repair.heal(scope, id, item)
            memory = (
                None if now is None or record_seals.is_tombstone(now) else record_seals.sound_memory_of(now)
            )
        except StoreUnavailable as error:
            _log.error("a damaged record of %s cannot be healed now: %s", scope.project, error.detail)
            return self._noted(item)
        except UNREADABLE:
            _log.error("%s of %s is damaged, and its history holds no sound copy of it", id, scope.project)
            return self._noted(item)
        self._damage.discard(scope, id)
        return memory

    def _noted(self, item: record_items.Item) -> DamagedRecordItem:
        self._damage.add(*_owner(item))
        return _damaged(item)

    def mend(self, scope: Scope, ids: Collection[str]) -> list[str]:
        """Heals what is damaged of these records, and returns the ids of the healed ones."""
        items = self._items(
            scope.tenant, [Ref(scope.project, id) for id in ids], record_seals.READ_ATTRIBUTES
        )
        unsound = [
            item
            for item in items.values()
            if not record_seals.is_tombstone(item) and record_seals.sound_memory_or_none(item) is None
        ]
        found = [self.of_item(item, tries_again=True) for item in unsound]
        return [one.id for one in found if isinstance(one, Memory)]

    def known_damage(self) -> list[tuple[Scope, str]]:
        """Damaged records that this process has met, each read again."""
        for scope, id in self._damage.all():
            if not self.read(scope.tenant, [Ref(scope.project, id)]):
                self._damage.discard(scope, id)
        return self._damage.all()

    def damaged_among(self, tenant: str, refs: Collection[Ref]) -> list[Ref]:
        """The known damaged ones of these records."""
        return self._damage.among(tenant, refs)


def _owner(item: record_items.Item) -> tuple[Scope, str]:
    """Project and id by an item's key, which is right whatever else is damaged."""
    tenant, project, _, id = item["pk"]["S"].split("#", 3)
    return Scope(tenant, project), id


def _damaged(item: record_items.Item) -> DamagedRecordItem:
    try:
        return DamagedRecordItem(keys.ref_of(item), record_items.memory_of(item))
    except UNREADABLE:
        return DamagedRecordItem(keys.ref_of(item), None)
