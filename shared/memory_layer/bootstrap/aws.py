"""Wiring of the aws backend: each adapter is made when a function first asks for it."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from memory_layer.adapters.process.system_clock import SystemClock, new_id
from memory_layer.bootstrap.contexts import ContextRuntime
from memory_layer.errors import IndexUnavailable
from memory_layer.manifest import env
from memory_layer.manifest.index import SearchedIndex
from memory_layer.ports.blobs import BlobStore
from memory_layer.ports.process import Clock, Embedder, NewId, Ports, word_ranks
from memory_layer.settings import AwsSettings

if TYPE_CHECKING:
    from memory_layer.adapters.aws.integrity.rebuild_report import RebuildReport
    from memory_layer.adapters.aws.projection.projector import IndexWriter, ProjectionResult, Projector
    from memory_layer.adapters.aws.search.aliases import IndexNames
    from memory_layer.adapters.aws.services.blob_store import S3BlobStore
    from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
    from memory_layer.adapters.stored_form.bodies import Bodies
    from memory_layer.bootstrap.search_domain import DomainParts
    from memory_layer.bootstrap.segments import SegmentParts
    from memory_layer.ports.index import ReviewBacklog, SearchIndex


BODIES_TOGETHER = 16
"""Bodies on their way from or to S3 at a time."""

CALLS_TOGETHER = 8
"""Reads of requests that need not wait for one another, in threads of their own."""

LOCAL_READ_TIMEOUT_S = 30.0
"""Read timeout for an engine on the machine of a test, which has much to do."""

REBUILD_S = 800.0
"""Seconds of one run of the rebuild, well within its function's time-out; the next one goes on."""


