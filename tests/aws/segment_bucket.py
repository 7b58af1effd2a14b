"""Bucket for segments in an S3 in this process (moto), which is asked through the product's own client."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from moto import mock_aws

from memory_layer.adapters.aws.services import boto_clients

BUCKET = "memory-layer-segments"
REGION = "us-east-1"


@contextmanager
def segment_bucket() -> Iterator[tuple[Any, str]]:
    """A client, and the name of a bucket without old versions; requests to other endpoints pass.

    The environment keeps its access key: it is the name of the database that DynamoDB Local takes (`dynamodb_table`).
    """
    with mock_aws(config={"core": {"mock_credentials": False}}):
        _client().create_bucket(Bucket=BUCKET)
        yield _client(), BUCKET


@cache
def _client() -> Any:
    """One for all tests of a process: to make one costs more than most of them."""
    return boto_clients.s3.__wrapped__(REGION)
