"""Documents and texts of mem tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from memory_layer.cli.printing.tables import new_table, one_line
from memory_layer.domain.fields import memory_to_json

if TYPE_CHECKING:
    from memory_layer.domain.memory import Memory
    from memory_layer.plugin.tasks.task_files import Task
    from memory_layer.plugin.tasks.task_memories import SyncedTask


def _fields(task: Task) -> dict[str, Any]:
    return {
        "source": task.source,
        "id": task.id,
        "status": task.status,
        "title": task.title,
        "priority": task.priority,
        "labels": list(task.labels),
        "entity": task.urn,
    }


def tasks_document(
    counted: Sequence[tuple[Task, Sequence[Memory]]], problems: Sequence[str]
) -> dict[str, Any]:
    """Document of tasks, with the ids of the memories about each."""
    tasks = [{**_fields(task), "memories": [memory.id for memory in linked]} for task, linked in counted]
    return {"tasks": tasks, "problems": list(problems)}


def tasks_table(document: Mapping[str, Any]) -> Any:
    if not document["tasks"]:
        return "no tasks: neither .beads nor to-dos of Claude Code are here"
    table = new_table("task", "from", "status", "memories", "title")
    for one in document["tasks"]:
        table.add_row(one["id"], one["source"], one["status"], str(len(one["memories"])), one["title"])
    return table


def task_document(task: Task, linked: Sequence[Memory], bearing: Sequence[Memory]) -> dict[str, Any]:
    """Document of one task. Args: linked: memories about it; bearing: those that bear on its words."""
    known = {memory.id for memory in linked}
    return {
        **_fields(task),
        "memories": [memory_to_json(memory) for memory in linked],
        "related": [memory_to_json(memory) for memory in bearing if memory.id not in known],
    }


def one_task(document: Mapping[str, Any]) -> str:
    head = f"{document['id']} ({document['status']}): {document['title']}"
    about = [f"{one['id']}  {one_line(one['content'])}" for one in document["memories"]]
    related = [f"{one['id']}  {one_line(one['content'])}" for one in document["related"]]
    hint = f"nothing is about it yet: mem add WORDS --entity {document['entity']}"
    parts = [head, *(["about it:", *about] if about else [hint])]
    return "\n".join([*parts, *(["bears on it:", *related] if related else [])])


def sync_document(synced: Sequence[SyncedTask]) -> dict[str, Any]:
    """Document of what became of each task's memory."""
    return {
        "tasks": [
            {"id": one.task.id, "memory_id": one.task.memory_id, "act": one.act, "problem": one.problem}
            for one in synced
        ]
    }


def sync_text(document: Mapping[str, Any]) -> str:
    """Counts, and each task that was refused."""
    acts = [one["act"] for one in document["tasks"]]
    counts = ", ".join(f"{acts.count(act)} {act}" for act in dict.fromkeys(acts)) or "no tasks"
    refused = [f"  {one['id']}: {one['problem']}" for one in document["tasks"] if one["problem"]]
    return "\n".join([counts, *refused])
