"""How many shards and copies the index has: from a context value to the index that is made."""

from __future__ import annotations

from dataclasses import replace

import pytest

from infra.search_sizes import check_search_sizes, zones_of
from infra.sizes import SIZES
from memory_layer.bootstrap.aws import AwsBackend
from memory_layer.errors import IndexUnavailable
from memory_layer.manifest import env
from memory_layer.settings import read_aws_settings


def test_the_functions_make_an_index_as_they_are_told() -> None:
    """The safeguard is `DomainParts._index_body`: one shard works on two nodes at most, however many are paid for."""
    told = {env.SEARCH_SHARDS: "27", env.SEARCH_SPREAD: "3", env.SEARCH_REPLICAS: "2"}
    told[env.AWS_ENDPOINT] = "http://127.0.0.1:1"
    index = AwsBackend(read_aws_settings(told))._domain._index_body()["settings"]["index"]
    assert (index["number_of_shards"], index["number_of_replicas"]) == (27, 2)
    assert index["routing_partition_size"] == 3


@pytest.mark.parametrize(
    ("name", "text"), [(env.SEARCH_SHARDS, "0"), (env.SEARCH_REPLICAS, "-1"), (env.SEARCH_SHARDS, "many")]
)
def test_what_is_no_count_is_refused_by_name(name: str, text: str) -> None:
    with pytest.raises(IndexUnavailable, match=f"{name} is '{text}'; it is a whole number"):
        read_aws_settings({name: text})


@pytest.mark.parametrize(
    ("nodes", "region", "zones"),
    [
        (1, "eu-central-1", 1),
        (2, "eu-central-1", 2),
        (6, "eu-central-1", 3),
        (4, "us-west-1", 2),
        (6, "us-west-1", 2),
    ],
)
def test_nodes_stand_in_as_many_zones_as_there_are(nodes: int, region: str, zones: int) -> None:
    assert zones_of(replace(SIZES["prod"], search_nodes=nodes), region) == zones


def test_the_deployment_of_the_cost_table_can_be_made() -> None:
    large = replace(
        SIZES["prod"],
        search_nodes=9,
        search_instance="r7g.4xlarge.search",
        search_volume_gb=250,
        search_shards=27,
    )
    check_search_sizes(large, "us-east-1", least_nodes=2)
    check_search_sizes(SIZES["dev"], "us-west-1", least_nodes=1)
