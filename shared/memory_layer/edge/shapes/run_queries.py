"""Filters of runs as callers give them, and a page of training data as lines."""

import json
from collections.abc import Sequence
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field

from memory_layer.domain.learning.run import RunStatus
from memory_layer.domain.learning.trajectory import TrajectoryShape
from memory_layer.domain.memory import TaskType
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.usecases.learn.read_runs import RunFilter

PAGE_SCHEMA: Final = "memory-layer/page/1"


class RunsQuery(BaseModel):
    """Filter of runs, and the shape of their export."""

    model_config = REFUSE_UNKNOWN
    query: Annotated[str | None, Field(min_length=1, max_length=1_024)] = None
    status: RunStatus | None = None
    task_type: TaskType | None = None
    shape: TrajectoryShape = "trajectories"

    @property
    def asked(self) -> RunFilter:
        return RunFilter(query=self.query, status=self.status, task_type=self.task_type)


def bound_to(project: str, shape: TrajectoryShape, asked: RunFilter) -> list[str | None]:
    """Query that a cursor of an export belongs to."""
    return ["runs export", project, shape, *asked.bound]


def export_lines(lines: Sequence[str], next_cursor: str | None) -> str:
    """Lines of a page; where another one follows, a last line says where it begins."""
    if next_cursor is not None:
        lines = [*lines, json.dumps({"schema": PAGE_SCHEMA, "next_cursor": next_cursor})]
    return "".join(f"{line}\n" for line in lines)


def next_cursor_of(lines: str) -> tuple[str, str | None]:
    """Lines of a page without the last one that names the next page, and the cursor of that page."""
    head, _, last = lines.rstrip("\n").rpartition("\n")
    if not last:
        return lines, None
    document: dict[str, Any] = json.loads(last)
    if document.get("schema") != PAGE_SCHEMA:
        return lines, None
    return f"{head}\n" if head else "", document["next_cursor"]
