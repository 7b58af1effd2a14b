"""What lies beside a record in its partition: versions and verdicts."""

from __future__ import annotations

import json
from typing import Any

from memory_layer.adapters.aws import keys
from memory_layer.adapters.aws.items import Item, Value, text_of, texts
from memory_layer.adapters.aws.packing import packed, unpacked
from memory_layer.domain.fields import canonical_json, instant, memory_from_json, memory_to_json, rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.ports import Change, Verdict, Version


def version_item(change: Change) -> dict[str, Value]:
    memory = change.memory
    return {
        **keys.version_key(memory.scope, memory.id, memory.version),
        **texts({"kind": "version", "verb": change.verb, "by": change.by, "at": rfc3339(change.at)}),
        **texts({"reason": change.reason}),
        "record": packed(canonical_json(memory_to_json(memory))),
    }


def version_of(item: Item) -> Version:
    return Version(
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
    return {
        **keys.verdict_key(scope, verdict.memory_id, verdict.id),
        **texts({"kind": "verdict", "at": rfc3339(verdict.at)}),
        **texts({name: getattr(verdict, name) for name in _TEXTS}),
        **{name: {"N": str(round(getattr(verdict, name) * 1000))} for name in _SCORES},
    }


def verdict_of(item: Item) -> Verdict:
    values: dict[str, Any] = {name: text_of(item, name) for name in _TEXTS}
    values |= {name: int(item[name]["N"]) / 1000 for name in _SCORES}
    return Verdict(at=instant(item["at"]["S"]), **values)
