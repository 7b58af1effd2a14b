"""Tasks that agents keep in files: Beads in a repository, and the to-dos of Claude Code's sessions.

Sources: Beads, `.beads/*.jsonl`; Claude Code, `~/.claude/todos/SESSION-agent-AGENT.json`.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

TaskSource = Literal["beads", "claude"]
TaskStatus = Literal["open", "in_progress", "blocked", "done"]

FILE_MAX_BYTES: Final = 64_000_000
TITLE_MAX_CHARS: Final = 300
DESCRIPTION_MAX_CHARS: Final = 4_000

_STATUSES: Final[Mapping[str, TaskStatus]] = {
    "open": "open",
    "pending": "open",
    "ready": "open",
    "in_progress": "in_progress",
    "blocked": "blocked",
    "deferred": "blocked",
    "closed": "done",
    "completed": "done",
    "done": "done",
    "tombstone": "done",
}
_NO_NAME: Final = re.compile(r"[^A-Za-z0-9_.-]+")


@dataclass(frozen=True, slots=True)
class Task:
    """Task of a project.

    Args:
        id: as its tool calls it; of a to-do its session and its number.
        priority: 0 is the most urgent; None: it has none.
        labels: of Beads.
    """

    source: TaskSource
    id: str
    title: str
    status: TaskStatus
    description: str = ""
    priority: int | None = None
    labels: tuple[str, ...] = ()

    @property
    def urn(self) -> str:
        """Entity by which memories are about the task."""
        return f"urn:task:{self.source}:{self.id}"

    @property
    def memory_id(self) -> str:
        """Id of the memory that stands for the task."""
        return f"task.{self.source}.{self.id}"[:128]


@dataclass(frozen=True, slots=True)
class FoundTasks:
    """Tasks of a project, and a sentence on each file that could not be read whole."""

    tasks: tuple[Task, ...]
    problems: tuple[str, ...]


def project_tasks(root: Path, home: Path | None) -> FoundTasks:
    """Tasks of a project. Args: root: of its files; home: whose to-dos are looked for."""
    problems: list[str] = []
    beads = {
        task.id: task for task in _beads(root / ".beads", problems)
    }  # of lines of one task the last counts
    todos = [] if home is None else list(_todos(home / ".claude", root, problems))
    return FoundTasks((*beads.values(), *todos), tuple(problems))


def _beads(folder: Path, problems: list[str]) -> Iterator[Task]:
    for file in sorted(folder.glob("*.jsonl")):
        unread = 0
        for line in _read(file, problems).splitlines():
            task = _bead(line) if line.strip() else None
            unread += task is None and bool(line.strip())
            if task is not None:
                yield task
        if unread and file.stem in ("issues", "beads"):
            problems.append(f"{file}: {unread} lines are no tasks of Beads; bd doctor examines them")


def _bead(line: str) -> Task | None:
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or not _is_named(said.get("id")) or not isinstance(said.get("title"), str):
        return None
    priority, labels = said.get("priority"), said.get("labels")
    return Task(
        "beads",
        _NO_NAME.sub("-", said["id"]),
        said["title"][:TITLE_MAX_CHARS],
        _STATUSES.get(str(said.get("status", "open")), "open"),
        str(said.get("description") or "")[:DESCRIPTION_MAX_CHARS],
        priority if isinstance(priority, int) and not isinstance(priority, bool) else None,
        tuple(label for label in labels if isinstance(label, str)) if isinstance(labels, list) else (),
    )


def _is_named(value: Any) -> bool:
    return isinstance(value, str) and _NO_NAME.sub("", value) != ""


def _todos(claude: Path, root: Path, problems: list[str]) -> Iterator[Task]:
    """To-dos of the sessions that Claude Code keeps for this folder."""
    kept = claude / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(root))
    for session in sorted(file.stem for file in kept.glob("*.jsonl")):
        for file in sorted((claude / "todos").glob(f"{session}-agent-*.json")):
            yield from _todo_list(file, session, problems)


def _todo_list(file: Path, session: str, problems: list[str]) -> Iterator[Task]:
    try:
        said = json.loads(_read(file, problems) or "[]")
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, list):
        problems.append(f"{file} is no list of to-dos; Claude Code writes it anew in its next session")
        return
    for number, todo in enumerate(said, 1):
        if isinstance(todo, Mapping) and isinstance(todo.get("content"), str):
            status = _STATUSES.get(str(todo.get("status")), "open")
            yield Task("claude", f"{session[:8]}-{number}", todo["content"][:TITLE_MAX_CHARS], status)


def _read(file: Path, problems: list[str]) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(FILE_MAX_BYTES).decode("utf-8", "replace")
    except OSError as error:
        problems.append(f"{file} cannot be read: {error.strerror}")
        return ""
