"""Frame of every tool: its caller, its arguments and answer, and its announcement."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from memory_layer.domain.access import Principal
from memory_layer.domain.dated_words import dates_note
from memory_layer.domain.fields import memory_to_json
from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.remedies import give
from memory_layer.errors import Invalid
from memory_layer.mcp import tool_answers, tool_schemas
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import refuse_secret_project
from memory_layer.usecases.learn.report_on_page import memory_on_page

NAMELESS = "mcp"
"""Subject of an agent whose client has no name."""


@dataclass(frozen=True, slots=True)
class ToolSession:
    """Caller of the tools, its project and session, and the ports that the use cases may reach.

    Args:
        project: where a call goes that names none; None: it has to.
        reviewer: decides on reviews in the name of the token; None: nobody does.
        reviewer_ports: ports whose commits are the reviewer's.
    """

    ports: Ports
    principal: Principal
    project: str | None
    session_id: str | None
    reviewer: Principal | None = None
    reviewer_ports: Ports | None = None


@dataclass(frozen=True, slots=True)
class ToolReply:
    """Structured answer, and the same in a few words."""

    structured: BaseModel
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Tool as it is announced, with its function.

    `is_destructive` and `is_idempotent` are the protocol's hints; a read-only tool needs neither.
    """

    name: str
    title: str
    description: str
    asks: type[tool_schemas.Arguments]
    answers: type[BaseModel]
    run: Callable[[ToolSession, Any], ToolReply]
    is_read_only: bool = False
    is_destructive: bool = False
    is_idempotent: bool = False
    is_for_reviewers: bool = False


def project_of(session: ToolSession, asked: tool_schemas.Arguments) -> str:
    """Project of a call. Raises: Invalid: neither the call nor the server's address names one."""
    if asked.project is not None:
        refuse_secret_project(asked.project)
    if (project := asked.project or session.project) is None:
        raise Invalid.at(
            "/project", "the server's address names no project (/mcp?project=shop)", give("/project")
        )
    return project


def named_memory(session: ToolSession, asked: tool_schemas.Arguments, name: str) -> Ref:
    """Memory by its id, or by its number on the page of a recall (`rcl_01…#2`).

    Raises:
        Invalid: the recall is not known, or has no such number.
    """
    project = project_of(session, asked)
    recall_id, _, number = name.partition("#")
    if not number:
        return Ref(project, name)
    return memory_on_page(session.ports, session.principal, project, recall_id, int(number))


def card_fields(memory: Memory) -> dict[str, Any]:
    """Fields of a record for a card: of a doubt, that there is one; of its times, the days."""
    told = {"doubted": memory.doubted is not None, "dated": dates_note(memory.times)}
    return {**memory_to_json(memory), **told}


def card_of(memory: Memory) -> tool_answers.MemoryCard:
    return tool_answers.MemoryCard.model_validate(card_fields(memory))
