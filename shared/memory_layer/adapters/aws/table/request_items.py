"""Items that requests leave behind: answers under idempotency keys, quotas, operations, settings."""

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial
from struct import iter_unpack, pack
from typing import Any

from memory_layer.adapters.aws.table import keys, lifecycle_keys, record_items, record_seals
from memory_layer.adapters.aws.table.batch_reads import BatchReads
from memory_layer.adapters.aws.table.packing import packed, packed_document, unpacked, unpacked_document
from memory_layer.adapters.stored_form.stored_values import UNREADABLE, assembly_of, authors_of, parse_stored
from memory_layer.domain.context.assembly_policy import AssemblyPolicy, assembly_policy_text
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.learning.author_records import NO_RECORDS, AuthorRecords, author_records_text
from memory_layer.domain.memory import Scope
from memory_layer.domain.policy import DamagedPolicy, Policy, policy_of, policy_text
from memory_layer.errors import DamagedSettings
from memory_layer.ports.commit import HOUR, Commit, HourlyUse, IdempotencyRecord, Quota
from memory_layer.ports.records import Operation


def read_answers(
    reading: BatchReads, scope: Scope, wanted: Collection[str], now: datetime
) -> dict[str, IdempotencyRecord]:
    """Reads unexpired answers, in two round trips per hundred; an erased record's answer has an empty body."""
    found = reading.items([keys.answer_key(scope, key) for key in dict.fromkeys(wanted)])
    held = {item["key"]["S"]: item for item in found if is_unexpired(item, now)}
    named = [keys.answer_body_key(scope, item["memory_id"]["S"], key) for key, item in held.items()]
    bodies = {item["key"]["S"]: item for item in reading.items(named)}
    return {
        key: parse_stored(partial(answer_of, body=bodies.get(key)), item, f"what was answered under {key!r}")
        for key, item in held.items()
    }


OPERATION_LIFETIME = timedelta(days=30)


def ttl_attribute(at: datetime) -> record_items.Value:
    """Value of the table's TTL attribute: deletion is irregular, so readers look at the time themselves."""
    return {"N": str(keys.ttl_seconds(at))}


def answer_item(scope: Scope, answer: IdempotencyRecord) -> dict[str, record_items.Value]:
    """Item of an answer without its body, which goes with the record."""
    named = {"kind": "answer", "key": answer.key, "fingerprint": answer.fingerprint}
    where = keys.answer_key(scope, answer.key)
    item = {
        **where,
        **keys.listing_attributes(keys.project_partition(scope), where),
        **record_items.text_attributes(
            {**named, "memory_id": answer.memory_id, "expires_at": rfc3339(answer.expires_at)}
        ),
        "status": {"N": str(answer.status)},
        "expires_s": ttl_attribute(answer.expires_at),
    }
    return record_items.with_digest(item)


def answer_body_item(scope: Scope, answer: IdempotencyRecord) -> dict[str, record_items.Value]:
    item = {
        **keys.answer_body_key(scope, answer.memory_id, answer.key),
        **record_items.text_attributes({"kind": "answer_body", "key": answer.key}),
        "body": packed(answer.body),
        "expires_s": ttl_attribute(answer.expires_at),
    }
    return record_items.with_digest(item)


def answer_of(item: record_items.Item, body: record_items.Item | None) -> IdempotencyRecord:
    """Answer of its two items. Args: body: None once it was erased."""
    for one in (item, body):
        if one is not None:
            record_seals.sound_item(one)
    return IdempotencyRecord(
        key=item["key"]["S"],
        fingerprint=item["fingerprint"]["S"],
        status=int(item["status"]["N"]),
        body="" if body is None else unpacked(body["body"]),
        expires_at=instant(item["expires_at"]["S"]),
        memory_id=item["memory_id"]["S"],
    )


def is_unexpired(item: record_items.Item, now: datetime) -> bool:
    """Says that an item has not expired yet, to the microsecond."""
    return str(item["expires_at"]["S"]) > rfc3339(now)


def quota_item(tenant: str, quota: Quota, uses: Sequence[datetime]) -> dict[str, record_items.Value]:
    where = keys.quota_key(tenant, quota.key)
    item = {
        **where,
        **keys.listing_attributes(keys.tenant_partition(tenant), where),
        **record_items.text_attributes({"kind": "quota", "key": quota.key}),
        "uses": {"B": pack(f"<{len(uses)}q", *map(keys.microseconds, uses))},
        "expires_s": ttl_attribute(quota.at + timedelta(seconds=quota.window_s)),
    }
    return record_items.with_digest(item)


