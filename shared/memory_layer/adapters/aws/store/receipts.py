"""Receipts of recalls, spread over partitions; a function of its own counts them at the records shown."""

import json
from collections import Counter
from collections.abc import Collection, Iterator
from concurrent.futures import Executor, Future
from datetime import datetime, timedelta
from heapq import merge
from itertools import chain, islice, takewhile
from typing import Final

from memory_layer.adapters.aws.store.access_counts import AccessCounts
from memory_layer.adapters.aws.table import keys, record_items, record_seals
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.paging import growing_sizes
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.adapters.aws.table.request_items import is_unexpired, ttl_attribute
from memory_layer.adapters.stored_form.exploration_text import (
    exploration_of,
    exploration_text,
    signals_of,
    signals_text,
)
from memory_layer.adapters.stored_form.stored_values import UNREADABLE, parse_stored
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Ref, Scope
from memory_layer.ports.process import Clock
from memory_layer.ports.receipts import REQUEST_NOTE, RUN_RECALLS_MAX, RecallReceipt, RecallsByDay

LIFETIME: Final = timedelta(days=30)
"""SPEC 3.32: receipts are kept 30 days."""

UNCOUNTED: Final = timedelta(minutes=15)
"""A receipt is counted at its records within some five minutes; for three times as long it is looked at as well."""

UNCOUNTED_MAX: Final = 1_000
"""Newest receipts looked at: those of a busy project are counted sooner, a full batch at a time."""

_AFTER_NOTES: Final = f"{REQUEST_NOTE}~"
"""Sort key behind all notes of requests, and before the ids of recalls (`rcl_`)."""


def receipt_item(receipt: RecallReceipt) -> dict[str, record_items.Value]:
    scope, expires_at = receipt.scope, receipt.at + LIFETIME
    named = {"kind": "receipt", "tenant": scope.tenant, "project": scope.project}
    item = {
        **keys.receipt_key(scope, receipt.recall_id),
        **record_items.text_attributes(
            {**named, "recall_id": receipt.recall_id, "principal": receipt.principal}
        ),
        **record_items.text_attributes({"refs": json.dumps(receipt.refs), "at": rfc3339(receipt.at)}),
        **record_items.text_attributes({"expires_at": rfc3339(expires_at)}),
        **record_items.text_attributes(
            {"run_id": receipt.run_id, "exploration": exploration_text(receipt.exploration)}
        ),
        **record_items.text_attributes({"signals": signals_text(receipt.signals), "asker": receipt.asker}),
        "expires_s": ttl_attribute(expires_at),
    }
    return record_items.with_digest(item)


def run_recall_item(receipt: RecallReceipt, run_id: str) -> dict[str, record_items.Value]:
    """Mark of a recall that named a run, in the run's partition; it ends with the receipt."""
    where = keys.run_recall_key(receipt.scope, run_id, receipt.recall_id)
    named = {"kind": "run_recall", "recall_id": receipt.recall_id}
    end = {"expires_s": ttl_attribute(receipt.at + LIFETIME)}
    return record_items.with_digest({**where, **record_items.text_attributes(named), **end})


def receipt_of(item: record_items.Item) -> RecallReceipt:
    record_seals.sound_item(item)
    return RecallReceipt(
        recall_id=item["recall_id"]["S"],
        scope=Scope(item["tenant"]["S"], item["project"]["S"]),
        principal=item["principal"]["S"],
        refs=tuple(Ref(*ref) for ref in json.loads(item["refs"]["S"])),
        at=instant(item["at"]["S"]),
        run_id=record_items.text_of(item, "run_id"),
        exploration=exploration_of(record_items.text_of(item, "exploration")),
        signals=signals_of(record_items.text_of(item, "signals")),
        asker=record_items.text_of(item, "asker"),
    )


def _readable(item: record_items.Item) -> RecallReceipt | None:
    """Receipt of an item; None for a damaged one, which counts nothing and which a verification names."""
    try:
        return receipt_of(item)
    except UNREADABLE:
        return None


