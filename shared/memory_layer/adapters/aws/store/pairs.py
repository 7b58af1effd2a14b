"""Pairs of contradicting or equal memories in DynamoDB (see `pair_items`)."""

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor
from itertools import chain, islice
from typing import Final

from memory_layer.adapters.aws.table import keys, lifecycle_keys
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.paging import NOBODY, Place, checked_cursor, growing_sizes
from memory_layer.adapters.aws.table.pair_items import pair_deletes, pair_writes, pairs_of_items
from memory_layer.adapters.aws.table.record_items import Value
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.domain.access import Viewer
from memory_layer.domain.conflicts.pair import Pair, PairKind, PairStatus
from memory_layer.domain.memory import Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.collections import PairPage

ENTRIES_MAX: Final = 8_000
"""Entries looked at in one round trip."""

CONDITIONS: Final = 3
"""The first actions of a pair, which say whether it may be written."""


class PairItems:
    """Pairs of all projects: the port ports.collections.PairStore. Args: new_token: makes a client token."""

    def __init__(
        self, table: RecordsTable, reading: BatchReads, executor: Executor, new_token: Callable[[], str]
    ) -> None:
        self._table = table
        self._reading = reading
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
        wanted = [lifecycle_keys.pair_key(scope, id) for id in dict.fromkeys(ids)]
        items = self._reading.items(wanted) if wanted else ()
        return {pair.id: pair for pair in pairs_of_items(scope, items)}

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
        """Reads entries, then the pairs that they name, which have the last word."""
        prefix = lifecycle_keys.pair_entry_prefix(kind, status)
        low = prefix if after is None else f"{prefix}{checked_cursor('#'.join(after))}{keys.AFTER_KEY}"
        part = self._shown(scope, low, f"{prefix[:-1]}{keys.AFTER_HASH}", viewer)
        pages = self._table.pages(part, growing_sizes(limit + 1, ENTRIES_MAX))
        entries = list(islice(chain.from_iterable(pages), limit + 1))
        shown = entries[:limit]
        found = self.get_many(scope, [entry["id"]["S"] for entry in shown])
        there = (found.get(entry["id"]["S"]) for entry in shown)
        pairs = tuple(pair for pair in there if pair is not None and pair.status == status)
        return PairPage(pairs, _place(shown[-1]["sk"]["S"]) if len(entries) > limit else None)

    def _shown(self, scope: Scope, low: str, high: str, viewer: Viewer) -> KeyRange:
        partition, names = lifecycle_keys.pairs_partition(scope), ("sk", "id")
        if viewer.sees_all_personas:
            return KeyRange(partition, low, high, names=names)
        values: dict[str, Value] = {":persona": {"S": viewer.persona or NOBODY}}
        return KeyRange(
            partition,
            low,
            high,
            names=names,
            where="attribute_not_exists(#a) OR #a = :persona",
            filtered={"#a": "persona"},
            values=values,
        )


def _place(sort: str) -> Place:
    _, _, at, id = sort.split("#", 3)
    return at, id
