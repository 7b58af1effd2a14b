"""Pairs of contradicting or equal memories in DynamoDB (see `pair_items`)."""

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from typing import Final

from memory_layer.adapters.aws.store.collection_reads import CollectionReads, EntryList, seen_by
from memory_layer.adapters.aws.table import lifecycle_keys
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.paging import Place
from memory_layer.adapters.aws.table.pair_items import pair_deletes, pair_writes
from memory_layer.adapters.aws.table.records_table import RecordsTable
from memory_layer.adapters.stored_form.pair_fields import PAIRS
from memory_layer.domain.access import Viewer
from memory_layer.domain.conflicts.pair import Pair, PairKind, PairStatus
from memory_layer.domain.memory import Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.collections import PairPage

CONDITIONS: Final = 3
"""The first actions of a pair, which say whether it may be written."""


class PairItems:
    """Pairs of all projects: the port ports.collections.PairStore. Args: new_token: makes a client token."""

    def __init__(
        self, table: RecordsTable, reading: BatchReads, executor: Executor, new_token: Callable[[], str]
    ) -> None:
        self._table = table
        self._reads = CollectionReads(table, reading, PAIRS, lifecycle_keys.pair_key)
        self._executor = executor
        self._new_token = new_token

    def put(self, pairs: Sequence[Pair]) -> list[bool]:
        """Writes pairs in a transaction each, sixteen at any time; of several with one id the first is written."""
        first = list({pair.id: place for place, pair in reversed(list(enumerate(pairs)))}.values())
        written = self._executor.map(lambda place: self._put(pairs[place]), first)
        by_place = dict(zip(first, written, strict=True))
        return [by_place.get(place, False) for place in range(len(pairs))]

    def _put(self, pair: Pair) -> bool:
        before = None if pair.version == 1 else self.get(pair.scope, pair.id)
        for _ in self._table.backoff.rounds():
            reasons = self._table.transact(pair_writes(pair, before), self._new_token())
            if reasons is None:
                return True
            if any(reason.code == "ConditionalCheckFailed" for reason in reasons[:CONDITIONS]):
                return False
        raise StoreUnavailable(
            f"project {pair.project}: others write {' and '.join(pair.ids)} all the time; try again"
        )

    def drop(self, pairs: Sequence[Pair]) -> list[bool]:
        return list(self._executor.map(self._drop, pairs))

    def _drop(self, pair: Pair) -> bool:
        for _ in self._table.backoff.rounds():
            reasons = self._table.transact(pair_deletes(pair), self._new_token())
            if reasons is None:
                return True
            if reasons[0].code == "ConditionalCheckFailed":
                return False
        raise StoreUnavailable(f"project {pair.project}: others write pair {pair.id} all the time; try again")

    def get(self, scope: Scope, id: str) -> Pair | None:
        return self.get_many(scope, [id]).get(id)

    def get_many(self, scope: Scope, ids: Collection[str]) -> dict[str, Pair]:
        return self._reads.get_many(scope, ids)

    def page(
        self,
        scope: Scope,
        kind: PairKind,
        status: PairStatus,
        viewer: Viewer,
        *,
        after: Place | None,
        limit: int,
    ) -> PairPage:
        entries = EntryList(
            lifecycle_keys.pairs_partition(scope),
            lifecycle_keys.pair_entry_prefix(kind, status),
            seen_by(viewer),
        )
        page = self._reads.page(scope, entries, after, limit, lambda pair: pair.status == status)
        return PairPage(*page)
