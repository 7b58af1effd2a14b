"""Receipts of another's recalls over HTTP and MCP: each route and tool answers as if there were no such recall.

Falls without `is_own_receipt`: whoever sees the id of a recall, which records and verdicts name, would be told what it
showed, or have it count as their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import httpx2
import pytest

from tests.contract.edge.test_who_speaks import MEMORIES, PROJECT, Caller, stored
from tests.contract.edge.test_who_speaks import caller as caller
from tests.run_examples import loop

pytestmark = pytest.mark.some_on_engines(3)

SAID: Final = "The queue keeps messages for four days."
QUESTION: Final = "How long does the queue keep messages?"
UNKNOWN: Final = "rcl_0197f0c0d1e270008000000000000001"
OTHERS: Final[dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "principal": ({"sub": "victim"}, {"sub": "mallory"}),
    "persona": ({"sub": "bot", "persona": "clara"}, {"sub": "bot", "persona": "ben"}),
    "end user": (
        {"sub": "desk", "acts_for": True, "user": "clara"},
        {"sub": "desk", "acts_for": True, "user": "ben"},
    ),
    "service": (
        {"sub": "desk", "acts_for": True, "user": "clara"},
        {"sub": "kiosk", "acts_for": True, "user": "clara"},
    ),
    "namesake": ({"sub": "desk", "acts_for": True, "user": "clara"}, {"sub": "clara"}),
    "person": ({"sub": "ana", "email": "ana@acme.test", "email_verified": True}, {"sub": "ana@acme.test"}),
    "user called as a client": (
        {"sub": "ada", "email": "ada@acme.test", "email_verified": True},
        {"sub": "desk", "acts_for": True, "user": "agent:codex:ada@acme.test"},
    ),
    "reviewer of a user": (
        {"sub": "desk", "acts_for": True, "user": "clara"},
        {"sub": "desk", "acts_for": True, "user": "ben", "roles": ["reviewer"]},
    ),
}


@pytest.fixture(params=OTHERS)
def parties(request: pytest.FixtureRequest, caller: Caller) -> tuple[httpx2.Client, httpx2.Client]:
    """Who recalls, and who names that recall."""
    victim, other = OTHERS[request.param]
    return caller(**victim), caller(**other)


@pytest.fixture
def memory(caller: Caller) -> str:
    """Id of a memory that both may see, so that nothing but the receipt is in question."""
    person = caller("rita", email="rita@acme.test", email_verified=True)
    return str(stored(person, SAID)["id"])


def recalls(http: httpx2.Client, memory: str, **asked: Any) -> str:
    answer = http.post(f"{PROJECT}/recall", json={"query": QUESTION, **asked}).json()
    assert [one["id"] for one in answer["memories"]] == [memory]
    return str(answer["recall_id"])


def tool(http: httpx2.Client, name: str, **arguments: Any) -> dict[str, Any]:
    """Result of a tool over MCP."""
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    said = {**call, "params": {"name": name, "arguments": arguments}}
    with httpx2.Client(base_url=http.base_url, headers=http.headers, timeout=60) as plain:
        accepts = {"accept": "application/json, text/event-stream"}
        answer = plain.post("/mcp?project=web", json=said, headers=accepts)
    assert answer.status_code == 200, answer.text
    result: dict[str, Any] = answer.json()["result"]
    return result


def same(told: Callable[[str], Any], recall: str) -> Any:
    """Answer on a recall of another, which is the one on a recall that nobody made but for its name."""
    foreign = told(recall)
    assert repr(foreign).replace(recall, UNKNOWN) == repr(told(UNKNOWN))
    return foreign


def problem_of(answer: httpx2.Response) -> dict[str, Any]:
    """Answer without what differs between two requests."""
    return {name: value for name, value in answer.json().items() if name not in ("instance", "request_id")}


def test_a_page_of_another_is_no_page(parties: tuple[httpx2.Client, httpx2.Client], memory: str) -> None:
    victim, other = parties
    recall = recalls(victim, memory)
    report = {"result": "failed", "refs": [1]}

    def judged(id: str) -> Any:
        answer = other.post(f"{PROJECT}/outcome", json={**report, "recall_id": id})
        return answer.status_code, problem_of(answer)

    status, problem = same(judged, recall)
    assert status == 422
    assert memory not in str(problem)
    told = same(lambda id: tool(other, "report_outcome", recall_id=id, **report), recall)
    assert told["isError"]
    assert memory not in str(told)
    for act in ("forget_memory", "confirm_memory", "undo_change"):
        assert same(lambda id, act=act: tool(other, act, memory_id=f"{id}#1"), recall)["isError"]
    mine = victim.post(f"{PROJECT}/outcome", json={**report, "result": "worked", "recall_id": recall})
    assert [one["id"] for one in mine.json()["results"]] == [memory], mine.text


def test_a_verdict_that_names_anothers_recall_is_noted_as_one_that_names_none(
    parties: tuple[httpx2.Client, httpx2.Client], memory: str
) -> None:
    victim, other = parties
    recall = recalls(victim, memory)

    def note(id: str) -> Any:
        answer = other.post(f"{MEMORIES}/{memory}/outcome", json={"result": "worked", "recall_id": id})
        assert answer.status_code == 200, answer.text
        return answer.json()["note"]

    assert str(same(note, recall)).startswith(f"no recall {recall} is known")

    def text(id: str) -> Any:
        result = tool(other, "report_outcome", memory_id=memory, result="worked", recall_id=id)
        return result["content"][0]["text"].partition("Note:")[2]

    assert f"no recall {recall} is known" in same(text, recall)


def test_a_run_was_not_shown_what_another_recalled(
    parties: tuple[httpx2.Client, httpx2.Client], memory: str
) -> None:
    """By the recall's id, and by a run's name under which another has recalled."""
    victim, other = parties
    recall = recalls(victim, memory, run_id="run-named")
    for number, id in enumerate((recall, UNKNOWN)):
        run = {**loop(f"run-{number}"), "recall_ids": [id]}
        taken = other.post(f"{PROJECT}/runs", json=run)
        assert taken.status_code == 201, taken.text
        assert taken.json()["unknown"] == [id]
    other.post(f"{PROJECT}/runs", json=loop("run-named"))
    reported = tool(other, "report_run", run={**loop("run-mcp"), "recall_ids": [recall]})
    assert reported["structuredContent"]["unknown"] == [recall]
    for id in ("run-0", "run-named", "run-mcp"):
        told = other.get(f"{PROJECT}/runs/{id}").json()
        assert told["recall_ids"] == []
        assert memory not in str(told)


def test_an_admins_run_was_not_shown_what_another_recalled_under_its_name(
    caller: Caller, memory: str
) -> None:
    """Falls if an admin, who sees what all are shown, counts as who asked: anybody could say what the run was shown."""
    admin = caller("root", roles=["admin"])
    recalls(caller("mallory"), memory, run_id="run-root")
    admin.post(f"{PROJECT}/runs", json=loop("run-root"))
    assert admin.get(f"{PROJECT}/runs/run-root").json()["recall_ids"] == []


@pytest.mark.parametrize("parties", sorted(OTHERS.keys() - {"service"}), indirect=True)
def test_a_memory_does_not_come_from_what_another_recalled(
    parties: tuple[httpx2.Client, httpx2.Client], memory: str
) -> None:
    """Falls without `_asked_by_author`. Two services that speak for one user see the same."""
    victim, other = parties
    recall = recalls(victim, memory)
    urn = "urn:service:queue-notes"
    stored(other, "Our notes on queues are kept in the wiki.", source_recall_id=recall, entities=[urn])
    graph = other.get(f"{PROJECT}/graph", params={"entity": urn, "hops": 3})
    assert graph.status_code == 200, graph.text
    assert memory not in graph.text


@pytest.mark.parametrize("personas", [[], ["ops"], ["ops", "night"]])
def test_what_an_agent_was_shown_its_person_judges_and_the_other_way_round(
    caller: Caller, memory: str, personas: list[str]
) -> None:
    """Falls if a receipt is the client's alone: over MCP a token's name has the client's before it."""
    person = caller("ada", email="ada@acme.test", email_verified=True, personas=personas)
    found = tool(person, "search_memory", query=QUESTION)["structuredContent"]
    report = {"result": "worked", "refs": [1], "recall_id": found["recall_id"]}
    judged = person.post(f"{PROJECT}/outcome", json=report)
    assert [one["id"] for one in judged.json()["results"]] == [memory], judged.text
    recall = recalls(person, memory)
    run = {**loop("run-ada"), "recall_ids": [recall, found["recall_id"]]}
    reported = tool(person, "report_run", run=run)["structuredContent"]
    assert reported["unknown"] is None


@pytest.mark.usefixtures("memory")
def test_feedback_finds_no_context_of_another(parties: tuple[httpx2.Client, httpx2.Client]) -> None:
    """Falls if a context's receipt is found by the request's id alone."""
    victim, other = parties
    page = victim.post(f"{PROJECT}/context", json={"intent": QUESTION}).json()

    def told(id: str) -> Any:
        answer = other.post(f"{PROJECT}/context/{id}/feedback", json={"useful": [1]})
        return answer.status_code, problem_of(answer)["detail"].replace(id, "ID")

    assert told(page["request_id"]) == told("req-nobody")
    assert told(page["request_id"])[0] == 404


def test_recalls_that_showed_a_memory_are_told_to_no_end_user_but_whose_they_are(
    parties: tuple[httpx2.Client, httpx2.Client], memory: str
) -> None:
    victim, other = parties
    recall = recalls(victim, memory)
    told = other.get(f"{MEMORIES}/{memory}/recalls")
    assert told.status_code in (200, 403)
    assert recall not in told.text
