"""Which changes of the records table reach the projector. Standard library only."""

from typing import Any, Final

RECORD_SORT_KEY: Final = "record"
"""Of record items, tombstones included; versions, verdicts, answers and log entries have others."""

RECEIPT_SORT_PREFIX: Final = "rcl_"
"""Of recall receipts: each counts one access of its memories."""

_NOT_DELETED: Final = {"pk": {"S": [{"exists": True}]}}
"""A deletion, by TTL or by hand, has no new image."""

FILTERS: Final[tuple[dict[str, Any], ...]] = (
    {"dynamodb": {"Keys": {"sk": {"S": [RECORD_SORT_KEY]}}, "NewImage": _NOT_DELETED}},
    {"dynamodb": {"Keys": {"sk": {"S": [{"prefix": RECEIPT_SORT_PREFIX}]}}, "NewImage": _NOT_DELETED}},
)
"""Lambda's filter patterns; a change that matches any of them is delivered."""
