"""The Memories section of a prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.blending import blend
from memory_layer.domain.filters import Filters
from memory_layer.domain.lifecycle import hidden_because
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
from memory_layer.errors import Invalid
from memory_layer.ports import Ports, Receipt
from memory_layer.usecases.find_candidates import Search, find_candidates

POOL = 60
"""Records of each kind (of the scope, on the task, in good standing) among which governance chooses."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The section, and what is in it."""

    markdown: str
    recall_id: str
    memories: tuple[Memory, ...]

    @property
    def memory_set_hash(self) -> str:
        return memory_set_hash(self.memories)


def compose_prompt(
    ports: Ports, principal: Principal, project: str, task_text: str, task: Task, *, limit: int
) -> Prompt:
    """The memories of the write scope first, then those in the best standing; at most `limit`.

    Among memories in equal standing those that bear on the task are chosen; the order on the page is that of
    governance alone, so that the same memories give the same bytes.

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
    bearing = _bearing_on_task(ports, search)
    refs = [*_in_scope(ports, search, task), *_in_standing(ports, search, search.filters), *bearing]
    policy = ports.store.policy(scope)
    memories = [
        memory
        for memory in ports.store.get_many(scope.tenant, dict.fromkeys(refs)).values()
        if hidden_because(memory, viewer=search.viewer, now=now, policy=policy) is None
    ]
    candidates = [_candidate(memory, bearing.get(memory.ref, 0.0), search) for memory in memories]
    ranked = rank_governed(candidates, task.write_scope)
    chosen = sorted(ranked, key=lambda item: _precedence(item, task))[:limit]
    shown = tuple(item.memory for item in ranked if item in chosen)
    recall_id = ports.new_id("rcl_")
    ports.store.note_recall(Receipt(recall_id, scope, principal.name, tuple(m.ref for m in shown), now))
    return Prompt(render_memories(shown), recall_id, shown)


def _bearing_on_task(ports: Ports, search: Search) -> Mapping[Ref, float]:
    """Relevance to the task, of those found by it."""
    if not search.query.strip():
        return {}
    relevance = blend(find_candidates(ports, search).arms)
    return {ref: found.semantic for ref, found in relevance.items()}


def _in_scope(ports: Ports, search: Search, task: Task) -> list[Ref]:
    if not task.write_scope:
        return []
    tags = tuple(tag for tag in ports.index.tags(search.scopes) if tags_match([tag], task.write_scope))
    return _in_standing(ports, search, replace(search.filters, tags=tags)) if tags else []


def _in_standing(ports: Ports, search: Search, filters: Filters) -> list[Ref]:
    return ports.index.standing(search.scopes, filters, search.viewer, now=search.now, k=POOL)


def _candidate(memory: Memory, relevance: float, search: Search) -> Candidate:
    signals = signals_of(
        memory, semantic=relevance, lexical=0.0, intent=None, now=search.now, outcome_model="fixed"
    )
    return Candidate(memory, signals)


def _precedence(item: Ranked, task: Task) -> tuple[bool, float, float, str]:
    in_scope = tags_match(item.memory.tags, task.write_scope)
    return not in_scope, -item.score, -item.signals.semantic, item.memory.id
