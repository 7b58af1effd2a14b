"""Erasure of a record's partition, and of its context in the versions and answers of its neighbours."""

import json
from collections.abc import Callable, Collection, Iterator
from typing import Any

from memory_layer.adapters.aws.store.commit_actions import Action
from memory_layer.adapters.aws.table import keys, record_items, record_seals
from memory_layer.adapters.aws.table.history_items import item_digest
from memory_layer.adapters.aws.table.keys import AFTER_HASH, ANSWER_BODY, PAIR_LINK, RECORD, VERSION, Key
from memory_layer.adapters.aws.table.packing import packed, unpacked, without_context
from memory_layer.adapters.aws.table.pair_items import keys_of_links
from memory_layer.adapters.aws.table.records_table import ConditionFailed, KeyRange, RecordsTable
from memory_layer.domain.fields import canonical_json, memory_from_json, memory_to_json
from memory_layer.domain.learning.implicit_feedback import name_of
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.errors import VersionConflict
from memory_layer.ports.commit import Commit

_DOCUMENTS = {VERSION: "record", ANSWER_BODY: "body"}
"""Attributes that hold a record as JSON, by the beginning of their item's sort key."""


def remaining_keys(table: RecordsTable, scope: Scope, id: str) -> list[Key]:
    """Keys of the items that quote or announce the record, then those of its partition but for the record's own."""
    names = ("pk", "sk", "id", "other", "entry")
    part = KeyRange(keys.record_partition(scope, id), ANSWER_BODY, _end(VERSION), names=names)
    found = list(table.whole(part))
    links = [item for item in found if item["sk"]["S"].startswith(PAIR_LINK)]
    own = ({"pk": item["pk"], "sk": item["sk"]} for item in found)
    others = (*keys_of_links(scope, links), *_announcements(table, scope, id))
    feedback = keys.feedback_key(scope, name_of(Ref(scope.project, id)))
    counts = [] if table.get(feedback, ("pk",)) is None else [feedback]
    return [*others, *counts, *(key for key in own if key["sk"]["S"] != RECORD)]


def _announcements(table: RecordsTable, scope: Scope, id: str) -> Iterator[Key]:
    """Yields the keys of the announcements of a record; they end by themselves, with all others of their time."""
    part = KeyRange(
        keys.news_partition(scope),
        keys.log_position(keys.EPOCH),
        keys.AFTER_TIMES,
        names=("pk", "sk"),
        where="#a = :a",
        filtered={"#a": "id"},
        values={":a": {"S": id}},
    )
    for item in table.whole(part):
        yield {"pk": item["pk"], "sk": item["sk"]}


def has_record(table: RecordsTable, scope: Scope, id: str) -> bool:
    """Reads whether the record exists and is no tombstone."""
    record = table.get(keys.record_key(scope, id), ("kind",))
    return record is not None and record_items.is_memory(record)


def has_tombstone(table: RecordsTable, scope: Scope, id: str, version: int) -> bool:
    """Reads whether nothing was stored under the id since. Args: version: of the tombstone."""
    record = table.get(keys.record_key(scope, id), ("kind", record_seals.SEAL, "version"))
    return (
        record is not None
        and record_seals.is_tombstone(record)
        and record_items.version_of(record) == version
    )


def finish_erasure(
    table: RecordsTable, scope: Scope, id: str, version: int, known: Collection[Key] = ()
) -> None:
    """Deletes what is left beside a tombstone; done again, it finds nothing.

    Whoever created the id anew meanwhile keeps what is theirs: then only `known` is deleted.

    Args:
        version: of the tombstone.
        known: what was there before the record was erased.
    """
    left = remaining_keys(table, scope, id)
    if not left:
        return
    is_still_erased = has_tombstone(table, scope, id, version)
    gone = [key for key in left if is_still_erased or key in known]
    own = keys.record_partition(scope, id)
    for is_own in (False, True):  # the links last: without them nobody finds the pairs that they name
        table.delete_each([key for key in gone if (key["pk"]["S"] == own) == is_own])


def context_removals(table: RecordsTable, commit: Commit) -> list[Action]:
    """Actions that remove the context from the earlier versions and the answers of every record that echoes."""
    echoes = dict.fromkeys(id for erasure in commit.erasures for id in erasure.echoes)
    return [action for id in echoes for action in _removals_of_record(table, commit.scope, id)]


def remove_context(table: RecordsTable, action: Action) -> None:
    """Removes one context by itself, where a transaction had no room for it."""
    try:
        table.update(**action.body)
    except ConditionFailed:
        return  # the record that echoed was itself erased


def redaction_of_version(item: record_items.Item, redacted: Callable[[Memory], Memory]) -> Action:
    """Action that rewrites a version without its words, and without the reason that somebody gave."""
    record = memory_from_json(json.loads(unpacked(item["record"])))
    return _rewriting(item, "record", canonical_json(memory_to_json(redacted(record))), drops="reason")


def _removals_of_record(table: RecordsTable, scope: Scope, id: str) -> Iterator[Action]:
    for prefix, name in _DOCUMENTS.items():
        part = KeyRange(keys.record_partition(scope, id), prefix, _end(prefix))
        for item in table.whole(part):
            text = without_context(unpacked(item[name]))
            if text is not None:
                yield _rewriting(item, name, text)


def _rewriting(item: record_items.Item, name: str, text: str, *, drops: str | None = None) -> Action:
    """Action that rewrites a document of an item. Args: drops: attribute that goes with it."""
    rewritten = {key: value for key, value in {**item, name: packed(text)}.items() if key != drops}
    body: dict[str, Any] = {
        "Key": {"pk": item["pk"], "sk": item["sk"]},
        "UpdateExpression": "SET #document = :text",
        "ConditionExpression": "attribute_exists(pk)",
        "ExpressionAttributeNames": {"#document": name},
        "ExpressionAttributeValues": {":text": rewritten[name]},
    }
    is_version = item["sk"]["S"].startswith(VERSION)
    digest = item_digest if is_version else record_items.attributes_digest
    stored = record_items.text_of(item, record_items.DIGEST)
    # a damaged item keeps the digest that shows the damage
    if stored == digest(item) or (stored is None and is_version):
        body["UpdateExpression"] += ", #digest = :digest"
        body["ExpressionAttributeNames"]["#digest"] = record_items.DIGEST
        body["ExpressionAttributeValues"][":digest"] = {"S": digest(rewritten)}
    if drops is not None:
        body["UpdateExpression"] += " REMOVE #drops"
        body["ExpressionAttributeNames"]["#drops"] = drops
    gone = VersionConflict(f"{keys.id_of(item)} was erased meanwhile; send the request again")
    return Action("Update", body, lambda _met: gone)


def _end(prefix: str) -> str:
    return prefix[:-1] + AFTER_HASH
