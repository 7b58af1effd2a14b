"""The runbook's commands: each one is a command of `mem`, with options that it takes."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from typing import Any

import pytest
from typer.main import get_command

from memory_layer.cli.app import app
from memory_layer.manifest.stacks import FAILURE_QUEUES
from memory_layer.manifest.sweeps import DECLARED_SWEEPS
from tests.given import REPOSITORY

RUNBOOK = (REPOSITORY / "docs" / "runbook.md").read_text("utf-8")
COMMANDS = sorted(
    {
        line.strip("`\n ")
        for line in re.findall(r"^mem [^\n`]+$|`mem [^`\n]+`", RUNBOOK, re.M)
        if " " in line.strip("`")
    }
)


def parsed(line: str) -> Mapping[str, Any]:
    """Options of the command that a line names. Raises: typer.Exit, UsageError: it takes no such thing."""
    command: Any = get_command(app)
    words = shlex.split(line)[1:]
    while hasattr(command, "commands"):
        command, words = command.commands[words[0]], words[1:]
    with command.make_context(command.name, words) as context:
        return dict(context.params)


def test_there_are_some() -> None:
    assert len(COMMANDS) >= 12


@pytest.mark.parametrize("line", COMMANDS)
def test_each_is_a_command_with_options_that_it_takes(line: str) -> None:
    asked = parsed(line)
    if " admin sweep " in line:
        assert asked["name"] in DECLARED_SWEEPS
    if " admin redrive " in line and asked["queue"] is not None:
        assert asked["queue"] in FAILURE_QUEUES


def test_every_queue_of_what_failed_has_a_page() -> None:
    for name in FAILURE_QUEUES:
        assert f"## {name.title()}Kept" in RUNBOOK
