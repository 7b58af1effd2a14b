"""Server `mem serve`: the API of the embedded backend under uvicorn."""

import gc
import logging
import signal
import socket
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread
import uvicorn

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.console.pages import NO_ISSUER, ConsolePages
from memory_layer.console.sessions import with_sessions
from memory_layer.edge.events.completed_runs import read_sources, take_run_event
from memory_layer.edge.events.traced_work import within_trace
from memory_layer.edge.http.request_context import Authenticate
from memory_layer.local.asgi import Guard
from memory_layer.local.connections import connections
from memory_layer.local.console_links import forget_address, link_line, origin_of
from memory_layer.local.deliveries import Deliveries
from memory_layer.local.event_streams import EventStreams, StreamSource
from memory_layer.local.issuer_tokens import with_issuer
from memory_layer.local.late_routes import LateRoutes, Routes, unread_event
from memory_layer.local.metrics_page import MetricsPage
from memory_layer.local.request_counts import RequestCounts, request_log
from memory_layer.local.scheduler import Scheduler
from memory_layer.local.tokens import no_authentication, secret_of, token_authentication
from memory_layer.local.warm_start import WarmStart
from memory_layer.manifest.run_events import RUN_COMPLETED
from memory_layer.ports.event_kinds import OPERATION_ACCEPTED
from memory_layer.ports.process import Ports
from memory_layer.ports.records import Operation
from memory_layer.settings import EmbeddedSettings, read_sign_in

KEEP_ALIVE_S = 30
ANSWERS_S = 3
"""Seconds that requests have to be answered once the server stops."""

Beside = Callable[[EmbeddedBackend, RequestCounts, Callable[[], object]], AbstractContextManager[None]]
"""Makes what runs beside the server, whose requests count with the server's own; the last waits for its routes."""


def nothing_beside(
    _: EmbeddedBackend, __: RequestCounts, ___: Callable[[], object]
) -> AbstractContextManager[None]:
    """Runs nothing beside the server."""
    return nullcontext()


