"""A project in which agents work: runs with what they taught, tasks, entities, memories that end, and a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx2

from tests.run_examples import loop

URN = "urn:service:checkout"
TASK_URN = "urn:task:beads:shop-12"
RUN = "run-2026-17"
SAID = "The checkout service waits two seconds for the price cache, then answers with yesterday's prices."
NEAR = tuple(f"Step {number} of the checkout writes its own line to the order's log." for number in range(12))
TASK = "Task shop-12 (in progress, priority 1): Mend the retry of the price cache\nIt gives up after one attempt."
LINKED = "The price cache closes idle connections after ten seconds: retry once on a closed one."


@dataclass(frozen=True)
class ToldWork:
    """Ids of what was stored."""

    project: str
    used: str
    task: str
    linked: str


WRONG = ("Shelf nine of the ledger room is empty.", "The courier of the morning takes no glass.")
"""What an agent said and a person rejected."""


def tell(client: httpx2.Client, project: str) -> ToldWork:
    """Stores it in a project of its own."""
    root = f"/v1/projects/{project}"

    def sent(method: str, path: str, body: Any = None) -> Any:
        answer = client.request(method, f"{root}{path}", json=body)
        assert answer.is_success, answer.text
        return answer.json()

    used = sent("POST", "/memories", {"content": SAID, "entities": [URN], "category": "architecture"})["id"]
    for said in NEAR:
        sent("POST", "/memories", {"content": said, "entities": [URN], "on_duplicate": "create"})
    ends = {"content": "The spring sale ends with the month.", "expires_at": "2031-05-01T00:00:00Z"}
    sent("POST", "/memories", ends)
    task = "task.beads.shop-12"
    labels = {"category": "todo", "entities": [TASK_URN], "tags": ["task", "beads", "cache"]}
    sent("PUT", f"/memories/{task}", {"content": TASK, **labels})
    linked = sent("POST", "/memories", {"content": LINKED, "entities": [TASK_URN], "on_duplicate": "create"})
    sent("PATCH", f"/memories/{used}", {"content": f"{SAID} The page says so."})
    sent("PATCH", f"/memories/{used}/approve")
    sent("POST", "/runs", {**loop(RUN, "Fix the retry of the price cache"), "memoriesUsed": [used]})
    sent("GET", f"/runs/{quote(RUN)}")
    assert client.post(f"{root}/memories", json={"content": LINKED}).status_code == 409
    for said in WRONG:
        wrong = sent("POST", "/memories", {"content": said, "source": "run"})["id"]
        sent("PATCH", f"/memories/{wrong}/reject", {})
    return ToldWork(project, used, task, linked["id"])
