"""A memory to which everything has happened: corrected, approved, recalled, judged, and its entity changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx2

URN = "urn:service:billing"
FIRST = "The billing service keeps messages in its queue for four days."
SECOND = "The billing service keeps messages in its queue for seven days, then drops them without a trace."
CORRECTION = (
    "The billing queue keeps messages for fourteen days, and moves what is left to the dead-letter queue."
)
NEIGHBOURS = (
    "Deploy the billing service only after its migrations have run.",
    "The billing service answers 409 when an invoice number is sent twice.",
    "Retries of the billing service wait two seconds, then four, then eight.",
)


@dataclass(frozen=True)
class ToldMemory:
    """Ids of what was stored."""

    project: str
    id: str
    corrected: str
    neighbours: tuple[str, ...]


def tell(client: httpx2.Client, project: str) -> ToldMemory:
    """Stores them in a project of their own."""
    root = f"/v1/projects/{project}"

    def sent(method: str, path: str, body: Any = None, **headers: str) -> Any:
        answer = client.request(method, f"{root}{path}", json=body, headers=headers)
        assert answer.is_success, answer.text
        return answer.json()

    labels = {"category": "environment", "tags": ["queue", "billing"], "entities": [URN]}
    id = sent("POST", "/memories", {"content": FIRST, **labels})["id"]
    neighbours = tuple(
        sent("POST", "/memories", {"content": said, "entities": [URN], "on_duplicate": "create"})["id"]
        for said in NEIGHBOURS
    )
    sent("PATCH", f"/memories/{id}", {"content": SECOND})
    sent("PATCH", f"/memories/{id}/approve")
    recalled = sent("POST", "/recall", {"query": "How long does the billing queue keep messages?"})
    place = [one["id"] for one in recalled["memories"]].index(id) + 1
    sent("POST", "/outcome", {"recall_id": recalled["recall_id"], "refs": [place], "result": "worked"})
    note = "Messages of last week were gone"
    sent("POST", f"/memories/{id}/outcome", {"result": "partial", "run_id": "run-17", "note": note})
    old = "Billing messages are lost when its queue is full."
    corrected = sent("POST", "/memories", {"content": old, "on_duplicate": "create"})["id"]
    reason = "The dead-letter queue was added."
    sent("POST", f"/memories/{corrected}/supersede", {"content": CORRECTION, "reason": reason})
    sent("POST", "/entity-events", {"urn": URN, "event": "activity"})
    return ToldMemory(project, id, corrected, neighbours)
