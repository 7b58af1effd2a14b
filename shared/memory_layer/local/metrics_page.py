"""Page `/metrics` of the server: counts of this process, and the state of the data folder, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from memory_layer.edge.http.request_context import Authenticate
from memory_layer.errors import Forbidden, Unavailable
from memory_layer.local.request_counts import Counter, Gauge, RequestCounts
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.ports.process import Ports

PATH: Final = "/metrics"
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"


class MetricsPage:
    """Page of one server. Args: authenticate: tells who asks: the page is the machine's owner's."""

    def __init__(self, counts: RequestCounts, ports: Ports, authenticate: Authenticate) -> None:
        self.counts = counts
        self._ports = ports
        self._authenticate = authenticate

    @staticmethod
    def takes(method: str, path: str) -> bool:
        """Tells if a request is for this page."""
        return method in ("GET", "HEAD") and path == PATH

    def text(self, event: Any) -> str:
        """Page for whoever asks.

        Raises:
            Unauthenticated, Forbidden: the caller is no admin of the tenant `local`: the page tells of all.
        """
        caller = self._authenticate(event)
        if not (caller.is_admin and caller.tenant == LOCAL_PRINCIPAL.tenant):
            raise Forbidden(
                "the metrics tell of all tenants, so they are for the machine's owner; use a token with the role admin "
                f"of the tenant {LOCAL_PRINCIPAL.tenant}"
            )
        return self.counts.text(self._gauges(), self._prefetched())

    def _prefetched(self) -> Iterator[Counter]:
        """Counts of the contexts that were assembled before they were asked for."""
        prefetch = self._ports.contexts.prefetch
        if prefetch is None:
            return
        counts = prefetch.counts()
        prefix = "memory_layer_context_prefetch"
        yield (
            f"{prefix}_requests_total",
            "Requests for contexts, of projects with the setting context_prefetch.",
            counts.requests,
        )
        yield f"{prefix}_hits_total", "Those answered with a context assembled before they came.", counts.hits
        yield f"{prefix}_assembled_total", "Contexts assembled before they were asked for.", counts.assembled
        yield (
            f"{prefix}_abandoned_total",
            "Assemblies given up, as their request came first.",
            counts.abandoned,
        )
        yield (
            f"{prefix}_processor_seconds_total",
            "Processor time of all that was done between requests.",
            counts.processor_s,
        )

    def _gauges(self) -> Iterator[Gauge]:
        """State of now; an index that does not answer leaves its values out."""
        try:
            coverage, backlog = self._ports.index.coverage(), self._ports.backlog()
        except Unavailable:
            return
        storage = self._ports.storage()
        yield "memory_layer_memories", "Memories of all tenants.", coverage.total
        yield (
            "memory_layer_memories_with_vectors",
            "Those with vectors of the model in use.",
            coverage.with_vector,
        )
        if backlog is not None:
            yield "memory_layer_review_backlog", "Memories that wait for a person.", backlog.total
            age = backlog.age_s(self._ports.clock.now())
            yield (
                "memory_layer_review_backlog_age_seconds",
                "Seconds since the oldest of them was created.",
                age,
            )
        yield "memory_layer_disk_free_bytes", "Free bytes on the disk of the data folder.", storage.free_bytes
