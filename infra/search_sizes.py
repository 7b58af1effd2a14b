"""Checks on the sizes of a search domain: OpenSearch Service can make it, and it holds the index."""

import re
from typing import Final

from infra.errors import BadDeployment
from infra.regions import TWO_ZONES
from infra.sizes import Sizes

FAMILIES: Final = (
    *("t3", "m5", "c5", "r5", "m6g", "c6g", "r6g", "m7g", "c7g", "r7g", "m7i", "c7i", "r7i"),
    *("m8g", "c8g", "r8g"),
)
"""Instances with EBS volumes and encryption at rest. Source: supported instance types, OpenSearch Service developer
guide: t2, m3 and r3 do not encrypt; those with disks of their own take no volume, the or and om ones another index."""

_INSTANCE = re.compile(rf"(?:{'|'.join(FAMILIES)})\.(?:small|medium|large|\d*xlarge)\.search")
BURSTABLE: Final = {"t3.small.search": 100, "t3.medium.search": 200}
"""Largest volume in GB. Source: quotas of OpenSearch Service, EBS volume sizes."""

MAX_VOLUME_GB: Final = 24_576
"""Largest volume of the largest instances; smaller ones take less."""
MIN_VOLUME_GB: Final = 10

MAX_NODES: Final = 80
MAX_BURSTABLE_NODES: Final = 10
"""Source: quotas of OpenSearch Service."""

MAX_SHARDS: Final = 1000
"""Copies that a node holds at most. Source: cluster.max_shards_per_node's default."""


def zones_of(sizes: Sizes, region: str) -> int:
    """Number of zones for the data nodes: as many as divide them, at most three."""
    if sizes.search_nodes == 1:
        return 1
    return 3 if sizes.search_nodes % 3 == 0 and region not in TWO_ZONES else 2


def check_search_sizes(sizes: Sizes, region: str, *, least_nodes: int) -> None:
    """Checks the sizes of a domain. Raises: BadDeployment: OpenSearch Service would refuse them, or they waste a
    node."""
    _check_instances(sizes)
    _check_nodes(sizes, region, least_nodes)
    _check_volume(sizes)
    _check_copies(sizes, least_nodes - 1)


def _check_instances(sizes: Sizes) -> None:
    for instance in (sizes.search_instance, sizes.search_master_instance):
        is_known = instance in BURSTABLE if instance.startswith("t3.") else _INSTANCE.fullmatch(instance)
        if not is_known:
            raise BadDeployment(
                f"{instance} is no instance type with volumes and encryption at rest, such as r7g.large.search"
            )
    if sizes.search_masters not in (0, 3):
        raise BadDeployment(f"search_masters={sizes.search_masters}: dedicated masters are 0 or 3")


def _check_nodes(sizes: Sizes, region: str, least_nodes: int) -> None:
    nodes = sizes.search_nodes
    if nodes < least_nodes:
        raise BadDeployment(f"search_nodes={nodes}: dev needs 1, prod 2 so that one may fail")
    if nodes % zones_of(sizes, region):
        kind = "2 zones that this region gives" if region in TWO_ZONES else "2 or 3 zones they stand in"
        raise BadDeployment(f"search_nodes={nodes}: 1, or a multiple of the {kind}")
    most = MAX_BURSTABLE_NODES if sizes.search_instance in BURSTABLE else MAX_NODES
    if nodes > most:
        raise BadDeployment(
            f"search_nodes={nodes}: at most {most} of {sizes.search_instance}, says AWS's quota"
        )


def _check_volume(sizes: Sizes) -> None:
    size, most = sizes.search_volume_gb, BURSTABLE.get(sizes.search_instance, MAX_VOLUME_GB)
    if size < MIN_VOLUME_GB:
        raise BadDeployment(f"search_volume_gb={size}: the smallest volume has {MIN_VOLUME_GB}")
    if size > most:
        raise BadDeployment(f"search_volume_gb={size}: {sizes.search_instance} takes at most {most}")


def _check_copies(sizes: Sizes, least_replicas: int) -> None:
    """Checks that each node holds a copy: one of a shard at most; a node beyond all copies holds nothing."""
    shards, replicas, nodes = sizes.search_shards, sizes.search_replicas, sizes.search_nodes
    if not least_replicas <= replicas < nodes:
        raise BadDeployment(
            f"search_replicas={replicas}: {least_replicas} to {nodes - 1}, "
            "as each copy of a shard needs a node of its own"
        )
    if shards < 1 or shards * (replicas + 1) > MAX_SHARDS * nodes:
        raise BadDeployment(f"search_shards={shards}: at least 1, at most {MAX_SHARDS} copies a node")
    if not 1 <= sizes.search_spread <= max(1, shards - 1):
        raise BadDeployment(
            f"search_spread={sizes.search_spread}: 1, or fewer than the {shards} shards, "
            "on so many of which each project lies"
        )
    if shards * (replicas + 1) < nodes:
        raise BadDeployment(
            f"search_shards={shards} with search_replicas={replicas} leave some of {nodes} nodes empty: "
            f"say -c search_shards={-(-nodes // (replicas + 1))}"
        )
