"""The files of the loop memory that this product grew out of: `ralph-learnings.json` and `staging.json`.

Source: Loop Learning, storage format; Loop Learning, staging area.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from hashlib import sha256
from typing import Any

from memory_layer.domain.learning.staging import validate
from memory_layer.edge.foreign import javascript_json
from memory_layer.edge.foreign.document_reader import DocumentReader
from memory_layer.edge.foreign.ralph_learning import read_learning
from memory_layer.errors import Invalid
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignLearning, ForeignStaged

VERSION = "1."
STATUSES = ("pending", "validated", "rejected")
ID_MAX_CHARS = 256
REASON_MAX_CHARS = 1_024


def read_ralph(text: str) -> ForeignFile:
    """What one of the two files holds; which of them it is, its members say.

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
    """First of all: what was damaged on its way is not examined further."""
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
