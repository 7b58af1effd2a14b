"""Where the engines are: told by the environment, or found running on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from memory_layer.adapters.aws.store.record_store import DynamoRecordStore
from tests.aws.dynamodb_table import fresh_table, open_store
from tests.engines import lifecycle
from tests.engines.dynamodb import DYNAMODB
from tests.engines.engine import Engine
from tests.engines.opensearch import OPENSEARCH_NODE


@pytest.fixture(scope="session")
def dynamodb_endpoint() -> str:
    """Base URL of DynamoDB Local. Shared by all: a test makes its own tables."""
    return endpoint_of(DYNAMODB)


@pytest.fixture(scope="session")
def opensearch_endpoint() -> str:
    """Base URL of an OpenSearch node with k-NN. Shared by all: a test makes its own indices."""
    return endpoint_of(OPENSEARCH_NODE)


@pytest.fixture(scope="module")
def table(dynamodb_endpoint: str) -> Iterator[tuple[Any, str]]:
    """A client, and the name of a new table."""
    with fresh_table(dynamodb_endpoint) as made:
        yield made


@pytest.fixture(scope="module")
def store(table: tuple[Any, str]) -> Iterator[DynamoRecordStore]:
    with open_store(*table) as opened:
        yield opened


def endpoint_of(engine: Engine) -> str:
    """An engine that the environment names has to answer; without a name its tests need not run."""
    if named := os.environ.get(engine.variable):
        if not engine.answers(named):
            pytest.fail(
                f"{engine.variable} says {named}, but no {engine.title} answers there.", pytrace=False
            )
        return named
    if process := lifecycle.running(engine):
        return process.endpoint
    pytest.skip(f"{engine.title} is not running. Start the engines: make engines")
