"""Items of versions and verdicts, in their record's partition."""

import json
from typing import Any

from memory_layer.adapters.aws.table import keys, record_items, record_seals
from memory_layer.adapters.aws.table.packing import packed, unpacked
from memory_layer.domain.fields import canonical_json, instant, memory_from_json, memory_to_json, rfc3339
from memory_layer.domain.integrity.digests import version_digest
from memory_layer.domain.memory import Scope
from memory_layer.ports.commit import Change, Verdict
from memory_layer.ports.records import RecordVersion


def version_item(change: Change, log_sk: str) -> dict[str, record_items.Value]:
    """Item of a version. Args: log_sk: the change's sort key in its project's log."""
    memory = change.memory
    item = {
        **keys.version_key(memory.scope, memory.id, memory.version),
        **record_items.text_attributes(
            {"kind": "version", "verb": change.verb, "by": change.by, "at": rfc3339(change.at)}
        ),
        **record_items.text_attributes({"reason": change.reason, "log_sk": log_sk}),
        "before": {"N": str(change.before)},
        "record": packed(canonical_json(memory_to_json(memory))),
    }
    return {**item, record_items.DIGEST: {"S": item_digest(item)}}


def item_digest(item: record_items.Item) -> str:
    """Digest computed from the contents of a version, whatever digest its item has."""
    return version_digest(
        record_items.bytes_of(item["record"]),
        keys.id_of(item),
        version_number(item),
        record_items.number_of(item, "before"),
        record_items.text_of(item, "log_sk"),
        *(record_items.text_of(item, name) for name in ("verb", "by", "at", "reason")),
    )


def version_number(item: record_items.Item) -> int:
    return int(item["sk"]["S"].removeprefix(keys.VERSION))


def sound_entry_of(item: record_items.Item) -> RecordVersion:
    """Version of an item that matches its digest. Raises: DamagedItem, or another of UNREADABLE."""
    if item.get(record_items.DIGEST) not in (None, {"S": item_digest(item)}):
        raise record_seals.DamagedItem("it does not match its digest")
    return history_entry_of(item)


def history_entry_of(item: record_items.Item) -> RecordVersion:
    return RecordVersion(
        memory_from_json(json.loads(unpacked(item["record"]))),
        item["verb"]["S"],
        item["by"]["S"],
        instant(item["at"]["S"]),
        record_items.text_of(item, "reason"),
    )


_TEXTS = (
    "id",
    "memory_id",
    "result",
    "principal",
    "session_id",
    "run_id",
    "recall_id",
    "note",
    "replaced_by",
    "speaker",
)
_SCORES = ("score_moved", "confidence_moved")


def verdict_item(scope: Scope, verdict: Verdict) -> dict[str, record_items.Value]:
    item = {
        **keys.verdict_key(scope, verdict.memory_id, verdict.id),
        **record_items.text_attributes({"kind": "verdict", "at": rfc3339(verdict.at)}),
        **record_items.text_attributes({name: getattr(verdict, name) for name in _TEXTS}),
        **{name: {"N": str(round(getattr(verdict, name) * 1000))} for name in _SCORES},
    }
    return record_items.with_digest(item)


def verdict_of(item: record_items.Item) -> Verdict:
    record_seals.sound_item(item)
    values: dict[str, Any] = {name: record_items.text_of(item, name) for name in _TEXTS}
    values |= {name: int(item[name]["N"]) / 1000 for name in _SCORES}
    return Verdict(at=instant(item["at"]["S"]), **values)
