"""The function that publishes the console's files, on S3 as moto plays it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from infra.constructs import publish_files

BUCKET = "console"
CONFIGURATION = '{"asks_for_tokens": true}'
EVENT = {
    "ResponseURL": "https://example.org/answer",
    "StackId": "stack",
    "RequestId": "request",
    "LogicalResourceId": "Published",
    "ResourceProperties": {"Bucket": BUCKET, "Configuration": CONFIGURATION},
}
SCRIPT = {"content_type": "text/javascript; charset=utf-8", "cache_control": "public, immutable"}
PAGE = {"content_type": "text/html; charset=utf-8", "cache_control": "no-store"}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What CloudFormation was answered: how it went, and why."""
    answers: list[tuple[str, str]] = []
    monkeypatch.setattr(
        publish_files, "answer", lambda event, problem: answers.append((event["RequestType"], problem))
    )
    return answers


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Any]:
    (tmp_path / "console").mkdir()
    (tmp_path / "console" / "main-ABCD2345.js").write_text("run()", "utf-8")
    (tmp_path / "index.html").write_text("<!doctype html>", "utf-8")
    headers = {"console/main-ABCD2345.js": SCRIPT, "index.html": PAGE}
    (tmp_path / publish_files.INDEX).write_text(json.dumps(headers), "utf-8")
    monkeypatch.setattr(publish_files, "FILES", tmp_path)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    with mock_aws():
        client = boto3.client("s3")
        client.create_bucket(Bucket=BUCKET)
        yield client


def keys(s3: Any) -> set[str]:
    return {one["Key"] for one in s3.list_objects_v2(Bucket=BUCKET).get("Contents", ())}


@pytest.mark.parametrize("kind", ["Create", "Update"])
def test_each_file_is_put_as_what_it_is(s3: Any, told: list[tuple[str, str]], kind: str) -> None:
    """Falls where S3 is left to guess: a script of no type is refused by the browser."""
    s3.put_object(Bucket=BUCKET, Key="console/main-OLDER234.js", Body=b"")
    publish_files.handler({**EVENT, "RequestType": kind}, None)
    assert told == [(kind, "")]
    script = s3.get_object(Bucket=BUCKET, Key="console/main-ABCD2345.js")
    assert (script["ContentType"], script["CacheControl"]) == tuple(SCRIPT.values())
    config = s3.get_object(Bucket=BUCKET, Key="console/config.json")
    assert (config["Body"].read().decode(), config["ContentType"]) == (CONFIGURATION, "application/json")
    assert config["CacheControl"] == "no-store"
    assert "console/main-OLDER234.js" in keys(s3), "a page of the release before still asks for it"


def test_it_is_all_gone_with_the_bucket(s3: Any, told: list[tuple[str, str]]) -> None:
    publish_files.handler({**EVENT, "RequestType": "Create"}, None)
    publish_files.handler({**EVENT, "RequestType": "Delete"}, None)
    assert (keys(s3), told[-1]) == (set(), ("Delete", ""))


def test_what_failed_is_told(s3: Any, told: list[tuple[str, str]]) -> None:
    s3.delete_bucket(Bucket=BUCKET)
    publish_files.handler({**EVENT, "RequestType": "Create"}, None)
    assert told[0][1].startswith("NoSuchBucket: ")
    assert told[0][1].endswith("deploy the stack again")
