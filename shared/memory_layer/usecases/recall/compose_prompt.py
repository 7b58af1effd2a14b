"""Memories section of a prompt: governing memories, and among them those that are relevant to the task."""

from collections.abc import Mapping
from dataclasses import replace

from memory_layer.domain import ranking
from memory_layer.domain.access import Principal
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Ref
from memory_layer.domain.prompt import render_memories
from memory_layer.domain.retrieval.blending import blend
from memory_layer.errors import IndexUnavailable
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall import prompt_candidates
from memory_layer.usecases.recall.find_candidates import (
    NO_INDEX,
    CandidateSearch,
    find_candidates,
    newest_records,
)
from memory_layer.usecases.recall.hydrate import hydrate_first
from memory_layer.usecases.recall.redact_answers import redacted_memories


def compose_prompt(
    ports: Ports, principal: Principal, project: str, task_text: str, task: ranking.TaskProfile, *, limit: int
) -> prompt_candidates.ComposedPrompt:
    """Composes the section: memories of the write scope first, then those in the best standing; at most `limit`.

    Among memories in equal standing those relevant to the task are chosen; the order on the page is that of
    governance alone, so that the same memories give the same bytes. Without embedder or index it goes on, as
    `recall` does.

    Raises:
        Invalid: the task is no text.

    Source: Project Memories, memory selection logic (updated).
    """
    filters = Filters(min_confidence=ranking.GOVERNED_MIN_CONFIDENCE)
    search = prompt_candidates.task_search(ports, principal, project, task_text, filters)
    relevant, notes = _relevant_to_task(ports, search)
    governing, more_notes = _governing(ports, search, task)
    visibility = Visibility(ports.store, search.viewer, search.now)
    memories = prompt_candidates.visible_records(ports, search, visibility, [*governing, *relevant])
    candidates = [
        prompt_candidates.prompt_candidate_of(memory, relevant.get(memory.ref, 0.0), search)
        for memory in memories
    ]
    ranked = ranking.rank_governed(candidates, task.write_scope)
    chosen = sorted(ranked, key=lambda item: _precedence(item, task))
    readable, no_bodies = hydrate_first(ports.store, chosen, limit)
    words = {item.memory.ref: item.memory for item in readable}
    whole = (words[item.memory.ref] for item in ranked if item.memory.ref in words)
    shown = tuple(redacted_memories(whole, search.project, visibility))
    recall_id = prompt_candidates.leave_receipt(ports, principal, search, shown)
    return prompt_candidates.ComposedPrompt(
        render_memories(shown),
        recall_id,
        shown,
        prompt_candidates.joined_notes([*notes, *more_notes, *no_bodies]),
    )


def _relevant_to_task(ports: Ports, search: CandidateSearch) -> tuple[Mapping[Ref, float], tuple[str, ...]]:
    """Relevance to the task, of the records found by its words."""
    if not search.query.strip():
        return {}, ()
    candidates = find_candidates(ports, search)
    return {ref: found.semantic for ref, found in blend(candidates.arms).items()}, candidates.notes


def _governing(
    ports: Ports, search: CandidateSearch, task: ranking.TaskProfile
) -> tuple[list[Ref], tuple[str, ...]]:
    """Records of the write scope and those in good standing; the newest, while there is no index."""
    try:
        return [
            *_in_scope(ports, search, task),
            *prompt_candidates.in_standing(ports, search, search.filters, k=prompt_candidates.POOL),
        ], ()
    except IndexUnavailable:
        return list(newest_records(ports, search)), (NO_INDEX,)


def _in_scope(ports: Ports, search: CandidateSearch, task: ranking.TaskProfile) -> list[Ref]:
    if not task.write_scope:
        return []
    tags = tuple(
        tag for tag in ports.index.tags(search.scopes) if ranking.tags_match([tag], task.write_scope)
    )
    return (
        prompt_candidates.in_standing(
            ports, search, replace(search.filters, tags=tags), k=prompt_candidates.POOL
        )
        if tags
        else []
    )


def _precedence(item: ranking.RankedMemory, task: ranking.TaskProfile) -> tuple[bool, float, float, str]:
    in_scope = ranking.tags_match(item.memory.tags, task.write_scope)
    return not in_scope, -item.score, -item.signals.semantic, item.memory.id
