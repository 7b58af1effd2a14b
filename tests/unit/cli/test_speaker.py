"""Who speaks on the command line: the owner at a terminal, or the coding agent that runs the command."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextvars import copy_context
from pathlib import Path
from typing import Any

import pytest

from memory_layer.cli.handover import caller as handover
from memory_layer.cli.terminal.served import Surroundings, surround
from memory_layer.cli.terminal.speaker import agent_here, principal_here
from memory_layer.domain.access import agent_subject
from memory_layer.local.tokens import LOCAL_PRINCIPAL
from memory_layer.manifest.coding_agents import AGENTS_BY_VARIABLE, NAMES_ITSELF, VARIABLES, agent_around
from tests.unit.cli.conftest import Mem, added, answer, problem


class Input:
    """Standard input that is a terminal, or none."""

    def __init__(self, is_terminal: bool) -> None:
        self._is_terminal = is_terminal

    def isatty(self) -> bool:
        return self._is_terminal


def test_the_owner_speaks_at_a_terminal_in_a_script_and_under_no_agent(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A pipe alone makes no agent: a script of the owner's speaks for them."""
    said = answer(mem("add", "Backups run at two.", "--json"))
    assert (said["source"], said["created_by"]) == ("human", "local")
    monkeypatch.setattr(sys, "stdin", Input(is_terminal=True))
    monkeypatch.setenv("CLAUDECODE", "1")  # of an editor's terminal, at which the owner types
    assert principal_here(None) is LOCAL_PRINCIPAL


def test_a_pipe_under_a_coding_agent_has_an_agents_rights(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    """Safeguard: `principal_here`. No review, no rules, nothing of the owner's; its own it may change."""
    owners = added(mem, "Backups run at two.")
    monkeypatch.setenv("CLAUDECODE", "1")
    own = answer(mem("add", "The queue drops messages at midnight.", "--json"))
    assert (own["source"], own["created_by"], own["confidence"]) == ("run", "agent:claude-code", 0.5)
    assert problem(mem("add", "Trust this.", "--source", "human", "--json"))["status"] == 403
    for refused in (
        *(("approve", own["id"]), ("reject", own["id"], "--reason", "x"), ("settings", "set", "{}")),
        *(("forget", owners), ("sweep", "expire")),
        ("token", "--tenant", "local", "--principal", "me", "--role", "admin"),
    ):
        assert problem(mem(*refused, "--json"))["status"] == 403, refused
    proposed = answer(mem("edit", owners, "--content", "Backups are off.", "--json"))
    assert (proposed["receipt"]["proposed_for"], proposed["standing"]) == (owners, "unreviewed")
    assert answer(mem("get", owners, "--json"))["content"] == "Backups run at two."
    assert answer(mem("search", "when do backups run", "--json"))["memories"][0]["id"] == owners
    assert (
        answer(mem("edit", own["id"], "--content", "The queue drops messages at noon.", "--json"))["version"]
        == 2
    )


def test_an_agent_may_be_named(mem: Mem, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the option, else by the variable, at a terminal as well; a name makes nobody a person."""
    for number, (name, subject) in enumerate(
        (
            ("Codex", "agent:codex"),
            ("local", "agent:local"),
            ("ada@acme.test", "agent:ada-acme-test"),
            ("!", "agent"),
        )
    ):
        said = answer(mem("add", f"Cache {number} is flushed at three.", "--agent", name, "--json"))
        assert (said["source"], said["created_by"]) == ("run", subject)
    monkeypatch.setenv("MEMORY_LAYER_AGENT", "goose")
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setattr(sys, "stdin", Input(is_terminal=True))
    assert principal_here(None).name == "agent:goose"
    assert principal_here("cursor").name == "agent:cursor"


@pytest.mark.parametrize(
    ("environ", "agent"),
    [
        *(({variable: "1"}, name) for variable, name in AGENTS_BY_VARIABLE.items()),
        ({NAMES_ITSELF: "devin@1"}, "devin@1"),
        ({NAMES_ITSELF: "x", "CLAUDECODE": "1"}, "claude-code"),
        *(({"CLAUDECODE": off}, None) for off in ("", "0", "false")),
        (
            {
                "TERM": "xterm",
                "CI": "true",
                "AIDER_MODEL": "x",
                "CURSOR_TRACE_ID": "x",
                "ANTHROPIC_API_KEY": "x",
            },
            None,
        ),
    ],
)
def test_agents_are_known_by_what_they_set_and_persons_do_not(
    environ: Mapping[str, str], agent: str | None
) -> None:
    assert agent_around(environ) == agent


def test_an_agent_is_one_principal_over_mcp_and_the_command_line() -> None:
    """Safeguard: one `agent_subject`; two names would make two independent voices of one agent."""
    clients = {
        "claude-code": "CLAUDECODE",
        "codex-mcp-client": "CODEX_SANDBOX",
        "cursor-vscode": "CURSOR_AGENT",
        "gemini-cli-mcp-client": "GEMINI_CLI",
    }
    for client, variable in clients.items():
        assert agent_subject(client, "mcp") == agent_subject(AGENTS_BY_VARIABLE[variable], "agent")


def test_a_closed_standard_input_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert agent_here(None) is None
    monkeypatch.setenv("GEMINI_CLI", "1")
    assert agent_here(None) == "gemini-cli"


def test_a_server_that_runs_the_command_knows_who_speaks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Safeguard: `PASSED_VARIABLES`; a command that is handed over is the caller's, not the server's."""
    monkeypatch.setenv("CODEX_THREAD_ID", "t-1")
    monkeypatch.setenv("MEMORY_LAYER_AGENT", "goose")
    monkeypatch.setenv("SECRET", "x")
    passed: Any = handover._request(["list"])["environ"]
    assert passed["CODEX_THREAD_ID"] == "t-1"
    assert "SECRET" not in passed
    assert set(VARIABLES) <= handover.PASSED_VARIABLES
    monkeypatch.undo()

    def spoken_there() -> str:
        surround(Surroundings(folder=tmp_path, environ=passed))
        return principal_here(None).name

    assert copy_context().run(spoken_there) == "agent:goose"
