"""The setting `prompt_limit` over HTTP, on the command line and over MCP."""

from __future__ import annotations

import json
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from typer.testing import CliRunner

from memory_layer.cli.app import app
from tests.e2e.mcp_clients import given, talk
from tests.e2e.test_commands_over_http import serving

TASK = "Add a file to its folder."
LIMIT = 2


def test_a_prompt_without_a_limit_has_that_of_the_settings_on_every_face(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where a face has a default of its own."""
    monkeypatch.setenv("MEMORY_LAYER_MODEL_DIR", str(tmp_path / "no-model"))
    with serving(tmp_path / "served") as url, httpx2.Client(base_url=f"{url}/v1/projects/shop") as http:
        for number in range(2 * LIMIT):
            content = f"Convention {number}: a file of kind {number} lies in folder {number}."
            said = {"content": content, "type": "convention", "on_duplicate": "create"}
            assert http.post("/memories", json=said).status_code == 201
        assert http.patch("/settings", json={"prompt_limit": LIMIT}).status_code == 200

        def over_mcp(**asked: int) -> int:
            async def conversation(client: Client) -> int:
                prompt = await given(client, "get_prompt", task=TASK, project="shop", **asked)
                return len(prompt["memory_ids"])

            return int(talk(f"{url}/mcp", conversation))

        by_command = CliRunner().invoke(app, ["prompt", TASK, "-p", "shop", "--json", "--url", url])
        counts = {
            "HTTP": len(http.post("/prompt", json={"task": TASK}).json()["memory_ids"]),
            "command": len(json.loads(by_command.stdout)["memory_ids"]),
            "MCP": over_mcp(),
        }
        assert counts == dict.fromkeys(counts, LIMIT)
        assert over_mcp(limit=LIMIT + 1) == LIMIT + 1
