"""Memories of a project's tasks: those that are about one, and the one that stands for it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from memory_layer.domain.access import Principal, agent_subject
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory
from memory_layer.errors import MemoryLayerError, NotFound
from memory_layer.plugin.tasks.task_files import Task
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.queries import get_memory, list_memories
from memory_layer.usecases.ground.signed_ports import signed_ports
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.put import put_memory

LINKED_MAX: Final = 20
SPEAKERS: Final = {"beads": "beads", "claude": "claude-code"}
"""Agents whose words the tasks are: nobody reviewed them."""

TAG: Final = "task"
DONE_REASON: Final = "the task is done"


@dataclass(frozen=True, slots=True)
class SyncedTask:
    """Task, and what became of the memory that stands for it. Args: problem: why it is not stored."""

    task: Task
    act: Literal["stored", "changed", "archived", "as it was", "refused"]
    problem: str | None = None


def linked_memories(ports: Ports, principal: Principal, project: str, task: Task) -> list[Memory]:
    """Memories about a task: those with its entity, then those that name it; not the one that stands for it."""
    about = Filters(entities=(task.urn,))
    listed = list_memories(ports, principal, project, about, after=None, limit=LINKED_MAX).memories
    found = {memory.id: memory for memory in (*listed, *_naming(ports, principal, project, task))}
    found.pop(task.memory_id, None)
    return list(found.values())[:LINKED_MAX]


def _naming(ports: Ports, principal: Principal, project: str, task: Task) -> list[Memory]:
    """Memories whose words name a task's id; that of a to-do is nobody's word."""
    if task.source != "beads":
        return []
    named = re.compile(rf"(?<![\w-]){re.escape(task.id)}(?![\w-])")
    request = RecallRequest(query=task.id, strategy="lexical", limit=LINKED_MAX)
    hits = recall(ports, principal, project, request).memories
    return [hit.memory for hit in hits if named.search(hit.memory.content)]


def bearing_memories(ports: Ports, principal: Principal, project: str, task: Task) -> list[Memory]:
    """Memories that bear on a task's words, best first."""
    request = RecallRequest(
        query=f"{task.title}\n{task.description}"[:2_000], limit=LINKED_MAX, min_relevance=0.5
    )
    hits = recall(ports, principal, project, request).memories
    return [hit.memory for hit in hits if not hit.memory.id.startswith("task.")]


def sync_tasks(ports: Ports, principal: Principal, project: str, tasks: Sequence[Task]) -> list[SyncedTask]:
    """Has a memory of category todo stand for each open task, in the words of the agent that keeps it.

    Of a task that is done it is archived; one that was never stored is left alone.
    """
    return [_synced(ports, principal, project, task) for task in tasks]


def _synced(ports: Ports, principal: Principal, project: str, task: Task) -> SyncedTask:
    speaker = Principal(principal.tenant, agent_subject(SPEAKERS[task.source], "agent"))
    own = signed_ports(ports, speaker)
    try:
        return _stored(own, speaker, project, task)
    except MemoryLayerError as error:
        return SyncedTask(task, "refused", str(error))


def _stored(ports: Ports, speaker: Principal, project: str, task: Task) -> SyncedTask:
    known = _known(ports, speaker, project, task)
    if task.status == "done":
        if known is None or not known.is_active:
            return SyncedTask(task, "as it was")
        archive_memory(ports, speaker, project, task.memory_id, reason=DONE_REASON)
        return SyncedTask(task, "archived")
    said = _said(task)
    if known is not None and known.is_active and known.content == said["content"]:
        return SyncedTask(task, "as it was")
    put_memory(ports, speaker, project, task.memory_id, said if known else {**said, "source": "run"})
    return SyncedTask(task, "changed" if known else "stored")


def _known(ports: Ports, speaker: Principal, project: str, task: Task) -> Memory | None:
    try:
        return get_memory(ports, speaker, project, task.memory_id)
    except NotFound:
        return None


def _said(task: Task) -> dict[str, Any]:
    priority = "" if task.priority is None else f", priority {task.priority}"
    words = f"{task.title}\n{task.description}".strip()
    return {
        "content": f"Task {task.id} ({task.status.replace('_', ' ')}{priority}): {words}",
        "category": "todo",
        "type": "context",
        "entities": (task.urn,),
        "tags": (TAG, task.source, *task.labels[:16]),
    }
