"""What texts cost by tier: the sums that make a tier worth its moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from memory_layer.domain.memory import Tier
from memory_layer.domain.tier_policy import GB

DYNAMODB_USD: Final = 0.25
OPENSEARCH_GP3_USD: Final = 0.122
S3_STANDARD_USD: Final = 0.023
"""For a GB and a month, us-east-1.

Source: https://aws.amazon.com/dynamodb/pricing/on-demand/, https://aws.amazon.com/opensearch-service/pricing/,
https://aws.amazon.com/s3/pricing/
"""

USD_PER_GB_MONTH: Final[Mapping[Tier, float]] = {
    "hot": DYNAMODB_USD + OPENSEARCH_GP3_USD,
    "warm": S3_STANDARD_USD + OPENSEARCH_GP3_USD,
    "cold": S3_STANDARD_USD,
    "frozen": S3_STANDARD_USD,
}
"""Where the words of each tier lie at most: what is warm is in the index still.

What is cold or frozen lies in an archive class where that costs less (ADR-0011), which of most bodies it does not.
"""


def usd_per_month(tier: Tier, size_bytes: int) -> float:
    """Storage alone, at most: bodies are compressed, and a month's requests are the callers' own.

    Args:
        size_bytes: uncompressed.
    """
    return size_bytes / GB * USD_PER_GB_MONTH[tier]
