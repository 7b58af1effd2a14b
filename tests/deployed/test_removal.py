"""What `cdk destroy` leaves of the dev profile with a network of its own: nothing, though the bucket is full."""

from __future__ import annotations

from ipaddress import IPv4Network
from pathlib import Path
from typing import Any

import pytest

from tests.deployed import stacks
from tests.deployed.assembly import Stack, assets_of, stacks_of, synthesise
from tests.deployed.conftest import PROGRAM, require_parts
from tests.deployed.deployment import CONTEXT, LAYERS
from tests.deployed.ministack import Ministack, running
from tests.deployed.publishing import publish
from tests.given import REPOSITORY

pytestmark = pytest.mark.engines


NETWORK = "10.20.0.0/20"


def test_nothing_is_left(tmp_path: Path) -> None:
    """Falls where the bucket is not emptied: in the cloud one that holds anything cannot be deleted."""
    require_parts()
    assembly = tmp_path / "cdk.out"
    synthesise(REPOSITORY, {**CONTEXT, "vpc": NETWORK}, assembly)
    with running(PROGRAM, tmp_path) as server:
        publish(assets_of(assembly), LAYERS, server.client("s3"))
        made = stacks_of(assembly)
        for stack in made:
            _keep_buckets(stack)
        stacks.make(made, server)
        s3, (bucket,) = server.client("s3"), _blob_buckets(server)
        for body in (b"first", b"second"):
            s3.put_object(Bucket=bucket, Key="answers/one", Body=body)
        s3.delete_object(Bucket=bucket, Key="answers/one")
        assert len(s3.list_object_versions(Bucket=bucket)["Versions"]) == 2
        subnets, endpoints = _network(server)
        assert subnets == ["10.20.0.0/22", "10.20.4.0/22"]
        assert {"dynamodb", "s3", "sqs", "events"} <= endpoints

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
        assert _network(server) == ([], set())


def _keep_buckets(stack: Stack) -> None:
    """Ministack deletes full buckets too, so it shall keep ours, to be looked into."""
    for resource in stack.template["Resources"].values():
        if resource["Type"] == "AWS::S3::Bucket":
            resource["DeletionPolicy"] = "Retain"


def _blob_buckets(server: Ministack) -> list[str]:
    names = [bucket["Name"] for bucket in server.client("s3").list_buckets()["Buckets"]]
    return [name for name in names if "blobs" in name]


def _network(server: Ministack) -> tuple[list[str], set[str]]:
    """Blocks of our subnets, and services that have an endpoint."""
    ec2 = server.client("ec2")
    blocks = [subnet["CidrBlock"] for subnet in ec2.describe_subnets()["Subnets"]]
    endpoints = ec2.describe_vpc_endpoints()["VpcEndpoints"]
    ours = sorted(block for block in blocks if IPv4Network(block).subnet_of(IPv4Network(NETWORK)))
    return ours, {endpoint["ServiceName"].rpartition(".")[2] for endpoint in endpoints}


def _log_groups(server: Ministack) -> list[Any]:
    """Of this product; Lambda and CloudFormation make none of their own here."""
    found = server.client("logs").describe_log_groups()["logGroups"]
    return [group["logGroupName"] for group in found]
