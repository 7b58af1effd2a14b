"""Hook from its input to its output, over the memory of one data folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from memory_layer.domain.access import Principal, agent_subject
from memory_layer.errors import Invalid
from memory_layer.local.project_folder import folder_of_project
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.manifest import env
from memory_layer.plugin.agents import AGENTS, CodingAgent, event_of
from memory_layer.plugin.hooks.hook_answer import hook_answer
from memory_layer.plugin.hooks.payload import Payload, read_payload
from memory_layer.ports.counting import Counting, uncounted

if TYPE_CHECKING:  # the engine takes half a second to load, and garbage is refused without it
    from memory_layer.plugin.hooks.session_memory import SessionMemory
    from memory_layer.ports.process import Ports

REMOTE_S = 4.0
"""Seconds for each answer of a service."""

UNNAMED = "agent"
"""Subject of an agent without a name, which no agent of ours is."""


def run_hook(
    agent_name: str,
    event_name: str,
    raw: bytes,
    *,
    folder: Path,
    environ: Mapping[str, str],
    url: str | None = None,
    data_dir: Path,
    open_ports: Callable[[], AbstractContextManager[Ports]],
    counting: Counting = uncounted,
) -> str:
    """Output of a hook.

    Args:
        raw: its input.
        folder: in which the hook runs, where the input names none.
        url: of the service that has the memories; None: they are in the data folder.
        open_ports: opens the memory; it is not called where there is nothing to ask.
        counting: counts what is asked of the data folder.

    Raises:
        Invalid: there is no such agent or event, or the input is none of theirs.
        MemoryLayerError, OSError: the memory or the session's state cannot be read or kept.
    """
    agent = AGENTS.get(agent_name)
    event = None if agent is None else event_of(agent, event_name)
    if agent is None or event is None:
        known = "; ".join(f"{one.name}: {', '.join(one.events)}" for one in AGENTS.values())
        raise Invalid(f"no hook is for {agent_name} {event_name}; there are: {known}")
    payload = _payload(raw)
    here = folder_of_project(Path(payload.folder) if payload.folder else folder, environ)
    from memory_layer.plugin.hooks.handle_hook import HookCall, handle_hook
    from memory_layer.plugin.hooks.session_state import HookSessions

    sessions = HookSessions(data_dir)
    project = environ.get(env.PROJECT) or here.project
    if event.kind == "end":  # wherever the agent stands by then
        project = sessions.read(payload.session).project or project
    token = environ.get(env.TOKEN) or None
    opened = (
        _local(open_ports, agent, project, counting) if url is None else _remote(agent, project, url, token)
    )
    with opened as memory:
        page = handle_hook(HookCall(agent, event, payload, here.files, project), memory, sessions)
    return hook_answer(agent, event_name, page)


def _payload(raw: bytes) -> Payload:
    try:
        return read_payload(raw)
    except (ValueError, RecursionError) as error:
        raise Invalid(f"the input of the hook is not what an agent writes: {error}") from error


@contextmanager
def _remote(agent: CodingAgent, project: str, url: str, token: str | None) -> Iterator[SessionMemory]:
    from memory_layer.plugin.hooks.remote_memory import RemoteMemory
    from memory_layer.wire.http import HttpTransport
    from memory_layer.wire.problem import MemoryProblem

    try:
        transport = HttpTransport(url, timeout_s=REMOTE_S)
        with closing(transport):
            yield RemoteMemory(transport, token, project, agent.client)
    except MemoryProblem as problem:
        raise Invalid(str(problem)) from problem


@contextmanager
def _local(
    open_ports: Callable[[], AbstractContextManager[Ports]],
    agent: CodingAgent,
    project: str,
    counting: Counting,
) -> Iterator[SessionMemory]:
    """Memory as the agent sees it: the words of a hook are an agent's (SPEC 4.3)."""
    from memory_layer.plugin.hooks.local_memory import LocalMemory
    from memory_layer.usecases.ground.signed_ports import signed_ports

    caller = Principal(LOCAL_PRINCIPAL.tenant, agent_subject(agent.client, UNNAMED))
    with open_ports() as ports:
        yield LocalMemory(signed_ports(ports, caller), caller, project, counting)
