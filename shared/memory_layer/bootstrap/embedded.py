"""Wiring of the embedded backend; nothing but the modules of `bootstrap` knows the adapters.

The parts of a backend are imported when it is wired: a function of the cloud loads nothing of the laptop's.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING, Any, Final

from memory_layer.adapters.process.system_clock import SystemClock, new_id
from memory_layer.bootstrap.contexts import ContextRuntime, begin_prefetch
from memory_layer.bootstrap.storage import lost_writes, storage_state, was_emptied
from memory_layer.domain.memory import Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.ports.process import (
    Clock,
    Embedder,
    NewId,
    Ports,
    Reranker,
    StorageState,
    layout_of,
    word_ranks,
)
from memory_layer.ports.records import Operation
from memory_layer.settings import EmbeddedSettings

if TYPE_CHECKING:
    import sqlite3

    from memory_layer.adapters.embedded.sqlite.database import Database
    from memory_layer.adapters.process.event_bus import InProcessBus
    from memory_layer.ports.webhooks import WebhookPorts

STOP_S: Final = 2.0
"""Seconds that each part of a backend has to end while its process stops; all that it leaves is resumed later."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EmbeddedBackend:
    """Embedded backend, running. Close it, so that waiting work is written.

    Args:
        is_model_loaded: tells if the next text is embedded without loading anything.
        stopping: set by a process that has to end soon: operations wait for the next one then, and `close` takes
            `STOP_S` at most for each of its parts.
    """

    ports: Ports
    unfinished_operations: Callable[[], list[Operation]]
    recent_projects: Callable[[int], list[Scope]]
    subscribe: Callable[[str, Callable[[Mapping[str, Any]], object]], None]
    drain: Callable[[], None]
    close: Callable[[], None]
    is_model_loaded: Callable[[], bool] = lambda: False
    stopping: Event = field(default_factory=Event)


def open_embedded(
    settings: EmbeddedSettings | None,
    *,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    make_id: NewId = new_id,
) -> EmbeddedBackend:
    """Opens a backend of one process and one SQLite file.

    Args:
        settings: where data and model are; None: nothing outlasts it, for tests (then an embedder has to be given).

    Raises:
        StoreUnavailable: the data folder cannot be opened.
    """
    contexts = ContextRuntime(settings.model_dir if settings else None)
    from memory_layer.adapters.embedded.files.blob_store import FileBlobStore
    from memory_layer.adapters.embedded.ram_index.follower import Follower
    from memory_layer.adapters.embedded.ram_index.search_index import EmbeddedIndex
    from memory_layer.adapters.embedded.sqlite.long_transactions import (
        StoreTransactions,
        TransactionalDatabase,
    )
    from memory_layer.adapters.embedded.sqlite.reading_connection import DamagedDatabase
    from memory_layer.adapters.embedded.store.record_store import open_record_store
    from memory_layer.adapters.process.blas_threads import one_blas_thread
    from memory_layer.adapters.process.event_bus import InProcessBus
    from memory_layer.adapters.process.garbage_collection import slower_collections
    from memory_layer.adapters.process.one_at_a_time import OneAtATime
    from memory_layer.adapters.stored_form.bodies import Bodies

    if settings is not None:
        _make_folder(settings.data_dir)
    if settings is not None and was_emptied(settings):
        told = f"{settings.database} is empty, though something was stored; restore it from a backup"
        raise StoreUnavailable("; or: ".join([told, *recovery_hints(settings)]))
    try:
        database = TransactionalDatabase(settings.database if settings else None)
    except DamagedDatabase as error:
        raise StoreUnavailable("; ".join([error.detail, *recovery_hints(settings)])) from error
    if settings is not None and database.log_report.is_alarming:
        _log.error("%s", "; ".join([*lost_writes(settings), *recovery_hints(settings)]))
    blobs = FileBlobStore(settings.blobs if settings else database.path.with_name("blobs"))
    turns = OneAtATime(database.is_in_transaction)
    model = embedder or _model(settings, database)
    index = EmbeddedIndex(
        database.committed,
        model=model.model,
        dimensions=model.dimensions,
        layout=layout_of(model),
        is_in_transaction=database.is_in_transaction,
        turns=turns,
    )
    follower, bus, prefetch = Follower(index.follow), InProcessBus(), contexts.add_prefetch()

    def on_write(scope: Scope) -> None:
        follower.note(scope)
        prefetch.note_write(scope)

    store = open_record_store(database, Bodies(blobs), turns, on_write, clock)
    ports = Ports(
        store=store,
        index=index,
        blobs=blobs,
        embedder=model,
        bus=bus,
        clock=clock or SystemClock(),
        new_id=make_id,
        contexts=contexts.ports,
        reranker=_reranker(settings),
        transactions=StoreTransactions(database, store.receipts.paused),
        storage=partial(storage_state, settings, is_read_only=database.is_read_only)
        if settings
        else StorageState,
        turns=turns,
        word_rank=word_ranks(model),
        webhooks=_webhooks(settings, database),
        backlog=index.backlog,
    )
    subscribe(bus, ports)
    begin_prefetch(ports, prefetch)
    release_blas, release_collections = one_blas_thread.hold(), slower_collections.hold()

    stopping = Event()

    def drain() -> None:
        bus.drain()
        follower.drain()

    def close() -> None:
        contexts.close()
        limit_s = STOP_S if stopping.is_set() else None
        is_done = bus.close(limit_s)
        follower.close()
        if not (_closed_within(store.close, limit_s) and is_done):
            _log.warning("the stop left work behind: operations go on at the next start")
        release_blas()
        release_collections()

    return EmbeddedBackend(
        ports,
        store.requests.unfinished_operations,
        store.requests.recent_projects,
        bus.subscribe,
        drain,
        close,
        lambda: getattr(model, "is_loaded", False),
        stopping,
    )


