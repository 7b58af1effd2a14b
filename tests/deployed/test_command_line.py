"""`mem --url` and a client of MCP through the deployed template: the faces of the laptop, over the cloud."""

from __future__ import annotations

import json
import socket
import urllib.parse
from pathlib import Path
from typing import Any, Final

import pytest
from mcp import Client
from typer.testing import CliRunner, Result

from memory_layer.cli.app import app
from memory_layer.mcp.tools import TOOLS
from tests.deployed.conftest import ADMIN_CLIENT, AGENT_CLIENT
from tests.deployed.deployment import Deployed
from tests.deployed.patience import eventually
from tests.e2e.mcp_clients import REVISIONS, given, talk

pytestmark = pytest.mark.engines

RULE: Final = "Connections of the pool are closed after ninety idle seconds."


@pytest.fixture
def host(deployed: Deployed) -> str:
    """Name by which the API is asked."""
    name = urllib.parse.urlsplit(deployed.outputs["ApiUrl"]).netloc.split(".")[0]
    return f"{name}.execute-api.localhost"


@pytest.fixture
def address(deployed: Deployed, host: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Address of the API, whose name no server of names knows on this machine."""
    known = socket.getaddrinfo

    def resolved(name: Any, *rest: Any, **more: Any) -> Any:
        return known("127.0.0.1" if name == host else name, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    return f"http://{host}:{urllib.parse.urlsplit(deployed.server.endpoint).port}"


class Mem:
    """Commands over the deployment, as one OAuth client."""

    def __init__(self, address: str, token: str, project: str) -> None:
        self._place = ("--url", address, "--token", token)
        self._project = ("-p", project)

    def said(self, *words: str) -> Result:
        project = () if words[0] == "projects" else self._project
        return CliRunner().invoke(app, [*words, *self._place, *project, "--json"])

    def answer(self, *words: str) -> Any:
        done = self.said(*words)
        assert done.exit_code == 0, (words, done.output, done.exception)
        return json.loads(done.stdout or "null")


@pytest.fixture
def mem(address: str, deployed: Deployed, admin: Any, project: str) -> Mem:
    del admin  # it introduces the clients
    return Mem(address, deployed.token_of(ADMIN_CLIENT), project)


def test_a_memory_lives_in_the_cloud_by_commands(
    mem: Mem, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    stored = mem.answer("add", RULE, "--tag", "pool")
    assert (stored["version"], stored["receipt"]["durable"]) == (1, True)
    found = mem.answer("search", "when does the pool close idle connections?")
    assert [hit["id"] for hit in found["memories"]] == [stored["id"]]
    assert (
        mem.answer("outcome", "1", "worked", "--recall", found["recall_id"])["results"][0]["id"]
        == stored["id"]
    )
    assert mem.answer("edit", stored["id"], "--tag", "time-out")["tags"] == ["time-out"]
    assert [one["id"] for one in mem.answer("list")["memories"]] == [stored["id"]]
    assert RULE in mem.answer("context", "close idle connections", "--budget-ms", "20000")["rendered"]
    assert mem.answer("settings", "patch", '{"prompt_limit": 20}')["prompt_limit"] == 20
    refused = mem.said("add", RULE)
    assert (refused.exit_code, json.loads(refused.stderr)["duplicate_of"]["id"]) == (1, stored["id"])
    assert mem.answer("export", "all.ndjson")["records"] == 1
    assert mem.answer("forget", stored["id"], "--hard") is None
    assert mem.answer("import", "all.ndjson")["erased"] == 1


def test_long_work_is_waited_for_in_the_cloud(mem: Mem) -> None:
    stored = mem.answer("add", RULE)
    assert mem.answer("snapshot")["records"] == 1
    assert mem.answer("verify")["is_valid"]
    assert eventually(lambda: mem.answer("stats")["total"] == 1)
    gone = mem.answer("erase", "--everything", "--yes")
    assert sum(gone["stores"].values()) > 0
    assert mem.said("get", stored["id"]).exit_code == 1


def test_a_token_that_is_refused_is_told_in_one_sentence(address: str, project: str) -> None:
    done = Mem(address, "no.good.token", project).said("list")
    assert (done.exit_code, len(done.stderr.splitlines())) == (1, 1)
    assert "token" in json.loads(done.stderr)["detail"]


@pytest.mark.parametrize("mode", REVISIONS)
def test_a_client_of_mcp_has_its_tools_in_the_cloud(
    deployed: Deployed, host: str, agent: Any, project: str, mode: str
) -> None:
    del agent  # it introduces the client
    url = f"{deployed.server.endpoint}/mcp?project={project}"
    sent = {"host": host, "authorization": f"Bearer {deployed.token_of(AGENT_CLIENT)}"}

    async def conversation(client: Client) -> None:
        names = {tool.name for tool in (await client.list_tools()).tools}
        assert names == {tool.name for tool in TOOLS} - {"list_reviews", "decide_review"}
        stored = await given(client, "add_memory", content=RULE)
        found = await given(client, "search_memory", query="when does the pool close idle connections?")
        assert [hit["id"] for hit in found["memories"]] == [stored["memory"]["id"]]

    talk(url, conversation, mode, **sent)
