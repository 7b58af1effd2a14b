"""Recall counts: a receipt for each recall, and a count at each record."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Executor
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Final

from memory_layer.adapters.aws.table import keys, record_items, record_seals
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.paging import growing_sizes
from memory_layer.adapters.aws.table.records_table import ConditionFailed, KeyRange, RecordsTable
from memory_layer.adapters.aws.table.request_items import is_unexpired, ttl_attribute
from memory_layer.adapters.stored_form.exploration_text import exploration_of, exploration_text
from memory_layer.adapters.stored_form.stored_values import UNREADABLE, parse_stored
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.memory import Ref, Scope
from memory_layer.ports.process import Clock
from memory_layer.ports.receipts import RUN_RECALLS_MAX, RecallReceipt, RecallsByDay

LIFETIME: Final = timedelta(days=30)
"""SPEC 3.32: receipts are kept 30 days."""

UNCOUNTED: Final = timedelta(minutes=5)
"""The projector counts a receipt at its records within seconds; for this long we look at the receipts as well."""

UNCOUNTED_MAX: Final = 200


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
    )


def _readable(item: record_items.Item) -> RecallReceipt | None:
    """Receipt of an item; None for a damaged one, which counts nothing and which a verification names."""
    try:
        return receipt_of(item)
    except UNREADABLE:
        return None


class ReceiptItems:
    """Receipts of all projects: the port ports.records.ReceiptStore.

    Each is one write, durable when `note` returns; the projector counts them later.
    """

    def __init__(self, table: RecordsTable, reading: BatchReads, clock: Clock, executor: Executor) -> None:
        self._table = table
        self._reading = reading
        self._clock = clock
        self._executor = executor

    def note(self, receipt: RecallReceipt) -> None:
        self._table.put(receipt_item(receipt))
        if receipt.run_id is not None:
            self._table.put(run_recall_item(receipt, receipt.run_id))

    def get(self, scope: Scope, recall_id: str) -> RecallReceipt | None:
        item = self._table.get(keys.receipt_key(scope, recall_id))
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
        newest = self._executor.submit(self._newest, scope)
        wanted = [keys.record_key(Scope(scope.tenant, ref.project), ref.id) for ref in dict.fromkeys(refs)]
        counted = self._reading.items(wanted, ("pk", "last_accessed_at"))
        found = {
            keys.ref_of(item)
            for item in counted
            if (record_items.text_of(item, "last_accessed_at") or "") >= rfc3339(since)
        }
        shown = {ref for receipt in newest.result() if receipt.at >= since for ref in receipt.refs}
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
        """The newest receipts of a project, of so many; damaged ones are left out."""
        part = KeyRange(keys.receipts_partition(scope), " ", "~", newest_first=True)
        items = (item for page in self._table.pages(part, growing_sizes(recalls, recalls)) for item in page)
        return (receipt for item in islice(items, recalls) if (receipt := _readable(item)) is not None)

    def _newest(self, scope: Scope) -> list[RecallReceipt]:
        """Receipts not older than UNCOUNTED, as seen from the last one: every recall has the projector catch up."""
        part = KeyRange(keys.receipts_partition(scope), " ", "~", newest_first=True)
        items = (item for page in self._table.pages(part, (UNCOUNTED_MAX,)) for item in page)
        receipts = [receipt for item in items if (receipt := _readable(item)) is not None]
        return [receipt for receipt in receipts if receipt.at > receipts[0].at - UNCOUNTED]

    def count(self, counts: Mapping[tuple[Scope, str], int], at: datetime) -> None:
        """Adds recalls to the records' own counts; records that were erased count nothing.

        Args:
            counts: by project and id; how often since the last call.
            at: of the last of these recalls.
        """
        work = [
            (keys.record_key(scope, id), {":n": {"N": str(count)}, ":kind": {"S": record_items.MEMORY}})
            for (scope, id), count in counts.items()
        ]
        for done in [self._executor.submit(self._count, key, values, at) for key, values in work]:
            done.result()

    def _count(self, key: Key, values: dict[str, record_items.Value], at: datetime) -> None:
        """Adds to one count; its time never goes back, whatever order receipts come in."""
        latest = {**values, ":at": {"S": rfc3339(at)}}
        is_latest = "kind = :kind AND (attribute_not_exists(last_accessed_at) OR last_accessed_at < :at)"
        for update in (
            _update(key, "ADD access_count :n SET last_accessed_at = :at", is_latest, latest),
            _update(key, "ADD access_count :n", "kind = :kind", values),
        ):
            try:
                self._table.update(**update)
            except ConditionFailed:
                continue
            return


def _update(
    key: Key, expression: str, condition: str, values: dict[str, record_items.Value]
) -> dict[str, Any]:
    return {
        "Key": key,
        "UpdateExpression": expression,
        "ConditionExpression": condition,
        "ExpressionAttributeValues": values,
    }