class AwsBackend:
    """DynamoDB, OpenSearch, S3, EventBridge: each made when a function first asks for it, and kept.

    Args:
        settings: a function is told what it has grants for, and no more.
        index_prefix: before the names of indexes, so that tests do not meet.
        blobs: in place of the bucket, where a test has none.
        segments: client of S3 for segments, where a test has one of its own.

    `published` counts the changes that were told to the bus, by type.
    """

    def __init__(
        self,
        settings: AwsSettings,
        *,
        embedder: Embedder | None = None,
        clock: Clock | None = None,
        make_id: NewId = new_id,
        index_prefix: str = "",
        blobs: BlobStore | None = None,
        segments: Any = None,
    ) -> None:
        self._settings = settings
        self._embedder = embedder
        self._clock = clock or SystemClock()
        self._make_id = make_id
        self._index_prefix = index_prefix
        self._given_blobs = blobs
        self.published: Counter[str] = Counter()
        self._given_segments = segments

    @cached_property
    def ports(self) -> Ports:
        """Ports of the use cases over the aws adapters."""
        from memory_layer.adapters.aws.services.boto_clients import events
        from memory_layer.adapters.aws.services.event_bus import EventBridgeBus
        from memory_layer.adapters.process.request_threads import RequestThreads, ThreadsTogether

        model = self._model
        return Ports(
            store=self._store,
            index=self._index,
            blobs=self._given_blobs or self._blobs,
            embedder=model,
            bus=EventBridgeBus(events(None, self._settings.endpoint), self._settings.event_bus),
            clock=self._clock,
            new_id=self._make_id,
            contexts=self._contexts.ports,
            transactions=None,
            indexes_later=True,
            together=ThreadsTogether(RequestThreads(CALLS_TOGETHER, thread_name_prefix="together")),
            word_rank=word_ranks(model),
            backlog=self._backlog,
        )

    def warm(self) -> None:
        """Makes the clients, and loads the model. Raises: EmbedderUnavailable: it cannot be."""
        self.ports.embedder.embed(["warm"])

    @property
    def _index(self) -> SearchIndex:
        return self._segment_parts().index if self._settings.searches_segments else self._domain.index

    def _backlog(self) -> ReviewBacklog | None:
        """Backlog as the search domain knows it; None: segments would have to be read for it, all of them."""
        return None if self._settings.searches_segments else self._domain.index.backlog()

    def _segment_parts(self) -> SegmentParts:
        """Parts of the index of segments. Raises: IndexUnavailable: the deployment has none."""
        if self._segments is None:
            raise IndexUnavailable(f"there are no segments; set {env.SEGMENTS_BUCKET} to their bucket")
        return self._segments

    @cached_property
    def _segments(self) -> SegmentParts | None:
        """Parts of the index of segments; None: the deployment has none."""
        if not self._settings.segments_bucket:
            return None
        from memory_layer.bootstrap.segments import SegmentParts

        return SegmentParts(
            self._settings,
            client=self._given_segments,
            dynamodb=self._dynamodb,
            bodies=lambda: self._bodies,
            model=self._model,
            clock=self._clock,
        )

    @property
    def event_sources(self) -> str:
        """Principals of the sources of run events, as JSON."""
        return self._settings.event_sources

    def offload(self, request_id: str, body: bytes) -> str:
        """Keeps an answer too large for Lambda and returns a URL that reads it for a while."""
        from memory_layer.edge.http.large_answers import LINK_LIFETIME, blob_key

        self._blobs.put(blob_key(request_id), body)
        return self._blobs.link(blob_key(request_id), LINK_LIFETIME)

    def project(self, records: Sequence[Mapping[str, Any]]) -> ProjectionResult:
        """Brings stream records to the index."""
        return self._projector.project(records)

    def count_accesses(self, records: Sequence[Mapping[str, Any]]) -> ProjectionResult:
        """Counts the receipts among stream records at the records that they showed."""
        from memory_layer.adapters.aws.projection.access_counter import AccessCounter

        return AccessCounter(self._store.accesses.count).take(records)

    def rebuild(self, seconds: float = REBUILD_S) -> RebuildReport:
        """Builds the index that is searched anew from the table, or goes on with it."""
        if self._settings.searches_segments:
            return self._segment_parts().rebuild(self._store.sweeps.projects, seconds)
        return self._domain.rebuild(seconds)

    def fill(self, index: SearchedIndex, seconds: float = REBUILD_S) -> RebuildReport:
        """Fills the index that shall be searched from now on, beside the one that is; writes go to both.

        Raises:
            IndexUnavailable: the deployment lacks one of the two, so that writes would miss it.
        """
        self._settings.require_both_indexes()
        if index == "segments":
            return self._segment_parts().rebuild(self._store.sweeps.projects, seconds)
        self.ensure_index()
        return self._domain.rebuild(seconds)

    def index_findings(self) -> list[str]:
        """Sentences about projects for which an operator has something to do; none if all is well."""
        return [] if self._segments is None else self._segments.findings()

    @property
    def has_sweep_queue(self) -> bool:
        """Tells if projects are swept by a queue; else a sweep goes through all of them by itself."""
        return bool(self._settings.sweep_queue)

    def send_sweeps(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Queues projects to be swept. Raises: Unavailable: the queue did not take them all."""
        from memory_layer.adapters.aws.services.boto_clients import sqs
        from memory_layer.adapters.aws.services.work_queue import WorkQueue

        WorkQueue(sqs(None, self._settings.endpoint), self._settings.sweep_queue).send(messages)

    def ensure_index(self) -> str:
        """Name of the index that is searched, made if there is none yet."""
        return self._domain.written.ensure()

    def client_of(self, client_id: str) -> Mapping[str, Any] | None:
        """Row of a machine client; None for an unknown one."""
        from memory_layer.adapters.aws.services.boto_clients import ATTEMPTS, dynamodb
        from memory_layer.adapters.aws.services.client_directory import DynamoClientDirectory

        client = dynamodb(None, self._settings.endpoint, attempts=ATTEMPTS)
        directory = DynamoClientDirectory(client, self._settings.clients_table)
        return directory(client_id)

    @cached_property
    def _contexts(self) -> ContextRuntime:
        os.environ.setdefault(env.BLAS_THREADS, "1")  # before anything loads numpy; the process is ours
        return ContextRuntime(self._settings.model_dir)

    @cached_property
    def _blobs(self) -> S3BlobStore:
        from memory_layer.adapters.aws.services.blob_store import S3BlobStore
        from memory_layer.adapters.aws.services.boto_clients import s3

        return S3BlobStore(s3(None, self._settings.endpoint), self._settings.blobs_bucket)

    @cached_property
    def _dynamodb(self) -> Any:
        from memory_layer.adapters.aws.services.boto_clients import READ_TIMEOUT_S, dynamodb

        endpoint = self._settings.endpoint
        return dynamodb(None, endpoint, LOCAL_READ_TIMEOUT_S if endpoint else READ_TIMEOUT_S)

    @cached_property
    def _store(self) -> DynamoRecordStore:
        from memory_layer.adapters.aws.store.record_store import open_record_store

        return open_record_store(
            self._dynamodb, self._settings.records_table, self._bodies, clock=self._clock
        )

    @cached_property
    def _bodies(self) -> Bodies:
        from concurrent.futures import ThreadPoolExecutor

        from memory_layer.adapters.stored_form.bodies import Bodies

        blobs = self._given_blobs or self._blobs
        return Bodies(blobs, ThreadPoolExecutor(BODIES_TOGETHER, thread_name_prefix="bodies"))

    @property
    def _names(self) -> IndexNames:
        return self._domain.names

    @cached_property
    def _domain(self) -> DomainParts:
        from memory_layer.bootstrap.search_domain import DomainParts

        return DomainParts(
            self._settings,
            dynamodb=self._dynamodb,
            bodies=lambda: self._bodies,
            model=self._model,
            clock=self._clock,
            index_prefix=self._index_prefix,
        )

    @cached_property
    def _projector(self) -> Projector:
        from memory_layer.bootstrap.stream import projector_of

        return projector_of(
            self._settings,
            self._dynamodb,
            self._store,
            self._index_writer(),
            clock=self._clock,
            count=self.published.update,
        )

    def _index_writer(self) -> IndexWriter:
        """Writer of every index that the deployment has: of both while it moves from one to the other."""
        if self._segments is None:
            return self._domain.writer
        if not self._settings.search_endpoint:
            return self._segments.compactor
        from memory_layer.adapters.aws.projection.index_writers import IndexWriters

        return IndexWriters((self._segments.compactor, self._domain.writer))

    @cached_property
    def _model(self) -> Embedder:
        from memory_layer.bootstrap.cloud_model import cloud_embedder

        return self._embedder or cloud_embedder(self._settings)
