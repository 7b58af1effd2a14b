"""Transport without a server: a data folder is opened in this process, and its API is asked by calls."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from memory_layer.wire.message import Reply, Request
from memory_layer.wire.problem import MemoryProblem
from memory_layer.wire.refusals import MISSING_ENGINE

if TYPE_CHECKING:
    from memory_layer.local.asgi import Guard


class InProcess:
    """Service over a data folder, which other processes may have open as well.

    Args:
        folder: where memories lie; made if it is not there.

    Raises:
        MemoryProblem: the engine is missing, or the folder cannot be used.
    """

    def __init__(self, folder: str | Path) -> None:
        where = Path(folder).expanduser()
        self.place = str(where)
        self._open = ExitStack()
        try:
            self._guard = self._opened(where)
        except ModuleNotFoundError as error:
            raise MemoryProblem("not_installed", MISSING_ENGINE) from error
        except BaseException:
            self._open.close()
            raise

    def perform(self, request: Request) -> Reply:
        path, _, query = request.target.partition("?")
        sent = {"host": "localhost", **request.headers}
        scope = {
            "type": "http",
            "method": request.method,
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.encode(), value.encode()) for name, value in sent.items()],
        }
        start, end = self._guard.answer_here(scope, request.body or b"")
        headers = {name.decode(): value.decode() for name, value in start["headers"]}
        return Reply(start["status"], headers, end["body"])

    def close(self) -> None:
        self._open.close()

    def _opened(self, folder: Path) -> Guard:
        import os

        from memory_layer.bootstrap.embedded import open_embedded
        from memory_layer.errors import MemoryLayerError
        from memory_layer.local.scheduler import embedding_beside
        from memory_layer.local.server import application
        from memory_layer.settings import read_settings

        try:
            settings = read_settings(os.environ, data_dir=folder)
            backend = open_embedded(settings)
        except MemoryLayerError as error:
            raise MemoryProblem("unavailable", error.detail) from error
        self._open.callback(backend.close)
        guard = application(
            backend, settings.data_dir, with_auth=False, event_sources=settings.event_sources, is_first=False
        )
        if not backend.ports.storage().is_read_only:
            self._open.enter_context(embedding_beside(backend.ports))
        self._open.callback(backend.stopping.set)
        return guard
