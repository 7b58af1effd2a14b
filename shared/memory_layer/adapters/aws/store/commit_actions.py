"""Actions of a commit on the table, with conditions and each failed condition's meaning."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from memory_layer.adapters.aws.store.access_counts import accesses_item
from memory_layer.adapters.aws.store.project_log import change_entry, erasure_entry
from memory_layer.adapters.aws.table import keys, record_items, record_seals, request_items
from memory_layer.adapters.aws.table.history_items import verdict_item, version_item
from memory_layer.adapters.aws.table.keys import Key
from memory_layer.adapters.aws.table.record_update import record_update
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import InFlight, Invalid, MemoryLayerError, VersionConflict
from memory_layer.ports.audit import change_event
from memory_layer.ports.commit import ANSWER_LIFETIME, Change, Commit, Erasure, Quota

CLAIM_LIFETIME = timedelta(minutes=1)
"""Time within which the table's index knows the content (ADR-0006)."""

OnRefusal = Callable[[record_items.Item | None], MemoryLayerError | None]
"""Meaning of a failed condition, given the item met: an error, or None: plan anew, and try again."""


@dataclass(frozen=True, slots=True)
class Action:
    """One of a transaction's at most 100 actions, e.g. `kind` Put and the `body` of a TransactWriteItems action."""

    kind: str
    body: Mapping[str, Any]
    refused: OnRefusal

    @property
    def key(self) -> tuple[str, str]:
        where = self.body.get("Key") or self.body["Item"]
        return where["pk"]["S"], where["sk"]["S"]

    @property
    def size_bytes(self) -> int:
        """Approximate size in the transaction."""
        values = self.body.get("ExpressionAttributeValues", {})
        return record_items.size_bytes(self.body.get("Item") or {**self.body["Key"], **values})


@dataclass(slots=True)
class RetryKnowledge:
    """Facts that earlier attempts at the same commit have found out."""

    changed_texts: set[str] = field(default_factory=set)  # ids of records whose stored text is another one
    # by key: the holder, whose claim does not count
    claims: dict[tuple[str, str], str] = field(default_factory=dict)


def answer_actions(commit: Commit) -> Iterator[Action]:
    """Puts an answer unless an unexpired one exists; its body beside its record unless this very commit erases that."""
    answer = commit.answer
    if answer is None:
        return
    body = {
        "Item": request_items.answer_item(commit.scope, answer),
        "ConditionExpression": "attribute_not_exists(pk) OR expires_at <= :now",
        "ExpressionAttributeValues": {":now": {"S": rfc3339(answer.expires_at - ANSWER_LIFETIME)}},
    }
    yield Action("Put", body, _always(answered_already()))
    if answer.memory_id not in {erasure.id for erasure in commit.erasures}:
        yield Action("Put", {"Item": request_items.answer_body_item(commit.scope, answer)}, _never)


def answered_already() -> InFlight:
    return InFlight("another request with this idempotency key came first; send it again")


def change_actions(commit: Commit, at: datetime, learned: RetryKnowledge) -> Iterator[Action]:
    """Actions of all changes of a commit, but for its answer, its quotas and what an erasure leaves behind.

    Args:
        at: when the changes enter the project's log.
    """
    for erasure in commit.erasures:
        yield from _erasure(commit, erasure, at)
    for change in commit.changes:
        yield from _change(commit, change, at, learned)
    for verdict in commit.verdicts:
        yield Action("Put", {"Item": verdict_item(commit.scope, verdict)}, _never)
    yield from _replacements(commit)
    for what, item in request_items.settings_items(commit):
        yield _settings(item, f"{what} of project {commit.scope.project} changed meanwhile; read them again")
    for id in sorted(_unwritten_records(commit)):
        yield _not_erased(commit.scope, id)


