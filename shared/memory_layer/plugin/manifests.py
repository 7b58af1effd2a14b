"""Files of the plugin, one folder for all agents: made of the declaration, and kept beside it in `bundle`.

`python -m memory_layer.plugin.manifests` writes them; a test refuses what was written by hand.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from memory_layer.plugin import declaration
from memory_layer.plugin.agents import CLAUDE, CODEX, COPILOT, CURSOR

BUNDLE: Final = Path(__file__).parent / "bundle"
SCHEMAS: Final = "https://agent-plugins.org/schemas/1.0.0"


def plugin_files() -> Mapping[str, str]:
    """Content of each made file, by its path in the bundle; the skill and the README are written by hand."""
    return {name: f"{json.dumps(document, indent=2)}\n" for name, document in _documents().items()}


def _documents() -> Mapping[str, Any]:
    servers = {"mcpServers": {declaration.NAME: declaration.server()}}
    return {
        "plugin.json": {"$schema": f"{SCHEMAS}/plugin.schema.json", **declaration.described()},
        "mcp.json": {"$schema": f"{SCHEMAS}/mcp.schema.json", **servers},
        ".mcp.json": servers,
        ".claude-plugin/plugin.json": declaration.described(),
        ".claude-plugin/marketplace.json": _marketplace(),
        ".codex-plugin/plugin.json": _codex(),
        ".cursor-plugin/plugin.json": _cursor(),
        "hooks/hooks.json": declaration.hook_file(CLAUDE),
        "hooks/codex-hooks.json": declaration.hook_file(CODEX),
        "hooks/cursor-hooks.json": declaration.hook_file(CURSOR),
        "hooks/copilot-hooks.json": declaration.hook_file(COPILOT),
    }


def _marketplace() -> dict[str, Any]:
    entry = {"name": declaration.NAME, "source": "./", "description": declaration.DESCRIPTION}
    return {"name": declaration.NAME, "owner": dict(declaration.AUTHOR), "plugins": [entry]}


def _codex() -> dict[str, Any]:
    shown = {
        "displayName": declaration.TITLE,
        "shortDescription": "Memory of a project across sessions",
        "longDescription": declaration.DESCRIPTION,
        "developerName": declaration.AUTHOR["name"],
        "category": declaration.CATEGORY,
        "capabilities": ["Read", "Write"],
        "defaultPrompt": list(declaration.PROMPTS),
    }
    places = {"skills": "./skills/", "mcpServers": "./.mcp.json", "hooks": "./hooks/codex-hooks.json"}
    return {**declaration.described(), **places, "interface": shown}


def _cursor() -> dict[str, Any]:
    places = {"skills": "./skills/", "mcpServers": "./mcp.json", "hooks": "./hooks/cursor-hooks.json"}
    return {**declaration.described(), "displayName": declaration.TITLE, **places}


def write_bundle(folder: Path = BUNDLE) -> None:
    """Writes the made files."""
    for name, text in plugin_files().items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


if __name__ == "__main__":
    write_bundle()