def _webhooks(settings: EmbeddedSettings | None, database: Database) -> WebhookPorts:
    from memory_layer.adapters.embedded.files.webhook_key import WebhookKey
    from memory_layer.adapters.embedded.store.webhooks import WebhookRows
    from memory_layer.adapters.process.webhook_sender import HttpWebhookSender
    from memory_layer.ports.webhooks import WebhookPorts

    key = WebhookKey(settings.data_dir if settings else None)
    return WebhookPorts(
        WebhookRows(database, key), HttpWebhookSender(settings.webhook_networks if settings else ())
    )


def _closed_within(close: Callable[[], None], seconds: float | None) -> bool:
    """Closes, and tells if that ended in time: a writer that does not end may hold the lock of the database."""
    if seconds is None:
        close()
        return True
    closing = Thread(target=close, name="closing", daemon=True)
    closing.start()
    closing.join(seconds)
    return not closing.is_alive()


def recovery_hints(settings: EmbeddedSettings | None) -> list[str]:
    """Newest good snapshot of each project, with the command that restores it if the file is lost."""
    from memory_layer.adapters.embedded.files.blob_store import FileBlobStore
    from memory_layer.usecases.transfer.snapshot_files import last_good_of_all

    found = last_good_of_all(FileBlobStore(settings.blobs)) if settings else {}
    return [
        f"the last good snapshot of project {scope.project} is {snapshot.id}, {snapshot.records} records: move "
        f"{settings and settings.database} with its -wal and -shm aside, then run: "
        f"mem restore latest --project {scope.project}"
        for scope, snapshot in found.items()
    ]


def unsound_records(connection: sqlite3.Connection) -> list[str]:
    """Ids of records in a database that are not as they were written, for `mem doctor`."""
    from memory_layer.adapters.embedded.store import seal_findings

    return seal_findings.unsound_records(connection)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"the data folder {folder} cannot be made: {error.strerror}; name another one with --data"
        ) from error


def build_embedding_model(
    settings: EmbeddedSettings, tell: Callable[[str], None], *, force: bool = False
) -> Path:
    """Builds the embedding model, or finds it built, and returns its folder.

    Args:
        tell: is told one sentence a step.
        force: builds anew even what is whole.

    Raises:
        EmbedderUnavailable: the weights cannot be had, or are not those expected.
    """
    from memory_layer.adapters.onnx.artifact import model_dir
    from memory_layer.adapters.onnx.build import build_model

    folder = model_dir(settings.model_dir)
    if not (force and folder.exists()):
        return build_model(folder, tell).folder
    kept = folder.with_name(f"{folder.name}.kept")
    shutil.rmtree(kept, ignore_errors=True)
    folder.rename(kept)
    try:
        return build_model(folder, tell).folder
    finally:
        if not folder.exists():
            kept.rename(folder)
        shutil.rmtree(kept, ignore_errors=True)


def _model(settings: EmbeddedSettings | None, database: Database) -> Embedder:
    if settings is None:
        raise ValueError("a backend without a data folder needs an embedder of its own")
    from memory_layer.adapters.embedded.ram_index.upkeep_queries import models_named
    from memory_layer.bootstrap.embedding_model import chosen_embedder

    return chosen_embedder(settings, lambda: models_named(database.reader()))


def _reranker(settings: EmbeddedSettings | None) -> Reranker | None:
    if settings is None:
        return None
    from memory_layer.bootstrap.embedding_model import chosen_reranker

    return chosen_reranker(settings)


def subscribe(bus: InProcessBus, ports: Ports) -> None:
    """Subscribes the background work of this process, where no rule of a bus brings it to a function."""
    from memory_layer.domain.portability.trace_context import TRACEPARENT
    from memory_layer.ports.event_kinds import MEMORIES_WARMED, SESSION_EXTENDED
    from memory_layer.usecases.ground.signed_ports import traced_ports

    def traced(detail: Mapping[str, Any]) -> Ports:
        return traced_ports(ports, detail.get(TRACEPARENT))

    def on_session_extended(detail: Mapping[str, Any]) -> None:
        from memory_layer.usecases.write.turn_contexts import on_session_extended as work

        work(traced(detail), detail)

    def on_memories_warmed(detail: Mapping[str, Any]) -> None:
        from memory_layer.usecases.recall.warm_up import on_memories_warmed as work

        work(traced(detail), detail)

    bus.subscribe(SESSION_EXTENDED, on_session_extended)
    bus.subscribe(MEMORIES_WARMED, on_memories_warmed)
