"""Bodies beside the table: records are read whole, and erased ones are deleted there too."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from memory_layer.adapters.aws.store import partition_erasure
from memory_layer.adapters.aws.store.erasure import SideItems
from memory_layer.adapters.aws.store.project_marks import WriteMarks
from memory_layer.adapters.aws.store.transaction import CommitTransactions
from memory_layer.adapters.aws.table.records_table import RecordsTable
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.adapters.stored_form.body_format import body_size_bytes
from memory_layer.domain.integrity.verification import BrokenPart, StoredRecord
from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import Conflict, Invalid, StoreUnavailable, TooLarge, TooMany
from memory_layer.ports.commit import Change, Commit

ErasedRecord: TypeAlias = tuple[Scope, str, int]
"""Project and id of an erased record, and the version of its tombstone."""

_log = logging.getLogger(__name__)


class BodyItems:
    """Part of DynamoRecordStore that has to do with bodies."""

    _table: RecordsTable
    _bodies: Bodies
    _transactions: CommitTransactions
    _side_items: SideItems
    _marks: WriteMarks
    _unerased: list[ErasedRecord]

    def whole(self, memories: Sequence[Memory]) -> list[Memory]:
        return self._bodies.whole(memories)[0]

    def packed_bytes(self, content: str) -> int:
        return body_size_bytes(content)

    def body_flaws(self, scope: Scope, kept: Sequence[StoredRecord]) -> list[BrokenPart]:
        return self._bodies.flaws(scope, kept)

    def finish_erasure(self, scope: Scope, id: str, version: int) -> None:
        """Deletes what a crash may have left beside a tombstone of this version, if anything."""
        partition_erasure.finish_erasure(self._table, scope, id, version)
        self._erase_bodies(scope, id, version)

    def _run(self, commit: Commit) -> None:
        """Writes bodies first: whatever happens then, the words are in the item or there."""
        packed = self._bodies.put_away(commit)
        try:
            self._transactions.run(packed)
        except (Conflict, Invalid, TooLarge, TooMany):  # a commit without an answer may have taken effect
            self._drop_orphans(packed)
            raise
        self._bodies.put_away(replace(commit, changes=tuple(filter(_reuses_erased_id, commit.changes))))
        erased = [(commit.scope, one.id, one.before + 1) for one in commit.erasures]
        self._unerased.extend(self._still_waiting(erased))

    def _drop_orphans(self, packed: Commit) -> None:
        """Deletes bodies of missing records: an erasure may have come before the body was written."""
        for change in packed.changes:
            if change.words is not None and not partition_erasure.has_record(
                self._table, packed.scope, change.memory.id
            ):
                self._bodies.erase(packed.scope, [change.memory.id])

    def settle_erasure(self, *, rewrites: bool = False) -> bool:  # noqa: ARG002 pages are the table's own affair
        """Deletes bodies that this process erased, and says that none is left; backups end by their rule (35 days)."""
        waiting, self._unerased = self._unerased, []
        self._unerased.extend(self._still_waiting(waiting))
        return not self._unerased

    def _still_waiting(self, erased: Sequence[ErasedRecord]) -> list[ErasedRecord]:
        """Deletes bodies; returns the records whose bodies the bucket keeps now, which the projector deletes, too."""
        waiting = []
        for one in erased:
            try:
                self._erase_bodies(*one)
            except StoreUnavailable as error:
                _log.warning("the bodies of %s are not deleted yet: %s", one[1], error.detail)
                waiting.append(one)
        return waiting

    def forget_project(self, scope: Scope) -> Mapping[str, int]:
        there = self._side_items.ids(scope)
        bodies = self._bodies.erase_project(scope, but=there)
        forgotten = {**self._side_items.forget_project(scope), "bodies": bodies}
        self._marks.renew([scope])
        return forgotten

    def _erase_bodies(self, scope: Scope, id: str, version: int) -> None:
        """Deletes bodies; those of an id created anew meanwhile stay."""
        if partition_erasure.has_tombstone(self._table, scope, id, version):
            self._bodies.erase(scope, [id])


def _reuses_erased_id(change: Change) -> bool:
    """Says that a new record takes an erased id: an unfinished erasure may take its body, which is written again."""
    return change.before == 0 and change.memory.version > 1
