"""Runs and staged learnings as they are now: entries in order, then the items that they name (see `staging_items`)."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from itertools import chain, islice, repeat
from typing import get_args

from memory_layer.adapters.aws.store import collection_reads
from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.paging import Place, checked_cursor, growing_sizes
from memory_layer.adapters.aws.table.record_items import Item, Value
from memory_layer.adapters.aws.table.records_table import KeyRange, RecordsTable
from memory_layer.adapters.aws.table.request_items import is_unexpired
from memory_layer.adapters.stored_form.learning_fields import FEEDBACK, RUNS, STAGED
from memory_layer.domain.access import Viewer
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.learning.implicit_feedback import ImplicitFeedback
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import StagedLearning, StagedStatus
from memory_layer.domain.memory import Scope
from memory_layer.ports.collections import FeedbackPage, RunPage, StagedPage
from memory_layer.ports.process import Clock


class StagingItems:
    """Runs and staged learnings of all projects: the port ports.collections.LearningStore.

    Args:
        clock: says which of those that were promoted or rejected are gone.
    """

    def __init__(self, table: RecordsTable, reading: BatchReads, clock: Clock) -> None:
        self._table = table
        self._clock = clock
        self._runs = collection_reads.CollectionReads(table, reading, RUNS, keys.run_key)
        self._staged = collection_reads.CollectionReads(
            table, reading, STAGED, keys.staged_key, self._is_kept
        )

        self._feedback = collection_reads.CollectionReads(table, reading, FEEDBACK, keys.feedback_key)

    def feedback(self, scope: Scope, names: Collection[str]) -> dict[str, ImplicitFeedback]:
        return self._feedback.get_many(scope, names)

    def feedback_page(self, scope: Scope, *, after: str | None, limit: int) -> FeedbackPage:
        low = " " if after is None else f"{checked_cursor(after)}{keys.AFTER_KEY}"
        part = KeyRange(keys.feedback_partition(scope), low, keys.AFTER_TEXTS)
        pages = chain.from_iterable(self._table.pages(part, growing_sizes(limit + 1, limit + 1)))
        items = list(islice(pages, limit + 1))
        found = tuple(self._feedback.records(scope, items[:limit]))
        return FeedbackPage(found, items[limit - 1]["sk"]["S"] if len(items) > limit else None)

    def runs_named(self, scope: Scope, ids: Collection[str]) -> dict[str, RunRecord]:
        return self._runs.get_many(scope, ids)

    def _is_kept(self, item: Item) -> bool:
        return "expires_at" not in item or is_unexpired(item, self._clock.now())

    def run(self, scope: Scope, run_id: str) -> RunRecord | None:
        return self._runs.get_many(scope, [run_id]).get(run_id)

    def runs(self, scope: Scope, *, after: Place | None, limit: int) -> RunPage:
        entries = collection_reads.EntryList(keys.runs_partition(scope), newest_first=True)
        return RunPage(*self._runs.page(scope, entries, after, limit))

    def staged(self, scope: Scope, ids: Collection[str]) -> dict[str, StagedLearning]:
        """Reads staged learnings as LearningStore.staged, in the order asked for."""
        return self._staged.get_many(scope, ids)

    def staged_page(
        self,
        scope: Scope,
        statuses: Collection[StagedStatus],
        viewer: Viewer,
        *,
        after: Place | None,
        limit: int,
    ) -> StagedPage:
        if not statuses:
            return StagedPage((), None)
        entries = self._entries(scope, viewer, statuses)
        return StagedPage(
            *self._staged.page(scope, entries, after, limit, lambda staged: staged.status in statuses)
        )

    def staged_counts(self, scope: Scope, viewer: Viewer) -> dict[StagedStatus, int]:
        """Counts as LearningStore.staged_counts, by the entries alone."""
        statuses = get_args(StagedStatus)
        part = replace(self._entries(scope, viewer, statuses).after(None), names=("status",))
        entries = chain.from_iterable(self._table.pages(part, repeat(collection_reads.ENTRIES_MAX)))
        counts = Counter(entry["status"]["S"] for entry in entries)
        return {status: counts[status] for status in statuses}

    def _entries(
        self, scope: Scope, viewer: Viewer, statuses: Collection[StagedStatus]
    ) -> collection_reads.EntryList:
        """Entries of unexpired learnings in these statuses that this viewer may see."""
        asked: dict[str, Value] = {
            f":status{number}": {"S": status} for number, status in enumerate(sorted(statuses))
        }
        stands = collection_reads.EntryFilter(
            f"#status IN ({', '.join(asked)}) AND (attribute_not_exists(#end) OR #end > :now)",
            {"#status": "status", "#end": "expires_at"},
            {**asked, ":now": {"S": rfc3339(self._clock.now())}},
        )
        shown = stands & collection_reads.seen_by(viewer)
        return collection_reads.EntryList(keys.staging_partition(scope), shown=shown)