def quota_action(tenant: str, quota: Quota, stored: record_items.Item | None) -> Action:
    """Adds a use to a quota, if nobody else has used it since `stored` was read.

    Raises:
        TooMany: none is left.
    """
    item = request_items.quota_item(tenant, quota, quota.spent(request_items.uses_of(stored)))
    if stored is None:
        body: dict[str, Any] = {"Item": item, "ConditionExpression": "attribute_not_exists(pk)"}
    else:
        body = {
            "Item": item,
            "ConditionExpression": "uses = :read",
            "ExpressionAttributeValues": {":read": {"B": record_items.bytes_of(stored["uses"])}},
        }
    return Action("Put", body, _try_again)


def _change(commit: Commit, change: Change, at: datetime, learned: RetryKnowledge) -> Iterator[Action]:
    memory, events = change.memory, [change_event(commit, change)]
    log_sk = keys.log_sort(at, memory.id, memory.version)
    yield _creation(change, log_sk) if change.before == 0 else _update(change, log_sk, learned)
    if change.brings_accesses and change.before > 0:
        yield _brought_accesses(memory)
    yield Action("Put", {"Item": version_item(change, log_sk)}, _never)
    yield Action("Put", {"Item": change_entry(memory, log_sk, events)}, _never)


def _creation(change: Change, log_sk: str) -> Action:
    """Creates a record over nothing, or over a tombstone of the version before: a re-created id goes on counting."""
    memory = change.memory
    item = {
        **record_seals.sealed(record_items.item_of(memory, change.vectors, log_sk)),
        **record_items.due_attributes(memory, change.at),
    }
    item |= record_items.body_attributes(change.body_bytes)
    for name in () if change.brings_accesses else record_items.ACCESS_FIELDS:
        item.pop(name, None)
    may_be = "<=" if change.brings_accesses else "="
    item["first_version"] = item["version"]
    body = {
        "Item": item,
        "ConditionExpression": f"attribute_not_exists(pk) OR (kind = :tombstone AND #version {may_be} :last)",
        "ExpressionAttributeNames": {"#version": "version"},
        "ExpressionAttributeValues": {
            ":tombstone": {"S": record_items.TOMBSTONE},
            ":last": {"N": str(memory.version - 1)},
        },
    }
    return Action("Put", body, _always(_exists(memory)))


def _brought_accesses(memory: Memory) -> Action:
    """Puts the counts that a record brings over those beside it, which would hold otherwise."""
    item = accesses_item(memory)
    if item is None:
        return Action("Delete", {"Key": keys.accesses_key(memory.scope, memory.id)}, _never)
    return Action("Put", {"Item": item}, _never)


def _update(change: Change, log_sk: str, learned: RetryKnowledge) -> Action:
    id = change.memory.id
    body = record_update(change, log_sk, text_changed=id in learned.changed_texts)

    def refused(met: record_items.Item | None) -> MemoryLayerError | None:
        if (
            met is None
            or not record_items.is_memory(met)
            or record_items.version_of(met) != change.before
            or id in learned.changed_texts
        ):
            return _version_changed(id, change.before)
        learned.changed_texts.add(id)
        return None

    return Action("Update", {**body, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}, refused)


def claim_action(change: Change, holder: str | None, refused: OnRefusal) -> Action:
    """Claims a content, so that the first to store it is known while the table's index may not know it yet.

    Args:
        holder: whose claim gives way: its record says something else by now.
    """
    memory = change.memory
    item = {
        **keys.claim_key(memory.scope, memory.content_hash, memory.persona),
        **record_items.text_attributes({"kind": "claim", "id": memory.id}),
        "expires_s": request_items.ttl_attribute(change.at + CLAIM_LIFETIME),
    }
    condition: dict[str, Any] = {"ConditionExpression": "attribute_not_exists(pk)"}
    if holder is not None:
        condition = {
            "ConditionExpression": "attribute_not_exists(pk) OR id = :holder",
            "ExpressionAttributeValues": {":holder": {"S": holder}},
        }
    return Action(
        "Put", {"Item": item, **condition, "ReturnValuesOnConditionCheckFailure": "ALL_OLD"}, refused
    )


