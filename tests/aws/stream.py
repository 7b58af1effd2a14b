"""The table's stream, read as Lambda's event source mapping reads it: batches in order, each shard on its own."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any

import botocore.session

from memory_layer.adapters.aws.services.boto_clients import TEST_REGION
from memory_layer.manifest.tables import RECORD_SORT_KEY

BATCH = 100


class Stream:
    """Everything that happened to a table since this was made, in the shape of a Lambda event's records.

    Args:
        dynamodb: client that made the table; its access key names the database of DynamoDB Local.
        arn: the table's `LatestStreamArn`.
    """

    def __init__(self, dynamodb: Any, arn: str) -> None:
        key = dynamodb._get_credentials().access_key
        self._client = _client(dynamodb.meta.endpoint_url, key)
        self._arn = arn
        self._iterators: dict[str, str] = {}

    def batches(self) -> Iterator[list[dict[str, Any]]]:
        """What is new since the last call; afterwards everything written until then has been seen."""
        for shard in self._client.describe_stream(StreamArn=self._arn)["StreamDescription"]["Shards"]:
            yield from self._of_shard(shard["ShardId"])

    def _of_shard(self, shard_id: str) -> Iterator[list[dict[str, Any]]]:
        iterator = self._iterators.get(shard_id) or self._horizon(shard_id)
        while iterator:
            answer = self._client.get_records(ShardIterator=iterator, Limit=BATCH)
            iterator = answer.get("NextShardIterator", "")
            self._iterators[shard_id] = iterator
            if not answer["Records"]:
                return
            yield [_as_in_an_event(record) for record in answer["Records"]]

    def _horizon(self, shard_id: str) -> str:
        answer = self._client.get_shard_iterator(
            StreamArn=self._arn, ShardId=shard_id, ShardIteratorType="TRIM_HORIZON"
        )
        return str(answer["ShardIterator"])


@cache
def _client(endpoint: str, access_key: str) -> Any:
    """One for each database of DynamoDB Local; of one session, which reads its files in a tenth of a second."""
    return _session().create_client(
        "dynamodbstreams",
        region_name=TEST_REGION,
        endpoint_url=endpoint,
        aws_access_key_id=access_key,
        aws_secret_access_key="local",
    )


@cache
def _session() -> Any:
    return botocore.session.get_session()


def _as_in_an_event(value: Any) -> Any:
    """Lambda hands over JSON: binary as base64, instants as seconds."""
    if isinstance(value, dict):
        return {key: _as_in_an_event(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_in_an_event(item) for item in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return value.timestamp() if isinstance(value, datetime) else value


class Redelivery:
    """Brings a stream to a function as Lambda does: again from the first failure on, and nothing before its turn.

    Args:
        project: takes a batch, names the sequence numbers of what failed.
    """

    def __init__(self, stream: Stream, project: Callable[[list[dict[str, Any]]], Sequence[str]]) -> None:
        self._stream = stream
        self._project = project
        self.waiting: list[dict[str, Any]] = []

    def deliver(self) -> int:
        """One attempt at all that waits, batch by batch until one fails; how many records still wait."""
        self.waiting += [record for batch in self._stream.batches() for record in batch if _is_wanted(record)]
        while self.waiting:
            failed = set(self._project(self.waiting[:BATCH]))
            numbers = [record["dynamodb"]["SequenceNumber"] for record in self.waiting[:BATCH]]
            taken = next((n for n, number in enumerate(numbers) if number in failed), len(numbers))
            self.waiting = self.waiting[taken:]
            if failed:
                break
        return len(self.waiting)


def _is_wanted(record: dict[str, Any]) -> bool:
    """As `manifest.stream.FILTERS` say it."""
    event = record["dynamodb"]
    sort = event["Keys"]["sk"]["S"]
    image = event.get("NewImage", {})
    return bool(image) and ("audit" in image or sort == RECORD_SORT_KEY)
