"""Storage costs of texts by tier, by which a move between tiers pays off."""

from collections.abc import Mapping
from typing import Final

from memory_layer.domain.memory import Tier
from memory_layer.domain.tier_policy import GB

DYNAMODB_USD: Final = 0.25
OPENSEARCH_GP3_USD: Final = 0.122
S3_STANDARD_USD: Final = 0.023
"""Prices in USD for a GB and a month, us-east-1.

Source: https://aws.amazon.com/dynamodb/pricing/on-demand/, https://aws.amazon.com/opensearch-service/pricing/,
https://aws.amazon.com/s3/pricing/
"""

ROW_USD: Final[Mapping[Tier, float]] = {
    "hot": DYNAMODB_USD + OPENSEARCH_GP3_USD,
    "warm": DYNAMODB_USD + OPENSEARCH_GP3_USD,
    "cold": DYNAMODB_USD,
    "frozen": DYNAMODB_USD,
}
"""Price of data in rows: short contents, details and contexts never leave them. Warm rows are still in the index."""

BODY_USD: Final[Mapping[Tier, float]] = {
    "hot": S3_STANDARD_USD,
    "warm": S3_STANDARD_USD + OPENSEARCH_GP3_USD,
    "cold": S3_STANDARD_USD,
    "frozen": S3_STANDARD_USD,
}
"""Price of contents in bodies of their own, at most.

Cold and frozen bodies are in an archive class where that costs less (ADR-0011), which for most bodies it does not.
"""


def usd_per_month(tier: Tier, size_bytes: int, body_bytes: int) -> float:
    """Monthly storage cost of records, at most: bodies are compressed; vectors and histories are not counted.

    Args:
        size_bytes: of all texts, uncompressed.
        body_bytes: of these, those in bodies.
    """
    in_rows = size_bytes - body_bytes
    return (in_rows * ROW_USD[tier] + body_bytes * BODY_USD[tier]) / GB
