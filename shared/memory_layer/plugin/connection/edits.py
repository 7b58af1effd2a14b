"""Edits of agents' configuration files: ours put in and taken out again, everybody else's left as it is. Pure."""

import json
import re
import tomllib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from memory_layer.manifest.agent_hooks import COMMAND
from memory_layer.plugin.declaration import NAME

OUR_HOOK: Final = re.compile(rf"""(?:^|[\\/"'\s])mem(?:\.exe)?["']?\s+{COMMAND}\s+\w+\s+\w+""")
_OUR_PROGRAM: Final = re.compile(r"(?:^|[\\/])mem(?:\.exe)?$")


class Unfit(Exception):
    """Refusal of a file that is not as its agent writes it. Its text ends a sentence that begins with the file."""


class Edit(Protocol):
    """Edit of one file. `None` is a file that is not there."""

    def put_in(self, text: str | None) -> str:
        """Text with our parts. Raises: Unfit"""

    def taken_out(self, text: str) -> str | None:
        """Text without our parts; None: nothing else is in it. Raises: Unfit"""


@dataclass(frozen=True, slots=True)
class WholeFile:
    """File that is ours alone. Args: mark: text by which a file of that name is known as ours."""

    content: str
    mark: str

    def put_in(self, text: str | None) -> str:
        if text is not None and self.mark not in text:
            raise Unfit("is another program's; move it away, and connect again")
        return self.content

    def taken_out(self, text: str) -> str | None:
        return None if self.mark in text else text


@dataclass(frozen=True, slots=True)
class JsonParts:
    """Members of a JSON file.

    Args:
        servers: our MCP server by the member that holds servers.
        hooks: our hooks by event, in the agent's form.
        beside: members that a new file has besides.
    """

    servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    hooks: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    beside: Mapping[str, Any] = field(default_factory=dict)

    def put_in(self, text: str | None) -> str:
        before = _parsed(text)
        document = self._without(deepcopy(before))
        for member, server in self.servers.items():
            held = _object(document.setdefault(member, {}), member)
            if NAME in held:
                raise Unfit(f"has a server {NAME} of another program; rename it, and connect again")
            held[NAME] = dict(server)
        if self.hooks:
            events = _object(document.setdefault("hooks", {}), "hooks")
            for event, groups in self.hooks.items():
                events[event] = [*_list(events.get(event, []), event), *groups]
        if not before:
            document = {**self.beside, **document}
        return text if text is not None and document == before else _written(document, text)

    def taken_out(self, text: str) -> str | None:
        before = _parsed(text)
        document = self._without(before)
        if document == before:
            return text
        return None if document in ({}, dict(self.beside)) else _written(document, text)

    def _without(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """Document without our parts, and without what they leave empty."""
        document = dict(before)
        for member in self.servers:
            held = dict(_object(document.get(member, {}), member))
            if _is_ours(held.get(NAME)):
                del held[NAME]
                _keep(document, member, held)
        if self.hooks and "hooks" in document:
            events = _object(document["hooks"], "hooks")
            left = {event: _others(_list(groups, event)) for event, groups in events.items()}
            kept = {event: groups for event, groups in left.items() if groups or not events[event]}
            if kept != events:
                _keep(document, "hooks", kept)
        return document


def _keep(document: dict[str, Any], member: str, held: Mapping[str, Any]) -> None:
    if held:
        document[member] = held
    else:
        del document[member]


def _others(groups: list[Any]) -> list[Any]:
    """Handlers and groups of handlers that are not ours."""
    kept = []
    for group in groups:
        if isinstance(group, dict) and isinstance(group.get("hooks"), list):
            handlers = [one for one in group["hooks"] if not _is_our_hook(one)]
            kept += [{**group, "hooks": handlers}] if handlers or not group["hooks"] else []
        elif not _is_our_hook(group):
            kept.append(group)
    return kept


def _is_our_hook(handler: Any) -> bool:
    said = [handler.get(key) for key in ("command", "bash")] if isinstance(handler, dict) else []
    return any(isinstance(one, str) and OUR_HOOK.search(one) for one in said)


def _is_ours(server: Any) -> bool:
    if not isinstance(server, dict):
        return False
    command, arguments = server.get("command"), server.get("args")
    is_program = isinstance(command, str) and _OUR_PROGRAM.search(command) is not None
    return is_program and isinstance(arguments, list) and arguments[:1] == ["mcp"]


def _parsed(text: str | None) -> dict[str, Any]:
    if text is None or not text.strip():
        return {}
    try:
        document = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        raise Unfit(f"is no plain JSON ({error}); mend it, or put the lines in by hand") from error
    return _object(document, "the top")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Object of its members. Raises: ValueError: one of them would be lost."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member stands there twice")
    return found


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Unfit(f"has no object at {where}; mend it, and connect again")
    return value


def _list(value: Any, where: str) -> list[Any]:
    if not isinstance(value, list):
        raise Unfit(f"has no list at hooks, {where}; mend it, and connect again")
    return value


def _written(document: Mapping[str, Any], like: str | None) -> str:
    """JSON, indented as the file was."""
    indent = re.search(r"^([ \t]+)\S", like or "", re.MULTILINE)
    depth: int | str = 2 if indent is None else indent[1] if "\t" in indent[1] else len(indent[1])
    end = "\n" if like is None or like.endswith("\n") or not like.strip() else ""
    return json.dumps(document, indent=depth, ensure_ascii=False) + end


BEGIN: Final = f"# {NAME}: begin; mem disconnect takes this out"
END: Final = f"# {NAME}: end"
_BLOCK: Final = re.compile(rf"\n?^{re.escape(BEGIN)}\n.*?^{re.escape(END)}\n?", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class TomlTable:
    """Table of an MCP server at the end of a TOML file, between two comments. Args: refuses: members of others' that
    would be of no effect beside what we write elsewhere."""

    program: str
    arguments: tuple[str, ...]
    refuses: Mapping[str, str] = field(default_factory=dict)

    def put_in(self, text: str | None) -> str:
        rest = _BLOCK.sub("", text or "")
        found = _toml(rest)
        if NAME in found.get("mcp_servers", {}):
            raise Unfit(
                f"has a server {NAME} already, outside of our comments; take it out, and connect again"
            )
        for member, why in self.refuses.items():
            if set(found.get(member, {})) - {"state"}:
                raise Unfit(why)
        command = f"command = {json.dumps(self.program)}\nargs = {json.dumps(list(self.arguments))}"
        block = f"{BEGIN}\n[mcp_servers.{NAME}]\n{command}\n{END}\n"
        lead = "" if not rest else "\n" if rest.endswith("\n") else "\n\n"
        _toml(f"{rest}{lead}{block}")
        return f"{rest}{lead}{block}"

    def taken_out(self, text: str) -> str | None:
        rest = _BLOCK.sub("", text)
        return rest if rest.strip() else None


def _toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except ValueError as error:
        raise Unfit(f"is no TOML ({error}); mend it, and connect again") from error
