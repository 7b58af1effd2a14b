"""Batches of the records table's stream, read again by the pointer that Lambda left in a failure queue."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from botocore.exceptions import ClientError

from memory_layer.adapters.aws.deployment.stack import aws_errors

READ_MOST: Final = 1_000
"""Records of one read. Source: GetRecords, Amazon DynamoDB's API reference."""

READS_MOST: Final = 50
"""Reads for one pointer: a batch has 100 records, and a read may bring none."""

BatchPointer = Mapping[str, Any]
"""`DDBStreamBatchInfo` of a message: `streamArn`, `shardId`, `startSequenceNumber`, `endSequenceNumber`."""


class Trimmed(Exception):
    """The stream no longer holds the batch: it keeps changes for 24 hours."""


def read_batch(client: Any, pointer: BatchPointer) -> list[dict[str, Any]]:
    """Reads a batch, its first and last record included, in the shape of the `Records` of a Lambda event.

    Args:
        client: of DynamoDB Streams.

    Raises:
        Trimmed: it is older than what the stream holds.
        Forbidden, Unavailable: the stream does not answer.
    """
    with aws_errors(f"reading shard {pointer['shardId']}"):
        try:
            return _read(client, pointer)
        except ClientError as error:
            if error.response["Error"]["Code"] in ("TrimmedDataAccessException", "ResourceNotFoundException"):
                raise Trimmed from error
            raise


def _read(client: Any, pointer: BatchPointer) -> list[dict[str, Any]]:
    iterator = client.get_shard_iterator(
        StreamArn=pointer["streamArn"],
        ShardId=pointer["shardId"],
        ShardIteratorType="AT_SEQUENCE_NUMBER",
        SequenceNumber=pointer["startSequenceNumber"],
    ).get("ShardIterator")
    last, found = int(pointer["endSequenceNumber"]), list[dict[str, Any]]()
    for _ in range(READS_MOST):
        if not iterator:
            break
        answer = client.get_records(ShardIterator=iterator, Limit=READ_MOST)
        iterator = answer.get("NextShardIterator")
        for record in answer["Records"]:
            if int(record["dynamodb"]["SequenceNumber"]) > last:
                return found
            found.append(as_in_an_event(record))
    return found


def as_in_an_event(record: Mapping[str, Any]) -> dict[str, Any]:
    """Record as Lambda hands it over: times in seconds since 1970, bytes in base64."""
    made: dict[str, Any] = _plain(record)
    return made


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _plain(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, datetime):
        return value.timestamp()
    return base64.b64encode(value).decode() if isinstance(value, bytes) else value
