"""Files of the plugin: made of one declaration, and what each agent's own rules ask for."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from memory_layer.manifest.agent_hooks import deadline_s
from memory_layer.plugin.agents import AGENTS, event_of
from memory_layer.plugin.connection.edits import OUR_HOOK
from memory_layer.plugin.declaration import hook_command, hooks_of, skill_text, timeout_s
from memory_layer.plugin.manifests import BUNDLE, plugin_files, write_bundle

BY_HAND = {"README.md", "skills/memory/SKILL.md"}


def test_the_files_are_those_of_the_declaration(tmp_path: Path) -> None:
    """Falls where one is written by hand: `python -m memory_layer.plugin.manifests` writes them."""
    kept = {
        path.relative_to(BUNDLE).as_posix(): path.read_text("utf-8")
        for path in BUNDLE.rglob("*")
        if path.is_file()
    }
    assert {name: text for name, text in kept.items() if name not in BY_HAND} == dict(plugin_files())
    assert set(kept) >= BY_HAND
    write_bundle(tmp_path)
    assert (tmp_path / "plugin.json").read_text("utf-8") == kept["plugin.json"]


def test_each_agents_rules_are_kept() -> None:
    """`skillsaw`, which carries the schemas of Agent Plugins and each agent's words for hooks, finds nothing."""
    command = [Path(sys.executable).with_name("skillsaw"), "lint", "--format", "json", "--strict", "."]
    done = subprocess.run(command, cwd=BUNDLE, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


def test_each_event_has_a_hook_that_the_agent_waits_for_longer_than_it_takes() -> None:
    for agent in AGENTS.values():
        assert set(hooks_of(agent)) == set(agent.events)
        for event in agent.events:
            assert OUR_HOOK.search(hook_command(agent, event))
            assert timeout_s(agent, event) > deadline_s(agent.name, event)


def test_an_event_is_known_in_either_spelling_and_no_other_is() -> None:
    copilot = AGENTS["copilot"]
    assert event_of(copilot, "sessionStart") is event_of(copilot, "SessionStart") is not None
    assert event_of(copilot, "sessionElsewhere") is None


def test_the_skill_says_how_to_cite_and_what_is_learned() -> None:
    assert "`[M3 wrong]`" in skill_text()
    assert "Learned: " in skill_text()
    assert json.loads(plugin_files()["mcp.json"])["mcpServers"]["memory-layer"]["args"] == ["mcp"]
