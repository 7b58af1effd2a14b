"""Candidates of a prompt: records relevant to its task or in good standing, re-read and re-checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.arrays import np
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Category, Memory, Ref
from memory_layer.domain.prompt import memory_set_hash
from memory_layer.domain.ranking import Candidate
from memory_layer.domain.retrieval.blending import Relevances
from memory_layer.domain.retrieval.candidates import RecordTable
from memory_layer.domain.retrieval.facts import facts_of
from memory_layer.domain.retrieval.pasted_output import without_output
from memory_layer.domain.retrieval.signals import signal_columns, signals_of
from memory_layer.domain.text.synonyms import by_key
from memory_layer.domain.text_rules import text_problem
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.own_receipts import receipt_for
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.find_candidates import CandidateSearch
from memory_layer.usecases.recall.judge_candidates import HitReader
from memory_layer.usecases.recall.retrieval import Retrieval

POOL = 60
"""Records of each kind (of the scope, on the task, in good standing) among which a profile chooses."""

RULE_CATEGORIES: Final[tuple[Category, ...]] = (
    "convention",
    "coding_style",
    "preference",
    "tool_preference",
)
"""Categories of memories that hold whatever the task is, beside those of type convention."""


@dataclass(frozen=True, slots=True)
class ComposedPrompt:
    """Section of a prompt and its memories.

    Args:
        note: what was not there to be used, and whether nothing bears on the task.
        degraded: a part was not there to be used.
    """

    markdown: str
    recall_id: str
    memories: tuple[Memory, ...]
    note: str | None = None
    degraded: bool = False

    @property
    def memory_set_hash(self) -> str:
        return memory_set_hash(self.memories)


def task_search(
    ports: Ports, principal: Principal, project: str, task_text: str, filters: Filters
) -> CandidateSearch:
    """Search for candidates that are relevant to a task.

    Raises:
        Invalid: the task is no text.
    """
    problem = text_problem(task_text)
    if problem:
        raise Invalid.at("/task", problem)
    scope = principal.scope(project)
    return CandidateSearch(
        project=scope,
        query=without_output(task_text),
        filters=filters,
        viewer=viewer_of(principal),
        asker=principal.author,
        now=ports.clock.now(),
        synonyms=by_key(ports.store.projects.policy(scope).synonyms) if task_text.strip() else {},
    )


def task_retrieval(ports: Ports, search: CandidateSearch) -> Retrieval:
    """Retrieval of records for a task's prompt."""
    visibility = Visibility(ports.store.projects, search.viewer, search.now)
    reading = HitReader(ports.store.memories, ports.store.history, search, visibility, ())
    authors = ports.store.projects.authors(search.project)
    return Retrieval(ports, search, reading, authors=authors)


def rules_among(filters: Filters) -> tuple[Filters, ...]:
    """Filters of the rules among filtered records: what holds whatever the task is."""
    return replace(filters, type=("convention",)), replace(filters, category=RULE_CATEGORIES)


def in_standing(ports: Ports, search: CandidateSearch, filters: Filters, *, k: int) -> RecordTable:
    return ports.index.standing(search.scopes, filters, search.viewer, now=search.now, k=k)


def prompt_candidates(
    memories: Sequence[Memory], relevance: Mapping[Ref, float], search: CandidateSearch
) -> list[Candidate]:
    """Candidates with the signals that an answer shows. Args: relevance: to the task; 0 of those that it lacks."""
    semantic = np.array([relevance.get(memory.ref, 0.0) for memory in memories])
    signals = signal_columns(
        facts_of(memories),
        Relevances(semantic, np.zeros(len(memories))),
        intent=None,
        now=search.now,
        outcome_model="fixed",
    )
    each = zip(memories, signals_of(signals, np.arange(len(memories))), strict=True)
    return [Candidate(memory, of_memory) for memory, of_memory in each]


def leave_receipt(
    ports: Ports, principal: Principal, search: CandidateSearch, shown: Iterable[Memory]
) -> str:
    """Writes a durable receipt of the recall; returns its new id."""
    recall_id = ports.new_id("rcl_")
    refs = tuple(memory.ref for memory in shown)
    ports.store.receipts.note(receipt_for(principal, recall_id, search.project, refs, search.now))
    return recall_id


def joined_notes(notes: Iterable[str]) -> str | None:
    """Notes joined into one text, each once; None without any."""
    return "; ".join(dict.fromkeys(notes)) or None


def page_limit(ports: Ports, principal: Principal, project: str, limit: int | None) -> int:
    """Number of memories that a prompt has at most: what is asked for, else what the project's settings say."""
    return limit or ports.store.projects.policy(principal.scope(project)).prompt_limit