def _erasure(commit: Commit, erasure: Erasure, at: datetime) -> Iterator[Action]:
    """Replaces the whole item by its tombstone, vectors and counts included."""
    scope, version = commit.scope, erasure.before + 1
    log_sk = keys.log_sort(at, erasure.id, version)
    tombstone: dict[str, record_items.Value] = {
        **keys.record_key(scope, erasure.id),
        **record_items.text_attributes(
            {
                "kind": record_items.TOMBSTONE,
                "tenant": scope.tenant,
                "project": scope.project,
                "id": erasure.id,
            }
        ),
        **record_items.text_attributes({"log_sk": log_sk}),
        **record_items.text_attributes(
            {"age_pk": keys.erased_partition(scope), "age_sk": keys.age_sort(at, erasure.id, None)}
        ),
        "version": {"N": str(version)},
    }
    body = {
        "Item": record_items.with_digest(tombstone),
        "ConditionExpression": "kind = :memory AND #version = :before",
        "ExpressionAttributeNames": {"#version": "version"},
        "ExpressionAttributeValues": {
            ":memory": {"S": record_items.MEMORY},
            ":before": {"N": str(erasure.before)},
        },
    }
    yield Action("Put", body, _always(_version_changed(erasure.id, erasure.before)))
    yield Action("Put", {"Item": erasure_entry(commit, erasure, log_sk)}, _never)


def delete_action(key: Key) -> Action:
    return Action("Delete", {"Key": key}, _never)


def _replacements(commit: Commit) -> Iterator[Action]:
    memory_ids = {verdict.id: verdict.memory_id for verdict in commit.verdicts}
    for earlier, later in commit.replaces:
        if later not in memory_ids:
            raise Invalid(
                f"verdict {later} replaces {earlier} but is not part of the commit; put it into `verdicts`"
            )
        body = {
            "Key": keys.verdict_key(commit.scope, memory_ids[later], earlier),
            "UpdateExpression": "SET replaced_by = :later",
            "ConditionExpression": "attribute_exists(pk) AND attribute_not_exists(replaced_by)",
            "ExpressionAttributeValues": {":later": {"S": later}},
        }
        problem = f"verdict {earlier} was replaced or erased meanwhile; read {memory_ids[later]} again"
        yield Action("Update", body, _always(VersionConflict(problem)))


def _settings(item: Mapping[str, record_items.Value], problem: str) -> Action:
    body = {
        "Item": item,
        "ConditionExpression": "attribute_not_exists(pk) OR #version = :before",
        "ExpressionAttributeNames": {"#version": "version"},
        "ExpressionAttributeValues": {":before": {"N": str(record_items.version_of(item) - 1)}},
    }
    return Action("Put", body, _always(VersionConflict(problem)))


def _unwritten_records(commit: Commit) -> set[str]:
    """Ids of records that verdicts or the answer belong to and that this commit does not write."""
    written = {change.memory.id for change in commit.changes} | {erasure.id for erasure in commit.erasures}
    named = {verdict.memory_id for verdict in commit.verdicts}
    return (named | ({commit.answer.memory_id} if commit.answer else set())) - written


def _not_erased(scope: Scope, id: str) -> Action:
    """Checks that a record is not erased: without it a verdict or an answer could outlive its record."""
    body = {
        "Key": keys.record_key(scope, id),
        "ConditionExpression": "attribute_not_exists(pk) OR kind = :memory",
        "ExpressionAttributeValues": {":memory": {"S": record_items.MEMORY}},
    }
    return Action(
        "ConditionCheck", body, _always(VersionConflict(f"{id} was erased meanwhile; read it again"))
    )


def _exists(memory: Memory) -> VersionConflict:
    return VersionConflict(f"{memory.id} exists already; read it and update it instead")


def _version_changed(id: str, before: int) -> VersionConflict:
    return VersionConflict(f"{id} is no longer at version {before}; read it again")


def _always(error: MemoryLayerError) -> OnRefusal:
    return lambda _met: error


def _try_again(_met: record_items.Item | None) -> None:
    """Asks for another attempt: somebody else was faster, and what was read is read again."""


def _never(_met: record_items.Item | None) -> MemoryLayerError:
    raise AssertionError("an action without a condition failed on one")
