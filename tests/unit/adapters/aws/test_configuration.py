"""Region and credentials of clients of AWS: both names of the region count, and what is missing is said."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from typer.testing import CliRunner

from memory_layer.adapters.aws.services import boto_clients
from memory_layer.cli.app import app
from memory_layer.errors import Unavailable
from memory_layer.manifest import env

NAMES = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_DEFAULT_REGION", "AWS_REGION")
MADE_ONCE = (boto_clients.operator_client, boto_clients.functions, boto_clients.sqs, boto_clients.s3)
BY_STACK = (["canary"], ["lag"], ["redrive"], ["reindex"], ["sweep", "verify"], ["verify"])


@pytest.fixture(autouse=True)
def _unconfigured(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine on which nobody has configured AWS."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nonexistent")
    monkeypatch.delenv(env.AWS_ENDPOINT, raising=False)
    _forget()
    yield
    _forget()


def _forget() -> None:
    for made in (*MADE_ONCE, boto_clients.dynamodb):
        made.cache_clear()


@pytest.mark.parametrize("words", BY_STACK, ids=lambda words: words[0])
def test_a_command_without_a_region_or_credentials_says_what_to_set(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where one of them ends in a traceback: `exception` is then botocore's own."""
    command = ["admin", *words, "--stack", "s"]
    done = CliRunner().invoke(app, command)
    assert (done.exit_code, done.stderr) == (1, f"mem: {boto_clients.NO_REGION}\n")
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    done = CliRunner().invoke(app, command)
    assert (done.exit_code, done.stderr) == (1, f"mem: {boto_clients.NO_CREDENTIALS}\n")


@pytest.mark.parametrize(
    ("given", "region"),
    [
        ({"AWS_REGION": "eu-central-1"}, "eu-central-1"),
        ({"AWS_DEFAULT_REGION": "eu-west-1"}, "eu-west-1"),
        ({"AWS_REGION": "eu-central-1", "AWS_DEFAULT_REGION": "eu-west-1"}, "eu-central-1"),
    ],
)
def test_both_names_of_the_region_count(
    given: dict[str, str], region: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert boto_clients.sqs().meta.region_name == region
    assert boto_clients.sqs("eu-north-1").meta.region_name == "eu-north-1"


def test_a_profile_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    with pytest.raises(Unavailable, match=r"nobody.*aws configure list-profiles"):
        boto_clients.sqs("eu-north-1")


@pytest.mark.parametrize("command", [["doctor"], ["migrate", "segments"]], ids=lambda words: words[0])
def test_a_deployment_of_the_environment_asks_for_credentials(
    command: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Falls where "try again in a moment" is said to somebody who never will be let in."""
    monkeypatch.setenv("AWS_REGION", "eu-central-1")
    for name in (env.RECORDS_TABLE, env.BLOBS_BUCKET, env.SEGMENTS_BUCKET):
        monkeypatch.setenv(name, "named")
    monkeypatch.setenv(env.SEARCH_ENDPOINT, "https://search.example")
    monkeypatch.setenv(env.SEARCH_ENGINE, "lucene")
    monkeypatch.setenv(env.SEARCH_SHARDS, "1")
    monkeypatch.setenv(env.SEARCH_REPLICAS, "1")
    done = CliRunner().invoke(app, ["admin", *command])
    assert done.exit_code == 1
    assert boto_clients.NO_CREDENTIALS in done.stderr
