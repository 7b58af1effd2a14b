"""Memories that another system's export holds: its words, its times and whose they are; where from is kept beside."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, Literal, get_args

from memory_layer.domain.learning.status_lines import is_mere_status
from memory_layer.domain.memory import DETAIL_MAX_BYTES, LABELS_MAX, Category, MemoryType, Source
from memory_layer.domain.remedies import give
from memory_layer.domain.text.recalled_page import is_recalled_page
from memory_layer.domain.text_rules import glob_problem
from memory_layer.edge.foreign.given_memory import given_memory
from memory_layer.errors import Invalid
from memory_layer.usecases.transfer.foreign_file import (
    ForeignFile,
    ForeignMemory,
    ForeignRefusal,
    LeftOut,
)

Users = Literal["together", "apart"]
"""Memories of many users: seen by everyone in the project, or each user's by that user alone."""

EMPTY: Final = "it says nothing"
MERE_STATUS: Final = "a mere status, which teaches nothing"
PAGE: Final = "a page of recalled memories, which are known where they come from"
TOO_MUCH_BESIDE: Final = "what stands beside its words is more than 16 KiB, and stays in the file"

ORIGIN: Final = "imported_from"
"""Key in a memory's detail for the system that it comes from, its id there, and what else that said of it."""

USERS_NAMED: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedItem:
    """Memory as another system's export holds it.

    Args:
        where: its place in the file, a JSON pointer.
        content: what should be text.
        id: that it has there.
        user: whose it is there.
        source: how its words came to be there: `learning` for what a model extracted, `run` for what was recorded.
        said_at: when it was said, as the export has it.
        fields: other fields of ours that it gives, as JSON.
        beside: all else that it says.
    """

    where: str
    content: Any
    id: Any = None
    user: str | None = None
    source: Source = "learning"
    said_at: Any = None
    fields: Mapping[str, Any] = field(default_factory=dict)
    beside: Mapping[str, Any] = field(default_factory=dict)


def file_of_items(
    system: str,
    items: Sequence[ExportedItem],
    *,
    source: Source | None,
    users: Users | None,
    left_out: Iterable[LeftOut] = (),
) -> ForeignFile:
    """Contents of an export, to come in whole or not at all.

    Args:
        system: that wrote it.
        source: of all its words, as an admin vouches for; None: of each item its own.
        users: what becomes of memories of many users.
        left_out: parts that are no memories.

    Raises:
        Invalid: it holds memories of more than one user, and nobody said what becomes of them.
    """
    _refuse_mixed_users(items, users)
    read = [_read(system, item, source, users) for item in items]
    parts = [part for group in read for part in group]
    return ForeignFile(
        memories=tuple(part for part in parts if isinstance(part, ForeignMemory)),
        refused=tuple(part for part in parts if isinstance(part, ForeignRefusal)),
        left_out=(*left_out, *(part for part in parts if isinstance(part, LeftOut))),
        is_whole=True,
    )


def _refuse_mixed_users(items: Sequence[ExportedItem], users: Users | None) -> None:
    found = list(dict.fromkeys(item.user for item in items if item.user is not None))
    if len(found) > 1 and users is None:
        named = ", ".join(found[:USERS_NAMED])
        more = f" and {len(found) - USERS_NAMED} more" if len(found) > USERS_NAMED else ""
        raise Invalid.at(
            "/users",
            f"the file holds memories of {len(found)} users ({named}{more}); apart, each user's are seen under that "
            "persona alone; together, everyone in the project sees all of them",
            give("/users", "apart", "together"),
        )


Part = ForeignMemory | ForeignRefusal | LeftOut


