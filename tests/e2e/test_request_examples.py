"""What openapi.json shows of a request is taken by a server: no example breaks a rule that no schema tells."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from memory_layer.edge.app import api_document

UNREADABLE = (400, 405, 413, 415, 422)
QUERIES = {
    "explore_graph": {"entity": "urn:service:billing"},
    "import_project": {"format": "ralph"},
    "list_entity_events": {"urn": "urn:service:billing"},
}
"""Parameters without which there is no such request."""

OPERATIONS = [
    (method, path, operation)
    for path, operations in api_document()["paths"].items()
    for method, operation in operations.items()
]


@pytest.mark.parametrize(
    ("method", "path", "operation"), OPERATIONS, ids=[one["operationId"] for *_, one in OPERATIONS]
)
def test_a_request_that_is_shown_is_understood(
    http: httpx2.Client, method: str, path: str, operation: dict[str, Any]
) -> None:
    for parameter in operation["parameters"]:
        path = path.replace(f"{{{parameter['name']}}}", str(parameter.get("example")))
    media = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    query = QUERIES.get(operation["operationId"])
    answer = http.request(method, path, params=query, json=media.get("example"))
    if answer.status_code in UNREADABLE:
        assert [one["pointer"] for one in answer.json()["errors"]] == ["/recall_id"], answer.text
