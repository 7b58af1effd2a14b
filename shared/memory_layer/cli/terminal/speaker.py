"""Speaker of a command: the machine's owner, or the coding agent that runs it (SPEC 4.3)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from memory_layer.cli.terminal.served import surroundings
from memory_layer.manifest import coding_agents, env

if TYPE_CHECKING:  # nothing heavy is imported before a command runs
    from memory_layer.domain.access import Principal

Agent = Annotated[
    str | None,
    typer.Option(
        "--agent",
        metavar="NAME",
        help=f"Speak as this agent, with an agent's rights; default: ${env.AGENT}, else the one that runs the command.",
    ),
]


def principal_here(named: str | None) -> Principal:
    """Caller of a command. Args: named: of `--agent`."""
    from memory_layer.domain.access import Principal, agent_subject
    from memory_layer.local.tokens import LOCAL_PRINCIPAL

    client = agent_here(named)
    if client is None:
        return LOCAL_PRINCIPAL
    return Principal(LOCAL_PRINCIPAL.tenant, agent_subject(client, UNNAMED))


UNNAMED = "agent"
"""Subject of an agent whose name has no letter and no digit."""


def agent_here(named: str | None) -> str | None:
    """Name of the agent that speaks; None: a person does, which whoever sits at a terminal is."""
    environ = surroundings().environ
    told = environ.get(env.AGENT) if named is None else named
    if told is not None:
        return told
    is_at_terminal = sys.stdin is not None and sys.stdin.isatty()  # it is None where a caller closed it
    return None if is_at_terminal else coding_agents.agent_around(environ)


def refuse_agent(what: str) -> None:
    """Keeps a person's act from agents. Args: what: as the error names it. Raises: Forbidden."""
    from memory_layer.errors import Forbidden

    client = agent_here(None)
    if client is not None:
        raise Forbidden(f"{what} is a person's act, and {client} runs this command: do it at a terminal")
