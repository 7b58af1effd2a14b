"""Knowledge Base section of a prompt: learnings of earlier runs that are relevant to the task."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice

from memory_layer.domain.access import Principal
from memory_layer.domain.filters import Filters
from memory_layer.domain.learning import knowledge_page
from memory_layer.domain.learning.author_records import Lowering
from memory_layer.domain.learning.error_classes import error_class
from memory_layer.domain.learning.line_findings import author_digest
from memory_layer.domain.learning.task_types import detect_task_type
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.ranking import RankedMemory, TaskProfile, rank_task
from memory_layer.domain.retrieval.blending import blend
from memory_layer.domain.retrieval.candidates import best_rows
from memory_layer.domain.text_rules import text_problem
from memory_layer.errors import IndexUnavailable, Invalid
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall import prompt_candidates
from memory_layer.usecases.recall.find_candidates import (
    NO_INDEX,
    Candidates,
    CandidateSearch,
    embedded,
    find_candidates,
    newest_records,
)
from memory_layer.usecases.recall.redact_answers import redacted_hits

CONVENTIONS_OF_FILES = 200
"""Conventions in good standing among which those of the files at hand are looked for: no index knows examples."""

PROOF_ROUNDS = 4
"""Rounds in which strategies of failed runs give way to the next best; after that the page has none."""

RUNS_READ_MAX = 8
"""Most runs of a strategy that are looked at: one that worked is enough."""


@dataclass(frozen=True, slots=True)
class KnowledgePrompt(prompt_candidates.ComposedPrompt):
    """Knowledge Base section with its learnings by kind, each best first with its relevance as of now."""

    groups: knowledge_page.Groups = field(kw_only=True)


def compose_knowledge(
    ports: Ports,
    principal: Principal,
    project: str,
    task_text: str,
    task: TaskProfile,
    *,
    limit: int | None,
    pool: int = prompt_candidates.POOL,
) -> KnowledgePrompt:
    """Composes the section of strategies, anti-patterns, estimates and conventions, by relevance; at most `limit`.

    None is the limit of the project's settings. A missing task type is detected from the text. Without embedder or
    index it goes on, as `recall` does. Memories that say the same have one line, with the counts of all; the
    receipt names them all.

    Args:
        pool: how many records each way of finding them brings at the most.

    Raises:
        Invalid: the task, or a pattern, is no text.

    Source: Loop Learning, memory retrieval.
    """
    _check_patterns(task)
    learnings = Filters(type=tuple(group.type for group in knowledge_page.GROUPS))
    search = prompt_candidates.task_search(ports, principal, project, task_text, learnings)
    if task_text.strip():
        search = embedded(ports, search)
    most = prompt_candidates.page_limit(ports, principal, project, limit)
    return ports.turns.run(
        partial(_composed, ports, principal, search, _understood(task_text, task), most, pool)
    )


def _composed(
    ports: Ports, principal: Principal, search: CandidateSearch, task: TaskProfile, limit: int, pool: int
) -> KnowledgePrompt:
    """Searches, orders and renders; the task is embedded."""
    retrieval = prompt_candidates.task_retrieval(ports, search)
    relevance, notes = _found(ports, search, task, pool)
    visibility = retrieval.reading.visibility
    memories, no_bodies = retrieval.shown(list(relevance), len(relevance))
    candidates = prompt_candidates.prompt_candidates(memories, relevance, search)
    ranked = _by_records(retrieval.lowered, rank_task(candidates, task, search.now))
    chosen, proven = _chosen(ports, ranked, limit)
    counted, folded = knowledge_page.with_counts_of_same(chosen, proven)
    groups, page = (
        {name: tuple(redacted_hits(items, search.project, visibility)) for name, items in each.items()}
        for each in (chosen, knowledge_page.ordered_for_page(counted, task))
    )
    shown = (*knowledge_page.memories_of(page), *folded)
    recall_id = prompt_candidates.leave_receipt(ports, principal, search, shown)
    missing = prompt_candidates.joined_notes([*notes, *no_bodies])
    return KnowledgePrompt(
        knowledge_page.render_knowledge(page),
        recall_id,
        shown,
        missing,
        missing is not None,
        groups=groups,
    )


def _by_records(lowered: Mapping[str, Lowering], ranked: Sequence[RankedMemory]) -> Sequence[RankedMemory]:
    """Ranked memories, those of authors whom others found wrong lower (SPEC 4.41). Args: lowered: by author."""
    if not lowered:
        return ranked
    each = (
        item if item.memory.is_trusted else _by_record(lowered.get(author_digest(item.memory)), item)
        for item in ranked
    )
    return sorted(each, key=lambda item: -item.score)


def _by_record(found: Lowering | None, item: RankedMemory) -> RankedMemory:
    if found is None:
        return item
    return replace(item, score=item.score * (1.0 - found.share), placed_by="record")


def _chosen(
    ports: Ports, ranked: Sequence[RankedMemory], limit: int
) -> tuple[knowledge_page.Groups, Sequence[RankedMemory]]:
    """Chosen groups, and the memories they were chosen among: without strategies that only failed runs had."""
    left = list(ranked)
    for _ in range(PROOF_ROUNDS):
        chosen = knowledge_page.choose_knowledge(left, limit)
        strategies = [item.memory for item in chosen["strategies"]]
        unproven = {memory.ref for memory in strategies if is_of_failed_runs(ports, memory)}
        if not unproven:
            return chosen, left
        left = [item for item in left if item.memory.ref not in unproven]
    left = [item for item in left if item.memory.type != "strategy"]
    return knowledge_page.choose_knowledge(left, limit), left


def is_of_failed_runs(ports: Ports, memory: Memory) -> bool:
    """Tests if all runs that are known to have taught a memory failed, and neither people nor outcomes vouch for it."""
    if memory.is_trusted or memory.worked > memory.failed:
        return False
    taught = dict.fromkeys((*memory.source_runs, *filter(None, (memory.source_run_id,))))
    runs = (ports.store.learnings.run(memory.scope, id) for id in islice(taught, RUNS_READ_MAX))
    outcomes = {run.outcome for run in runs if run is not None}
    return outcomes == {"failed"}


def _check_patterns(task: TaskProfile) -> None:
    for name in ("file_patterns", "error_patterns"):
        for number, pattern in enumerate(getattr(task, name)):
            if problem := text_problem(pattern):
                raise Invalid.at(f"/{name}/{number}", problem)


def _understood(task_text: str, task: TaskProfile) -> TaskProfile:
    """Task with its type, and with the classes of its errors, by which anti-patterns are named."""
    classes = (error_class(pattern) for pattern in task.error_patterns)
    named = tuple(dict.fromkeys(name for name in classes if name is not None))
    return replace(
        task,
        task_type=task.task_type or detect_task_type(task_text),
        error_patterns=(*task.error_patterns, *named),
    )


def _found(
    ports: Ports, search: CandidateSearch, task: TaskProfile, pool: int
) -> tuple[Mapping[Ref, float], tuple[str, ...]]:
    """Relevance to the task of all records that may be in its prompt: 0 for those that its words did not find."""
    relevant = find_candidates(ports, replace(search, is_lexical_only=not search.query.strip()))
    semantic, records = blend(relevant.table.scores).semantic, relevant.table.records
    relevance = dict(zip(records.refs(), semantic.tolist(), strict=True))
    try:
        named = [*_standing(ports, search, task, pool), *_looked_up(ports, search, task, pool)]
        notes = relevant.notes
    except IndexUnavailable:
        named, notes = list(newest_records(ports, search)), (*relevant.notes, NO_INDEX)
    found = [*records.names(best_rows(semantic, records, pool)).refs(), *relevant.unseen, *named]
    return {ref: relevance.get(ref, 0.0) for ref in found}, notes


def _standing(ports: Ports, search: CandidateSearch, task: TaskProfile, pool: int) -> Iterator[Ref]:
    """Yields the records of each group in the best standing; where there are more, also those of the task's type."""
    for group in knowledge_page.GROUPS:
        k = CONVENTIONS_OF_FILES if group is knowledge_page.CONVENTIONS and task.file_patterns else pool
        best = prompt_candidates.in_standing(ports, search, group.filters, k=k).refs()
        yield from best
        if len(best) == k and task.task_type is not None:
            of_type = replace(group.filters, task_type=(task.task_type,))
            yield from prompt_candidates.in_standing(ports, search, of_type, k=pool).refs()


def _looked_up(ports: Ports, search: CandidateSearch, task: TaskProfile, pool: int) -> Iterator[Ref]:
    """Yields anti-patterns found by the words of the errors, and conventions by those of the files."""
    for group, patterns in (
        (knowledge_page.ANTIPATTERNS, task.error_patterns),
        (knowledge_page.CONVENTIONS, task.file_patterns),
    ):
        words = " ".join(patterns)
        if words.strip():
            found = _by_words(ports, search, group, words).table
            yield from islice(found.ranked("content_lexical"), pool)


def _by_words(
    ports: Ports, search: CandidateSearch, group: knowledge_page.KnowledgeGroup, words: str
) -> Candidates:
    """Searches one group by words in the index alone: records that it has not seen are among the candidates anyway."""
    asked = replace(search, query=words, filters=group.filters, is_lexical_only=True, reads_own_writes=False)
    return find_candidates(ports, asked)
