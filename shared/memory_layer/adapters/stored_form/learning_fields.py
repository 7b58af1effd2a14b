"""Runs and staged learnings as named texts and integers: the same in a row and in an item."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from memory_layer.adapters.stored_form.collection_spec import Cell, CollectionSpec
from memory_layer.adapters.stored_form.stored_values import compact_json, converted
from memory_layer.domain.fields import instant, rfc3339
from memory_layer.domain.learning.implicit_feedback import FeedbackEntry, ImplicitFeedback
from memory_layer.domain.learning.run import RunRecord, ShownList, ShownMemory
from memory_layer.domain.learning.staging import Learning, StagedLearning
from memory_layer.errors import VersionConflict

_RUN_FIELDS: Final = tuple(field.name for field in fields(RunRecord))
_STAGED_FIELDS: Final = tuple(field.name for field in fields(StagedLearning))
_JSON_FIELDS: Final = frozenset(
    {"memories_used", "staged_ids", "result", "learning", "shown", "entries", "words"}
)
"""Fields that are stored as JSON."""

_LEARNING = tuple(field.name for field in fields(Learning))


def _learning_text(learning: Learning) -> str:
    return compact_json(
        {name: getattr(learning, name) for name in _LEARNING} | {"detail": dict(learning.detail)}
    )


def _learning(text: str) -> Learning:
    document = json.loads(text)
    return Learning(**{**document, "source_runs": tuple(document["source_runs"])})


def _shown_text(lists: tuple[ShownList, ...]) -> str:
    return compact_json([[one.recall_id, rfc3339(one.at), one.memories, dict(one.sources)] for one in lists])


def _shown(text: str) -> tuple[ShownList, ...]:
    return tuple(
        ShownList(
            recall_id,
            instant(at),
            tuple(ShownMemory(*one) for one in memories),
            {name: tuple(froms) for name, froms in sources.items()},
        )
        for recall_id, at, memories, sources in json.loads(text)
    )


def _entries_text(entries: tuple[FeedbackEntry, ...]) -> str:
    return compact_json([{**asdict(entry), "at": rfc3339(entry.at)} for entry in entries])


def _entries(text: str) -> tuple[FeedbackEntry, ...]:
    return tuple(
        FeedbackEntry(**{**entry, "at": instant(entry["at"]), "recent": tuple(entry["recent"])})
        for entry in json.loads(text)
    )


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
    "is_vouched": int,
    "shown": _shown_text,
    "words": compact_json,
    "entries": _entries_text,
    "updated_at": rfc3339,
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
    "is_vouched": bool,
    "shown": _shown,
    "words": _labels,
    "entries": _entries,
    "updated_at": instant,
}

_LATER_RUN_FIELDS: Final = ("is_vouched", "shown", "words")
"""Fields that runs of earlier releases lack."""


def _run(values: Mapping[str, Any]) -> RunRecord:
    known = (
        (name, value) for name, value in values.items() if value is not None or name not in _LATER_RUN_FIELDS
    )
    return RunRecord(**converted(known, _READERS))


def _cells(record: RunRecord | StagedLearning | ImplicitFeedback) -> dict[str, Cell]:
    """Stored value of every field, in declaration order."""
    return converted(((field.name, getattr(record, field.name)) for field in fields(record)), _WRITERS)


RUNS: Final = CollectionSpec(
    name="runs",
    fields=_RUN_FIELDS,
    id="run_id",
    documents=_JSON_FIELDS,
    cells=_cells,
    read=lambda _, values: _run(values),
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


FEEDBACK: Final = CollectionSpec(
    name="implicit_feedback",
    fields=tuple(field.name for field in fields(ImplicitFeedback)),
    id="memory",
    documents=_JSON_FIELDS,
    cells=_cells,
    read=lambda _, values: ImplicitFeedback(**converted(values.items(), _READERS)),
)
"""Damaged feedback is left out of all answers: it is weak evidence, and keeps nobody from being recalled."""


def write_conflict(record: RunRecord | StagedLearning | ImplicitFeedback) -> VersionConflict:
    """Error of a record that cannot be written at its version."""
    if record.version == 1:
        return VersionConflict(
            f"{_name(record)} is stored already; read it, and write the version after that"
        )
    return _version_conflict(record, record.version - 1)


def removal_conflict(record: RunRecord | StagedLearning | ImplicitFeedback) -> VersionConflict:
    """Error of a record that cannot be removed at its version."""
    return _version_conflict(record, record.version)


def _version_conflict(record: RunRecord | StagedLearning | ImplicitFeedback, version: int) -> VersionConflict:
    return VersionConflict(f"{_name(record)} is no longer at version {version}; read it again")


def _name(record: RunRecord | StagedLearning | ImplicitFeedback) -> str:
    if isinstance(record, ImplicitFeedback):
        return f"feedback on {record.memory}"
    return f"run {record.run_id}" if isinstance(record, RunRecord) else f"staged learning {record.id}"
