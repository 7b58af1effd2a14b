"""A reader who types the commands of a page: `mem` and `curl` in a terminal, Python, tools in a coding agent."""

from __future__ import annotations

import json
import shlex
from argparse import ArgumentParser, Namespace
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import httpx2
from typer.testing import CliRunner

from memory_layer.cli.app import app
from memory_layer.client import MemoryProblem
from memory_layer.mcp.tool_calls import run_tool
from memory_layer.mcp.tool_session import ToolSession
from memory_layer.mcp.tools import TOOLS
from tests.given import StandingClock
from tests.guides.matching import UnknownId, filled_in, match
from tests.guides.pages import Block, Step, steps_of

SERVED_AT = "localhost:8080/"
SERVED = "http://localhost:8080"


@dataclass(slots=True)
class Reader:
    """Follows one page from its top to its end, in a folder of its own. A second goes by with each command."""

    http: httpx2.Client
    desk: ToolSession
    clock: StandingClock
    folder: Path
    ids: dict[str, str] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)
    """Names of the Python session of the page."""

    def follow(self, block: Block) -> list[str]:
        """The differences between what the block shows and what the product answers; a named block is a file."""
        if block.name:
            file = self.folder / block.name
            file.parent.mkdir(exist_ok=True)
            file.write_text(block.text, encoding="utf-8")
        return [told for step in steps_of(block) if (told := self.difference(step)) is not None]

    def difference(self, step: Step) -> str | None:
        """None if the product answers as the page shows."""
        try:
            actual = self.output_of(step)
        except UnknownId as error:
            return f"line {step.line}: {error}"
        self.clock.advance(seconds=1)
        bound = match(step.output, actual, self.ids)
        if bound is None:
            return f"line {step.line}: {step.command}\n--- shown\n{step.output}\n--- given\n{actual}"
        self.ids.update(bound)
        return None

    def output_of(self, step: Step) -> str:
        command = filled_in(step.command, self.ids)
        if step.language == "mcp":
            return self._tool(command)
        if step.language == "pycon":
            return self._python(command)
        program, *arguments = shlex.split(command.replace("\\\n", " "))
        return {"mem": _mem, "curl": self._curl}[program](arguments)

    def _python(self, statement: str) -> str:
        """Output of a statement as Python's prompt shows it, an error by its last line."""
        said = statement.replace(SERVED, str(self.http.base_url).rstrip("/"))
        with redirect_stdout(StringIO()) as printed:
            try:
                exec(compile(f"{said}\n", "guide", "single"), self.names)
            except MemoryProblem as problem:
                print(f"MemoryProblem: {problem}")
        return printed.getvalue()

    def _tool(self, command: str) -> str:
        name, _, arguments = command.partition(" ")
        tool = next(tool for tool in TOOLS if tool.name == name)
        return run_tool(self.desk, tool, json.loads(arguments)).text

    def _curl(self, arguments: list[str]) -> str:
        given = _curl_options(arguments)
        headers = dict(header.split(": ", 1) for header in given.header)
        body = (self.folder / given.data[1:]).read_text("utf-8") if given.data[:1] == "@" else given.data
        method = given.request or ("POST" if body else "GET")
        path = given.url.removeprefix(SERVED_AT)
        assert path != given.url, f"{given.url} is not below {SERVED_AT}"
        return self.http.request(method, f"/{path}", headers=headers, content=body.encode()).text


def _mem(arguments: list[str]) -> str:
    return CliRunner().invoke(app, arguments).output


def _curl_options(arguments: list[str]) -> Namespace:
    """The few options of curl that the pages use; any other ends the test."""
    parser = ArgumentParser(prog="curl", allow_abbrev=False)
    parser.add_argument("url")
    parser.add_argument("-s", action="store_true", required=True)
    parser.add_argument("-X", dest="request")
    parser.add_argument("-H", dest="header", action="append", default=[])
    parser.add_argument("-d", "--data-binary", dest="data", default="")
    return parser.parse_args(arguments)
