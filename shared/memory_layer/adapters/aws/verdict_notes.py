"""What people wrote with verdicts: in the verdict, and as the reason of the version that it made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, get_args

from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.history_items import item_digest
from memory_layer.adapters.aws.table.keys import AFTER_HASH, VERDICT, VERSION
from memory_layer.adapters.aws.table.record_items import DIGEST, Item, Value, attributes_digest, text_of
from memory_layer.adapters.aws.table.records_table import ConditionFailed, Range, Table
from memory_layer.domain.memory import OutcomeResult, Scope

_RESULTS: Final[dict[str, Value]] = {f":{result}": {"S": result} for result in get_args(OutcomeResult)}
_NAMES: Final = {"#p": "principal", "#n": "note", "#b": "by", "#r": "reason", "#v": "verb"}
_NOTED: Final = (
    "(#p = :name AND attribute_exists(#n)) OR"
    f" (#b = :name AND attribute_exists(#r) AND #v IN ({', '.join(_RESULTS)}))"
)


def forget_notes_on(table: Table, scope: Scope, id: str, principal: str) -> int:
    """On one record; how many verdicts had one. Done again after a crash, it finds what is left."""
    return sum(_forget(table, item) for item in list(_noted(table, scope, id, principal)))


def _noted(table: Table, scope: Scope, id: str, principal: str) -> Iterator[Item]:
    """Verdicts first, then versions: as their keys are in order."""
    part = Range(
        keys.record_partition(scope, id),
        VERDICT,
        f"{VERSION[:-1]}{AFTER_HASH}",
        where=_NOTED,
        filtered=_NAMES,
        values={":name": {"S": principal}, **_RESULTS},
    )
    return table.whole(part)


def _forget(table: Table, item: Item) -> bool:
    """Whether it was a verdict's."""
    is_version = item["sk"]["S"].startswith(VERSION)
    name, digest = ("reason", item_digest) if is_version else ("note", attributes_digest)
    left = {key: value for key, value in item.items() if key != name}
    request: dict[str, Any] = {
        "Key": {"pk": item["pk"], "sk": item["sk"]},
        "UpdateExpression": "REMOVE #name",
        "ConditionExpression": "attribute_exists(pk)",
        "ExpressionAttributeNames": {"#name": name},
    }
    if text_of(item, DIGEST) == digest(item):  # one that is damaged keeps a digest that tells it
        request["UpdateExpression"] += " SET #digest = :digest"
        request["ExpressionAttributeNames"]["#digest"] = DIGEST
        request["ExpressionAttributeValues"] = {":digest": {"S": digest(left)}}
    try:
        table.update(**request)
    except ConditionFailed:
        return False  # the record was erased itself
    return not is_version
