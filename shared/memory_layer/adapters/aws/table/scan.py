"""Scan of all records of the table, page by page; used by the rebuild of the index alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.table.record_items import Item
from memory_layer.adapters.aws.table.records_table import BUSY_CODES, LOST_MAX, NO_ANSWER, projection
from memory_layer.errors import StoreUnavailable
from memory_layer.manifest.tables import RECORD_SORT_KEY

Cursor = Mapping[str, Mapping[str, str]]
"""The key after which a page begins."""


@dataclass(frozen=True, slots=True)
class ScanPage:
    """Record items, tombstones among them, and the cursor of the next page (None: this was the last)."""

    items: tuple[Item, ...]
    next: Cursor | None


class TableScan:
    """Scan in strongly consistent pages of at most 1 MB, over segments that are read side by side."""

    def __init__(self, client: Any, table: str, backoff: Backoff) -> None:
        self._client = client
        self._table = table
        self._backoff = backoff

    def pages(
        self, segment: int, of: int, *, after: Cursor | None = None, names: Sequence[str] = ()
    ) -> Iterator[ScanPage]:
        """Reads one segment page by page.

        Args:
            names: the attributes wanted; none: all.

        Raises:
            StoreUnavailable: the table is too busy, or refuses it.
        """
        request: dict[str, Any] = {
            "TableName": self._table,
            "Segment": segment,
            "TotalSegments": of,
            "ConsistentRead": True,
            "FilterExpression": "sk = :record",
            "ExpressionAttributeValues": {":record": {"S": RECORD_SORT_KEY}},
            **projection(names),
        }
        start = after
        while True:
            page = self._page(request if start is None else {**request, "ExclusiveStartKey": start})
            yield page
            if page.next is None:
                return
            start = page.next

    def _page(self, request: Mapping[str, Any]) -> ScanPage:
        lost = 0
        for _ in self._backoff.rounds():
            try:
                answer = self._client.scan(**request)
            except ClientError as error:
                if error.response["Error"]["Code"] in BUSY_CODES:
                    continue
                raise StoreUnavailable(
                    f"table {self._table} refused a scan: {error}; check the grants"
                ) from error
            except BotoCoreError as error:
                lost += 1
                if lost < LOST_MAX and isinstance(error, NO_ANSWER):
                    continue
                raise StoreUnavailable(
                    f"table {self._table} did not answer a scan: {error}; try again"
                ) from error
            return ScanPage(tuple(answer["Items"]), answer.get("LastEvaluatedKey"))
        raise StoreUnavailable(f"table {self._table} was too busy for a scan; try again in a minute")
