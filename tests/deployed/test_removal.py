"""What `cdk destroy` leaves of the dev profile: nothing, though the bucket is full and versioned."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.deployed import stacks
from tests.deployed.assembly import Stack, assets_of, stacks_of
from tests.deployed.conftest import PROGRAM
from tests.deployed.deployment import LAYERS
from tests.deployed.ministack import Ministack, running
from tests.deployed.publishing import publish

pytestmark = pytest.mark.engines


def test_nothing_is_left(assembly_folder: Path, tmp_path: Path) -> None:
    """Falls where the bucket is not emptied: in the cloud one that holds anything cannot be deleted."""
    with running(PROGRAM, tmp_path) as server:
        publish(assets_of(assembly_folder), LAYERS, server.client("s3"))
        made = stacks_of(assembly_folder)
        for stack in made:
            _keep_buckets(stack)
        stacks.make(made, server)
        s3, (bucket,) = server.client("s3"), _blob_buckets(server)
        for body in (b"first", b"second"):
            s3.put_object(Bucket=bucket, Key="answers/one", Body=body)
        s3.delete_object(Bucket=bucket, Key="answers/one")
        assert len(s3.list_object_versions(Bucket=bucket)["Versions"]) == 2

        for stack in reversed(made):
            stacks.remove(stack, server)
        left = s3.list_object_versions(Bucket=bucket)
        assert [*left.get("Versions", ()), *left.get("DeleteMarkers", ())] == []
        assert server.client("dynamodb").list_tables()["TableNames"] == []
        assert server.client("lambda").list_functions()["Functions"] == []
        assert server.client("opensearch").list_domain_names()["DomainNames"] == []
        assert server.client("cognito-idp").list_user_pools(MaxResults=10)["UserPools"] == []
        assert server.client("sqs").list_queues().get("QueueUrls", []) == []
        assert _log_groups(server) == []


def _keep_buckets(stack: Stack) -> None:
    """Ministack deletes full buckets too, so it shall keep ours, to be looked into."""
    for resource in stack.template["Resources"].values():
        if resource["Type"] == "AWS::S3::Bucket":
            resource["DeletionPolicy"] = "Retain"


def _blob_buckets(server: Ministack) -> list[str]:
    names = [bucket["Name"] for bucket in server.client("s3").list_buckets()["Buckets"]]
    return [name for name in names if "blobs" in name]


def _log_groups(server: Ministack) -> list[Any]:
    """Of this product; Lambda and CloudFormation make none of their own here."""
    found = server.client("logs").describe_log_groups()["logGroups"]
    return [group["logGroupName"] for group in found]
