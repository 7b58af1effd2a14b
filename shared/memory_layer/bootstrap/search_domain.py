"""Wiring of the parts of a deployment whose index is a search domain."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memory_layer.ports.process import Clock, Embedder
from memory_layer.settings import AwsSettings

if TYPE_CHECKING:
    from memory_layer.adapters.aws.integrity.index_presence import IndexMark, WrittenIndexes
    from memory_layer.adapters.aws.integrity.rebuild_report import RebuildReport
    from memory_layer.adapters.aws.integrity.reconciliation import Reconciliation
    from memory_layer.adapters.aws.projection.projector import IndexWriter
    from memory_layer.adapters.aws.search.aliases import IndexNames
    from memory_layer.adapters.aws.search.search_index import OpenSearchIndex
    from memory_layer.adapters.aws.table.records_table import RecordsTable
    from memory_layer.adapters.stored_form.bodies import Bodies


class DomainParts:
    """Index, writer, rebuild and comparison of one search domain, each made when it is first asked for.

    Args:
        bodies: gives the bodies of records, when they are first needed.
        index_prefix: before the names of indexes, so that tests do not meet.
    """

    def __init__(
        self,
        settings: AwsSettings,
        *,
        dynamodb: Any,
        bodies: Callable[[], Bodies],
        model: Embedder,
        clock: Clock,
        index_prefix: str = "",
    ) -> None:
        self._settings = settings
        self._dynamodb = dynamodb
        self._bodies = bodies
        self._model = model
        self._clock = clock
        self._index_prefix = index_prefix

    @cached_property
    def names(self) -> IndexNames:
        """Names of the domain's indexes."""
        from memory_layer.adapters.aws.search.aliases import IndexNames
        from memory_layer.adapters.aws.search.opensearch_client import search_client

        return IndexNames(search_client(self._settings.search_endpoint), self._index_prefix)

    @cached_property
    def index(self) -> OpenSearchIndex:
        """Index that the domain searches."""
        from memory_layer.adapters.aws.search.search_index import OpenSearchIndex

        return OpenSearchIndex(
            self.names.client,
            model=self._model.model,
            alias=self.names.read_alias,
            was_built=self._mark.is_there,
            reconcile=lambda scope, *, after, is_dry_run: self._reconciliation.run(
                scope, after=after, is_dry_run=is_dry_run
            ),
        )

    @cached_property
    def writer(self) -> IndexWriter:
        """Writer of documents."""
        from memory_layer.adapters.aws.projection.bulk_writes import BulkWriter
        from memory_layer.adapters.aws.projection.document_writer import DocumentWriter

        return DocumentWriter(self.written.targets, BulkWriter(self.names.client), self._bodies())

    @cached_property
    def written(self) -> WrittenIndexes:
        """Indexes that are written to."""
        from memory_layer.adapters.aws.integrity.index_presence import WrittenIndexes

        return WrittenIndexes(self.names, self._index_body, self._mark)

    def rebuild(self, seconds: float) -> RebuildReport:
        """Builds the index anew from the table, or goes on with it, and searches it once it is whole."""
        from memory_layer.adapters.aws.integrity.rebuild import Rebuild
        from memory_layer.adapters.aws.projection.bulk_writes import BulkWriter
        from memory_layer.adapters.aws.services.backoff import Backoff
        from memory_layer.adapters.aws.table.scan import TableScan

        rebuild = Rebuild(
            self.names,
            self._index_body(),
            scan=TableScan(self._dynamodb, self._settings.records_table, Backoff()),
            table=self._table,
            writer=BulkWriter(self.names.client, waits_for_refresh=False),
            bodies=self._bodies(),
        )
        return rebuild.run(seconds)

    @cached_property
    def _reconciliation(self) -> Reconciliation:
        from memory_layer.adapters.aws.integrity.reconciliation import Reconciliation
        from memory_layer.adapters.aws.projection.bulk_writes import BulkWriter

        writer = BulkWriter(self.names.client)
        return Reconciliation(
            self.names, self._table, writer, self._bodies(), self.names.targets, self._clock
        )

    @cached_property
    def _mark(self) -> IndexMark:
        from memory_layer.adapters.aws.integrity.index_presence import IndexMark

        return IndexMark(self._table)

    @cached_property
    def _table(self) -> RecordsTable:
        from memory_layer.adapters.aws.services.backoff import Backoff
        from memory_layer.adapters.aws.table.records_table import RecordsTable

        return RecordsTable(self._dynamodb, self._settings.records_table, Backoff())

    def _index_body(self) -> dict[str, Any]:
        from memory_layer.domain.text.analyzer import STOP_WORDS
        from memory_layer.manifest.index import index_body

        return index_body(
            self._settings.search_engine,
            model=self._model.model,
            dimensions=self._model.dimensions,
            stop_words=STOP_WORDS,
            shards=self._settings.search_shards,
            spread=self._settings.search_spread,
            replicas=self._settings.search_replicas,
        )
