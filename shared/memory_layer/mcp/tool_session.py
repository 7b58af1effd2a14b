"""Frame of every tool: its caller, its arguments and answer, and its announcement."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from memory_layer.domain.access import Principal
from memory_layer.domain.dated_words import dates_note
from memory_layer.domain.fields import memory_to_json
from memory_layer.domain.memory import Memory
from memory_layer.mcp import tool_answers, tool_schemas
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import refuse_secret_project


@dataclass(frozen=True, slots=True)
class ToolSession:
    """Caller of the tools, its project and session, and the ports that the use cases may reach."""

    ports: Ports
    principal: Principal
    project: str
    session_id: str


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


def project_of(session: ToolSession, asked: tool_schemas.Arguments) -> str:
    if asked.project is not None:
        refuse_secret_project(asked.project)
    return asked.project or session.project


def card_fields(memory: Memory) -> dict[str, Any]:
    """Fields of a record for a card: of a doubt, that there is one; of its times, the days."""
    told = {"doubted": memory.doubted is not None, "dated": dates_note(memory.times)}
    return {**memory_to_json(memory), **told}


def card_of(memory: Memory) -> tool_answers.MemoryCard:
    return tool_answers.MemoryCard.model_validate(card_fields(memory))
