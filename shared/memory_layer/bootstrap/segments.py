"""Wiring of the parts of a deployment whose index is segments in a bucket."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memory_layer.ports.process import Clock, Embedder
from memory_layer.settings import AwsSettings

if TYPE_CHECKING:
    from memory_layer.adapters.aws.integrity.rebuild_report import RebuildReport
    from memory_layer.adapters.aws.integrity.segment_rebuild import ListProjects
    from memory_layer.adapters.aws.integrity.segment_reconciliation import SegmentReconciliation
    from memory_layer.adapters.aws.projection.compactor import Compactor
    from memory_layer.adapters.aws.segments.segment_index import SegmentIndex
    from memory_layer.adapters.aws.segments.segment_store import SegmentStore
    from memory_layer.adapters.aws.table.records_table import RecordsTable
    from memory_layer.adapters.stored_form.bodies import Bodies


class SegmentParts:
    """Index, compactor and comparison over one bucket of segments, each made when it is first asked for.

    Args:
        client: of S3; None: that of the settings.
        bodies: gives the bodies of records, when they are first needed.
        model: of the vectors that are kept and searched.
    """

    def __init__(
        self,
        settings: AwsSettings,
        *,
        client: Any,
        dynamodb: Any,
        bodies: Callable[[], Bodies],
        model: Embedder,
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._client = client
        self._dynamodb = dynamodb
        self._bodies = bodies
        self._model = model
        self._clock = clock

    @cached_property
    def store(self) -> SegmentStore:
        """Store of the segments."""
        from memory_layer.adapters.aws.segments.segment_store import SegmentStore
        from memory_layer.adapters.aws.services.boto_clients import s3

        return SegmentStore(self._client or s3(None, self._settings.endpoint), self._settings.segments_bucket)

    @cached_property
    def index(self) -> SegmentIndex:
        """Index that loads the segments."""
        from memory_layer.adapters.aws.segments.segment_index import SegmentIndex

        return SegmentIndex(
            self.store,
            model=self._model.model,
            dimensions=self._model.dimensions,
            clock=self._clock,
            reconcile=lambda scope, *, after, is_dry_run: self.reconciliation.run(
                scope, after=after, is_dry_run=is_dry_run
            ),
        )

    @cached_property
    def compactor(self) -> Compactor:
        """Writer of the segments."""
        from memory_layer.adapters.aws.projection.compactor import Compactor

        return Compactor(
            self.store,
            self._table,
            self._bodies(),
            model=self._model.model,
            dimensions=self._model.dimensions,
            clock=self._clock,
        )

    @cached_property
    def reconciliation(self) -> SegmentReconciliation:
        """Comparison of the segments with the records."""
        from memory_layer.adapters.aws.integrity.segment_reconciliation import SegmentReconciliation

        return SegmentReconciliation(self.store, self._table, self.compactor, self._clock)

    def rebuild(self, projects: ListProjects, seconds: float) -> RebuildReport:
        """Builds the segments of all projects anew, as far as this time goes."""
        from memory_layer.adapters.aws.integrity.segment_rebuild import SegmentRebuild

        return SegmentRebuild(self.store, self.reconciliation, projects).run(seconds)

    def findings(self) -> list[str]:
        """Sentences about projects that are too large for segments, or whose index is damaged."""
        from memory_layer.adapters.aws.integrity.segment_findings import segment_findings

        return list(segment_findings(self.store))

    @cached_property
    def _table(self) -> RecordsTable:
        from memory_layer.adapters.aws.services.backoff import Backoff
        from memory_layer.adapters.aws.table.records_table import RecordsTable

        return RecordsTable(self._dynamodb, self._settings.records_table, Backoff())