def say(lines: str) -> None:
    """Writes lines to standard output in one piece, also where it is not buffered: who reads one has them all."""
    sys.stdout.write(f"{lines}\n")
    sys.stdout.flush()


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a process among those that serve one folder on one address.

    Args:
        listens_on: sockets that are shared with others; none: the process has the address for itself.
        is_first: has the work that one process does for all: sweeps, operations that an earlier server left, commands
            that are handed over.
        announce: is told the ready lines.
    """

    listens_on: Sequence[socket.socket] = ()
    is_first: bool = True
    announce: Callable[[str], None] = say


def application(
    backend: EmbeddedBackend,
    data_dir: Path,
    *,
    with_auth: bool,
    event_sources: str = "",
    is_first: bool = True,
    counts: RequestCounts | None = None,
) -> Guard:
    """Guarded ASGI application over a running backend, whole. Args: is_first: takes up what an earlier server left."""
    guard, routes = late_application(
        backend, data_dir, with_auth=with_auth, event_sources=event_sources, counts=counts
    )
    routes.load()
    if is_first and not backend.ports.storage().is_read_only:
        _take_up(backend, backend.unfinished_operations())
    return guard


def late_application(
    backend: EmbeddedBackend,
    data_dir: Path,
    *,
    with_auth: bool,
    event_sources: str,
    counts: RequestCounts | None,
) -> tuple[Guard, LateRoutes]:
    """Guarded ASGI application, and its routes, which the first request that needs them loads.

    Args:
        event_sources: as `read_sources` takes it.
        counts: of requests, from the process' beginning on; None: they begin here, without a log.
    """
    sign_in = read_sign_in()
    known = (
        with_issuer(token_authentication(secret_of(data_dir)), sign_in) if with_auth else no_authentication
    )
    authenticate = with_sessions(known, partial(secret_of, data_dir))
    stopping = backend.stopping
    carry_out = partial(
        within_trace(OPERATION_ACCEPTED, _run_operation),
        backend.ports,
        sleep=stopping.wait,
        is_stopping=stopping.is_set,
    )
    backend.subscribe(OPERATION_ACCEPTED, carry_out)
    backend.subscribe(RUN_COMPLETED, partial(take_run_event, backend.ports, read_sources(event_sources)))
    routes = LateRoutes(partial(_bound_routes, backend.ports, authenticate))
    streams = EventStreams(
        StreamSource(
            lambda request: routes.answer(request, b"", {}),
            lambda request: authenticate(unread_event(request)),
            lambda scope: backend.ports.store.audit.head(scope).position,
            stopping.is_set,
        )
    )
    guard = Guard(
        routes,
        authenticate,
        backend.ports.new_id,
        loopback_alone=not with_auth,
        streams=streams,
        pages=ConsolePages(
            data_dir,
            partial(secret_of, data_dir),
            backend.ports.clock.now,
            asks_for_tokens=with_auth,
            sign_in=sign_in if with_auth else NO_ISSUER,
        ),
        metrics=MetricsPage(counts or RequestCounts(), backend.ports, authenticate),
        origins=sign_in.origins,
    )
    return guard, routes


def _bound_routes(ports: Ports, authenticate: Authenticate) -> Routes:
    from memory_layer.edge.app import ROUTERS, bind
    from memory_layer.local.local_resolver import LocalResolver
    from memory_layer.mcp.router import mcp_router

    return bind(LocalResolver(), ports, authenticate, (*ROUTERS, mcp_router()))


def _run_operation(ports: Ports, detail: Mapping[str, Any], **how: Any) -> None:
    from memory_layer.edge.operations.runner import run_operation

    run_operation(ports, detail, **how)


def _take_up(backend: EmbeddedBackend, operations: Sequence[Operation] | None) -> None:
    """Resumes operations that an earlier process accepted and left undone. Args: operations: None: not here."""
    if operations is None:
        return
    from memory_layer.edge.operations.jobs import forget_old_parts, resume

    forget_old_parts(backend.ports)
    for operation in operations:
        resume(backend.ports, operation)


def _stop(number: int, _: object) -> None:
    """Raises an interrupt, so that everything that waits is written first."""
    sys.exit(128 + number)


def serve(
    settings: EmbeddedSettings,
    *,
    host: str,
    port: int,
    with_auth: bool,
    beside: Beside = nothing_beside,
    place: Place = Place(),
) -> None:
    """Serves until interrupted; the ready line goes to stdout. Args: beside: runs as long as the server answers."""
    gc.disable()  # until the routes are loaded: next to nothing that a start loads is garbage
    backend = open_embedded(settings)
    scheduler, deliveries = Scheduler(backend.ports), Deliveries(backend.ports)
    # Before commands are taken: from then on standard error is, in a command's thread, its caller's.
    counts = RequestCounts(request_log(settings.logs_requests))
    signal.signal(signal.SIGTERM, _stop)  # uvicorn raises it again once it has stopped
    works = place.is_first and not backend.ports.storage().is_read_only
    warm_start = WarmStart(
        backend,
        load_routes=lambda: routes.load(),
        once_failed=lambda: server.end(),
        once_loaded=lambda: _take_up(backend, left),
        once_warm=scheduler.embed_soon,
        beside=backend.ports.store.integrity.mend_storage if works else lambda: None,
    )
    try:
        left = backend.unfinished_operations() if works else None  # before anybody can accept one
        guard, routes = late_application(
            backend,
            settings.data_dir,
            with_auth=with_auth,
            event_sources=settings.event_sources,
            counts=counts,
        )
        config = uvicorn.Config(
            guard,
            host=host,
            port=port,
            http=connections(backend.ports.new_id),
            log_level="warning",
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=ANSWERS_S,
            server_header=False,
        )
        if works:
            scheduler.start()
            deliveries.start()
        with beside(backend, counts, routes.load):
            ready = partial(place.announce, ready_lines(settings, host, port))
            stops = (scheduler.stop, deliveries.stop, backend.stopping.set)
            server = _Announcing(config, ready, warm_start.start, stops)
            server.run(sockets=list(place.listens_on) or None)
        if warm_start.has_failed:
            sys.exit(1)
    finally:
        backend.stopping.set()
        warm_start.close()
        scheduler.close()
        deliveries.close()
        backend.close()
        if place.is_first:
            forget_address(settings.data_dir, origin_of(host, port))


def ready_line(settings: EmbeddedSettings, host: str, port: int) -> str:
    """Line by which a caller learns that the server answers, and where."""
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    return f"Memory Layer is ready: {url} (docs: {url}/docs, data: {settings.data_dir})"


def ready_lines(settings: EmbeddedSettings, host: str, port: int) -> str:
    """Ready line, and the one about the console."""
    return f"{ready_line(settings, host, port)}\n{link_line(settings.data_dir, origin_of(host, port))}"


class _Announcing(uvicorn.Server):
    """Server that says once it is ready.

    Args:
        say_ready: called first.
        once_ready: called then.
        stops: called as soon as it is to stop.
    """

    def __init__(
        self,
        config: uvicorn.Config,
        say_ready: Callable[[], None],
        once_ready: Callable[[], None],
        stops: Sequence[Callable[[], None]],
    ) -> None:
        super().__init__(config)
        self._say_ready = say_ready
        self._once_ready = once_ready
        self._stops = stops

    def end(self) -> None:
        """Has the server stop, from any thread."""
        self.should_exit = True

    async def shutdown(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        for stop in self._stops:
            stop()
        await super().shutdown(sockets)  # type: ignore[arg-type]

    async def startup(self, sockets: list[object] | None = None) -> None:  # type: ignore[override]
        await super().startup(sockets)  # type: ignore[arg-type]
        if self.started:
            # What is loaded stays, and no answer waits to look through it; in a thread, so that no answer waits
            # until what serves requests in threads is loaded either.
            await anyio.to_thread.run_sync(gc.freeze)
            self._say_ready()
            self._once_ready()


logging.getLogger("aws_lambda_powertools").setLevel(logging.ERROR)
