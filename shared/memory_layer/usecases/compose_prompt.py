"""The Memories section of a prompt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.blending import blend
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.prompt import memory_set_hash, render_memories
from memory_layer.domain.ranking import (
    GOVERNED_MIN_CONFIDENCE,
    Candidate,
    Ranked,
    Task,
    rank_governed,
    signals_of,
    tags_match,
)
from memory_layer.domain.text_rules import text_problem
from memory_layer.errors import IndexUnavailable, Invalid
from memory_layer.ports import Ports, Receipt
from memory_layer.usecases.find_candidates import NO_INDEX, Search, find_candidates, newest_records
from memory_layer.usecases.visibility import Visibility

POOL = 60
"""Records of each kind (of the scope, on the task, in good standing) among which governance chooses."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The section, what is in it, and a note if a part was not there to be used."""

    markdown: str
    recall_id: str
    memories: tuple[Memory, ...]
    note: str | None = None

    @property
    def memory_set_hash(self) -> str:
        return memory_set_hash(self.memories)


def compose_prompt(
    ports: Ports, principal: Principal, project: str, task_text: str, task: Task, *, limit: int
) -> Prompt:
    """The memories of the write scope first, then those in the best standing; at most `limit`.

    Among memories in equal standing those that bear on the task are chosen; the order on the page is that of
    governance alone, so that the same memories give the same bytes. Without embedder or index it goes on, as
    `recall` does.

    Raises:
        Invalid: the task is no text.

    Source: memory selection logic (updated) of the first design document.
    """
    problem = text_problem(task_text)
    if problem:
        raise Invalid.at("/task", problem)
    scope, now = principal.scope(project), ports.clock.now()
    filters = Filters(min_confidence=GOVERNED_MIN_CONFIDENCE)
    search = Search(project=scope, query=task_text, filters=filters, viewer=viewer_of(principal), now=now)
    bearing, notes = _bearing_on_task(ports, search)
    governing, more_notes = _governing(ports, search, task)
    memories = _visible(ports, search, [*governing, *bearing])
    candidates = [_candidate(memory, bearing.get(memory.ref, 0.0), search) for memory in memories]
    ranked = rank_governed(candidates, task.write_scope)
    chosen = sorted(ranked, key=lambda item: _precedence(item, task))[:limit]
    shown = tuple(item.memory for item in ranked if item in chosen)
    recall_id = ports.new_id("rcl_")
    ports.store.note_recall(Receipt(recall_id, scope, principal.name, tuple(m.ref for m in shown), now))
    note = "; ".join(dict.fromkeys([*notes, *more_notes])) or None
    return Prompt(render_memories(shown), recall_id, shown, note)


def _bearing_on_task(ports: Ports, search: Search) -> tuple[Mapping[Ref, float], tuple[str, ...]]:
    """Relevance to the task, of those found by it."""
    if not search.query.strip():
        return {}, ()
    candidates = find_candidates(ports, search)
    return {ref: found.semantic for ref, found in blend(candidates.arms).items()}, candidates.notes


def _governing(ports: Ports, search: Search, task: Task) -> tuple[list[Ref], tuple[str, ...]]:
    """Those of the write scope and those in good standing; all that is newest, while there is no index."""
    try:
        return [*_in_scope(ports, search, task), *_in_standing(ports, search, search.filters)], ()
    except IndexUnavailable:
        return list(newest_records(ports, search)), (NO_INDEX,)


def _in_scope(ports: Ports, search: Search, task: Task) -> list[Ref]:
    if not task.write_scope:
        return []
    tags = tuple(tag for tag in ports.index.tags(search.scopes) if tags_match([tag], task.write_scope))
    return _in_standing(ports, search, replace(search.filters, tags=tags)) if tags else []


def _in_standing(ports: Ports, search: Search, filters: Filters) -> list[Ref]:
    return ports.index.standing(search.scopes, filters, search.viewer, now=search.now, k=POOL)


def _visible(ports: Ports, search: Search, refs: Iterable[Ref]) -> list[Memory]:
    """The index is no authority: each hit is read from the record store and checked."""
    visibility = Visibility(ports.store, search.viewer, search.now)
    records = ports.store.get_many(search.project.tenant, dict.fromkeys(refs))
    return [memory for memory in records.values() if visibility.shows(memory)]


def _candidate(memory: Memory, relevance: float, search: Search) -> Candidate:
    signals = signals_of(
        memory, semantic=relevance, lexical=0.0, intent=None, now=search.now, outcome_model="fixed"
    )
    return Candidate(memory, signals)


def _precedence(item: Ranked, task: Task) -> tuple[bool, float, float, str]:
    in_scope = tags_match(item.memory.tags, task.write_scope)
    return not in_scope, -item.score, -item.signals.semantic, item.memory.id
