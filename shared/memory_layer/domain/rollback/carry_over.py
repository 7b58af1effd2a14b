"""Carrying a change over to another state of its record than the one that it was made on."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, Final

from memory_layer.domain.duplicates import MERGED_IDS
from memory_layer.domain.memory import DOUBT_ENTRIES_MAX, LABELS_MAX, Doubt, Memory, content_hash

UNGOVERNED: Final = frozenset(
    {
        *("id", "tenant", "project", "version", "created_at", "content_hash"),
        *("access_count", "last_accessed_at", "tier", "embedding_model", "embedding_text_hash"),
    }
)
"""Fields that no operation of a principal decides: identity, what follows from the words, and what recalls count."""

GOVERNED: Final = tuple(field.name for field in fields(Memory) if field.name not in UNGOVERNED)

_LISTS: Final = frozenset({"tags", "entities", "relations", "source_runs"})


def differing(one: Memory, other: Memory) -> dict[str, Any]:
    """Governed fields in which the second record differs from the first, with their values in the second."""
    changed = {name: getattr(other, name) for name in GOVERNED if getattr(one, name) != getattr(other, name)}
    if one.position is not None or other.position is not None:
        changed.pop("context", None)  # that of a turn is made of its neighbours, and follows them
    return changed


def carried_over(before: Memory, after: Memory, state: Memory) -> Memory:
    """State of a record after a change that was made on another state of it: what the change changed, and no more.

    Args:
        before, after: the change as it was made; lists, details and doubts change by the entries that it changed.
        state: the record that it is made on instead.
    """
    changed = {
        name: _entry_wise(name, getattr(before, name), value, getattr(state, name))
        for name, value in differing(before, after).items()
    }
    return with_governed(state, changed)


def with_governed(state: Memory, changed: Mapping[str, Any]) -> Memory:
    """Record with these fields, its hash following its content."""
    changed = {**changed, "content_hash": content_hash(changed.get("content", state.content))}
    return replace(state, **changed)


def _entry_wise(name: str, before: Any, after: Any, state: Any) -> Any:
    if name in _LISTS:
        return _listed(before, after, state)[:LABELS_MAX]
    if name == "detail":
        return _detailed(before, after, state)
    return doubt_carried_over(before, after, state) if name == "doubted" else after


def _listed(before: Iterable[Any], after: Iterable[Any], state: Iterable[Any]) -> tuple[Any, ...]:
    gone, new = set(before) - set(after), [one for one in after if one not in set(before)]
    return tuple(dict.fromkeys([*(one for one in state if one not in gone), *new]))


def _detailed(
    before: Mapping[str, Any], after: Mapping[str, Any], state: Mapping[str, Any]
) -> dict[str, Any]:
    gone = before.keys() - after.keys()
    new = {key: fact for key, fact in after.items() if key not in before or before[key] != fact}
    if MERGED_IDS in new:
        lists = [document.get(MERGED_IDS, []) for document in (before, after, state)]
        new[MERGED_IDS] = list(_listed(*lists))
    return {**{key: fact for key, fact in state.items() if key not in gone}, **new}


_DOUBT_LISTS: Final = ("by", "reasons", "runs", "witnesses", "proposals")


def doubt_carried_over(before: Doubt | None, after: Doubt | None, state: Doubt | None) -> Doubt | None:
    """Doubt after a change of another one; a settled doubt is settled, and one without a reason is none."""
    if after is None:
        return None
    since = (state or after).since
    old, now = before or Doubt(since=since), state or Doubt(since=since)
    entries = {
        name: _listed(getattr(old, name), getattr(after, name), getattr(now, name))[:DOUBT_ENTRIES_MAX]
        for name in _DOUBT_LISTS
    }
    carried = Doubt(since=since, **entries)
    return carried if carried.reasons or carried.proposals else None
