"""Repair of damaged record items from the newest version, which holds a second copy of the record."""

import logging
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from memory_layer.adapters.aws.table import keys, record_items
from memory_layer.adapters.aws.table.history_items import sound_entry_of
from memory_layer.adapters.aws.table.packing import unpacked_document
from memory_layer.adapters.aws.table.record_update import healing_update
from memory_layer.adapters.aws.table.records_table import ConditionFailed, KeyRange, RecordsTable
from memory_layer.domain.fields import memory_from_json
from memory_layer.domain.integrity import verification
from memory_layer.domain.integrity.digests import document_digest, record_digest
from memory_layer.domain.memory import Memory, Scope
from memory_layer.ports.records import RecordVersion

UNREADABLE: Final = (*verification.UNREADABLE, zlib.error)

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Copy:
    """Sound version of a record, and where it stands in the project's log."""

    document: Mapping[str, Any]
    line: RecordVersion
    log_sk: str | None

    @property
    def memory(self) -> Memory:
        return self.line.memory


class ItemRepair:
    """Writer of items as they were: one is rewritten only as what its own digest, or all else that it says, proves."""

    def __init__(self, table: RecordsTable) -> None:
        self._table = table

    def heal(self, scope: Scope, id: str, damaged: record_items.Item) -> record_items.Item | None:
        """Heals an item, if a sound copy of the same version is there.

        Args:
            damaged: as it was read.

        Returns:
            The item as it lies now, healed or not: others may have written it meanwhile.

        Raises:
            StoreUnavailable
        """
        copy = self._proven_copy(scope, id, damaged)
        if copy is not None:
            self._write(scope, id, copy, damaged)
        return self._table.get(keys.record_key(scope, id))

    def _write(self, scope: Scope, id: str, copy: _Copy, damaged: record_items.Item) -> None:
        place = copy.log_sk or damaged["log_sk"]["S"]
        try:
            self._table.update(**healing_update(copy.memory, copy.line.at, place, damaged))
        except ConditionFailed:
            return  # somebody has written it since
        _log.warning("healed from its history: %s of %s", id, scope.project)

    def _proven_copy(self, scope: Scope, id: str, damaged: record_items.Item) -> _Copy | None:
        try:
            copy = self._newest(scope, id)
            return None if copy is None or not _is_of(copy, damaged) else _proven(copy, damaged)
        except UNREADABLE:
            return None

    def _newest(self, scope: Scope, id: str) -> _Copy | None:
        """Newest version of the record. Raises: one of UNREADABLE: it is damaged."""
        part = KeyRange(
            keys.record_partition(scope, id),
            keys.VERSION,
            f"{keys.VERSION[:-1]}{keys.AFTER_HASH}",
            newest_first=True,
        )
        for item in next(self._table.pages(part, (1,)), []):
            line, document = sound_entry_of(item), unpacked_document(item["record"])
            is_own = (line.memory.scope, line.memory.id) == (scope, id)
            return _Copy(document or {}, line, record_items.text_of(item, "log_sk")) if is_own else None
        return None


def _is_of(copy: _Copy, damaged: record_items.Item) -> bool:
    """True for a copy of the item's own version: one of the two attributes that tell it may be what is damaged."""
    return damaged.get("version") == {"N": str(copy.memory.version)} or (
        copy.log_sk is not None and damaged.get("log_sk") == {"S": copy.log_sk}
    )


def _proven(copy: _Copy, damaged: record_items.Item) -> _Copy | None:
    """The copy that is what was written: by the item's digest, or, if that is damaged, by all else that it says.

    The words of an erased neighbour go out of a history, and may be in the record's own context still.
    """
    for one in (copy, _with_context(copy, damaged)):
        if one is not None and (_has_digest(one, damaged) or _says_all_of(one, damaged)):
            return one
    return None


def _with_context(copy: _Copy, damaged: record_items.Item) -> _Copy | None:
    if copy.memory.context is not None or "context" not in damaged:
        return None
    document = {**copy.document, "context": damaged["context"]["S"]}
    line = copy.line
    whole = RecordVersion(memory_from_json(document), line.verb, line.by, line.at, line.reason)
    return _Copy(document, whole, copy.log_sk)


def _has_digest(copy: _Copy, damaged: record_items.Item) -> bool:
    return damaged.get(record_items.DIGEST) == {"S": document_digest(copy.document)}


def _says_all_of(copy: _Copy, damaged: record_items.Item) -> bool:
    """True if the item says what the copy does, so that only its digest, seal, kind or key of the log is damaged."""
    try:
        return record_digest(record_items.memory_of(damaged)) == document_digest(copy.document)
    except UNREADABLE:
        return False
