"""Where the adapters are chosen and wired; nothing else knows them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from memory_layer.adapters.clock import SystemClock, new_id
from memory_layer.adapters.embedded.blobs import FileBlobStore
from memory_layer.adapters.embedded.bus import InProcessBus
from memory_layer.adapters.embedded.database import Database
from memory_layer.adapters.embedded.index import EmbeddedIndex
from memory_layer.adapters.embedded.record_store import SqliteRecordStore
from memory_layer.adapters.onnx.artifact import model_dir
from memory_layer.adapters.onnx.embedder import OnnxEmbedder
from memory_layer.domain.memory import Scope
from memory_layer.errors import StoreUnavailable
from memory_layer.ports import Clock, Embedder, NewId, Operation, Ports
from memory_layer.settings import Settings
from memory_layer.usecases.surroundings import SESSION_EXTENDED, complete_contexts


@dataclass(frozen=True, slots=True)
class Embedded:
    """The embedded backend, running. Close it, so that what waits is written."""

    ports: Ports
    unfinished_operations: Callable[[], list[Operation]]
    subscribe: Callable[[str, Callable[[Mapping[str, Any]], None]], None]
    drain: Callable[[], None]
    close: Callable[[], None]


def embedded(
    settings: Settings | None,
    *,
    embedder: Embedder | None = None,
    clock: Clock | None = None,
    make_id: NewId = new_id,
) -> Embedded:
    """One process, one SQLite file.

    Args:
        settings: where data and model are; None keeps everything in memory (then an embedder has to be given).

    Raises:
        StoreUnavailable: the data folder cannot be opened.
    """
    if settings is not None:
        _make_folder(settings.data_dir)
    database = Database(settings.database if settings else None)
    store, bus = SqliteRecordStore(database), InProcessBus()
    model = embedder or _model(settings)
    ports = Ports(
        store=store,
        index=EmbeddedIndex(database.reader, model=model.model, dimensions=model.dimensions),
        blobs=FileBlobStore(settings.blobs if settings else Path(mkdtemp(prefix="memory-layer-"))),
        embedder=model,
        bus=bus,
        clock=clock or SystemClock(),
        new_id=make_id,
    )
    _subscribe(bus, ports)

    def close() -> None:
        bus.close()
        store.close()

    return Embedded(ports, store.unfinished_operations, bus.subscribe, bus.drain, close)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreUnavailable(
            f"the data folder {folder} cannot be made: {error.strerror}; name another one with --data"
        ) from error


def build_embedding_model(settings: Settings, tell: Callable[[str], None], *, force: bool = False) -> Path:
    """Build the embedding model, or find it built; its folder.

    Args:
        tell: is told one sentence a step.
        force: builds anew even what is whole.

    Raises:
        EmbedderUnavailable: the weights cannot be had, or are not those expected.
    """
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


def _model(settings: Settings | None) -> Embedder:
    if settings is None:
        raise ValueError("a backend in memory needs an embedder of its own")
    return OnnxEmbedder(model_dir(settings.model_dir))


def _subscribe(bus: InProcessBus, ports: Ports) -> None:
    def on_session_extended(detail: Mapping[str, Any]) -> None:
        scope = Scope(detail["tenant"], detail["project"])
        complete_contexts(ports, scope, detail["session_id"], detail["first"], detail["last"])

    bus.subscribe(SESSION_EXTENDED, on_session_extended)
