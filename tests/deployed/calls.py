"""What tests ask of the API, and of the table past it."""

from __future__ import annotations

from typing import Any, Final

import httpx2

from memory_layer.adapters.aws.table import keys
from memory_layer.domain.memory import Scope
from tests.deployed.deployment import Deployed
from tests.deployed.patience import eventually

CONTENT: Final = "Connections of the pool are closed after ninety idle seconds."
QUERY: Final = "when does the pool close idle connections?"


def memories(project: str) -> str:
    return f"/v1/projects/{project}/memories"


def created(http: httpx2.Client, project: str, content: str = CONTENT, **more: Any) -> dict[str, Any]:
    answer = http.post(memories(project), json={"content": content, **more})
    assert answer.status_code == 201, answer.text
    stored: dict[str, Any] = answer.json()
    return stored


def recalled(http: httpx2.Client, project: str, query: str = QUERY) -> dict[str, Any]:
    answer = http.post(f"/v1/projects/{project}/recall", json={"query": query})
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


def ids_of(told: dict[str, Any]) -> list[str]:
    return [memory["id"] for memory in told["memories"]]


def logged(deployed: Deployed, tenant: str, project: str) -> list[str]:
    """Sort keys of the log entries of a project: of the changes that the index lacks."""
    answer = deployed.server.client("dynamodb").query(
        TableName=deployed.outputs["RecordsTableName"],
        KeyConditionExpression="pk = :log",
        ExpressionAttributeValues={":log": {"S": keys.log_partition(Scope(tenant, project))}},
        ConsistentRead=True,
    )
    return [item["sk"]["S"] for item in answer["Items"]]


def settled(deployed: Deployed, tenant: str, project: str) -> None:
    """The index has all of the project."""
    assert eventually(lambda: not logged(deployed, tenant, project))
