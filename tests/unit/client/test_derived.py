"""The client's routes, models and operations are those of docs/openapi.json."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from memory_layer.client import AsyncMemory, Memory
from memory_layer.client.operations import Operations
from memory_layer.wire.routes import ROUTES
from tests.given import REPOSITORY
from tools.derive_client import derived

DOCUMENT: dict[str, Any] = json.loads((REPOSITORY / "docs" / "openapi.json").read_text("utf-8"))
DERIVED = derived(DOCUMENT)


@pytest.mark.parametrize("path", DERIVED, ids=lambda path: path.name)
def test_the_committed_module_is_current(path: Path) -> None:
    assert (REPOSITORY / path).read_text("utf-8") == DERIVED[path], "openapi.json changed: run make client"


def test_each_operation_of_the_document_is_a_method_of_both_clients() -> None:
    ids = {one["operationId"] for path in DOCUMENT["paths"].values() for one in path.values()}
    assert ids == ROUTES.keys()
    assert {name for name in vars(Operations) if not name.startswith("_")} == ids
    assert not {name for client in (Memory, AsyncMemory) for name in ids & vars(client).keys()}


def test_a_method_names_each_argument_of_its_operation() -> None:
    declared = inspect.signature(Operations.create_memory._declaration).parameters
    body = DOCUMENT["components"]["schemas"]["NewMemory"]["properties"]
    assert declared.keys() - {"self", "idempotency_key"} == body.keys()
    assert Operations.create_memory.__doc__
