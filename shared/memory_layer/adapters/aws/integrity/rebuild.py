"""Rebuild of the search index: a new one is filled from the table, checked, and put in place in one step.

The projector writes to every index under the write alias, so the new one hears of what happens from the moment that it
is there; the scan brings all that is older. What both bring meets in the versions: the newer one stays.
"""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from memory_layer.adapters.aws.integrity import rebuild_report
from memory_layer.adapters.aws.integrity.index_digest import index_digest
from memory_layer.adapters.aws.projection.bulk_writes import BulkWriter
from memory_layer.adapters.aws.projection.item_documents import documents_of, item_document_id, scope_of
from memory_layer.adapters.aws.search.aliases import IndexNames, WriteTarget, generation_of, is_shaped_alike
from memory_layer.adapters.aws.search.documents import Document
from memory_layer.adapters.aws.search.opensearch_client import opensearch_errors, slow_request_params
from memory_layer.adapters.aws.table.record_items import Item, version_of
from memory_layer.adapters.aws.table.records_table import READ_CHUNK, RecordsTable
from memory_layer.adapters.aws.table.scan import TableScan
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.errors import IndexUnavailable

SEGMENTS = 4
"""Segments read side by side."""

PAGE_WRITE_S = 60.0
"""Backoff while an index is too busy for a page; a rebuild that gives up goes on at its next run."""

_COMPARED = ("pk", "sk", "kind", "tenant", "project", "id", "version")

PageHandler = Callable[[Sequence[Item], rebuild_report.RebuildTally], None]


def first_index(names: IndexNames, body: dict[str, Any], *, was_built: bool = False) -> str:
    """Returns the index that is searched, or one that will be; makes it where there is none.

    Callers may race: one of them makes it.

    Args:
        was_built: there was one, and it is lost: the new one is written to, and not searched before a rebuild has
            filled it.

    Raises:
        IndexUnavailable: the domain does not answer.
    """
    found = names.read_from() or names.written_to()
    if not found:
        names.create(names.name(body, 1), body, is_read=not was_built)
        found = names.written_to()
    if not found:
        raise IndexUnavailable("the first index was dropped as soon as it was made; try again")
    return max(found, key=generation_of)


