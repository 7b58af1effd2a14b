"""Blobs in S3 (moto): written, read, gone, linked; and what is said when the bucket does not answer."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import requests
from botocore.stub import Stubber
from moto import mock_aws

from memory_layer.adapters.aws import clients
from memory_layer.adapters.aws.blobs import S3BlobStore
from memory_layer.errors import StoreUnavailable

BUCKET = "memory-layer-blobs"
REGION = "eu-west-1"


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "x")


def s3(region: str = REGION) -> Any:
    """The product's own client, made anew: one that another test made may not be moto's."""
    return clients.s3.__wrapped__(region)


@pytest.fixture
def client() -> Iterator[Any]:
    with mock_aws():
        client = s3()
        client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        yield client


@pytest.fixture
def blobs(client: Any) -> S3BlobStore:
    return S3BlobStore(client, BUCKET)


def test_a_body_is_what_was_put_last(blobs: S3BlobStore) -> None:
    assert blobs.get("operations/op_1/a.json") is None
    for body in (b"first", "Grüße 🦆".encode(), b"", b"\x00\xff"):
        blobs.put("operations/op_1/a.json", body)
        assert blobs.get("operations/op_1/a.json") == body
    assert blobs.get("operations/op_1/b.json") is None


def test_gone_is_gone_however_often(blobs: S3BlobStore) -> None:
    blobs.put("operations/op_1/a.json", b"body")
    for _ in range(2):
        blobs.delete("operations/op_1/a.json")
        assert blobs.get("operations/op_1/a.json") is None


def test_keys_are_listed_to_the_end(client: Any, blobs: S3BlobStore) -> None:
    """A page holds a thousand; the safeguard is `_pages`."""
    for number in range(1_003):
        client.put_object(Bucket=BUCKET, Key=f"parts/{number:04}", Body=b"")
    blobs.put("other/1", b"x")
    assert blobs.keys("parts/") == [f"parts/{number:04}" for number in range(1_003)]
    assert blobs.keys("nothing/") == []


@pytest.mark.parametrize("region", ["us-east-1", "eu-west-1", "us-west-2", "ap-southeast-2", "eu-central-1"])
def test_a_link_reads_one_object_for_a_while(region: str) -> None:
    """The safeguard is `clients.s3`: of a new bucket S3 takes no link of version 2, nor of the global host."""
    blobs = S3BlobStore(s3(region), BUCKET)
    url = urllib.parse.urlsplit(blobs.link("answers/r1", timedelta(minutes=15)))
    signed = urllib.parse.parse_qs(url.query)
    assert (url.scheme, url.path) == ("https", "/answers/r1")
    assert url.hostname == f"{BUCKET}.s3.{region}.amazonaws.com"
    assert signed["X-Amz-Expires"] == ["900"]
    assert signed["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]
    assert f"/{region}/s3/aws4_request" in signed["X-Amz-Credential"][0]
    assert signed["response-content-type"] == ["application/json"]
    assert "AWSAccessKeyId" not in signed


def test_a_link_reads_what_was_put(blobs: S3BlobStore) -> None:
    blobs.put("answers/r1", b'{"id": 1}')
    link = blobs.link("answers/r1", timedelta(minutes=15))
    assert requests.get(link, timeout=5).content == b'{"id": 1}'


def test_keys_are_all_there_are_however_many(blobs: S3BlobStore) -> None:
    """Falls without the paginator: one answer lists a thousand."""
    named = [f"snapshots/acme/web/{number:04d}" for number in range(1_001)]
    for key in (*named, "snapshots/acme/webshop/0000"):
        blobs.put(key, b"")
    blobs.delete(named[0])
    assert blobs.keys("snapshots/acme/web/") == named[1:]
    assert blobs.keys("snapshots/acme/nothing/") == []


@pytest.mark.parametrize(
    ("operation", "code", "use"),
    [
        ("put_object", "SlowDown", lambda blobs: blobs.put("a/b", b"x")),
        ("get_object", "AccessDenied", lambda blobs: blobs.get("a/b")),
        ("get_object", "NoSuchBucket", lambda blobs: blobs.get("a/b")),
        ("delete_object", "InternalError", lambda blobs: blobs.delete("a/b")),
        ("list_objects_v2", "SlowDown", lambda blobs: blobs.keys("a/b")),
    ],
)
def test_a_bucket_that_refuses_is_named_with_the_key(operation: str, code: str, use: Any) -> None:
    client = s3()
    with Stubber(client) as stubbed:
        stubbed.add_client_error(operation, code)
        with pytest.raises(StoreUnavailable, match=rf"a/b in bucket {BUCKET} cannot be \w+ \({code}\)"):
            use(S3BlobStore(client, BUCKET))