class ReceiptItems:
    """Receipts of all projects: the port ports.records.ReceiptStore.

    Each is one write, durable when `note` returns; they are counted later.
    """

    def __init__(
        self,
        table: RecordsTable,
        reading: BatchReads,
        counts: AccessCounts,
        clock: Clock,
        executor: Executor,
    ) -> None:
        self._table = table
        self._reading = reading
        self._counts = counts
        self._clock = clock
        self._executor = executor

    def note(self, receipt: RecallReceipt) -> None:
        self._table.put(receipt_item(receipt))
        if receipt.run_id is not None:
            self._table.put(run_recall_item(receipt, receipt.run_id))

    def get(self, scope: Scope, recall_id: str) -> RecallReceipt | None:
        item = self._table.get(keys.receipt_key(scope, recall_id)) or self._table.get(
            keys.unspread_receipt_key(scope, recall_id)
        )
        if item is None or not is_unexpired(item, self._clock.now()):
            return None
        return parse_stored(receipt_of, item, f"receipt {recall_id}")

    def of_run(self, scope: Scope, run_id: str) -> list[RecallReceipt]:
        end = f"{keys.RUN_RECALL[:-1]}{keys.AFTER_HASH}"
        part = KeyRange(keys.run_partition(scope, run_id), keys.RUN_RECALL, end)
        marks = islice(self._table.whole(part), RUN_RECALLS_MAX)
        wanted = [keys.receipt_key(scope, mark["recall_id"]["S"]) for mark in marks]
        now = self._clock.now()
        items = [item for item in self._reading.items(wanted) if is_unexpired(item, now)] if wanted else []
        found = [receipt for item in items if (receipt := _readable(item)) is not None]
        return sorted(found, key=lambda receipt: (receipt.at, receipt.recall_id))

    def recalled_since(self, scope: Scope, refs: Collection[Ref], since: datetime) -> set[Ref]:
        """Records recalled since, by their counts and by the project's newest receipts, possibly uncounted yet."""
        if not refs:
            return set()
        newest = self._receipts(scope, UNCOUNTED_MAX)
        counted = self._counts.last_shown(scope.tenant, refs)
        found = {ref for ref, last_at in counted.items() if last_at >= since}
        uncounted = (receipt for receipt in _uncounted(newest) if receipt.at >= since)
        shown = {ref for receipt in uncounted for ref in receipt.refs}
        return found | (shown & set(refs))

    def times_shown(self, scope: Scope, ref: Ref, recalls: int) -> int:
        return sum(ref in receipt.refs for receipt in self._receipts(scope, recalls))

    def that_showed(self, scope: Scope, ref: Ref, recalls: int, *, limit: int) -> list[RecallReceipt]:
        shown = (receipt for receipt in self._receipts(scope, recalls) if ref in receipt.refs)
        return list(islice(shown, limit))

    def by_day(self, scope: Scope, since: datetime, recalls: int) -> RecallsByDay:
        read = list(self._receipts(scope, recalls))
        counted = [receipt for receipt in read if receipt.at >= since]
        answered = Counter(receipt.at.date() for receipt in counted)
        empty = Counter(receipt.at.date() for receipt in counted if not receipt.refs)
        is_whole = len(read) < recalls or not counted
        return RecallsByDay(answered, empty, None if is_whole else min(one.at for one in counted))

    def _receipts(self, scope: Scope, recalls: int) -> Iterator[RecallReceipt]:
        """The newest receipts of recalls in a project, of so many; damaged ones are left out."""
        partitions = keys.receipts_partitions(scope)
        first = 1 + recalls // len(partitions)  # a hash spreads them evenly
        items = merge(*[self._of(one, first) for one in partitions], key=_recall_id, reverse=True)
        return (receipt for item in islice(items, recalls) if (receipt := _readable(item)) is not None)

    def _of(self, partition: str, first: int) -> Iterator[record_items.Item]:
        """Receipts of one partition, the newest first; the first page is asked for at once."""
        part = KeyRange(partition, _AFTER_NOTES, "~", newest_first=True)
        pages = self._table.pages(part, growing_sizes(first, first))
        begun: Future[list[record_items.Item]] = self._executor.submit(next, pages, [])
        return chain.from_iterable(chain(_result(begun), pages))


def _uncounted(newest: Iterator[RecallReceipt]) -> Iterator[RecallReceipt]:
    """Receipts not older than UNCOUNTED, as seen from the last one."""
    last = next(newest, None)
    if last is None:
        return iter(())
    return chain([last], takewhile(lambda receipt: receipt.at > last.at - UNCOUNTED, newest))


def _result(page: Future[list[record_items.Item]]) -> Iterator[list[record_items.Item]]:
    yield page.result()


def _recall_id(item: record_items.Item) -> str:
    return str(item["sk"]["S"])