class Rebuild:
    """Rebuild that goes on after a crash or the end of its time; two at a time do the same work twice.

    Args:
        scan: of the records table.
        table: the same, to read single records again.
        body: of the index to build (`manifest.index.index_body`).
        writer: need not wait for a refresh.
        bodies: with the words of what is warm.
        monotonic: seconds of a clock that only goes forward.
    """

    def __init__(
        self,
        names: IndexNames,
        body: dict[str, Any],
        *,
        scan: TableScan,
        table: RecordsTable,
        writer: BulkWriter,
        bodies: Bodies,
        segments: int = SEGMENTS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._names = names
        self._body = body
        self._scan = scan
        self._table = table
        self._writer = writer
        self._bodies = bodies
        self._segments = segments
        self._monotonic = monotonic

    def run(self, seconds: float) -> rebuild_report.RebuildReport:
        """Rebuilds as far as it gets in this time; pages that are begun are ended.

        Raises:
            IndexUnavailable, StoreUnavailable: an engine does not answer; what was done is kept.
        """
        deadline = self._monotonic() + seconds
        target = self._candidate()
        progress = rebuild_report.load_progress(self._names.client, target.name, self._segments)
        tally = rebuild_report.RebuildTally()
        try:
            is_done = self._is_filled(target, progress, tally, deadline)
        except BaseException:
            self._keep(target, progress)
            raise
        self._keep(target, progress)
        dropped = self._take_over(target) if is_done else ()
        return rebuild_report.report_of_run(
            target.name, tally, index_digest(self._names.client, target.name), dropped, is_done=is_done
        )

    def _candidate(self) -> WriteTarget:
        """Index that is being built: that of an earlier run, if it has the mapping and model of now."""
        wanted = self._names.name(self._body, 1)
        unfinished = self._names.written_to() - self._names.read_from()
        alike = [name for name in unfinished if is_shaped_alike(name, wanted)]
        if alike:
            return self._target(max(alike, key=generation_of))
        name = self._names.name(self._body, _newest_generation(self._names) + 1)
        self._names.create(name, self._body, is_read=False)
        return self._target(name)

    def _target(self, name: str) -> WriteTarget:
        for target in self._names.targets():
            if target.name == name:
                return target
        raise IndexUnavailable(f"{name} was dropped by another rebuild; run it again")

    def _is_filled(
        self,
        target: WriteTarget,
        progress: rebuild_report.RebuildProgress,
        tally: rebuild_report.RebuildTally,
        deadline: float,
    ) -> bool:
        """Copies, then compares; False when the time is over."""
        if progress.phase == "copy":
            self._pass(progress, partial(self._copy, target), tally, deadline)
            if not progress.is_complete:
                return False
            self._refresh(target)
            if not progress.is_resumed and self._is_same(target, tally):
                return True
            progress.begin_check()
        self._pass(progress, partial(self._compare, target), tally, deadline)
        self._refresh(target)
        return progress.is_complete

    def _is_same(self, target: WriteTarget, tally: rebuild_report.RebuildTally) -> bool:
        return not tally.refused and index_digest(self._names.client, target.name) == tally.digest

    def _pass(
        self,
        progress: rebuild_report.RebuildProgress,
        handle: PageHandler,
        tally: rebuild_report.RebuildTally,
        deadline: float,
    ) -> None:
        """Handles every segment that is not finished, side by side."""
        names = () if progress.phase == "copy" else _COMPARED
        unfinished = [n for n in range(progress.segments) if not progress.is_finished(n)]
        has_failed = threading.Event()

        def work(segment: int) -> rebuild_report.RebuildTally:
            found = rebuild_report.RebuildTally()
            after = progress.after(segment)
            for page in self._scan.pages(segment, progress.segments, after=after, names=names):
                handle(page.items, found)
                progress.advance(segment, page.next)
                if has_failed.is_set() or self._monotonic() >= deadline:
                    break
            return found

        with ThreadPoolExecutor(max(1, len(unfinished)), thread_name_prefix="rebuild") as pool:
            works = [pool.submit(work, segment) for segment in unfinished]
            for done in works:
                done.add_done_callback(lambda ended: has_failed.set() if ended.exception() else None)
            tally.add([done.result() for done in works])

    def _copy(self, target: WriteTarget, items: Sequence[Item], tally: rebuild_report.RebuildTally) -> None:
        documents = self._documents(items, tally)
        self._write(target, documents, tally)
        for document in documents:
            tally.digest.add(document)

    def _compare(
        self, target: WriteTarget, items: Sequence[Item], tally: rebuild_report.RebuildTally
    ) -> None:
        """Writes again what is missing, or older than the table's."""
        found = self._versions(target, items) if items else {}
        behind = [item for item in items if found.get(item_document_id(item), 0) < version_of(item)]
        tally.compared += len(items)
        tally.repaired += len(behind)
        for start in range(0, len(behind), READ_CHUNK):
            keys = [{"pk": item["pk"], "sk": item["sk"]} for item in behind[start : start + READ_CHUNK]]
            self._write(target, self._documents(self._table.get_chunk(keys), tally), tally)

    def _documents(self, items: Sequence[Item], tally: rebuild_report.RebuildTally) -> list[Document]:
        """Documents of items; an item that cannot be read is reported, and holds up nothing."""
        found = documents_of(items, self._bodies)
        tally.refused |= found.broken
        return list(found.made.values())

    def _versions(self, target: WriteTarget, items: Sequence[Item]) -> dict[str, int]:
        """Versions of those documents of items that the index has, refreshed or not."""
        wanted = [{"_id": item_document_id(item), **target.routing(scope_of(item))} for item in items]
        with opensearch_errors(f"comparing {target.name}"):
            answer = self._names.client.mget(index=target.name, body={"docs": wanted}, params=_VERSIONS_ONLY)
        return {found["_id"]: found["_version"] for found in answer["docs"] if found.get("found")}

    def _write(
        self, target: WriteTarget, documents: Sequence[Document], tally: rebuild_report.RebuildTally
    ) -> None:
        written = self._writer.write(documents, lambda: [target], seconds=PAGE_WRITE_S)
        tally.refused |= written.refused
        if written.waiting:
            id, reason = next(iter(written.waiting.items()))
            raise IndexUnavailable(
                f"{target.name} did not take {len(written.waiting)} documents ({id}: {reason}); run it again"
            )

    def _refresh(self, target: WriteTarget) -> None:
        with opensearch_errors(f"refreshing {target.name}"):
            self._names.client.indices.refresh(index=target.name, params=slow_request_params())

    def _keep(self, target: WriteTarget, progress: rebuild_report.RebuildProgress) -> None:
        rebuild_report.save_progress(self._names.client, target.name, progress)

    def _take_over(self, target: WriteTarget) -> tuple[str, ...]:
        """Points searches at the new index, then drops all that is older, with what a crash left behind."""
        older = {n for n in self._names.all_names() if generation_of(n) < generation_of(target.name)}
        aliased = (self._names.read_from() | self._names.written_to()) & older
        self._names.move(read=target.name, dropped=aliased)
        for name in older:
            self._names.drop(name)
        return tuple(sorted(older))


_VERSIONS_ONLY = slow_request_params(_source="false", filter_path="docs._id,docs._version,docs.found")


def _newest_generation(names: IndexNames) -> int:
    return max(map(generation_of, names.all_names()), default=0)
