"""Connecting agents: what goes into which file, what stays as it was, and what is refused."""

from __future__ import annotations

import json
import os
import random
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from memory_layer.errors import Conflict, Invalid
from memory_layer.plugin.connection import connect as module
from memory_layer.plugin.connection.carried_environment import carried_options, left_to_set
from memory_layer.plugin.connection.connect import (
    apply_connection,
    apply_disconnection,
    connected_agents,
    connection_changes,
    disconnection_changes,
)
from memory_layer.plugin.connection.ledger import Ledger, replace_file
from memory_layer.plugin.connection.targets import CONNECTIONS, Destination, found_agents

EVERY = list(CONNECTIONS.values())
LINT = {"matcher": "Bash", "hooks": [{"type": "command", "command": "lint.sh hook me"}]}
SETTINGS = f'{{\n    "model": "opus",\n    "hooks": {{"PreToolUse": [{json.dumps(LINT)}]}}\n}}'
OTHERS: Mapping[str, str] = {
    ".claude/settings.json": SETTINGS,
    ".claude.json": '{"mcpServers": {"git": {"command": "mcp-git"}}, "projects": {}}\n',
    ".codex/config.toml": 'model = "gpt-6"\n\n[mcp_servers.git]\ncommand = "mcp-git"\n\n[hooks.state]\nx = 1',
    ".codex/hooks.json": '{"hooks": {}}',
    ".cursor/mcp.json": "",
    ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "say done"}]}}\n',
    ".copilot/mcp-config.json": '{\n\t"mcpServers": {}\n}\n',
    ".config/Code/User/mcp.json": '{"servers": {}, "inputs": []}\n',
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    for name, text in OTHERS.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return folder


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "data")


def user(home: Path, program: str = "mem") -> Destination:
    return Destination("user", home, program, {})


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }


def read(home: Path, name: str) -> Any:
    return json.loads((home / name).read_text("utf-8"))


def connect(names: list[str], place: Destination, ledger: Ledger) -> None:
    apply_connection(connection_changes([CONNECTIONS[name] for name in names], place), ledger)


def disconnect(names: list[str], place: Destination, ledger: Ledger) -> None:
    apply_disconnection(disconnection_changes([CONNECTIONS[name] for name in names], place, ledger), ledger)


def test_ours_goes_in_and_everybody_elses_stays(home: Path, ledger: Ledger) -> None:
    connect(list(CONNECTIONS), user(home), ledger)
    settings = read(home, ".claude/settings.json")
    assert settings["model"] == "opus"
    assert settings["hooks"]["PreToolUse"][0] == LINT
    ours = settings["hooks"]["PreToolUse"][1]
    assert (ours["matcher"], ours["hooks"][0]["command"]) == ("Read", "mem hook claude PreToolUse")
    assert read(home, ".claude.json")["mcpServers"].keys() == {"git", "memory-layer"}
    assert read(home, ".cursor/hooks.json")["hooks"]["stop"][0] == {"command": "say done"}
    assert read(home, ".cursor/mcp.json")["mcpServers"]["memory-layer"]["args"][-1] == "${workspaceFolder}"
    assert read(home, ".copilot/mcp-config.json")["mcpServers"]["memory-layer"]["tools"] == ["*"]
    assert read(home, ".config/Code/User/mcp.json")["servers"]["memory-layer"]["cwd"] == "${workspaceFolder}"
    codex = tomllib.loads((home / ".codex/config.toml").read_text("utf-8"))
    assert codex["mcp_servers"].keys() == {"git", "memory-layer"}
    assert (home / ".claude/skills/memory/SKILL.md").exists()
    assert "\t" in (home / ".copilot/mcp-config.json").read_text("utf-8")


def test_it_is_taken_back_byte_by_byte(home: Path, ledger: Ledger) -> None:
    """Falls where a file is written anew instead of put back."""
    before = snapshot(home)
    connect(list(CONNECTIONS), user(home), ledger)
    assert snapshot(home) != before
    disconnect(list(CONNECTIONS), user(home), ledger)
    assert snapshot(home) == before
    assert ledger.read() == {}


def test_any_order_of_connecting_and_disconnecting_ends_where_it_began(home: Path, ledger: Ledger) -> None:
    chance, before = random.Random(11), snapshot(home)
    for _ in range(40):
        names = chance.sample(list(CONNECTIONS), chance.randint(1, 5))
        chance.choice((connect, disconnect))(names, user(home), ledger)
    disconnect(list(CONNECTIONS), user(home), ledger)
    assert snapshot(home) == before


def test_connecting_twice_changes_nothing(home: Path, ledger: Ledger) -> None:
    connect(["claude", "codex"], user(home), ledger)
    once = snapshot(home)
    assert {one.act for one in connection_changes([CONNECTIONS["claude"]], user(home))} == {"unchanged"}
    connect(["claude", "codex"], user(home), ledger)
    assert snapshot(home) == once


