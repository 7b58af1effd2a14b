"""Directory of machine clients: rows of the clients table, written by the operator."""

from collections.abc import Mapping
from typing import Any

from memory_layer.manifest.tables import CLIENTS


class DynamoClientDirectory:
    """Clients by id. Args: client: boto3's low-level DynamoDB client; table: its name."""

    def __init__(self, client: Any, table: str) -> None:
        self._client = client
        self._table = table

    def __call__(self, client_id: str) -> Mapping[str, Any] | None:
        """Returns a client's row, as it is now: `tenant`, and where there are any the claims of `ClientOf`."""
        answer = self._client.get_item(
            TableName=self._table, Key={CLIENTS.partition_key: {"S": client_id}}, ConsistentRead=True
        )
        item = answer.get("Item")
        return None if item is None else {name: _claim_value(value) for name, value in item.items()}


def _claim_value(value: Mapping[str, Any]) -> Any:
    """Value of a claim: a text, a truth, or texts of a set or a list; nothing else makes a claim."""
    if "BOOL" in value:
        return value["BOOL"]
    if "SS" in value:
        return sorted(value["SS"])
    if "L" in value:
        return [part["S"] for part in value["L"] if "S" in part]
    return value.get("S")
