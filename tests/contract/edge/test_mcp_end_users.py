"""End users behind one hosted agent: `Memory-User` with one token over MCP, by the official client and by hand."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from mcp import Client

from tests.e2e.mcp_clients import REVISIONS, given, refused, talk
from tests.e2e.test_mcp_http import JSON, Minted
from tests.e2e.test_mcp_http import backend as backend
from tests.e2e.test_mcp_http import bearer as bearer
from tests.e2e.test_mcp_http import guarded as guarded

CLARA, BEN = "clara@example.com", "ben"
SECRET = "marzipan"
SAID = f"Clara keeps the {SECRET} recipe of the shop in the third drawer."
QUESTION = "Where is the recipe of the shop kept?"
ENTITY = "urn:service:recipe"
SHARED = "The oven of the shop needs ten minutes to heat up."

Talking = Callable[..., Any]


@pytest.fixture(params=REVISIONS)
def as_user(guarded: str, bearer: Minted, request: pytest.FixtureRequest) -> Talking:
    """Has a conversation of the hosted agent in the name of a user; None: in its own."""
    token = bearer(principal="desk", acts_for=True)

    def have(user: str | None, conversation: Callable[[Client], Any]) -> Any:
        named = {} if user is None else {"memory_user": user}
        return talk(guarded, conversation, request.param, name="desk-agent", authorization=token, **named)

    return have


async def _adds(client: Client) -> dict[str, Any]:
    """Stores Clara's line, and shows it to her on a page and in a context."""
    memory = (await given(client, "add_memory", content=SAID, entities=[ENTITY]))["memory"]
    found = await given(client, "search_memory", query=QUESTION, strategy="lexical")
    assert [one["id"] for one in found["memories"]] == [memory["id"]]
    context = await given(client, "assemble_context", intent=QUESTION, time_ms=20_000, session_id="talk")
    assert SECRET in json.dumps(context)
    return {**memory, "recall_id": found["recall_id"]}


READINGS: dict[str, dict[str, Any]] = {
    "search_memory": {"query": QUESTION, "strategy": "lexical"},
    "list_memories": {"limit": 100},
    "get_prompt": {"task": QUESTION},
    "assemble_context": {"intent": QUESTION, "time_ms": 20_000, "session_id": "talk"},
    "explore_entity": {"entity": ENTITY},
    "enrich": {"payload": {"title": QUESTION, "entity": ENTITY}},
}


@pytest.mark.parametrize("other", [BEN, None])
def test_no_tool_shows_one_users_words_to_another(as_user: Talking, other: str | None) -> None:
    """Falls without the persona in `acting_for`: then what one user said is everybody's."""
    made = as_user(CLARA, _adds)
    assert (made["created_by"], made["source"]) == (CLARA, "run")

    async def reads(client: Client) -> None:
        for tool, asked in READINGS.items():
            result = await client.call_tool(tool, asked)
            shown = json.dumps([block.model_dump() for block in result.content])
            assert SECRET not in shown + json.dumps(result.structured_content), tool
            assert made["id"] not in shown, tool
        found = await given(client, "search_memory", query=QUESTION, strategy="lexical")
        assert found["memories"] == []

    as_user(other, reads)


def test_no_tool_changes_one_users_words_for_another(as_user: Talking) -> None:
    """Falls without the persona in `acting_for`. By id, and by a number on a page that the other was shown."""
    made = as_user(CLARA, _adds)

    async def meddles(client: Client) -> None:
        page = made["recall_id"]
        for id in (made["id"], f"{page}#1"):
            told = [
                await refused(client, "update_memory", memory_id=id, content="It is in the cellar."),
                await refused(client, "supersede_memory", memory_id=id, content="It is in the cellar."),
                await refused(client, "forget_memory", memory_id=id),
                await refused(client, "confirm_memory", memory_id=id),
                await refused(client, "undo_change", memory_id=id),
                await refused(client, "report_outcome", memory_id=id, result="failed"),
            ]
            assert not any(SECRET in words for words in told)
        told = await refused(client, "report_outcome", recall_id=page, refs=[1], result="failed")
        assert f"no recall {page}" in told

    async def reads(client: Client) -> dict[str, Any]:
        (only,) = (await given(client, "list_memories"))["memories"]
        return dict(only)

    before = as_user(CLARA, reads)
    as_user(BEN, meddles)
    assert as_user(CLARA, reads) == before
    assert before["content"] == SAID


