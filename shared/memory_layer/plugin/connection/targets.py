"""Files that connect an agent: which, for the user or for one project, and what goes in.

Sources: Claude Code, settings and MCP scopes; Codex, configuration; Cursor, MCP and hooks; GitHub Copilot CLI,
configuration folder; VS Code, MCP configuration.
"""

import shlex
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import Any, Final, Literal

from memory_layer.plugin import declaration
from memory_layer.plugin.agents import CLAUDE, CODEX, COPILOT, CURSOR, CodingAgent
from memory_layer.plugin.connection.edits import Edit, JsonParts, TomlTable, WholeFile

Scope = Literal["user", "project"]

HOOKS_OF_COPILOT: Final = "memory-layer.json"
_CODEX_READS_ONE: Final = (
    "has hooks of its own, and Codex reads those of one file; move them to hooks.json, and connect again"
)


@dataclass(frozen=True, slots=True)
class Destination:
    """Destination of a connection.

    Args:
        folder: the home folder, or the root of a project.
        program: `mem` as the agent can start it.
        environ: of the caller.
        options: by which MCP server and hooks find the memories, such as `--url` and its address.
    """

    scope: Scope
    folder: Path
    program: str
    environ: Mapping[str, str]
    options: tuple[str, ...] = ()

    @property
    def arguments(self) -> tuple[str, ...]:
        """Arguments of the MCP server."""
        return ("mcp", *self.options)

    def home_of(self, variable: str, name: str) -> Path:
        """Folder of an agent: in a project its own, for the user the one that its variable names, or the default."""
        named = self.environ.get(variable) if self.scope == "user" else None
        return Path(named) if named else self.folder / name


@dataclass(frozen=True, slots=True)
class Target:
    """File to be edited."""

    path: Path
    edit: Edit


@dataclass(frozen=True, slots=True)
class Connection:
    """Way to connect an agent.

    Args:
        signs: programs, and folders of the home or project, that tell that the agent is in use here.
        notes: what is left for a person to do.
    """

    name: str
    title: str
    targets: Callable[[Destination], list[Target]]
    signs: tuple[str, ...]
    notes: Mapping[Scope, str]


def _servers(place: Destination, member: str = "mcpServers", **more: Any) -> JsonParts:
    return JsonParts(
        servers={member: {**declaration.server(place.program, arguments=place.arguments), **more}}
    )


def _hooks(agent: CodingAgent, place: Destination) -> JsonParts:
    beside = {} if agent.form == "nested" else {"version": 1}
    hooks = declaration.hooks_of(agent, shlex.quote(place.program), shlex.join(place.options))
    return JsonParts(hooks=hooks, beside=beside)


def _skill(folder: Path) -> Target:
    file = folder / "skills" / declaration.SKILL / "SKILL.md"
    return Target(file, WholeFile(declaration.skill_text(), "# Memory of this project"))


def _claude(place: Destination) -> list[Target]:
    home = place.home_of("CLAUDE_CONFIG_DIR", ".claude")
    servers = place.folder / (".claude.json" if place.scope == "user" else ".mcp.json")
    return [
        Target(servers, _servers(place)),
        Target(home / "settings.json", _hooks(CLAUDE, place)),
        _skill(home),
    ]


def _codex(place: Destination) -> list[Target]:
    home = place.home_of("CODEX_HOME", ".codex")
    table = TomlTable(place.program, place.arguments, {"hooks": _CODEX_READS_ONE})
    return [
        Target(home / "config.toml", table),
        Target(home / "hooks.json", _hooks(CODEX, place)),
        _skill(place.folder / ".agents"),
    ]


def _cursor(place: Destination) -> list[Target]:
    home = place.folder / ".cursor"
    arguments = [*place.arguments, "--folder", "${workspaceFolder}"]
    return [
        Target(home / "mcp.json", _servers(place, args=arguments)),
        Target(home / "hooks.json", _hooks(CURSOR, place)),
        _skill(place.folder / ".agents"),
    ]


def _copilot(place: Destination) -> list[Target]:
    home = place.home_of("COPILOT_HOME", ".copilot")
    if place.scope == "user":
        servers = Target(home / "mcp-config.json", _servers(place, type="local", tools=["*"]))
    else:
        servers = Target(place.folder / ".mcp.json", _servers(place))
    return [servers, *_copilot_hooks(place)]


def _copilot_hooks(place: Destination) -> list[Target]:
    """File of hooks that Copilot's CLI and VS Code both read."""
    home = place.home_of("COPILOT_HOME", ".copilot") if place.scope == "user" else place.folder / ".github"
    return [
        Target(home / "hooks" / HOOKS_OF_COPILOT, _hooks(COPILOT, place)),
        _skill(place.folder / ".agents"),
    ]


def _vscode(place: Destination) -> list[Target]:
    file = _vscode_user(place.folder) if place.scope == "user" else place.folder / ".vscode"
    servers = _servers(place, "servers", cwd="${workspaceFolder}")
    return [Target(file / "mcp.json", servers), *_copilot_hooks(place)]


def _vscode_user(home: Path) -> Path:
    support = Path("Library", "Application Support") if sys.platform == "darwin" else Path(".config")
    return home / support / "Code" / "User"


CONNECTIONS: Final[Mapping[str, Connection]] = {
    one.name: one
    for one in (
        Connection(
            "claude",
            "Claude Code",
            _claude,
            ("claude", ".claude", ".claude.json"),
            {"project": "Claude Code asks once whether the project's server may run.", "user": ""},
        ),
        Connection(
            "codex",
            "Codex",
            _codex,
            ("codex", ".codex"),
            dict.fromkeys(("user", "project"), "Codex runs the hooks once you have reviewed them: /hooks."),
        ),
        Connection(
            "cursor",
            "Cursor",
            _cursor,
            ("cursor", ".cursor"),
            dict.fromkeys(("user", "project"), "Cursor asks once whether the server may run."),
        ),
        Connection(
            "copilot", "GitHub Copilot CLI", _copilot, ("copilot", ".copilot"), {"user": "", "project": ""}
        ),
        Connection("vscode", "VS Code", _vscode, ("code", ".vscode"), {"user": "", "project": ""}),
    )
}


def found_agents(place: Destination, path: str | None) -> list[Connection]:
    """Agents that are in use here. Args: path: folders of programs, as PATH has them."""
    return [
        one for one in CONNECTIONS.values() if any(_is_there(sign, place.folder, path) for sign in one.signs)
    ]


def _is_there(sign: str, folder: Path, path: str | None) -> bool:
    return (folder / sign).exists() if sign.startswith(".") else which(sign, path=path) is not None