def hourly_update(tenant: str, use: HourlyUse) -> dict[str, Any]:
    """Update that adds a use to those of its hour, if there is room; an item an hour, which ends by itself."""
    expires = ttl_attribute(use.hour + 2 * HOUR)
    return {
        "Key": keys.quota_key(tenant, f"{use.key}:{rfc3339(use.hour)}"),
        "UpdateExpression": "SET kind = :kind, expires_s = :expires ADD used :amount",
        "ConditionExpression": "attribute_not_exists(used) OR used <= :room",
        "ExpressionAttributeValues": {
            ":kind": {"S": "hourly_use"},
            ":expires": expires,
            ":amount": {"N": str(use.amount)},
            ":room": {"N": str(use.limit - use.amount)},
        },
    }


def uses_of(item: record_items.Item | None) -> list[datetime]:
    """Uses of a quota, eight bytes each: an hour may have 10,000. A damaged count begins anew.

    Nobody could use the quota any more otherwise.
    """
    if item is None:
        return []
    try:
        uses = [use for (use,) in iter_unpack("<q", record_items.bytes_of(item["uses"]))]
        return [keys.EPOCH + timedelta(microseconds=use) for use in uses]
    except UNREADABLE:
        return []


def operation_item(operation: Operation) -> dict[str, record_items.Value]:
    named = {name: getattr(operation, name) for name in _OPERATION_TEXTS}
    documents = {name: packed_document(getattr(operation, name)) for name in _OPERATION_DOCUMENTS}
    expires_at = operation.created_at + OPERATION_LIFETIME
    where = keys.operation_key(operation.tenant, operation.id)
    item = {
        **where,
        **keys.listing_attributes(keys.tenant_partition(operation.tenant), where),
        **record_items.text_attributes({**named, "kind": "operation", "work": operation.kind}),
        **record_items.text_attributes(
            {"created_at": rfc3339(operation.created_at), "expires_at": rfc3339(expires_at)}
        ),
        **{name: {"N": str(getattr(operation, name))} for name in _OPERATION_COUNTS},
        **record_items.without_absent(documents),
        "expires_s": ttl_attribute(expires_at),
    }
    return record_items.with_digest(item)


def operation_of(item: record_items.Item) -> Operation:
    record_seals.sound_item(item)
    values: dict[str, Any] = {name: record_items.text_of(item, name) for name in _OPERATION_TEXTS}
    values |= {name: int(item[name]["N"]) for name in _OPERATION_COUNTS}
    values |= {name: unpacked_document(item.get(name)) for name in _OPERATION_DOCUMENTS}
    return Operation(kind=item["work"]["S"], created_at=instant(item["created_at"]["S"]), **values)


_OPERATION_TEXTS = ("id", "tenant", "principal", "status", "input")
_OPERATION_COUNTS = ("done", "total")
_OPERATION_DOCUMENTS = ("result", "problem")


def policy_item(scope: Scope, policy: Policy) -> dict[str, record_items.Value]:
    item = {
        **keys.policy_key(scope),
        **record_items.text_attributes({"kind": "policy", "policy": policy_text(policy)}),
        "version": {"N": str(policy.version)},
    }
    return record_items.with_digest(item)


def assembly_item(scope: Scope, policy: AssemblyPolicy) -> dict[str, record_items.Value]:
    item = {
        **lifecycle_keys.assembly_key(scope),
        **record_items.text_attributes({"kind": "assembly", "policy": assembly_policy_text(policy)}),
        "version": {"N": str(policy.version)},
    }
    return record_items.with_digest(item)


def authors_item(scope: Scope, records: AuthorRecords) -> dict[str, record_items.Value]:
    item = {
        **lifecycle_keys.authors_key(scope),
        **record_items.text_attributes({"kind": "authors", "policy": author_records_text(records)}),
        "version": {"N": str(records.version)},
    }
    return record_items.with_digest(item)


def settings_items(commit: Commit) -> Iterator[tuple[str, dict[str, record_items.Value]]]:
    """Items of a project's new settings, each with its name."""
    if commit.policy is not None:
        yield "settings", policy_item(commit.scope, commit.policy)
    if commit.assembly is not None:
        yield "tuning", assembly_item(commit.scope, commit.assembly)
    if commit.authors is not None:
        yield "records of authors", authors_item(commit.scope, commit.authors)


def stored_assembly(scope: Scope, item: record_items.Item | None) -> tuple[AssemblyPolicy, bool]:
    """Tuning of contexts of its item, as `assembly_of`."""
    if item is None:
        return AssemblyPolicy(), False
    return assembly_of(scope, record_items.text_of(item, "policy"), int(item["version"]["N"]))


def stored_authors(scope: Scope, item: record_items.Item | None) -> AuthorRecords:
    """Records of authors of their item, as `authors_of`."""
    if item is None:
        return NO_RECORDS
    return authors_of(scope, record_items.text_of(item, "policy"), int(item["version"]["N"]))


def stored_policy(scope: Scope, item: record_items.Item | None) -> Policy:
    """Policy of its item; the default without one.

    Raises:
        DamagedSettings
    """
    if item is None:
        return Policy()
    try:
        return policy_of(record_items.text_of(item, "policy"))
    except DamagedPolicy as error:
        raise DamagedSettings(scope.project, int(item["version"]["N"])) from error
