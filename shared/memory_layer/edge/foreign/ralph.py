"""Files of the loop memory that this product grew out of: `ralph-learnings.json` and `staging.json`.

Source: Loop Learning, storage format; Loop Learning, staging area.
"""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, replace
from hashlib import sha256
from math import isfinite
from typing import Any, get_args

from memory_layer.domain.learning.pooled_counts import COUNT_MAX, Complexity, estimate_sentence, evidence_of
from memory_layer.domain.learning.run import DURATION_MAX_MS
from memory_layer.domain.learning.run_extraction import AVOID
from memory_layer.domain.learning.staging import Learning, LearningType, validate
from memory_layer.domain.memory import LABEL_MAX_CHARS, LABELS_MAX, TaskType, to_thousandths
from memory_layer.edge.foreign import javascript_json
from memory_layer.edge.foreign.document_reader import DocumentReader
from memory_layer.errors import Invalid
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignLearning, ForeignStaged

EXAMPLE_MAX_CHARS = 1_024
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_MEMBERS = frozenset(
    {"id", "type", "taskType", "content", "confidence", "sourceLoops", "createdAt", "updatedAt", "useCount"}
    | {"successRate"}
)
_SAID: Mapping[LearningType, str] = {
    "strategy": "description",
    "antipattern": "description",
    "convention": "pattern",
}

_TYPES: Collection[LearningType] = ("strategy", "antipattern", "estimate", "convention")

_APART = frozenset({*_SAID.values(), "successRate"})


def read_learning(item: DocumentReader, file_id: str) -> Learning:
    """Learning of ours from one of the file; its defects are noted in `item`.

    Counts that the file does not have are those that its scores imply, so that it can be pooled with what is
    learned later; one that names no loop rests on one of its own, called as itself, so that it counts, and once.
    Members that are not of the format stay in `detail`, in snake_case.

    Args:
        file_id: name of the learning in the file.
    """
    type_, content = item.one_of("type", _TYPES), item.object("content")
    task_type, confidence = item.one_of("taskType", get_args(TaskType)), item.number("confidence", high=1.0)
    runs = sorted(set(item.texts("sourceLoops", max_chars=LABEL_MAX_CHARS)))[:LABELS_MAX]
    beside = {name: value for name, value in item.members.items() if name not in _MEMBERS}
    detail = _in_snake_case(beside) | _in_snake_case(content.members, _APART) | _facts(type_, content)
    learning = Learning(
        type=type_,
        task_type=task_type,
        content=_description(type_, content) or estimate_sentence(task_type, detail),
        detail=detail,
        confidence=to_thousandths(confidence),
        success_rate=to_thousandths(_success_rate(type_, item, content)),
        source_runs=tuple(runs) or (file_id,),
    )
    return replace(learning, detail={**detail, **evidence_of(learning).counts})


def _description(type_: LearningType, content: DocumentReader) -> str | None:
    """Description or pattern of a learning; an estimate has none. An anti-pattern names what to avoid."""
    if type_ not in _SAID:
        return None
    said = content.text(_SAID[type_]).strip()
    return f"{AVOID}{said}" if type_ == "antipattern" and not said.startswith(AVOID) else said


def _success_rate(type_: LearningType, item: DocumentReader, content: DocumentReader) -> float:
    """Success rate that the file gives, else the one that the type implies."""
    implied = {"strategy": "effectiveness", "estimate": "successRate"}
    if item.has("successRate") or type_ not in implied:
        is_said = item.has("successRate")
        return item.number("successRate", high=1.0) if is_said else float(type_ == "convention")
    return content.number(implied[type_], high=1.0)


def _facts(type_: LearningType, content: DocumentReader) -> dict[str, Any]:
    """Numbers and examples for the content, each checked."""
    if type_ == "strategy":
        has_share = content.has("effectiveness")
        share = to_thousandths(content.number("effectiveness", high=1.0)) if has_share else None
        return _without_absent(effectiveness=share, iterations=content.count("iterations") or None)
    if type_ == "antipattern":
        return _without_absent(occurrences=content.count("occurrences") or None, impact=_impact(content))
    if type_ == "convention":
        return {"examples": content.texts("examples", max_chars=EXAMPLE_MAX_CHARS)}
    return {
        "avg_iteration_time_ms": round(content.number("avgIterationTime", high=DURATION_MAX_MS)),
        "total_iterations": content.count("totalIterations"),
        "complexity": content.one_of("complexity", get_args(Complexity)),
    }


