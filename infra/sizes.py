"""Sizes of a deployment's parts: three profiles, any number of which context replaces."""

from dataclasses import dataclass
from typing import Final, Literal

Profile = Literal["dev", "prod", "small"]

LOG_DAYS: Final = (1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365)
"""Retentions that logs can have. Source: PutRetentionPolicy in CloudWatch Logs' API reference, up to a year."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes of a deployment; each field is a context value of its name.

    `search_masters` counts dedicated master nodes: 0, or 3 so that one may fail. `search_shards` and
    `search_replicas` are those of an index that is made from now on, a project's documents on `search_spread` of its
    shards: a rebuild moves to it. Rates are requests per second; the `open_` one is that of each route that asks for no
    token. Without a search domain the `search_` ones do nothing.
    """

    search_instance: str
    search_nodes: int
    search_masters: int
    search_master_instance: str
    search_volume_gb: int
    search_shards: int
    search_spread: int
    search_replicas: int
    throttle_rate: int
    throttle_burst: int
    open_throttle_rate: int
    log_days: int


SIZES: dict[Profile, Sizes] = {
    "dev": Sizes(
        search_instance="t3.small.search",
        search_nodes=1,
        search_masters=0,
        search_master_instance="m7g.large.search",
        search_volume_gb=10,
        search_shards=1,
        search_spread=1,
        search_replicas=0,
        throttle_rate=50,
        throttle_burst=100,
        open_throttle_rate=5,
        log_days=7,
    ),
    "prod": Sizes(
        search_instance="r7g.large.search",
        search_nodes=3,
        search_masters=3,
        search_master_instance="m7g.large.search",
        search_volume_gb=100,
        search_shards=3,
        search_spread=1,
        search_replicas=1,
        throttle_rate=1000,
        throttle_burst=2000,
        open_throttle_rate=5,
        log_days=30,
    ),
    "small": Sizes(
        search_instance="t3.small.search",
        search_nodes=1,
        search_masters=0,
        search_master_instance="m7g.large.search",
        search_volume_gb=10,
        search_shards=1,
        search_spread=1,
        search_replicas=0,
        throttle_rate=50,
        throttle_burst=100,
        open_throttle_rate=5,
        log_days=14,
    ),
}
