"""Clients whose indexes are behind: DynamoDB Local's never are, DynamoDB's are whenever they like."""

from __future__ import annotations

from typing import Any


class Lagging:
    """Answers queries of indexes with what they knew when `freeze` was called; before that, with nothing.

    Args:
        client: the one that knows all.
        log_begins: sort key of the oldest entry that a project's log still has; the projector deleted those before.
        is_current: the indexes are not behind after all.
    """

    def __init__(self, client: Any, *, log_begins: str = "", is_current: bool = False) -> None:
        self._client = client
        self._log_begins = log_begins
        self._is_current = is_current
        self._known: dict[str, list[dict[str, Any]]] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def freeze(self, table: str, *indexes: str) -> None:
        for index in indexes:
            self._known[index] = self._client.scan(TableName=table, IndexName=index)["Items"]

    def query(self, **request: Any) -> Any:
        index = request.get("IndexName")
        if index is not None and not self._is_current:
            return {"Items": self._answer(index, request)}
        values = request["ExpressionAttributeValues"]
        if values[":pk"]["S"].endswith("#log") and values[":low"]["S"] < self._log_begins:
            values = {**values, ":low": {"S": self._log_begins}}
        return self._client.query(**{**request, "ExpressionAttributeValues": values})

    def _answer(self, index: str, request: dict[str, Any]) -> list[dict[str, Any]]:
        names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
        partition, sort = names["#pk"], names["#sk"]
        found = [
            item
            for item in self._known.get(index, [])
            if item[partition] == values[":pk"]
            and values[":low"]["S"] <= item[sort]["S"] <= values[":high"]["S"]
        ]
        return sorted(found, key=lambda item: str(item[sort]["S"]), reverse=not request["ScanIndexForward"])
