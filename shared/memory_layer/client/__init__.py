"""Python client: `Memory` and `AsyncMemory`, over HTTP or within this process. It needs the standard library alone."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, cast

from memory_layer.client.models import ImportReport
from memory_layer.client.operation import Awaiting, Blocking
from memory_layer.client.operations import Operations
from memory_layer.manifest import env
from memory_layer.wire.api import Api, carried_out
from memory_layer.wire.exchange import PATIENCE_S
from memory_layer.wire.flows import WAIT_S, Flow, outcome, part_text
from memory_layer.wire.lines import bodies, export_begun
from memory_layer.wire.message import Request, Transport
from memory_layer.wire.problem import MemoryProblem

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor
    from pathlib import Path
    from types import TracebackType

__all__ = ["AsyncMemory", "Memory", "MemoryProblem"]

T = TypeVar("T")
TIMEOUT_S = 30.0
CONNECTIONS = 32
"""Requests that an `AsyncMemory` has on their way at once."""


def _opened(url: str | None, folder: str | Path | None, timeout_s: float) -> Transport:
    """Way to the service. Raises: MemoryProblem: none is named, or two."""
    if folder is not None and url is None:
        from memory_layer.wire.in_process import InProcess

        return InProcess(folder)
    address = url or os.environ.get(env.URL)
    if folder is not None or not address:
        raise MemoryProblem(
            "invalid",
            f"name one place: url=…, folder=… or the environment's {env.URL}; neither is the default",
        )
    from memory_layer.wire.http import HttpTransport

    return HttpTransport(address, timeout_s=timeout_s)


class _Client:
    """Both clients' beginning: who speaks, where, and about which project."""

    _api: Api

    def __init__(
        self,
        url: str | None = None,
        *,
        folder: str | Path | None = None,
        token: str | None = None,
        project: str | None = None,
        user: str | None = None,
        timeout: float = TIMEOUT_S,
        patience: float = PATIENCE_S,
    ) -> None:
        """Opens the way to a service.

        Args:
            url: as `mem serve` prints it, or as it was deployed; omitted: MEMORY_LAYER_URL.
            folder: data folder to work on in this process, without a server; needs the extra `local`.
            token: of the service; omitted: MEMORY_LAYER_TOKEN.
            project: that the operations are about; omitted: MEMORY_LAYER_PROJECT.
            user: the end user for whom a service speaks.
            timeout: seconds for each attempt.
            patience: seconds that a call waits between attempts, all together.

        Raises:
            MemoryProblem: the place is none.
        """
        self._api = Api(
            _opened(url, folder, timeout),
            token or os.environ.get(env.TOKEN),
            project or os.environ.get(env.PROJECT),
            user,
            patience,
        )

    def in_project(self, project: str) -> Self:
        """The same client, about another project."""
        return self._viewed(self._api.with_project(project))

    def for_user(self, user: str | None) -> Self:
        """The same client, on behalf of an end user."""
        return self._viewed(self._api.with_user(user))

    def _viewed(self, api: Api) -> Self:
        view = object.__new__(type(self))
        view.__dict__.update(self.__dict__)
        view._api = api
        return view


class Memory(_Client, Operations, Blocking):
    """Client that answers in the thread that calls it; threads may share it."""

    def wait(self, operation_id: str, seconds: float = WAIT_S) -> dict[str, Any]:
        """Result of an operation that was begun. Raises: MemoryProblem: it failed, or is not done in time."""
        return dict(self._carry_out(outcome(self._api, operation_id, seconds)))

    def export_lines(self, format: Literal["ndjson", "csv"] = "ndjson") -> Iterator[str]:
        """Lines of an export of any size, with one part of at most 4 MB in memory."""
        for found in self._carry_out(export_begun(self._api, format)):
            text = self._carry_out(part_text(self._api, found)) if found.startswith("/") else found
            yield from text.removesuffix("\n").split("\n")

    def import_lines(
        self, lines: Iterable[str | dict[str, Any]], *, allow_unsealed: bool = False
    ) -> Iterator[ImportReport]:
        """Sends lines of an export of any size, by at most 4 MB at once; yields the report of each part.

        Args:
            lines: of `export_lines`, or an open file.
            allow_unsealed: also lines without a manifest.
        """
        for body in bodies(lines):
            yield cast(ImportReport, self.import_project(body, allow_unsealed=allow_unsealed))

    def close(self) -> None:
        """Lets go of connections and files, also of those of `in_project` and `for_user`."""
        self._api.transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _carry_out(self, flow: Flow[T]) -> T:
        return carried_out(flow, self._api.perform)


class AsyncMemory(_Client, Operations, Awaiting):
    """Client for asyncio: requests wait in threads of its own, pauses on the event loop."""

    def __init__(self, url: str | None = None, **options: Any) -> None:
        super().__init__(url, **options)
        from concurrent.futures import ThreadPoolExecutor

        self._threads: ThreadPoolExecutor = ThreadPoolExecutor(CONNECTIONS, "memory-layer")

    async def wait(self, operation_id: str, seconds: float = WAIT_S) -> dict[str, Any]:
        """Result of an operation that was begun. Raises: MemoryProblem: it failed, or is not done in time."""
        return dict(await self._carry_out(outcome(self._api, operation_id, seconds)))

    async def export_lines(self, format: Literal["ndjson", "csv"] = "ndjson") -> AsyncIterator[str]:
        """As `Memory.export_lines`."""
        for found in await self._carry_out(export_begun(self._api, format)):
            text = await self._carry_out(part_text(self._api, found)) if found.startswith("/") else found
            for line in text.removesuffix("\n").split("\n"):
                yield line

    async def import_lines(
        self, lines: Iterable[str | dict[str, Any]], *, allow_unsealed: bool = False
    ) -> AsyncIterator[ImportReport]:
        """As `Memory.import_lines`."""
        for body in bodies(lines):
            yield cast(ImportReport, await self.import_project(body, allow_unsealed=allow_unsealed))

    async def close(self) -> None:
        """Lets go of connections and files, also of those of `in_project` and `for_user`."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._api.transport.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _carry_out(self, flow: Flow[T]) -> T:
        try:
            step = next(flow)
            while True:
                try:
                    done = await self._performed(step)
                except Exception as error:
                    step = flow.throw(error)
                else:
                    step = flow.send(done)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _performed(self, step: Any) -> Any:
        import asyncio

        if isinstance(step, Request):
            transport = self._api.transport
            return await asyncio.get_running_loop().run_in_executor(self._threads, transport.perform, step)
        return await asyncio.sleep(step.seconds)
