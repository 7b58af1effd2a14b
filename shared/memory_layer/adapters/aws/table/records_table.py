"""The records table: strongly consistent reads, conditional writes and transactions, tried again while it is busy."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import repeat
from typing import Any, Final

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as NoConnection

from memory_layer.adapters.aws.services.backoff import Backoff
from memory_layer.adapters.aws.services.boto_clients import TruncatedAnswer
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.record_items import Item, Value
from memory_layer.errors import StoreUnavailable

TransactItems = list[Mapping[str, Any]]
"""Actions of a TransactWriteItems, without the name of the table."""

READ_CHUNK = 100
"""Keys of one BatchGetItem."""

WRITE_CHUNK = 25
"""Requests of one BatchWriteItem."""

NO_ANSWER: Final = (HTTPClientError, NoConnection)
"""Errors of requests that nobody answered."""

LOST_MAX: Final = 2
"""Calls in a row without any answer: two time-outs end before the shortest function does."""

BUSY_CODES = frozenset(
    {
        "InternalServerError",
        "ProvisionedThroughputExceededException",
        "ReplicatedWriteConflictException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)


class ConditionFailed(Exception):
    """The condition of a write does not hold; nothing was written."""


@dataclass(frozen=True, slots=True)
class CancellationReason:
    """Reason why an action cancelled its transaction ("None": it did not), with the item it met if asked for."""

    code: str
    message: str = ""
    item: Item | None = None


@dataclass(frozen=True, slots=True)
class KeyRange:
    """Range of one partition, of the table or of an index, in the order of its sort keys.

    Args:
        low, high: sort keys, inclusive.
        names: the attributes wanted; none: all.
        where: a filter expression over the attributes `#a`, `#b` … of `filtered`, with its values.
    """

    partition: str
    low: str
    high: str
    index: str | None = None
    keys: tuple[str, str] = ("pk", "sk")
    newest_first: bool = False
    names: tuple[str, ...] = ()
    where: str | None = None
    filtered: Mapping[str, str] | None = None
    values: Mapping[str, Value] | None = None


class RecordsTable:
    """One table through one client.

    Args:
        client: as `boto_clients.dynamodb` makes it.
        backoff: for what the table is too busy to do.
    """

    def __init__(self, client: Any, name: str, backoff: Backoff) -> None:
        self._client = client
        self._name = name
        self.backoff = backoff

    def get(self, key: Key, names: Sequence[str] = ()) -> Item | None:
        answer = self._call(
            "get_item", TableName=self._name, Key=key, ConsistentRead=True, **projection(names)
        )
        item: Item | None = answer.get("Item")
        return item

    def get_settled(self, key: Key) -> Item | None:
        """Reads an item that no transaction is writing: one that is under way is waited for."""
        wanted = [{"Get": {"TableName": self._name, "Key": key}}]
        for _ in self.backoff.rounds():
            with suppress(ClientError):  # a transaction writes it
                answer = self._call("transact_get_items", TransactItems=wanted)
                item: Item | None = answer["Responses"][0].get("Item")
                return item
        raise self._busy("transact_get_items")

    def get_chunk(
        self, keys: Sequence[Key], names: Sequence[str] = (), *, is_consistent: bool = True
    ) -> list[Item]:
        """Reads the existing items among at most READ_CHUNK keys, in any order."""
        waiting: dict[str, Any] = {"Keys": list(keys), "ConsistentRead": is_consistent, **projection(names)}
        found: list[Item] = []
        for _ in self.backoff.rounds():
            answer = self._call("batch_get_item", RequestItems={self._name: waiting})
            found += answer["Responses"].get(self._name, [])
            waiting = answer.get("UnprocessedKeys", {}).get(self._name)
            if not waiting:
                return found
        raise self._busy("batch_get_item")

    def pages(self, part: KeyRange, sizes: Iterable[int]) -> Iterator[list[Item]]:
        """Reads a range page by page.

        Args:
            sizes: how many items each page is to look at; the range is left when they end.
        """
        if part.low > part.high:
            return
        request = self._query(part)
        for size in sizes:
            answer = self._call("query", **request, Limit=size)
            yield answer["Items"]
            if "LastEvaluatedKey" not in answer:
                return
            request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]

    def whole(self, part: KeyRange) -> Iterator[Item]:
        """Reads every item of a range; only for ranges that cannot grow without bound."""
        for page in self.pages(part, repeat(1_000)):
            yield from page

    def _query(self, part: KeyRange) -> dict[str, Any]:
        partition, sort = part.keys
        projected = projection(part.names)
        names = projected.pop("ExpressionAttributeNames", {}) | {"#pk": partition, "#sk": sort}
        names |= part.filtered or {}
        values = {":pk": {"S": part.partition}, ":low": {"S": part.low}, ":high": {"S": part.high}}
        request = {
            "TableName": self._name,
            "KeyConditionExpression": "#pk = :pk AND #sk BETWEEN :low AND :high",
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": {**values, **(part.values or {})},
            "ScanIndexForward": not part.newest_first,
            **projected,
        }
        request |= {"IndexName": part.index} if part.index else {"ConsistentRead": True}
        return request | ({"FilterExpression": part.where} if part.where else {})

    def put(self, item: Mapping[str, Value]) -> None:
        self._call("put_item", TableName=self._name, Item=item)

    def update(self, **request: Any) -> Item:
        """Updates an item and returns the attributes that `ReturnValues` asks for.

        Raises:
            ConditionFailed
        """
        answer = self._call("update_item", TableName=self._name, **request)
        changed: Item = answer.get("Attributes", {})
        return changed

    def delete_each(self, keys: Sequence[Key]) -> None:
        """Deletes items, whether or not they exist; not one transaction."""
        self._write_each([{"DeleteRequest": {"Key": key}} for key in keys])

    def put_each(self, items: Sequence[Mapping[str, Value]]) -> None:
        """Puts items, over those that exist; not one transaction."""
        self._write_each([{"PutRequest": {"Item": item}} for item in items])

    def _write_each(self, requests: Sequence[Any]) -> None:
        for start in range(0, len(requests), WRITE_CHUNK):
            self._write_chunk(requests[start : start + WRITE_CHUNK])

    def _write_chunk(self, requests: Sequence[Any]) -> None:
        for _ in self.backoff.rounds():
            answer = self._call("batch_write_item", RequestItems={self._name: requests})
            requests = answer.get("UnprocessedItems", {}).get(self._name, [])
            if not requests:
                return
        raise self._busy("batch_write_item")

    def transact(self, actions: Sequence[Mapping[str, Any]], token: str) -> list[CancellationReason] | None:
        """Carries out all actions or none.

        Args:
            actions: each `{"Put": …}`, `{"Update": …}`, `{"Delete": …}` or `{"ConditionCheck": …}`, no two on one item.
            token: the same for the same actions: DynamoDB carries them out once within ten minutes.

        Returns:
            None when it is done; else the reason of each action.
        """
        named = [{kind: {"TableName": self._name, **body} for kind, body in a.items()} for a in actions]
        try:
            self._call("transact_write_items", TransactItems=named, ClientRequestToken=token)
        except ClientError as error:
            return [
                CancellationReason(reason["Code"], reason.get("Message", ""), reason.get("Item"))
                for reason in error.response["CancellationReasons"]
            ]
        return None

    def _call(self, operation: str, **request: Any) -> Any:
        """Calls the client, again as often as the backoff allows while the table is busy.

        Raises:
            ConditionFailed
            ClientError: a transaction was cancelled.
            StoreUnavailable: the table is busy, gone, out of reach, or refuses us.
        """
        lost = 0
        for _ in self.backoff.rounds():
            try:
                with _explained(operation, self._name):
                    return getattr(self._client, operation)(**request)
            except _Busy:
                lost = 0
            except _Lost as error:
                lost += 1
                if lost >= LOST_MAX:
                    raise _unknown(operation, self._name, error.__cause__) from error.__cause__
        raise self._busy(operation)

    def _busy(self, operation: str) -> StoreUnavailable:
        return StoreUnavailable(
            f"table {self._name} was too busy for {operation} at {self.backoff.attempts} attempts; "
            "wait a few seconds, then send the request again"
        )


class _Busy(Exception):
    """The table is busy: the call is to be tried again."""


class _Lost(Exception):
    """No answer came: the call is to be tried again, not often, as each waits in vain."""


@contextmanager
def _explained(operation: str, table: str) -> Iterator[None]:
    """Turns botocore's errors into ours."""
    try:
        yield
    except ClientError as error:
        code = error.response["Error"]["Code"]
        if code == "TransactionCanceledException":
            raise
        if code == "ConditionalCheckFailedException":
            raise ConditionFailed from error
        if code in BUSY_CODES:
            raise _Busy from error
        raise StoreUnavailable(f"table {table} refused {operation}: {error}; {_advice(code)}") from error
    except TruncatedAnswer as error:
        raise _Busy from error
    except NO_ANSWER as error:
        raise _Lost from error
    except BotoCoreError as error:
        raise _unknown(operation, table, error) from error


def _unknown(operation: str, table: str, error: BaseException | None) -> StoreUnavailable:
    return StoreUnavailable(
        f"table {table} did not answer {operation}: {error}; whether a write took effect is not known: "
        "send it again with the same Idempotency-Key"
    )


def _advice(code: str) -> str:
    if code == "ResourceNotFoundException":
        return "deploy the stack, or point MEMORY_LAYER_RECORDS_TABLE at its table"
    if code in ("AccessDeniedException", "UnrecognizedClientException", "ExpiredTokenException"):
        return "check the credentials and the function's grants"
    return "an operator finds it in the log under this request's id"


def projection(names: Sequence[str]) -> dict[str, Any]:
    """Parameters that read these attributes alone, by placeholders: many names are reserved words."""
    return dict(_projected(tuple(names))) if names else {}


@cache
def _projected(names: tuple[str, ...]) -> dict[str, Any]:
    placeholders = {f"#p{number}": name for number, name in enumerate(names)}
    return {"ProjectionExpression": ", ".join(placeholders), "ExpressionAttributeNames": placeholders}
