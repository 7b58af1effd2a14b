"""Command for the tasks that agents keep in files, and the memories about them."""

from typing import Annotated, Any

import typer

from memory_layer.cli.printing import task_text
from memory_layer.cli.terminal.invocation import CommandOutput, FolderCall, Invocation, command

app = typer.Typer()


@command(app, only_here="tasks are shown with the memories of a data folder")
def tasks(
    call: Invocation,
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="Show the memories about this one, by its id.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Those that are done too.")] = False,
    sync: Annotated[
        bool, typer.Option("--sync", help="Have a memory of category todo stand for each open one.")
    ] = False,
) -> CommandOutput:
    """Show the tasks of agents.

    Those of Beads (.beads) and of Claude Code (~/.claude/todos), and how much is known about each.
    """
    from memory_layer.plugin.tasks.task_memories import linked_memories, sync_tasks

    here, found = call.here, _found()
    open_tasks = [one for one in found.tasks if every or one.status != "done"]
    if sync:
        synced = sync_tasks(here.ports, here.principal, here.project, found.tasks)
        return CommandOutput(
            task_text.sync_document(synced), task_text.sync_text, aside="\n".join(found.problems)
        )
    if task is not None:
        return _one(here, task, found.tasks)
    counted = [(one, linked_memories(here.ports, here.principal, here.project, one)) for one in open_tasks]
    document = task_text.tasks_document(counted, found.problems)
    return CommandOutput(document, task_text.tasks_table, aside="\n".join(found.problems))


def _found() -> Any:
    from memory_layer.cli.terminal.served import surroundings
    from memory_layer.local.project_folder import folder_of_project, home_of
    from memory_layer.plugin.tasks.task_files import project_tasks

    here = surroundings()
    return project_tasks(folder_of_project(here.folder, here.environ).files, home_of(here.environ))


def _one(here: FolderCall, id: str, known: Any) -> CommandOutput:
    from memory_layer.errors import NotFound
    from memory_layer.plugin.tasks.task_memories import bearing_memories, linked_memories

    found = next((one for one in known if one.id == id), None)
    if found is None:
        raise NotFound(f"there is no task {id} here; those that there are: mem tasks --all")
    linked = linked_memories(here.ports, here.principal, here.project, found)
    bearing = bearing_memories(here.ports, here.principal, here.project, found)
    return CommandOutput(task_text.task_document(found, linked, bearing), task_text.one_task)
