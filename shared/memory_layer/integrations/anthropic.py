"""Anthropic's memory tool over Memory Layer: a model's files under `/memories` are memories of a project."""

from __future__ import annotations

from typing import Any, Unpack

from anthropic.lib.tools import BetaAbstractMemoryTool, BetaAsyncAbstractMemoryTool, ToolError
from anyio.to_thread import run_sync

from memory_layer.client import Memory, MemoryProblem
from memory_layer.integrations.connection import ClientArguments, connected
from memory_layer.integrations.memory_commands import MemoryCommands, RefusedCommand
from memory_layer.integrations.memory_files import MemoryFiles


def _answer(commands: MemoryCommands, command: Any) -> str:
    """Answer to a command. Raises: ToolError: in a sentence for the model; nothing was lost."""
    given = command if isinstance(command, dict) else command.to_dict()
    arguments = {name: value for name, value in given.items() if name != "command"}
    try:
        return str(getattr(commands, given["command"])(**arguments))
    except (RefusedCommand, MemoryProblem) as refused:
        raise ToolError(str(refused)) from refused


class _OverFiles:
    """Both tools' files: the commands over them, and the client that they speak by."""

    def _open(self, client: Memory, owner: str) -> None:
        self._client = client
        self._commands = MemoryCommands(MemoryFiles(client, owner))

    def close(self) -> None:
        """Lets go of connections."""
        self._client.close()


class MemoryTool(_OverFiles, BetaAbstractMemoryTool):
    """Memory tool whose files are memories: other agents recall what they say, secrets are removed, versions are kept.

    A file has 102,400 bytes at most. Answers are those of the SDK's own tool, with a note where a secret was removed
    or a text waits for a person.

    Args:
        owner: whose files they are, such as an end user; files of different owners do not meet.
        cache_control: as the SDK's tool takes it.
        place: as for `memory_layer.client.Memory`.
    """

    def __init__(
        self,
        url: str | None = None,
        *,
        owner: str = "",
        cache_control: Any = None,
        **place: Unpack[ClientArguments],
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._open(connected(url, place), owner)

    def view(self, command: Any) -> str:
        return _answer(self._commands, command)

    create = str_replace = insert = delete = rename = view

    def clear_all_memory(self) -> str:
        return self._commands.clear()


class AsyncMemoryTool(_OverFiles, BetaAsyncAbstractMemoryTool):
    """As `MemoryTool`, awaited."""

    def __init__(
        self,
        url: str | None = None,
        *,
        owner: str = "",
        cache_control: Any = None,
        **place: Unpack[ClientArguments],
    ) -> None:
        super().__init__(cache_control=cache_control)
        self._open(connected(url, place), owner)

    async def view(self, command: Any) -> str:
        return await run_sync(_answer, self._commands, command)

    create = str_replace = insert = delete = rename = view

    async def clear_all_memory(self) -> str:
        return await run_sync(self._commands.clear)
