"""Candidates of a prompt: records relevant to its task or in good standing, re-read and re-checked."""

from collections.abc import Iterable
from dataclasses import dataclass

from memory_layer.domain.access import Principal, viewer_of, without_copies
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.prompt import memory_set_hash
from memory_layer.domain.ranking import Candidate, signals_of
from memory_layer.domain.text_rules import text_problem
from memory_layer.errors import Invalid
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecallReceipt
from memory_layer.usecases.ground.visibility import Visibility
from memory_layer.usecases.recall.find_candidates import CandidateSearch

POOL = 60
"""Records of each kind (of the scope, on the task, in good standing) among which a profile chooses."""


@dataclass(frozen=True, slots=True)
class ComposedPrompt:
    """Section of a prompt, its memories, and a note if a part was not there to be used."""

    markdown: str
    recall_id: str
    memories: tuple[Memory, ...]
    note: str | None = None

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
    return CandidateSearch(
        project=principal.scope(project),
        query=task_text,
        filters=filters,
        viewer=viewer_of(principal),
        now=ports.clock.now(),
    )


def in_standing(ports: Ports, search: CandidateSearch, filters: Filters, *, k: int) -> list[Ref]:
    return ports.index.standing(search.scopes, filters, search.viewer, now=search.now, k=k)


def visible_records(
    ports: Ports, search: CandidateSearch, visibility: Visibility, refs: Iterable[Ref]
) -> list[Memory]:
    """Reads each hit from the record store and checks it, as it lies, without its body: the index is no authority."""
    records = ports.store.get_many(search.project.tenant, dict.fromkeys(refs), with_bodies=False)
    return without_copies(memory for memory in records.values() if visibility.shows(memory))


def prompt_candidate_of(memory: Memory, relevance: float, search: CandidateSearch) -> Candidate:
    signals = signals_of(
        memory, semantic=relevance, lexical=0.0, intent=None, now=search.now, outcome_model="fixed"
    )
    return Candidate(memory, signals)


def leave_receipt(
    ports: Ports, principal: Principal, search: CandidateSearch, shown: Iterable[Memory]
) -> str:
    """Writes a durable receipt of the recall; returns its new id."""
    recall_id = ports.new_id("rcl_")
    refs = tuple(memory.ref for memory in shown)
    ports.store.note_recall(RecallReceipt(recall_id, search.project, principal.name, refs, search.now))
    return recall_id


def joined_notes(notes: Iterable[str]) -> str | None:
    """Notes joined into one text, each once; None without any."""
    return "; ".join(dict.fromkeys(notes)) or None
