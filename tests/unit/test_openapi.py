"""The committed openapi.json is what the routes say, and every route in it is served by a function."""

from __future__ import annotations

from pathlib import Path

from memory_layer.edge.openapi import api_document, document_text

ROOT = Path(__file__).resolve().parents[2]


def test_the_committed_document_is_current() -> None:
    committed = (ROOT / "docs" / "openapi.json").read_text("utf-8")
    assert committed == document_text(), "the routes changed: run make openapi"


def test_every_operation_has_a_function_an_id_and_a_problem() -> None:
    operations = [operation for path in api_document()["paths"].values() for operation in path.values()]
    ids = [operation["operationId"] for operation in operations]
    assert len(ids) == len(set(ids))
    assert all(operation["x-function"] for operation in operations)
    assert all(
        "application/problem+json" in operation["responses"]["default"]["content"] for operation in operations
    )
