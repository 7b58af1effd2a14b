"""The aws backend on local engines: a table and an index of its own, opened as often as asked."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

from memory_layer.adapters.aws.search.opensearch_client import search_client, slow_request_params
from memory_layer.adapters.aws.services import boto_clients
from memory_layer.adapters.embedded.files.blob_store import FileBlobStore
from memory_layer.adapters.process.event_bus import InProcessBus
from memory_layer.bootstrap.aws import LOCAL_READ_TIMEOUT_S, AwsBackend
from memory_layer.bootstrap.embedded import EmbeddedBackend, subscribe
from memory_layer.ports.process import Clock, Embedder, NewId
from memory_layer.settings import AwsSettings
from tests.aws.dynamodb_table import count_changes, create_table, database_of_a_streamed_table
from tests.aws.segment_bucket import segment_bucket
from tests.aws.stream import Redelivery, Stream
from tests.engines import lifecycle
from tests.engines.dynamodb import DYNAMODB
from tests.engines.opensearch import OPENSEARCH_NODE


class Deployment:
    """One table and one index, and what has not gone from one to the other yet.

    Args:
        folder: for the blobs, which are files here.
        segments_bucket: of a deployment without a search domain, with the client of S3 that reaches it.
    """

    def __init__(
        self,
        dynamodb: str,
        opensearch: str,
        folder: Path,
        embedder: Embedder,
        *,
        segments_bucket: str = "",
        segments: Any = None,
    ) -> None:
        self._segments = segments
        self._folder = folder
        self._embedder = embedder
        self._prefix = f"t{uuid4().hex[:12]}-"
        self._client = boto_clients.dynamodb(None, dynamodb, LOCAL_READ_TIMEOUT_S)  # the backend's own
        count_changes(self._client)
        self.settings = AwsSettings(
            records_table=create_table(self._client),
            clients_table="",
            search_endpoint=opensearch,
            search_engine="lucene",
            blobs_bucket="",
            event_bus="",
            event_sources="",
            model_dir=folder,
            endpoint=dynamodb,
            segments_bucket=segments_bucket,
        )
        self.cloud = self._cloud()
        if not segments_bucket:
            self._wait_less(self.cloud.ensure_index())
        table = self._client.describe_table(TableName=self.settings.records_table)["Table"]
        self._stream = Stream(self._client, table["LatestStreamArn"])

    def resettle(self, **changed: Any) -> None:
        """Deploys other settings: what is opened, and the stream's function, go by them from now on."""
        self.settings = replace(self.settings, **changed)
        self.cloud = self._cloud()

    def open(
        self, *, embedder: Embedder | None = None, clock: Clock | None = None, make_id: NewId | None = None
    ) -> EmbeddedBackend:
        """The backend as another process would have it; its `drain` brings the index up to date."""
        cloud, bus = self._cloud(embedder=embedder, clock=clock, make_id=make_id), InProcessBus()
        ports = replace(cloud.ports, bus=bus)
        subscribe(bus, ports)

        def drain() -> None:
            bus.drain()
            self.project()

        return EmbeddedBackend(ports, lambda: [], lambda _: [], bus.subscribe, drain, bus.close)

    def redelivery(self) -> Redelivery:
        """The stream as Lambda brings it, told again what failed; instead of `project`, which it would race."""
        return Redelivery(self._stream, lambda batch: self.cloud.project(batch).failed)

    def project(self) -> None:
        """All that was written until now reaches the index, and the counts of accesses."""
        for batch in self._stream.batches():
            assert self.cloud.project(batch).failed == []
            assert self.cloud.count_accesses(batch).failed == []

    def close(self) -> None:
        self._client.delete_table(TableName=self.settings.records_table)
        if self.settings.search_endpoint:
            indices = search_client(self.settings.search_endpoint).indices
            indices.delete(index=f"{self._prefix}*", params=slow_request_params())

    def _wait_less(self, index: str) -> None:
        """A projection waits for a refresh, by default for a second."""
        indices = search_client(self.settings.search_endpoint).indices
        indices.put_settings(
            index=index, body={"index.refresh_interval": "100ms"}, params=slow_request_params()
        )

    def _cloud(
        self, *, embedder: Embedder | None = None, clock: Clock | None = None, make_id: NewId | None = None
    ) -> AwsBackend:
        given = {"clock": clock, "make_id": make_id}
        return AwsBackend(
            self.settings,
            embedder=embedder or self._embedder,
            index_prefix=self._prefix,
            blobs=FileBlobStore(self._folder),
            segments=self._segments,
            **{name: value for name, value in given.items() if value is not None},  # type: ignore[arg-type]
        )


@contextmanager
def on_engines(folder: Path, embedder: Embedder) -> Iterator[Deployment]:
    """A deployment on the engines that run on this machine, for benchmarks."""
    endpoints = [
        process.endpoint for engine in (DYNAMODB, OPENSEARCH_NODE) if (process := lifecycle.running(engine))
    ]
    if len(endpoints) < 2:
        raise SystemExit("The engines are not running. Start them: make engines")
    with deployed(*endpoints, folder, embedder) as deployment:
        yield deployment


@contextmanager
def small_on_engines(folder: Path, embedder: Embedder) -> Iterator[Deployment]:
    """A deployment without a search domain on the DynamoDB that runs on this machine, for benchmarks."""
    process = lifecycle.running(DYNAMODB)
    endpoint = os.environ.get(DYNAMODB.variable) or (process and process.endpoint)
    if not endpoint:
        raise SystemExit("The engines are not running. Start them: make engines")
    with deployed_small(endpoint, folder, embedder) as deployment:
        yield deployment


@contextmanager
def deployed(dynamodb: str, opensearch: str, folder: Path, embedder: Embedder) -> Iterator[Deployment]:
    """A deployment that is gone afterwards."""
    with database_of_a_streamed_table():
        deployment = Deployment(dynamodb, opensearch, folder, embedder)
        try:
            yield deployment
        finally:
            deployment.close()


@contextmanager
def deployed_small(dynamodb: str, folder: Path, embedder: Embedder) -> Iterator[Deployment]:
    """A deployment without a search domain, that is gone afterwards."""
    with database_of_a_streamed_table(), segment_bucket() as (client, bucket):
        deployment = Deployment(dynamodb, "", folder, embedder, segments_bucket=bucket, segments=client)
        try:
            yield deployment
        finally:
            deployment.close()
