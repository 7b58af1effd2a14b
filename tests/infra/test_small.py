"""The profile small: nothing that costs money while nobody calls, and an index in a bucket."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from infra.deployment import read_deployment
from infra.errors import BadDeployment
from memory_layer.manifest import env
from memory_layer.manifest.functions import SMALL_FUNCTIONS
from tests.infra.conftest import DEV, need_node, synthesised
from tests.infra.templates import Assembly

SMALL = {"profile": "small", "region": "us-east-1", "layers": "placeholder"}

COST_ASLEEP = (
    *(
        "AWS::OpenSearchService::Domain",
        "AWS::KMS::Key",
        "AWS::CloudWatch::Alarm",
        "AWS::CloudWatch::Dashboard",
    ),
    *("AWS::EC2::NatGateway", "AWS::RDS::DBInstance", "AWS::OpenSearchServerless::Collection"),
    "AWS::SecretsManager::Secret",
)
"""Kinds of resources that are paid for by the hour or the month, whoever calls."""


@pytest.fixture(scope="module")
def small(shared_folder: Path) -> Assembly:
    need_node()
    return Assembly(synthesised(shared_folder / "small", SMALL))


def test_nothing_is_there_that_costs_money_while_nobody_calls(small: Assembly) -> None:
    assert [kind for kind in COST_ASLEEP if small.of_type(kind)] == []


def test_no_queue_is_asked_all_month_long(small: Assembly) -> None:
    """Only the table's stream is read, at no charge; without sources of events nothing waits in a queue."""
    mappings = [mapping for _, mapping in small.properties("AWS::Lambda::EventSourceMapping")]
    assert mappings
    assert all("StartingPosition" in mapping for mapping in mappings)  # which queues have not
    compacts = small.mapping_of("compactor")
    assert compacts["MaximumBatchingWindowInSeconds"] > 0
    assert compacts["ParallelizationFactor"] == 1


def test_no_route_has_metrics_of_its_own(small: Assembly) -> None:
    stage = small.only("AWS::ApiGatewayV2::Stage")
    assert stage["DefaultRouteSettings"]["DetailedMetricsEnabled"] is False
    assert not any(route["DetailedMetricsEnabled"] for route in stage["RouteSettings"].values())


def test_a_token_holds_for_a_day(small: Assembly) -> None:
    """Of a program: people sign in at the console, for an hour."""
    clients = [client for _, client in small.properties("AWS::Cognito::UserPoolClient")]
    programs = [client for client in clients if client["AllowedOAuthFlows"] == ["client_credentials"]]
    assert [client["AccessTokenValidity"] for client in programs] == [24 * 60]


def test_the_compactor_stands_in_the_projector_s_place(small: Assembly) -> None:
    assert set(small.functions()) == {function.name for function in SMALL_FUNCTIONS}
    assert "projector" not in small.functions()


def test_functions_that_search_know_the_bucket_alone(small: Assembly) -> None:
    for function in SMALL_FUNCTIONS:
        named = small.functions()[function.name].get("Environment", {}).get("Variables", {})
        uses_index = any("index" in grant for grant in function.grants)
        assert (env.SEGMENTS_BUCKET in named) == uses_index, function.name
        assert env.SEARCH_ENDPOINT not in named


def test_the_index_keeps_no_old_versions_and_the_data_outlives_the_stack(small: Assembly) -> None:
    """Falls if the bucket of segments is versioned: what is erased would stay in an old version."""
    (bucket,) = (bucket for key, bucket in small.properties("AWS::S3::Bucket") if "Segments" in key)
    assert "VersioningConfiguration" not in bucket
    tables = small.properties("AWS::DynamoDB::Table")
    assert all(table["DeletionProtectionEnabled"] for _, table in tables)


def test_only_what_writes_the_index_may_change_segments(small: Assembly) -> None:
    """Falls if a grant to search allows more than to read."""
    writers = {function.name for function in SMALL_FUNCTIONS if "write index" in function.grants}
    changing = {
        key.split(":")[1]
        for key, policy in small.properties("AWS::IAM::Policy")
        for statement in policy["PolicyDocument"]["Statement"]
        if "s3:PutObject" in statement["Action"] and "segments/*" in str(statement["Resource"])
    }
    assert {name for name in writers if any(name.title() in id for id in changing)} == writers
    assert len(changing) == len(writers)


def test_a_deployment_may_have_both_indexes() -> None:
    both = read_deployment({**SMALL, "index": "segments,domain"})
    assert (both.has_domain, both.has_segments, both.indexes[0]) == (True, True, "segments")
    assert not both.is_watched
    assert read_deployment({**SMALL, "watch": "true"}).is_watched
    assert read_deployment(DEV).indexes == ("domain",)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"index": "files"}, "say segments, domain, or both"),
        ({"index": "segments,segments"}, "say segments, domain, or both"),
        ({"search_nodes": "3"}, "there is no search domain"),
    ],
)
def test_what_cannot_be_is_refused(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(BadDeployment, match=told):
        read_deployment({**SMALL, **changed})
