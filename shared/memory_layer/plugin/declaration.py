"""Plugin for coding agents, declared once: what it is called and says, its MCP server, its skill, its hooks.

The files of each agent are made of this by `manifests.py`, and what `mem connect` writes by `connection`.
"""

import math
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

from memory_layer.manifest.agent_hooks import COMMAND, deadline_s
from memory_layer.plugin.agents import CodingAgent
from memory_layer.version import VERSION

NAME: Final = "memory-layer"
"""Name of the plugin, and of its MCP server in every agent's configuration."""

TITLE: Final = "Memory Layer"
DESCRIPTION: Final = (
    "Memory of a project across sessions: recalls what was learned at the start, at prompts, at files and at errors, "
    "and learns from what worked."
)
AUTHOR: Final[Mapping[str, str]] = {"name": "Memory Layer"}
LICENSE: Final = "Apache-2.0"
KEYWORDS: Final = ("memory", "context", "learning", "mcp")
CATEGORY: Final = "Productivity"
PROMPTS: Final = ("What is known about this file?", "Remember why we decided this.")

SKILL: Final = "memory"
"""Name of the skill; it lies in skills/memory/SKILL.md."""

PROGRAM: Final = "mem"
TIMEOUT_SPARE_S: Final = 2
"""Seconds that an agent waits longer than a hook takes at most."""

_TIMEOUT_MAX: Final[Mapping[tuple[str, str], int]] = {("codex", "SessionEnd"): 3}


def skill_text() -> str:
    """Text of the skill, as it lies in the package."""
    return files("memory_layer.plugin").joinpath("bundle", "skills", SKILL, "SKILL.md").read_text("utf-8")


def server(program: str = PROGRAM, *, arguments: tuple[str, ...] = ("mcp",)) -> dict[str, Any]:
    """MCP server as most agents' files have it."""
    return {"type": "stdio", "command": program, "args": list(arguments)}


def hook_command(agent: CodingAgent, event: str, program: str = PROGRAM, options: str = "") -> str:
    """Command line of a hook. Args: program, options: quoted for a shell."""
    return " ".join(part for part in (program, COMMAND, agent.name, event, options) if part)


def timeout_s(agent: CodingAgent, event: str) -> int:
    """Seconds that an agent is told to wait for a hook, which ends by itself before."""
    limit = _TIMEOUT_MAX.get((agent.name, event), 60)
    return min(limit, math.ceil(deadline_s(agent.name, event)) + TIMEOUT_SPARE_S)


def hooks_of(
    agent: CodingAgent, program: str = PROGRAM, options: str = ""
) -> dict[str, list[dict[str, Any]]]:
    """Hooks of an agent by event: groups of handlers in Claude Code's form and Codex', else handlers."""
    return {name: [_hook(agent, name, hook_command(agent, name, program, options))] for name in agent.events}


def _hook(agent: CodingAgent, event: str, command: str) -> dict[str, Any]:
    matcher = agent.events[event].matcher
    told = {} if matcher is None else {"matcher": matcher}
    waits = {"timeout": timeout_s(agent, event)}
    if agent.form == "flat":
        return {"command": command, **told, **waits}
    handler = {"type": "command", "command": command, **waits}
    return handler if agent.form == "both" else {**told, "hooks": [handler]}


def hook_file(agent: CodingAgent, program: str = PROGRAM) -> dict[str, Any]:
    """File of an agent's hooks, whole."""
    version = {} if agent.form == "nested" else {"version": 1}
    return {**version, "hooks": hooks_of(agent, program)}


def described() -> dict[str, Any]:
    """Members that every manifest has."""
    return {
        "name": NAME,
        "version": VERSION,
        "description": DESCRIPTION,
        "author": dict(AUTHOR),
        "license": LICENSE,
        "keywords": list(KEYWORDS),
    }
