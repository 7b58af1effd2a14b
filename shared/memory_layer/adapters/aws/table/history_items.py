"""What lies beside a record in its partition: versions and verdicts."""

import json
from typing import Any

from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.packing import packed, unpacked
from memory_layer.adapters.aws.table.record_items import (
    DIGEST,
    Item,
    Value,
    bytes_of,
    number_of,
    text_attributes,
    text_of,
    with_digest,
)
from memory_layer.domain.fields import canonical_json, instant, memory_from_json, memory_to_json, rfc3339
from memory_layer.domain.integrity.digests import version_digest
from memory_layer.domain.memory import Scope
from memory_layer.ports.commit import Change, Verdict
from memory_layer.ports.records import RecordVersion


def version_item(change: Change, log_sk: str) -> dict[str, Value]:
    """Args: log_sk: where the change stands in its project's log."""
    memory = change.memory
    item = {
        **keys.version_key(memory.scope, memory.id, memory.version),
        **text_attributes(
            {"kind": "version", "verb": change.verb, "by": change.by, "at": rfc3339(change.at)}
        ),
        **text_attributes({"reason": change.reason, "log_sk": log_sk}),
        "before": {"N": str(change.before)},
        "record": packed(canonical_json(memory_to_json(memory))),
    }
    return {**item, DIGEST: {"S": item_digest(item)}}


def item_digest(item: Item) -> str:
    """What the digest of a version is, whatever the item says it is."""
    return version_digest(
        bytes_of(item["record"]),
        keys.id_of(item),
        version_number(item),
        number_of(item, "before"),
        text_of(item, "log_sk"),
        *(text_of(item, name) for name in ("verb", "by", "at", "reason")),
    )


def version_number(item: Item) -> int:
    return int(item["sk"]["S"].removeprefix(keys.VERSION))


def version_of(item: Item) -> RecordVersion:
    return RecordVersion(
        memory_from_json(json.loads(unpacked(item["record"]))),
        item["verb"]["S"],
        item["by"]["S"],
        instant(item["at"]["S"]),
        text_of(item, "reason"),
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
)
_SCORES = ("score_moved", "confidence_moved")


def verdict_item(scope: Scope, verdict: Verdict) -> dict[str, Value]:
    item = {
        **keys.verdict_key(scope, verdict.memory_id, verdict.id),
        **text_attributes({"kind": "verdict", "at": rfc3339(verdict.at)}),
        **text_attributes({name: getattr(verdict, name) for name in _TEXTS}),
        **{name: {"N": str(round(getattr(verdict, name) * 1000))} for name in _SCORES},
    }
    return with_digest(item)


def verdict_of(item: Item) -> Verdict:
    values: dict[str, Any] = {name: text_of(item, name) for name in _TEXTS}
    values |= {name: int(item[name]["N"]) / 1000 for name in _SCORES}
    return Verdict(at=instant(item["at"]["S"]), **values)
