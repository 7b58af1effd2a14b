"""Runs and staged learnings as named texts and integers: the same in a row and in an item."""

import json
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Final

from memory_layer.adapters.stored_form.collection_spec import Cell, CollectionSpec
from memory_layer.adapters.stored_form.stored_values import compact_json, converted
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import Learning, StagedLearning
from memory_layer.errors import VersionConflict

_RUN_FIELDS: Final = tuple(field.name for field in fields(RunRecord))
_STAGED_FIELDS: Final = tuple(field.name for field in fields(StagedLearning))
_JSON_FIELDS: Final = frozenset({"memories_used", "staged_ids", "result", "learning"})
"""Fields that are stored as JSON."""

_LEARNING = tuple(field.name for field in fields(Learning))


def _learning_text(learning: Learning) -> str:
    return compact_json(
        {name: getattr(learning, name) for name in _LEARNING} | {"detail": dict(learning.detail)}
    )


def _learning(text: str) -> Learning:
    document = json.loads(text)
    return Learning(**{**document, "source_runs": tuple(document["source_runs"])})


def _labels(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


_WRITERS: dict[str, Callable[[Any], Cell]] = {
    "received_at": rfc3339,
    "finished_at": rfc3339,
    "staged_at": rfc3339,
    "validated_at": rfc3339,
    "decided_at": rfc3339,
    "memories_used": compact_json,
    "staged_ids": compact_json,
    "result": lambda value: compact_json(dict(value)),
    "learning": _learning_text,
    "is_merged": int,
}
_READERS: dict[str, Callable[[Any], Any]] = {
    "received_at": instant,
    "finished_at": instant,
    "staged_at": instant,
    "validated_at": instant,
    "decided_at": instant,
    "memories_used": _labels,
    "staged_ids": _labels,
    "result": json.loads,
    "learning": _learning,
    "is_merged": bool,
}


def _cells(record: RunRecord | StagedLearning) -> dict[str, Cell]:
    """Stored value of every field, in declaration order."""
    return converted(((field.name, getattr(record, field.name)) for field in fields(record)), _WRITERS)


RUNS: Final = CollectionSpec(
    name="runs",
    fields=_RUN_FIELDS,
    id="run_id",
    documents=_JSON_FIELDS,
    cells=_cells,
    read=lambda _, values: RunRecord(**converted(values.items(), _READERS)),
    noun="run",
)
STAGED: Final = CollectionSpec(
    name="staged",
    fields=_STAGED_FIELDS,
    documents=_JSON_FIELDS,
    cells=_cells,
    read=lambda _, values: StagedLearning(**converted(values.items(), _READERS)),
    noun="staged learning",
)


def write_conflict(record: RunRecord | StagedLearning) -> VersionConflict:
    """Error of a record that cannot be written at its version."""
    if record.version == 1:
        return VersionConflict(
            f"{_name(record)} is stored already; read it, and write the version after that"
        )
    return _version_conflict(record, record.version - 1)


def removal_conflict(record: RunRecord | StagedLearning) -> VersionConflict:
    """Error of a record that cannot be removed at its version."""
    return _version_conflict(record, record.version)


def _version_conflict(record: RunRecord | StagedLearning, version: int) -> VersionConflict:
    return VersionConflict(f"{_name(record)} is no longer at version {version}; read it again")


def _name(record: RunRecord | StagedLearning) -> str:
    return f"run {record.run_id}" if isinstance(record, RunRecord) else f"staged learning {record.id}"