def _impact(content: DocumentReader) -> str:
    return content.text("impact", max_chars=EXAMPLE_MAX_CHARS) if content.has("impact") else "high"


def _without_absent(**facts: Any) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if fact is not None}


def _in_snake_case(members: Mapping[str, Any], apart: Collection[str] = ()) -> dict[str, Any]:
    """Members with names in snake_case, whole numbers as integers; at every depth."""
    return {
        _OURS.get(name) or _snake_case(name): _plain(value)
        for name, value in members.items()
        if name not in apart
    }


_OURS = {"avgIterationTime": "avg_iteration_time_ms"}


def _snake_case(name: str) -> str:
    return _HUMP.sub("_", name).lower()


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _in_snake_case(value)
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if not isinstance(value, float):
        return value
    if not isfinite(value):
        return None  # as JavaScript writes it
    return int(value) if value.is_integer() and abs(value) <= COUNT_MAX else value


VERSION = "1."
STATUSES = ("pending", "validated", "rejected")
ID_MAX_CHARS = 256
REASON_MAX_CHARS = 1_024


def read_ralph(text: str) -> ForeignFile:
    """Learnings of one of the two files, told apart by their members.

    Raises:
        Malformed: it is no JSON; with line and column.
        Invalid: the checksum does not fit, or a member is wrong or missing; with a pointer to each.
            A file with one thing wrong in it is not imported in part.
    """
    document = javascript_json.parse(text)
    if not isinstance(document, dict) or not {"learnings", "staged"} & document.keys():
        raise Invalid.at("", "this is neither ralph-learnings.json nor staging.json: it has no learnings")
    reader, name = DocumentReader(document), "learnings" if "learnings" in document else "staged"
    _check_version(reader)
    _check_checksum(reader, document[name], name)
    items = reader.objects(name)
    _refuse_twice_used_ids(items)
    is_staging = name == "staged"
    learnings = [] if is_staging else [_learning(item) for item in items]
    staged = [_staged(item) for item in items] if is_staging else []
    reader.refuse()
    return ForeignFile(learnings=tuple(learnings), staged=tuple(staged))


def checksum(learnings: Any) -> str:
    """SHA-256, hex, of JSON.stringify(learnings, null, 0)."""
    return sha256(javascript_json.stringify(learnings).encode()).hexdigest()


def _check_version(reader: DocumentReader) -> None:
    if not reader.text("version").startswith(VERSION):
        reader.note("version", f"version {VERSION}x is read; bring the file to it first")
    reader.refuse()


def _check_checksum(reader: DocumentReader, learnings: Any, name: str) -> None:
    """Refuses a damaged file first of all: nothing in it is examined further."""
    said, found = reader.text("checksum"), checksum(learnings)
    if said != found:
        reader.note(
            "checksum",
            f"the file says {said[:64]}, its {name} make {found}: it was damaged or edited by hand; "
            "take the .bak beside it, or another copy",
        )
    reader.refuse()


def _refuse_twice_used_ids(items: Iterable[DocumentReader]) -> None:
    seen: set[str] = set()
    for item in items:
        id = item.text("id", max_chars=ID_MAX_CHARS)
        if id in seen:
            item.note("id", f"{id!r} is the id of an earlier one, too")
        seen.add(id)


def _id(item: DocumentReader) -> str:
    return str(item.members.get("id"))


def _learning(item: DocumentReader) -> ForeignLearning:
    created_at = item.instant("createdAt")
    updated_at = item.instant("updatedAt") if item.has("updatedAt") else created_at
    if updated_at < created_at:
        item.note("updatedAt", "lies before createdAt")
    return ForeignLearning(
        where=item.pointer,
        file_id=_id(item),
        learning=read_learning(item, _id(item)),
        created_at=created_at,
        updated_at=updated_at,
        use_count=item.count("useCount"),
    )


def _staged(item: DocumentReader) -> ForeignStaged:
    learning, status = read_learning(item.object("learning"), _id(item)), item.one_of("status", STATUSES)
    reason = item.text("rejectionReason", max_chars=REASON_MAX_CHARS) if item.has("rejectionReason") else None
    problem = validate(asdict(learning)) if status == "validated" else None
    if problem is not None:
        item.note("status", f"validated, and yet: {problem}")
    return ForeignStaged(
        where=item.pointer,
        file_id=_id(item),
        learning=learning,
        status=status,
        rejection_reason=reason,
        staged_at=item.instant("stagedAt"),
        validated_at=item.instant("validatedAt") if item.has("validatedAt") else None,
    )
