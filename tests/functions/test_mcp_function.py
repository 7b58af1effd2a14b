"""Function `mcp` behind API Gateway: exchanges in both revisions, over events as an HTTP API makes them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.edge.api_gateway import HttpApi
from memory_layer.manifest import env
from memory_layer.manifest.functions import FUNCTIONS
from memory_layer.mcp.router import mcp_router
from memory_layer.settings import read_sign_in
from tests.functions.conftest import Shelf
from tests.functions.http_api import ADMIN, AGENT, HttpApiTransport
from tests.fuzzing import examples
from tests.given import NoEmbedder

MODERN = "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "1"},
}
HOST = "r3pmxmplak.execute-api.eu-west-1.amazonaws.com"
ENVIRONMENT = {
    env.ISSUER: "https://issuer.example/pool",
    env.SCOPES: "memory-layer/use",
    env.ORIGINS: "https://app.example.org",
}
FACT = "The queue worker acknowledges a message before it commits."

Ask = Callable[..., httpx2.Response]


def mcp_function(backend: EmbeddedBackend) -> HttpApi:
    router = mcp_router(lambda: read_sign_in(ENVIRONMENT))
    return HttpApi("mcp", lambda: Shelf(backend.ports), routers=(router,))


def asker(function: HttpApi) -> Ask:
    def ask(
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        claims: Mapping[str, str] | None = AGENT,
        is_modern: bool = True,
        **headers: str,
    ) -> httpx2.Response:
        said = {**(params or {}), **({"_meta": META} if is_modern else {})}
        sent = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        sent["mcp-protocol-version"] = MODERN if is_modern else "2025-11-25"
        if is_modern:
            sent |= {"mcp-method": method} | ({"mcp-name": said["name"]} if "name" in said else {})
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": said}
        transport = HttpApiTransport(function, claims)
        with httpx2.Client(base_url=f"https://{HOST}", transport=transport) as client:
            return client.post("/mcp?project=shop", content=json.dumps(body), headers=sent)

    return ask


@pytest.fixture
def ask(backend: EmbeddedBackend) -> Ask:
    return asker(mcp_function(backend))


def call(ask: Ask, tool: str, /, **said: Any) -> dict[str, Any]:
    claims = said.pop("claims", AGENT)
    found: dict[str, Any] = ask("tools/call", {"name": tool, "arguments": said}, claims=claims).json()[
        "result"
    ]
    return found


def names(answer: httpx2.Response) -> set[str]:
    return {tool["name"] for tool in answer.json()["result"]["tools"]}


def test_a_message_of_each_revision_is_answered(ask: Ask) -> None:
    found = ask("server/discover").json()["result"]
    assert (found["supportedVersions"], found["resultType"], found["cacheScope"]) == (
        [MODERN],
        "complete",
        "private",
    )
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "Codex", "version": "1"},
    }
    introduced = ask("initialize", hello, is_modern=False)
    assert introduced.json()["result"]["protocolVersion"] == "2025-11-25"
    assert introduced.headers["mcp-session-id"].endswith(".codex")
    assert names(ask("tools/list")) == names(ask("tools/list", is_modern=False))


def test_a_memory_is_stored_found_and_judged(ask: Ask) -> None:
    stored = call(ask, "add_memory", content=FACT)["structuredContent"]["memory"]
    assert stored["created_by"] == AGENT["sub"]
    found = call(ask, "search_memory", query="queue worker")["structuredContent"]
    judged = call(ask, "report_outcome", recall_id=found["recall_id"], refs=[1], result="worked")
    assert judged["structuredContent"]["results"][0]["id"] == stored["id"]


def test_reviews_are_for_reviewers(ask: Ask) -> None:
    assert "list_reviews" not in names(ask("tools/list"))
    assert "list_reviews" in names(ask("tools/list", claims=ADMIN))
    refused = ask("tools/call", {"name": "list_reviews", "arguments": {}})
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, -32602)


def test_an_authorizers_text_names_the_tools_of_a_persona(ask: Ask) -> None:
    told = ask("tools/list", claims={**AGENT, "tools": "[search_memory list_*]"})
    assert names(told) == {"search_memory", "list_memories"}
    misshapen = ask("tools/list", claims={**AGENT, "tools": "[]"})
    assert misshapen.status_code == 401


def test_metadata_names_the_issuer(ask: Ask, backend: EmbeddedBackend) -> None:
    transport = HttpApiTransport(mcp_function(backend), None)
    with httpx2.Client(base_url=f"https://{HOST}", transport=transport) as client:
        for place in ("", "/mcp"):
            assert client.get(f"/.well-known/oauth-protected-resource{place}").json() == {
                "resource": f"https://{HOST}/mcp",
                "authorization_servers": ["https://issuer.example/pool"],
                "scopes_supported": ["memory-layer/use"],
                "bearer_methods_supported": ["header"],
                "resource_name": "Memory Layer",
                "resource_documentation": f"https://{HOST}/docs",
            }
    nobody = ask("tools/list", claims={**AGENT, "tenant": ""})
    assert nobody.status_code == 401
    assert f"https://{HOST}/.well-known/oauth-protected-resource/mcp" in nobody.headers["www-authenticate"]


@pytest.mark.parametrize(
    ("origin", "status"),
    [("https://evil.example", 403), ("https://app.example.org", 200), (f"https://{HOST}", 200)],
)
def test_pages_of_named_origins_alone_may_call(ask: Ask, origin: str, status: int) -> None:
    assert ask("tools/list", origin=origin).status_code == status


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"mcp_method": "tools/call"}, -32020),
        ({"mcp_protocol_version": "2027-01-01"}, -32020),
        ({"mcp_protocol_version": "2025-11-25"}, None),
    ],
)
def test_headers_repeat_what_the_message_says(ask: Ask, changed: dict[str, str], code: int | None) -> None:
    answer = ask("tools/list", **changed)
    assert (answer.status_code, answer.json().get("error", {}).get("code")) == (400 if code else 200, code)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("{", -32700),
        ("[]", -32600),
        ("[" * 100_000, -32700),
        ('{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}', -32602),
        ('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["x"]}}', -32602),
        ('{"jsonrpc":"2.0","id":1,"method":"nothing"}', -32601),
        ('{"jsonrpc":"2.0","id":1,"method":"server/discover"}', -32601),
    ],
)
def test_what_is_no_message_is_an_error_of_the_protocol(
    backend: EmbeddedBackend, body: str, code: int
) -> None:
    transport = HttpApiTransport(mcp_function(backend), AGENT)
    with httpx2.Client(base_url=f"https://{HOST}", transport=transport) as client:
        answer = client.post("/mcp", content=body, headers={"content-type": "application/json"})
        assert answer.json()["error"]["code"] == code
        assert (
            client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code
            == 202
        )
        assert client.get("/mcp").status_code == 405


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
METHODS = st.sampled_from(["initialize", "ping", "tools/list", "tools/call", "server/discover", "x"])


@pytest.fixture(scope="module")
def fuzzed() -> Iterator[HttpApi]:
    backend = open_embedded(None, embedder=NoEmbedder())
    yield mcp_function(backend)
    backend.close()


@settings(max_examples=examples(60), deadline=None)
@given(method=METHODS | st.text(max_size=6), params=JSON, meta=JSON, is_modern=st.booleans())
def test_whatever_is_sent_is_answered_by_the_protocol(
    fuzzed: HttpApi, method: str, params: Any, meta: Any, is_modern: bool
) -> None:
    """Fuzzed: no message makes an error of ours."""
    said = {**params, "_meta": meta} if isinstance(params, dict) else params
    headers = {"content-type": "application/json", **({"mcp-protocol-version": MODERN} if is_modern else {})}
    with httpx2.Client(base_url=f"https://{HOST}", transport=HttpApiTransport(fuzzed, AGENT)) as client:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": said}
        answer = client.post("/mcp", content=json.dumps(body), headers=headers)
    assert answer.status_code < 500, answer.text
    assert answer.json()["jsonrpc"] == "2.0"


def test_the_manifest_has_its_routes() -> None:
    (function,) = (one for one in FUNCTIONS if one.name == "mcp")
    assert function.faces == ("mcp",)
    assert "POST /mcp" in function.routes
