"""Rebuild of the segments of all projects from the records, one project after the other."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, Protocol

from memory_layer.adapters.aws.integrity.rebuild_report import RebuildReport
from memory_layer.adapters.aws.integrity.segment_reconciliation import SegmentReconciliation
from memory_layer.adapters.aws.segments.segment_store import SegmentStore
from memory_layer.domain.memory import Scope

_PAGE: Final = 100


class ListProjects(Protocol):
    """As ports.maintenance.SweepStore.projects."""

    def __call__(self, *, after: Scope | None, limit: int) -> list[Scope]: ...


class SegmentRebuild:
    """Rebuild that goes on after the end of its time.

    Args:
        projects: every project that was ever written to.
        monotonic: seconds of a clock that only goes forward.
    """

    def __init__(
        self,
        store: SegmentStore,
        reconciliation: SegmentReconciliation,
        projects: ListProjects,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._reconciliation = reconciliation
        self._projects = projects
        self._monotonic = monotonic

    def run(self, seconds: float) -> RebuildReport:
        """Rebuilds as many projects as this time allows, at least one; the next run goes on behind them.

        Raises:
            IndexUnavailable, StoreUnavailable: bucket or table do not answer; what was done is kept.
        """
        deadline = self._monotonic() + seconds
        after, records, done = self._store.rebuilt_until(), 0, 0
        refused: dict[str, str] = {}
        while page := self._projects(after=after, limit=_PAGE):
            for scope in page:
                if done and self._monotonic() >= deadline:
                    return self._report(records, done, refused, is_done=False)
                refused |= self._reconciliation.rebuild(scope)
                records += self._store.manifest(scope).manifest.records
                done, after = done + 1, scope
                self._store.keep_rebuilt_until(after)
            if len(page) < _PAGE:
                break
        self._store.keep_rebuilt_until(None)
        return self._report(records, done, refused, is_done=True)

    def _report(
        self, records: int, projects: int, refused: dict[str, str], *, is_done: bool
    ) -> RebuildReport:
        return RebuildReport(
            index=f"the index of segments in {self._store.bucket}",
            is_done=is_done,
            copied=records,
            compared=0,
            repaired=0,
            records=records,
            projects=projects,
            refused=refused,
            dropped=(),
        )
