"""Blobs in S3 (moto): written, read, gone, linked; and what is said when the bucket does not answer."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
import requests
from botocore.stub import Stubber
from moto import mock_aws

from memory_layer.adapters.aws.services import boto_clients
from memory_layer.adapters.aws.services.blob_store import S3BlobStore
from memory_layer.adapters.stored_form.bodies import Bodies
from memory_layer.domain.memory import Tier
from memory_layer.errors import BodyFrozen, StoreUnavailable
from memory_layer.ports.commit import Change, Commit
from tests.index_examples import NOW, SCOPE, memory

BUCKET = "memory-layer-blobs"
REGION = "eu-west-1"


@pytest.fixture(autouse=True)
def _credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
        monkeypatch.setenv(name, "x")


def s3(region: str = REGION) -> Any:
    """The product's own client, made anew: one that another test made may not be moto's."""
    return boto_clients.s3.__wrapped__(region)


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


def listing(*keys: str) -> dict[str, Any]:
    return {"Contents": [{"Key": key} for key in keys]} if keys else {}


@pytest.mark.parametrize("others", [(), ("operations/op_1/a.json.old",)])
def test_a_refusal_of_a_key_that_no_listing_has_means_that_there_is_none(others: tuple[str, ...]) -> None:
    """S3 says 403 of a missing key to who may list under a prefix alone. The safeguard is `is_absent`."""
    client = s3()
    asked = {"Bucket": BUCKET, "Prefix": "operations/op_1/a.json", "MaxKeys": 1}
    with Stubber(client) as stubbed:
        stubbed.add_client_error("get_object", "AccessDenied", http_status_code=403)
        stubbed.add_response("list_objects_v2", listing(*others), asked)
        stubbed.add_client_error("head_object", "403", http_status_code=403)
        stubbed.add_response("list_objects_v2", listing(*others), asked)
        assert S3BlobStore(client, BUCKET).get("operations/op_1/a.json") is None
        S3BlobStore(client, BUCKET).reclass("operations/op_1/a.json", "cold")
        stubbed.assert_no_pending_responses()


@pytest.mark.parametrize("is_listed", [True, False])
def test_a_refusal_of_a_key_that_is_there_or_cannot_be_listed_is_one(is_listed: bool) -> None:
    """Taken for an absence it would lose what a memory says."""
    client = s3()
    with Stubber(client) as stubbed:
        stubbed.add_client_error("get_object", "AccessDenied", http_status_code=403)
        if is_listed:
            stubbed.add_response("list_objects_v2", listing("a/b"))
        else:
            stubbed.add_client_error("list_objects_v2", "AccessDenied", http_status_code=403)
        with pytest.raises(
            StoreUnavailable, match=rf"a/b in bucket {BUCKET} cannot be read \(AccessDenied\)"
        ):
            S3BlobStore(client, BUCKET).get("a/b")
        stubbed.assert_no_pending_responses()


KEY = "bodies/acme/web/0/1.zst"
LARGE = bytes(30_000)
"""For which every class costs less than the one before it."""


def class_of(client: Any, key: str = KEY) -> str:
    found = client.head_object(Bucket=BUCKET, Key=key)
    return str(found.get("StorageClass", "STANDARD"))


@pytest.mark.parametrize(
    ("tier", "size_bytes", "name"),
    [
        ("hot", 30_000, "STANDARD"),
        ("warm", 30_000, "STANDARD"),
        ("cold", 22_796, "GLACIER_IR"),
        ("cold", 22_795, "STANDARD"),
        ("frozen", 10_035, "DEEP_ARCHIVE"),
        ("frozen", 10_034, "STANDARD"),
    ],
)
def test_a_body_lies_in_the_class_that_costs_least(
    client: Any, blobs: S3BlobStore, tier: Tier, size_bytes: int, name: str
) -> None:
    """Glacier bills 128 KiB of a smaller object, Deep Archive adds 40: with the tier alone most would cost more."""
    blobs.put(KEY, bytes(size_bytes), tier=tier)
    assert class_of(client) == name
    blobs.put(KEY, bytes(size_bytes))
    assert class_of(client) == "STANDARD"
    blobs.reclass(KEY, tier)
    assert class_of(client) == name


def test_a_body_that_moves_stays_as_it_is(client: Any, blobs: S3BlobStore) -> None:
    blobs.put(KEY, LARGE, tier="warm")
    blobs.reclass(KEY, "cold")
    assert (blobs.get(KEY), class_of(client)) == (LARGE, "GLACIER_IR")


def test_where_a_body_lies_right_nothing_is_copied() -> None:
    """S3 refuses a copy onto itself that changes nothing."""
    client = s3()
    with Stubber(client) as stubbed:
        stubbed.add_response("head_object", {"ContentLength": 30_000, "StorageClass": "GLACIER_IR"})
        S3BlobStore(client, BUCKET).reclass(KEY, "cold")
        stubbed.assert_no_pending_responses()


def test_a_body_that_is_missing_holds_up_no_sweep(blobs: S3BlobStore) -> None:
    blobs.reclass(KEY, "frozen")
    assert blobs.get(KEY) is None


def test_a_frozen_body_is_asked_back_where_that_is_wanted(blobs: S3BlobStore) -> None:
    """The safeguard is `thaws`: a page that meets a hundred of them brings none of them back."""
    blobs.put(KEY, LARGE, tier="frozen")
    with pytest.raises(BodyFrozen, match="read its memory by itself"):
        blobs.get(KEY)
    with pytest.raises(BodyFrozen):
        blobs.get(KEY)
    with pytest.raises(BodyFrozen, match="within 12 hours") as frozen:
        blobs.get(KEY, thaws=True)
    assert frozen.value.retry_after_s == 12 * 3600
    assert blobs.get(KEY) == LARGE  # moto brings it back at once


@pytest.mark.parametrize(
    ("refusal", "said"),
    [("RestoreAlreadyInProgress", BodyFrozen), ("SlowDown", StoreUnavailable)],
)
def test_a_body_on_its_way_back_is_asked_for_once(refusal: str, said: type[Exception]) -> None:
    client = s3()
    with Stubber(client) as stubbed:
        stubbed.add_client_error("get_object", "InvalidObjectState")
        stubbed.add_client_error("restore_object", refusal)
        with pytest.raises(said):
            S3BlobStore(client, BUCKET).get(KEY, thaws=True)
        stubbed.assert_no_pending_responses()


def test_a_memory_in_deep_archive_is_read_once_it_is_back(blobs: S3BlobStore) -> None:
    """From the record to the bucket and back: stub, body, restoration."""
    content = "".join(map(chr, np.random.default_rng(0).integers(0x4E00, 0x9FFF, 10_000)))
    bodies = Bodies(blobs)
    (change,) = bodies.put_away(
        Commit(scope=SCOPE, changes=(Change(memory("m1", content, tier="frozen"), 1, "moved", "sweep", NOW),))
    ).changes
    assert len(change.memory.content) == 200
    assert [one.memory.id for one in bodies.whole([change.memory])[1]] == ["m1"]
    with pytest.raises(BodyFrozen):
        bodies.one(change.memory)
    assert bodies.one(change.memory).content == content
