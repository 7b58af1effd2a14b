"""The function that empties dev's bucket, on S3 as moto plays it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from infra.constructs import empty_bucket

BUCKET = "blobs"
EVENT = {
    "ResponseURL": "https://example.org/answer",
    "StackId": "stack",
    "RequestId": "request",
    "LogicalResourceId": "Emptied",
    "ResourceProperties": {"Bucket": BUCKET},
}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What CloudFormation was answered."""
    answers: list[dict[str, Any]] = []

    class Answered:
        def close(self) -> None: ...

    def urlopen(request: Any, timeout: float) -> Answered:
        assert (request.get_method(), timeout > 0) == ("PUT", True)
        answers.append(json.loads(request.data))
        return Answered()

    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    return answers


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        client = boto3.client("s3")
        client.create_bucket(Bucket=BUCKET)
        client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
        for body in (b"1", b"2"):
            client.put_object(Bucket=BUCKET, Key="answers/a", Body=body)
        client.delete_object(Bucket=BUCKET, Key="answers/a")
        client.create_multipart_upload(Bucket=BUCKET, Key="half")
        yield client


def test_delete_leaves_no_version_marker_or_upload(s3: Any, told: list[dict[str, Any]]) -> None:
    empty_bucket.handler({**EVENT, "RequestType": "Delete", "PhysicalResourceId": BUCKET}, None)
    versions = s3.list_object_versions(Bucket=BUCKET)
    assert not versions.get("Versions")
    assert not versions.get("DeleteMarkers")
    assert not s3.list_multipart_uploads(Bucket=BUCKET).get("Uploads")
    s3.delete_bucket(Bucket=BUCKET)
    assert [one["Status"] for one in told] == ["SUCCESS"]


@pytest.mark.parametrize("kind", ["Create", "Update"])
def test_nothing_else_deletes(s3: Any, told: list[dict[str, Any]], kind: str) -> None:
    empty_bucket.handler({**EVENT, "RequestType": kind}, None)
    assert len(s3.list_object_versions(Bucket=BUCKET)["Versions"]) == 2
    assert (told[0]["Status"], told[0]["PhysicalResourceId"]) == ("SUCCESS", BUCKET)


@pytest.mark.usefixtures("s3")
def test_a_bucket_that_is_gone_is_empty(told: list[dict[str, Any]]) -> None:
    properties = {"ResourceProperties": {"Bucket": "gone"}}
    empty_bucket.handler({**EVENT, **properties, "RequestType": "Delete"}, None)
    assert told[0]["Status"] == "SUCCESS"


def test_a_failure_is_told_with_what_to_do(
    told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Any) -> None:
        raise PermissionError("no")

    monkeypatch.setattr(empty_bucket, "empty", fail)
    empty_bucket.handler({**EVENT, "RequestType": "Delete"}, None)
    assert told[0]["Status"] == "FAILED"
    assert "empty the bucket by hand" in told[0]["Reason"]


@mock_aws
def test_objects_that_stay_are_no_success() -> None:
    """The safeguard is `NotEmpty`: S3 tells of single keys in its answer, and raises nothing."""
    legal_hold = {"Errors": [{"Key": "answers/a", "Code": "AccessDenied"}]}

    class Held:
        name = BUCKET
        meta = boto3.resource("s3", region_name="us-east-1").meta
        object_versions = type(
            "Versions", (), {"delete": staticmethod(lambda: [{"Deleted": []}, legal_hold])}
        )
        multipart_uploads = type("Uploads", (), {"all": staticmethod(list)})

    with pytest.raises(empty_bucket.NotEmpty, match=r"1 objects stay, the first answers/a \(AccessDenied\)"):
        empty_bucket.empty(Held())


def test_its_code_fits_inline() -> None:
    """Below the smallest bound that CloudFormation ever had on inline code."""
    assert len(Path(empty_bucket.__file__).read_text("utf-8")) <= 4096