def test_users_of_one_token_are_one_voice(as_user: Talking, guarded: str, bearer: Minted) -> None:
    """Falls without the token's name in a verdict: whoever may name users could outvote everybody."""

    async def adds(client: Client) -> dict[str, Any]:
        return dict((await given(client, "add_memory", content=SHARED))["memory"])

    shared = talk(guarded, adds, authorization=bearer(principal="agent-7"))

    async def fails(client: Client) -> dict[str, Any]:
        await given(client, "report_outcome", memory_id=shared["id"], result="failed")
        (only,) = (await given(client, "list_memories"))["memories"]
        return dict(only)

    scores = [as_user(f"user-{number}", fails)["outcome_score"] for number in range(3)]
    assert scores == [-0.3] * 3


def test_a_users_name_is_no_right_to_what_a_person_of_that_name_said(
    as_user: Talking, guarded: str, bearer: Minted
) -> None:
    """Falls without the two rules of `is_author`: the service would change whatever a person has written."""
    http = {"authorization": bearer(principal=CLARA), "content-type": "application/json"}
    memories = guarded.replace("/mcp?project=shop", "/v1/projects/shop/memories")
    hers = httpx2.post(memories, json={"content": SHARED}, headers=http).json()
    assert (hers["created_by"], hers["source"]) == (CLARA, "human")

    async def meddles(client: Client) -> list[str]:
        assert len((await given(client, "list_memories"))["memories"]) == 1
        return [
            await refused(client, "forget_memory", memory_id=hers["id"]),
            await refused(client, "add_memory", content="The oven is off.", source="human"),
        ]

    forgotten, claimed = as_user(CLARA, meddles)
    assert f"was created by {CLARA}; its creator or a reviewer may change it" in forgotten
    assert "source: must be 'run' or 'learning'" in claimed
    assert httpx2.get(f"{memories}/{hers['id']}", headers=http).json()["content"] == SHARED


@pytest.mark.parametrize(
    ("claims", "users", "status"),
    [
        ({}, [CLARA], 403),
        ({"roles": ["reviewer"]}, [CLARA], 403),
        ({"acts_for": False, "persona": BEN}, [CLARA], 403),
        ({"acts_for": True}, ["clara ben"], 422),
        ({"acts_for": True}, [""], 422),
        ({"acts_for": True}, [CLARA, BEN], 422),
        ({"acts_for": True}, ["../clara"], 422),
    ],
)
def test_a_forged_header_is_refused_before_any_tool(
    guarded: str, bearer: Minted, claims: dict[str, Any], users: list[str], status: int
) -> None:
    """Falls without `speaking_for` at the route of MCP."""
    headers = [("authorization", bearer(principal="desk", **claims)), *JSON.items()]
    headers += [("memory-user", user) for user in users]
    answer = httpx2.post(guarded, json=_call("list_memories"), headers=headers)
    assert answer.status_code == status, answer.text
    assert "memories" not in answer.json()


def _call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


def test_a_session_id_of_one_user_opens_nothing_to_another(guarded: str, bearer: Minted) -> None:
    """Falls where a session, or what a message says of itself, decides for whom it speaks, instead of the header."""
    token = bearer(principal="desk", acts_for=True)

    def sent(user: str, message: dict[str, Any], **more: str) -> httpx2.Response:
        said = {**JSON, "authorization": token, "memory-user": user, **more}
        return httpx2.post(guarded, json=message, headers=said)

    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "desk", "version": "1"},
    }
    begun = sent(CLARA, {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello})
    session = {"mcp-session-id": begun.headers["mcp-session-id"], "mcp-protocol-version": "2025-11-25"}
    assert SAID in sent(CLARA, _call("add_memory", content=SAID), **session).text
    as_clara = _call("list_memories") | {"user": CLARA}
    as_clara["params"] |= {"_meta": {"memory-user": CLARA, "Memory-User": CLARA}}
    answer = sent(BEN, as_clara, **session)
    assert answer.json()["result"]["structuredContent"]["memories"] == []
    assert SECRET not in answer.text
    assert SECRET in sent(CLARA, _call("list_memories"), **session).text