def test_another_place_of_the_program_replaces_what_is_there(home: Path, ledger: Ledger) -> None:
    before = snapshot(home)
    connect(["claude"], user(home), ledger)
    connect(["claude"], user(home, "/opt/my apps/mem"), ledger)
    hooks = read(home, ".claude/settings.json")["hooks"]
    assert len(hooks["PreToolUse"]) == 2
    assert hooks["SessionStart"][0]["hooks"][0]["command"] == "'/opt/my apps/mem' hook claude SessionStart"
    disconnect(["claude"], user(home), ledger)
    assert snapshot(home) == before


def test_what_was_changed_since_is_kept_and_only_ours_goes(home: Path, ledger: Ledger) -> None:
    connect(["claude", "codex"], user(home), ledger)
    settings = read(home, ".claude/settings.json")
    settings["theme"] = "dark"
    settings["hooks"]["Stop"] = [LINT]
    (home / ".claude/settings.json").write_text(json.dumps(settings), "utf-8")
    with (home / ".codex/config.toml").open("a") as config:
        config.write("\n[profiles.fast]\nmodel = 'x'\n")
    disconnect(["claude", "codex"], user(home), ledger)
    assert read(home, ".claude/settings.json") == {
        "model": "opus",
        "theme": "dark",
        "hooks": {"PreToolUse": [LINT], "Stop": [LINT]},
    }
    codex = tomllib.loads((home / ".codex/config.toml").read_text("utf-8"))
    assert codex["mcp_servers"].keys() == {"git"}
    assert "profiles" in codex


def test_without_a_ledger_ours_is_found_by_what_it_says(home: Path, tmp_path: Path, ledger: Ledger) -> None:
    connect(["claude"], user(home), ledger)
    disconnect(["claude"], user(home), Ledger(tmp_path / "other"))
    assert read(home, ".claude/settings.json") == json.loads(SETTINGS)
    assert not (home / ".claude/skills/memory/SKILL.md").exists()


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        (".claude/settings.json", '{"hooks": {', "is no plain JSON"),
        (".claude/settings.json", "// mine\n{}", "is no plain JSON"),
        (".claude/settings.json", '{"a": 1, "a": 2}', "stands there twice"),
        (".claude/settings.json", "[]", "no object at the top"),
        (".claude/settings.json", '{"hooks": []}', "no object at hooks"),
        (".claude/settings.json", '{"hooks": {"PreToolUse": {}}}', "no list at hooks, PreToolUse"),
        (".claude.json", '{"mcpServers": 3}', "no object at mcpServers"),
        (".claude.json", '{"mcpServers": {"memory-layer": {"command": "npx"}}}', "of another program"),
        (".claude/skills/memory/SKILL.md", "# Mine", "another program's"),
        (".codex/config.toml", "[mcp_servers", "is no TOML"),
        (
            ".codex/config.toml",
            "[mcp_servers.memory-layer]\ncommand = 'x'",
            "has a server memory-layer already",
        ),
        (".codex/config.toml", "[[hooks.Stop]]\nx = 1", "move them to hooks.json"),
    ],
)
def test_a_file_that_is_not_as_its_agent_writes_it_is_refused_and_nothing_is_written(
    home: Path, name: str, text: str, told: str
) -> None:
    (home / name).parent.mkdir(parents=True, exist_ok=True)
    (home / name).write_text(text, "utf-8")
    before = snapshot(home)
    with pytest.raises(Invalid, match=told) as refused:
        connection_changes(EVERY, user(home))
    assert name in refused.value.reason
    assert snapshot(home) == before


