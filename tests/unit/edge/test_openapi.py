"""The committed openapi.json is what the routes say, and every route in it is served by a function."""

from __future__ import annotations

import json
import re
from typing import Any

from memory_layer.edge.app import api_document, document_text
from memory_layer.edge.shapes.run_schema import run_schema
from tests.given import REPOSITORY


def test_the_committed_document_is_current() -> None:
    committed = (REPOSITORY / "docs" / "openapi.json").read_text("utf-8")
    assert committed == document_text(), "the routes changed: run make openapi"


def test_a_run_is_described_where_it_is_posted() -> None:
    """Falls where a part of the run's schema is not among the components."""
    document = api_document()
    body = document["paths"]["/v1/projects/{project}/runs"]["post"]["requestBody"]
    schemas = document["components"]["schemas"]
    assert {
        one["$ref"].rpartition("/")[2] for one in body["content"]["application/json"]["schema"]["oneOf"]
    } == {*("Run", "EventBridgeEvent", "CloudEvent")}
    referred = set(re.findall(r'"#/components/schemas/([^"]+)"', document_text()))
    assert referred <= set(schemas)
    assert set(schemas["Run"]["properties"]) == set(run_schema()["$defs"]["Run"]["properties"])


def _asked(part: Any, schemas: dict[str, Any], seen: set[str]) -> set[str]:
    """Names of all schemas that a part of the document leads to."""
    for name in set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(part))) - seen:
        seen.add(name)
        _asked(schemas[name], schemas, seen)
    return seen


def test_whatever_a_request_may_say_is_described() -> None:
    """A field or parameter that is new needs a sentence where it is declared."""
    document = api_document()
    schemas = document["components"]["schemas"]
    operations = [operation for path in document["paths"].values() for operation in path.values()]
    bodies = [operation.get("requestBody") for operation in operations]
    fields = {
        f"{name}.{field}": said
        for name in _asked(bodies, schemas, set()) | {"BatchLine", "Turn"}
        for field, said in schemas[name].get("properties", {}).items()
    }
    parameters = {p["name"]: p for operation in operations for p in operation.get("parameters", ())}
    assert [name for name, said in {**fields, **parameters}.items() if not said.get("description")] == []


def test_schemas_are_named_after_themselves() -> None:
    """Two models of one name would carry the path of their module."""
    assert [name for name in api_document()["components"]["schemas"] if "__" in name] == []


def test_every_operation_has_a_function_an_id_and_a_problem() -> None:
    operations = [operation for path in api_document()["paths"].values() for operation in path.values()]
    ids = [operation["operationId"] for operation in operations]
    assert len(ids) == len(set(ids))
    assert all(operation["x-function"] for operation in operations)
    assert all(
        "application/problem+json" in operation["responses"]["default"]["content"] for operation in operations
    )
