"""An entity that is erased is in no item of the table and in no blob, also where staged words alone named it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memory_layer.adapters.aws.services import boto_clients
from memory_layer.adapters.aws.table.packing import unpacked
from memory_layer.domain.access import Principal
from memory_layer.domain.integrity.erasure_rules import ErasureRule
from memory_layer.ports.process import Embedder
from memory_layer.usecases.learn.learn_from_run import learn_from_run
from memory_layer.usecases.transfer.erase import erase
from tests.aws.deployment import deployed_small
from tests.run_examples import run_of

pytestmark = pytest.mark.engines

MARKER = "janedoe7731"
SILENT = {"status": "completed", "analysis": {"progressMade": True}}


def holds_marker(client: Any, table: str, folder: Path) -> list[str]:
    """Sort keys of the items, and names of the blobs, that have the marker in them, as it lies or packed."""
    items = client.scan(TableName=table, ConsistentRead=True)["Items"]
    named = [item["sk"]["S"] for item in items if any(MARKER in _unpacked(value) for value in item.values())]
    files = [path for path in folder.rglob("*") if path.is_file() and MARKER.encode() in path.read_bytes()]
    return named + [path.name for path in files]


def _unpacked(value: dict[str, Any]) -> str:
    return unpacked(value) if "B" in value else repr(value)


def test_no_item_and_no_blob_names_an_erased_entity(
    dynamodb_endpoint: str, tmp_path: Path, embedder: Embedder, admin: Principal, agent: Principal
) -> None:
    """Falls without `staged_naming`: the staged item keeps its words until somebody decides on it."""
    words = f"The batch job of urn:x:{MARKER} never runs on Fridays"
    told = [{**SILENT, "learnings": [words]}, SILENT, SILENT, SILENT]
    run = run_of("one", iterations=[{"number": number, **one} for number, one in enumerate(told, 1)])
    with deployed_small(dynamodb_endpoint, tmp_path, embedder) as deployment:
        client, table = boto_clients.dynamodb(None, dynamodb_endpoint), deployment.settings.records_table
        ports = deployment.open().ports
        learn_from_run(ports, agent, "web", run, mode="staged")
        assert holds_marker(client, table, tmp_path)
        rule, at = ErasureRule(entity=f"urn:x:{MARKER}"), ports.clock.now()
        assert erase(ports, admin, "web", rule, id="ers_1", began_at=at).stores["staged"] == 1
        assert holds_marker(client, table, tmp_path) == []
