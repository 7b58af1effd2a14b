"""A fresh table as the manifest says, a client for it, and a record store over both."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from memory_layer.adapters.aws.services import boto_clients
from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.store.record_store import DynamoRecordStore, open_record_store
from memory_layer.adapters.embedded.files.blob_store import FileBlobStore
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.manifest.tables import RECORDS, Index, Table
from memory_layer.ports.blobs import BlobStore
from memory_layer.ports.process import Clock
from tests.given import StandingClock

CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "local",
    "AWS_SECRET_ACCESS_KEY": "local",
    "AWS_EC2_METADATA_DISABLED": "true",
}
_CHANGES_PER_DATABASE = 300
"""DynamoDB Local looks for the first change of a table among all that its database's streams have told, also of tables
that are gone: a transaction takes 10 ms of processor in a new database, 87 after 16,000 changes of other tables. None
is ever dropped, and each takes four threads."""


@dataclass
class _Database:
    """The one that clients made from now on find."""

    name: str = ""
    changes: int = _CHANGES_PER_DATABASE

    def take_another(self) -> None:
        self.name, self.changes = f"local{uuid.uuid4().hex}", 0  # an access key has letters and digits only
        boto_clients.dynamodb.cache_clear()  # a client keeps the key that it was made with

    def count(self, params: dict[str, Any], model: Any, **_: Any) -> None:
        """Called by a client before each request. Args: params: of the request; model: of the operation."""
        if model.name in _CHANGES:
            self.changes += len(params.get("TransactItems", " "))


_CHANGES = ("TransactWriteItems", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem")
_database = _Database()


def create_table(client: Any, table: Table = RECORDS) -> str:
    """Makes the table under a name of its own. Without TTL: a test's clock stands in the past.

    Returns:
        Its name.
    """
    name = f"{table.name}-{uuid.uuid4().hex[:12]}"
    keys = [(table.partition_key, table.sort_key), *((i.partition_key, i.sort_key) for i in table.indexes)]
    named = dict.fromkeys(key for pair in keys for key in pair if key is not None)
    request: dict[str, Any] = {
        "TableName": name,
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": key, "AttributeType": "S"} for key in named],
        "KeySchema": _key_schema(table.partition_key, table.sort_key),
    }
    if table.indexes:
        request["GlobalSecondaryIndexes"] = [
            {
                "IndexName": index.name,
                "KeySchema": _key_schema(index.partition_key, index.sort_key),
                "Projection": projection(index),
            }
            for index in table.indexes
        ]
    if table.has_stream:
        request["StreamSpecification"] = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    client.create_table(**request)
    return name


def projection(index: Index) -> dict[str, Any]:
    """As the API that makes a table takes it."""
    if not index.includes:
        return {"ProjectionType": "KEYS_ONLY"}
    return {"ProjectionType": "INCLUDE", "NonKeyAttributes": list(index.includes)}


def _key_schema(partition_key: str, sort_key: str | None) -> list[dict[str, str]]:
    kinds = {partition_key: "HASH"} | ({sort_key: "RANGE"} if sort_key else {})
    return [{"AttributeName": name, "KeyType": kind} for name, kind in kinds.items()]


def new_client(endpoint: str, read_timeout_s: float = 30.0) -> Any:
    """As the product makes it, but with patience, and none that is shared: a test may tamper with it."""
    return boto_clients.dynamodb.__wrapped__(None, endpoint, read_timeout_s)


@contextmanager
def database_of_a_streamed_table() -> Iterator[None]:
    """The environment in which clients find a database that few changes have filled: its name is the access key."""
    if _database.changes >= _CHANGES_PER_DATABASE:
        _database.take_another()
    with pytest.MonkeyPatch.context() as environment:
        for name, value in {**CREDENTIALS, "AWS_ACCESS_KEY_ID": _database.name}.items():
            environment.setenv(name, value)
        yield


def count_changes(client: Any) -> None:
    """Has the changes counted that the client makes, so that the next test finds a new database in time."""
    client.meta.events.register("before-parameter-build.dynamodb", _database.count, unique_id="changes")


@contextmanager
def fresh_table(endpoint: str) -> Iterator[tuple[Any, str]]:
    """A client and the name of a new table, dropped afterwards."""
    with pytest.MonkeyPatch.context() as environment:
        for name, value in CREDENTIALS.items():
            environment.setenv(name, value)
        client = new_client(endpoint)
        name = create_table(
            client, replace(RECORDS, has_stream=False)
        )  # a stream nobody reads fills the engine
        yield client, name
        client.delete_table(TableName=name)


@contextmanager
def open_store(
    client: Any, name: str, clock: Clock | None = None, blobs: BlobStore | None = None, **backoff: Any
) -> Iterator[DynamoRecordStore]:
    """A store that does not sleep between attempts unless told to. Args: blobs: for bodies; none: files of its own."""
    patience = Backoff(**{"sleep": lambda _seconds: None, **backoff})
    with ThreadPoolExecutor(4) as executor, TemporaryDirectory() as folder:
        bodies = Bodies(blobs or FileBlobStore(Path(folder)), executor)
        store = open_record_store(client, name, bodies, clock=clock or StandingClock(), backoff=patience)
        yield store
        store.close()
