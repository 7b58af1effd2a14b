"""`mem connect` and `mem disconnect` as a terminal runs them: what they carry over, and what they leave to a person."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Mem, answer

TOKEN = "eyJhbGciOiJIUzI1NiJ9.of.ada"


@pytest.fixture
def home(mem: Mem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder, and a PATH that has no `mem`."""
    del mem
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", str(tmp_path))
    return folder


def written(folder: Path) -> str:
    return "".join(file.read_text("utf-8") for file in folder.rglob("*") if file.is_file())


def test_the_data_folder_stands_in_the_users_files(mem: Mem, home: Path, tmp_path: Path) -> None:
    mem("connect", "claude")
    server = json.loads((home / ".claude.json").read_text("utf-8"))["mcpServers"]["memory-layer"]
    assert server["args"] == ["mcp", "--data", str(tmp_path / "data")]
    assert f"hook claude SessionStart --data {tmp_path / 'data'}" in written(home / ".claude")


@pytest.mark.usefixtures("home")
def test_a_project_has_the_service_and_no_token_and_what_is_to_be_set_is_told(
    mem: Mem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where the caller's environment is left out, or where a secret of his is written for all to read."""
    monkeypatch.setenv("MEMORY_LAYER_URL", "https://memory.acme.test")
    monkeypatch.setenv("MEMORY_LAYER_TOKEN", TOKEN)
    told = mem("connect", "claude", "codex", "--for-project").stdout
    assert "have MEMORY_LAYER_TOKEN set where the agent starts" in told
    assert "mem is not on PATH here" in told
    files = written(Path())
    assert "hook claude SessionStart --url https://memory.acme.test" in files
    assert 'args = ["mcp", "--url", "https://memory.acme.test"]' in files
    assert TOKEN not in files + told


@pytest.mark.usefixtures("home")
def test_a_folder_of_this_machine_is_told_and_not_written_into_a_project(mem: Mem, tmp_path: Path) -> None:
    told = mem("connect", "claude", "--for-project").stdout
    assert f"The folder {tmp_path / 'data'} is not written into a project's files" in told
    assert "--data" not in written(Path(".claude"))


def test_a_program_that_is_on_path_is_no_matter(
    mem: Mem, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "mem").write_text("", "utf-8")
    (home / "mem").chmod(0o755)
    monkeypatch.setenv("PATH", str(home))
    assert "PATH" not in mem("connect", "claude", "--for-project").stdout


@pytest.mark.usefixtures("home")
def test_a_disconnection_names_those_who_were_connected(mem: Mem) -> None:
    mem("connect", "claude", "copilot", "--for-project")
    shared = f"{os.path.realpath('.mcp.json')} (shared with Claude Code)"
    assert shared in mem("disconnect", "copilot", "--for-project").stdout
    assert mem("disconnect", "codex", "--for-project").stdout == "Codex was not connected here.\n"
    assert answer(mem("disconnect", "--for-project", "--json"))["agents"] == ["Claude Code"]
    assert mem("disconnect", "--for-project").stdout == "no agent was connected here\n"
