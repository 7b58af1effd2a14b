"""The parts of a records table that reads and repairs of records need, over a dict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any

from memory_layer.adapters.aws.table.records_table import ConditionFailed, KeyRange

Items = dict[tuple[str, str], dict[str, Any]]


class ItemsInMemory:
    """A table, and the batch reads of it. Args: items: as stored; a test changes them."""

    def __init__(self, *items: dict[str, Any]) -> None:
        self.items: Items = {_key(item): deepcopy(item) for item in items}
        self.updates = 0

    def get(self, key: dict[str, Any], names: Sequence[str] = ()) -> dict[str, Any] | None:
        item = self.items.get(_key(key))
        return None if item is None else _projected(item, names)

    def get_each(
        self, wanted: Sequence[dict[str, Any]], names: Sequence[str] = ()
    ) -> Iterator[dict[str, Any]]:
        return (item for key in wanted if (item := self.get(key, names)) is not None)

    def pages(self, part: KeyRange, sizes: Iterable[int]) -> Iterator[list[dict[str, Any]]]:
        found = [
            item
            for (pk, sk), item in self.items.items()
            if pk == part.partition and part.low <= sk <= part.high
        ]
        found.sort(key=lambda item: item["sk"]["S"], reverse=part.newest_first)
        for size in sizes:
            if not found:
                return
            yield deepcopy(found[:size])
            found = found[size:]

    def whole(self, part: KeyRange) -> Iterator[dict[str, Any]]:
        for page in self.pages(part, iter(lambda: 100, None)):
            yield from page

    def delete_each(self, wanted: Sequence[dict[str, Any]]) -> None:
        for key in wanted:
            self.items.pop(_key(key), None)

    def update(self, **request: Any) -> dict[str, Any]:
        """Takes expressions of the form `SET #a = :b, … REMOVE #c, …` under `#a = :b AND attribute_not_exists(#c)`."""
        item = self.items.setdefault(_key(request["Key"]), dict(request["Key"]))
        names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
        for condition in request["ConditionExpression"].split(" AND "):
            if not _holds(condition, item, names, values):
                raise ConditionFailed
        self.updates += 1
        assigned, _, removed = request["UpdateExpression"].removeprefix("SET ").partition(" REMOVE ")
        for pair in assigned.split(", "):
            name, _, value = pair.partition(" = ")
            item[names[name]] = values[value]
        for name in filter(None, removed.split(", ")):
            item.pop(names[name], None)
        return {}


class BatchReadsInMemory:
    """Batch reads of a table in memory."""

    def __init__(self, table: ItemsInMemory) -> None:
        self._table = table

    def items(self, wanted: Sequence[dict[str, Any]], names: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
        return self._table.get_each(wanted, names)


def _holds(condition: str, item: dict[str, Any], names: dict[str, str], values: dict[str, Any]) -> bool:
    if condition.startswith("attribute_not_exists("):
        return names[condition.removeprefix("attribute_not_exists(").rstrip(")")] not in item
    name, _, value = condition.partition(" = ")
    return bool(item.get(names[name]) == values[value])


def _projected(item: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return deepcopy({name: value for name, value in item.items() if not names or name in names})


def _key(item: dict[str, Any]) -> tuple[str, str]:
    return item["pk"]["S"], item["sk"]["S"]
