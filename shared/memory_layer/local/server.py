"""Server `mem serve`: the API of the embedded backend under uvicorn."""

import gc
import logging
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import anyio.to_thread
import uvicorn

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.edge.app import bind
from memory_layer.edge.events.completed_runs import read_sources, take_run_event
from memory_layer.edge.operations.jobs import OPERATION_ACCEPTED, forget_old_parts, resume
from memory_layer.edge.operations.runner import run_operation
from memory_layer.local.asgi import Guard, LocalResolver
from memory_layer.local.scheduler import Scheduler
from memory_layer.local.tokens import no_authentication, secret_of, token_authentication
from memory_layer.local.warm_start import WarmStart
from memory_layer.manifest.run_events import RUN_COMPLETED
from memory_layer.settings import EmbeddedSettings

KEEP_ALIVE_S = 30
ANSWERS_S = 3
"""Seconds that requests have to be answered once the server stops."""

Beside = Callable[[EmbeddedBackend], AbstractContextManager[None]]


def application(
    backend: EmbeddedBackend, data_dir: Path, *, with_auth: bool, event_sources: str = ""
) -> Guard:
    """Guarded ASGI application over a running backend. Args: event_sources: as `read_sources` takes it."""
    authenticate = token_authentication(secret_of(data_dir)) if with_auth else no_authentication
    is_read_only = backend.ports.storage().is_read_only
    if not is_read_only:
        forget_old_parts(backend.ports)
    stopping = backend.stopping
    carry_out = partial(run_operation, backend.ports, sleep=stopping.wait, is_stopping=stopping.is_set)
    backend.subscribe(OPERATION_ACCEPTED, carry_out)
    backend.subscribe(RUN_COMPLETED, partial(take_run_event, backend.ports, read_sources(event_sources)))
    unfinished = [] if is_read_only else backend.unfinished_operations()
    for operation in unfinished:  # accepted by a process that ended before it was done
        resume(backend.ports, operation)
    resolver = bind(LocalResolver(), backend.ports, authenticate)
    return Guard(resolver, backend.ports.new_id, checks_origin=not with_auth)


def _stop(number: int, _: object) -> None:
    """Raises an interrupt, so that everything that waits is written first."""
    sys.exit(128 + number)


def serve(settings: EmbeddedSettings, *, host: str, port: int, with_auth: bool, beside: Beside) -> None:
    """Serves until interrupted; the ready line goes to stdout. Args: beside: runs as long as the server answers."""
    backend = open_embedded(settings)
    scheduler, warm_start = Scheduler(backend.ports), WarmStart(backend)
    signal.signal(signal.SIGTERM, _stop)  # uvicorn raises it again once it has stopped
    try:
        config = uvicorn.Config(
            application(
                backend, settings.data_dir, with_auth=with_auth, event_sources=settings.event_sources
            ),
            host=host,
            port=port,
            log_level="warning",
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=ANSWERS_S,
            server_header=False,
        )
        if not backend.ports.storage().is_read_only:
            scheduler.start()
        with beside(backend):
            url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
            stops = (scheduler.stop, backend.stopping.set)
            _Announcing(config, url, settings.data_dir, warm_start.start, stops).run()
    finally:
        backend.stopping.set()
        warm_start.close()
        scheduler.close()
        backend.close()


class _Announcing(uvicorn.Server):
    """Server that prints its ready line once it is ready. Args: stops: called as soon as it is to stop."""

    def __init__(
        self,
        config: uvicorn.Config,
        url: str,
        data_dir: Path,
        once_ready: Callable[[], None],
        stops: Sequence[Callable[[], None]],
    ) -> None:
        super().__init__(config)
        self._once_ready = once_ready
        self._stops = stops
        self._ready_line = f"Memory Layer is ready: {url} (docs: {url}/docs, data: {data_dir})"

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
            print(self._ready_line, flush=True)
            self._once_ready()


logging.getLogger("aws_lambda_powertools").setLevel(logging.ERROR)
