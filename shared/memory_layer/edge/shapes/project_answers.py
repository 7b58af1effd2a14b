"""Answers about projects, as openapi.json describes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.ports.index import ProjectCount


@dataclass(frozen=True, slots=True)
class ProjectAnswer:
    """Project that the caller sees a memory of.

    Args:
        project: its name.
        total: memories of every status that the caller sees.
        active: those of them in use; an expired one is among them until its sweep has come by.
    """

    project: str
    total: int
    active: int


@dataclass(frozen=True, slots=True)
class ProjectsAnswer:
    """Page of projects.

    Args:
        projects: by name.
        next_cursor: where the next page begins, unless this is the last.
    """

    projects: Sequence[ProjectAnswer]
    next_cursor: str | None


def projects_json(found: Sequence[ProjectCount], next_cursor: str | None) -> dict[str, Any]:
    return document(ProjectsAnswer([answer_from(ProjectAnswer, one) for one in found], next_cursor))
