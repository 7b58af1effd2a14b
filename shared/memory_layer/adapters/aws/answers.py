"""Answers under idempotency keys: the key's own item says which record keeps the body."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from functools import partial

from memory_layer.adapters.aws.table import keys
from memory_layer.adapters.aws.table.batch_reads import Reading
from memory_layer.adapters.aws.table.request_items import answer_of, holds
from memory_layer.adapters.stored_form.damaged_values import read
from memory_layer.domain.memory import Scope
from memory_layer.ports.commit import Answer


def read_answers(reading: Reading, scope: Scope, wanted: Collection[str], now: datetime) -> dict[str, Answer]:
    """Those that hold still, in two round trips per hundred; the body of one whose record is erased is empty."""
    found = reading.items([keys.answer_key(scope, key) for key in dict.fromkeys(wanted)])
    held = {item["key"]["S"]: item for item in found if holds(item, now)}
    named = [keys.answer_body_key(scope, item["memory_id"]["S"], key) for key, item in held.items()]
    bodies = {item["key"]["S"]: item for item in reading.items(named)}
    return {
        key: read(partial(answer_of, body=bodies.get(key)), item, f"what was answered under {key!r}")
        for key, item in held.items()
    }
