"""Answers about the caller and the projects that it sees, as openapi.json describes them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from memory_layer.domain.access import Principal, Role, may_audit
from memory_layer.edge.shapes.answer_fields import answer_from, document
from memory_layer.ports.index import ProjectCount


@dataclass(frozen=True, slots=True)
class CallerAnswer:
    """Caller of a request, as its token proves it.

    Args:
        tenant: whose memories the caller reaches.
        name: under which it writes, votes and approves.
        user: the end user for whom it speaks; null: it speaks for itself.
        roles: what it may do: `agent`, `reviewer`, `admin`.
        personas: those whose memories it sees beside everyone's.
        is_agent: it is neither a person nor a reviewer.
        may_review: it may approve and reject.
        may_audit: it may read the audit log, which tells of every persona and end user.
        may_administer: it may change settings, erase and roll back.
    """

    tenant: str
    name: str
    user: str | None
    roles: Sequence[Role]
    personas: Sequence[str]
    is_agent: bool
    may_review: bool
    may_audit: bool
    may_administer: bool


def caller_answer(principal: Principal) -> CallerAnswer:
    return CallerAnswer(
        tenant=principal.tenant,
        name=principal.name,
        user=principal.user,
        roles=sorted(principal.roles),
        personas=sorted(principal.own_personas),
        is_agent=principal.is_agent,
        may_review=principal.is_reviewer,
        may_audit=may_audit(principal),
        may_administer=principal.is_admin,
    )


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