def _read(system: str, item: ExportedItem, source: Source | None, users: Users | None) -> list[Part]:
    """Memory of an item, or the reason for which it is none; and what of it is left in the file."""
    if item.content is not None and not isinstance(item.content, str):
        return [ForeignRefusal(item.where, "its words are no text")]
    reason = _reason_of_silence(item.content or "")
    if reason is not None:
        return [LeftOut(item.where, reason)]
    origin = _origin(system, item)
    told = [LeftOut(item.where, TOO_MUCH_BESIDE)] if "is_cut" in origin else []
    values = {
        **{name: value for name, value in item.fields.items() if value is not None},
        "content": item.content,
        "source": source or item.source,
        "said_at": moment_text(item.said_at),
        "detail": {ORIGIN: origin},
        **_owner(item.user, users),
    }
    return [given_memory(item.where, {n: v for n, v in values.items() if v is not None}), *told]


def _reason_of_silence(content: str) -> str | None:
    if not content.strip():
        return EMPTY
    if is_mere_status(content):
        return MERE_STATUS
    return PAGE if is_recalled_page(content) else None


def _owner(user: str | None, users: Users | None) -> dict[str, str]:
    if user is None:
        return {}
    return {"created_by": user, **({"persona": user} if users == "apart" else {})}


ORIGIN_MAX_BYTES: Final = DETAIL_MAX_BYTES - 512
"""Room for the key that the origin stands under."""


def _origin(system: str, item: ExportedItem) -> dict[str, Any]:
    """Origin of an item; where what it says beside its words is too much, only its id."""
    named = {"system": system, **({} if item.id is None else {"id": item.id})}
    whole = {**named, **{name: value for name, value in item.beside.items() if value not in (None, [], {})}}
    try:
        size = len(json.dumps(whole, ensure_ascii=False).encode(errors="surrogatepass"))
    except RecursionError:
        size = ORIGIN_MAX_BYTES + 1
    return whole if size <= ORIGIN_MAX_BYTES else {**named, "is_cut": True}


def moment_text(value: Any) -> str | None:
    """Time of an export in RFC 3339: ISO 8601, without a zone taken for UTC, or seconds since 1970; else None."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value / 1_000 if value > _MILLISECONDS else value, UTC).isoformat()
        found = datetime.fromisoformat(value.strip().replace("Z", "+00:00"))
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (AttributeError, ValueError, OverflowError, OSError, TypeError):
        return None


_MILLISECONDS: Final = 10**11
"""Seconds of the year 5138: a larger number counts milliseconds."""


def labels(values: Any) -> list[str]:
    """Labels among some values that our tags may be, each once, at most 64."""
    listed = values if isinstance(values, list | tuple) else [values]
    kept = (text.strip() for text in listed if isinstance(text, str))
    return list(dict.fromkeys(text for text in kept if text and glob_problem(text) is None))[:LABELS_MAX]


def kind_named(name: Any) -> dict[str, str]:
    """Category or type of ours that has the name that another system gives."""
    word = name.lower().replace("-", "_").strip() if isinstance(name, str) else ""
    category = _CATEGORY_OF.get(word, word)
    if category in get_args(Category):
        return {"category": category}
    return {"type": word} if word in get_args(MemoryType) else {}


_CATEGORY_OF: Final = {"preferences": "preference", "error": "troubleshooting", "task": "todo"}


def object_of(value: Any) -> Mapping[str, Any]:
    """Object, or an empty one in the place of anything else."""
    return value if isinstance(value, Mapping) else {}


def text_of(value: Any) -> str | None:
    """Text that says something, or None."""
    return value if isinstance(value, str) and value.strip() else None


def items_of(value: Any, pointer: str) -> tuple[list[tuple[str, Mapping[str, Any]]], list[LeftOut]]:
    """Objects of a list, each with its pointer; whatever else stands in it is told."""
    listed = value if isinstance(value, list) else []
    placed = [(f"{pointer}/{at}", one) for at, one in enumerate(listed)]
    objects = [(where, one) for where, one in placed if isinstance(one, Mapping)]
    others = [LeftOut(where, "it is no object") for where, one in placed if not isinstance(one, Mapping)]
    return objects, others