def test_a_file_of_other_bytes_is_refused(home: Path) -> None:
    (home / ".claude.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(Invalid, match="is no UTF-8"):
        connection_changes(EVERY, user(home))


def test_a_file_that_changed_meanwhile_is_not_overwritten(home: Path, ledger: Ledger) -> None:
    """Falls where a file is written without a last look."""
    changes = connection_changes(EVERY, user(home))
    (home / ".cursor/hooks.json").write_text("{}", "utf-8")
    before = snapshot(home)
    with pytest.raises(Conflict, match="changed meanwhile"):
        apply_connection(changes, ledger)
    assert {name: text for name, text in snapshot(home).items() if text is not None} == {
        name: text for name, text in before.items() if text is not None
    }


def test_a_disk_that_fills_up_leaves_every_file_as_it_was(
    home: Path, ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where the files before it stay written."""
    before = {name: text for name, text in snapshot(home).items() if text is not None}
    written = []

    def fail_at_third(file: Path, content: bytes) -> None:
        written.append(file)
        if len(written) == 3:
            raise OSError(28, "No space left on device")
        replace_file(file, content)

    monkeypatch.setattr(module, "replace_file", fail_at_third)
    with pytest.raises(Invalid, match="No space left on device"):
        apply_connection(connection_changes(EVERY, user(home)), ledger)
    assert {name: text for name, text in snapshot(home).items() if text is not None} == before


def test_a_link_and_the_permissions_of_a_file_stay(home: Path, ledger: Ledger, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.json"
    (home / ".claude.json").rename(kept)
    kept.chmod(0o640)
    (home / ".claude.json").symlink_to(kept)
    connect(["claude"], user(home), ledger)
    assert (home / ".claude.json").is_symlink()
    assert "memory-layer" in kept.read_text("utf-8")
    assert kept.stat().st_mode & 0o777 == 0o640


def test_a_project_is_connected_with_files_for_all_who_work_on_it(tmp_path: Path, ledger: Ledger) -> None:
    place = Destination("project", tmp_path / "shop", "mem", {"CODEX_HOME": "/elsewhere"})
    place.folder.mkdir()
    connect(list(CONNECTIONS), place, ledger)
    files = {name for name, text in snapshot(place.folder).items() if text is not None}
    assert files == {
        *(".mcp.json", ".claude/settings.json", ".claude/skills/memory/SKILL.md"),
        *(".codex/config.toml", ".codex/hooks.json", ".cursor/mcp.json", ".cursor/hooks.json"),
        *(".github/hooks/memory-layer.json", ".vscode/mcp.json", ".agents/skills/memory/SKILL.md"),
    }
    disconnect(["copilot"], place, ledger)
    assert (place.folder / ".github/hooks/memory-layer.json").exists()
    disconnect(list(CONNECTIONS), place, ledger)
    assert snapshot(place.folder) == {}


def test_the_options_stand_in_every_server_and_every_hook(home: Path, ledger: Ledger) -> None:
    """Falls where a file leaves them out: its agent would look for the memories in another place."""
    before = snapshot(home)
    place = Destination("user", home, "mem", {}, ("--data", "/srv/my memories"))
    connect(list(CONNECTIONS), place, ledger)
    ours = {
        name: text.decode("utf-8")
        for name, text in snapshot(home).items()
        if text is not None and not name.endswith(".md")
    }
    servers = sum(text.count('"mcp"') for text in ours.values())
    hooks = sum(text.count("mem hook") for text in ours.values())
    told = sum(text.count("/srv/my memories") for text in ours.values())
    assert (servers, told) == (len(CONNECTIONS), servers + hooks)
    disconnect(list(CONNECTIONS), user(home), ledger)
    assert snapshot(home) == before


def test_a_token_and_a_folder_of_one_machine_stand_in_no_file_of_a_project() -> None:
    url, folder = "https://memory.acme.test", Path("/home/ada/memories")
    secret = {"MEMORY_LAYER_TOKEN": "eyJhbGciOi"}
    assert carried_options("project", url, folder) == ("--url", url)
    assert carried_options("project", None, folder) == ()
    assert carried_options("user", None, folder) == ("--data", str(folder))
    (about_token,) = left_to_set("user", url, None, secret)
    assert "MEMORY_LAYER_TOKEN" in about_token
    assert "eyJ" not in about_token
    (about_folder,) = left_to_set("project", None, folder, secret)
    assert "MEMORY_LAYER_DATA" in about_folder
    assert left_to_set("user", None, folder, {}) == []


def test_only_agents_that_were_connected_are_named_and_a_shared_file_says_with_whom(
    home: Path, ledger: Ledger
) -> None:
    connect(["copilot", "vscode"], user(home), ledger)
    copilot = disconnection_changes([CONNECTIONS["copilot"]], user(home), ledger)
    assert {one.path.name: one.shared_with for one in copilot} == {
        "mcp-config.json": (),
        "memory-layer.json": ("vscode",),
        "SKILL.md": ("vscode",),
    }
    assert connected_agents(disconnection_changes(EVERY, user(home), ledger), ledger) == {"copilot", "vscode"}
    disconnect(["copilot", "vscode"], user(home), ledger)
    assert connected_agents(disconnection_changes(EVERY, user(home), ledger), ledger) == set()


def test_agents_in_use_are_found_by_their_programs_and_folders(tmp_path: Path) -> None:
    (tmp_path / "home" / ".cursor").mkdir(parents=True)
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "codex").write_text("", "utf-8")
    (programs / "codex").chmod(0o755)
    place = user(tmp_path / "home")
    assert [one.name for one in found_agents(place, str(programs))] == ["codex", "cursor"]
    assert found_agents(user(programs), os.devnull) == []


def test_a_damaged_ledger_is_told_of(ledger: Ledger, tmp_path: Path) -> None:
    (tmp_path / "data" / "connections").mkdir(parents=True)
    (tmp_path / "data" / "connections" / "ledger.json").write_text('{"x": {"y"', "utf-8")
    with pytest.raises(Invalid, match="move it away"):
        ledger.read()
