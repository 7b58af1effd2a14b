"""Tools for corrections, which take something back."""

from memory_layer.domain.memory import Memory
from memory_layer.domain.prompt import in_one_line, render_memories
from memory_layer.domain.remedies import omit
from memory_layer.errors import Invalid
from memory_layer.mcp import tool_answers, tool_schemas
from memory_layer.mcp.tool_session import Tool, ToolReply, ToolSession, card_of, project_of
from memory_layer.mcp.written_reply import written_reply
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.review.confirm import confirm_memory
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.undo import undo_last_change


def _supersede(session: ToolSession, asked: tool_schemas.SupersedeMemory) -> ToolReply:
    stored = supersede_memory(
        session.ports,
        session.principal,
        project_of(session, asked),
        asked.memory_id,
        _successor(asked),
        reason=asked.reason,
    )
    if isinstance(stored, IdempotencyRecord):
        raise TypeError("a tool call has no idempotency key")
    verb = f"In the place of {asked.memory_id}: {'stored' if stored.is_new else 'now'}"
    return written_reply(
        stored.memory, stored.redacted, is_new=stored.is_new, verb=verb, proposed_for=stored.proposed_for
    )


def _successor(asked: tool_schemas.SupersedeMemory) -> dict[str, str]:
    """Successor of a memory: new words, or one that is stored. Raises: Invalid: both are given."""
    if asked.by_id is None:
        return {} if asked.content is None else {"content": asked.content, "source": "run"}
    if asked.content is not None:
        raise Invalid.at("/content", "new words or a stored memory, not both", omit("/content"), omit("/id"))
    return {"id": asked.by_id}


def _confirm(session: ToolSession, asked: tool_schemas.ConfirmMemory) -> ToolReply:
    memory = confirm_memory(
        session.ports, session.principal, project_of(session, asked), asked.memory_id, reason=asked.reason
    )
    return _standing(memory, "confirmed")


def _undo(session: ToolSession, asked: tool_schemas.UndoChange) -> ToolReply:
    project = project_of(session, asked)
    before = get_memory(session.ports, session.principal, project, asked.memory_id)
    memory = undo_last_change(session.ports, session.principal, project, asked.memory_id, reason=asked.reason)
    reply = _standing(memory, "undone")
    return ToolReply(reply.structured, f"{reply.text} {_told(before)}\n{render_memories([before])}")


def _told(before: Memory) -> str:
    """Standing that an undo took back, of these words."""
    why = f" ({in_one_line(before.status_reason)})" if before.status_reason else ""
    return f"Until now it was {before.status}{why}, version {before.version}. It says:"


def _standing(memory: Memory | IdempotencyRecord, verb: str) -> ToolReply:
    if isinstance(memory, IdempotencyRecord):
        raise TypeError("a tool call has no idempotency key")
    why = f" ({memory.status_reason})" if memory.status_reason else ""
    text = f"{verb.capitalize()}: {memory.id} is {memory.status}{why}, version {memory.version}."
    return ToolReply(tool_answers.Judged(memory=card_of(memory)), text)


CORRECTION_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="supersede_memory",
        title="Put a correction in a memory's place",
        description=(
            "Put what is true now (content, or by_id of a memory that is stored) in the place of a memory that an "
            "agent wrote and that no longer holds: the old one leaves recall and stays in the history. For what people "
            "said or approved it is a proposal: yours is kept beside it, and a reviewer decides."
        ),
        asks=tool_schemas.SupersedeMemory,
        answers=tool_answers.Written,
        run=_supersede,
        is_destructive=True,
    ),
    Tool(
        name="confirm_memory",
        title="Confirm a stale memory",
        description=(
            "Say that a memory which went stale, because what it is about has changed, still holds: it is "
            "recalled again. Only after you have checked, and only what an agent wrote; list_memories with "
            "status stale shows them. What no longer holds: update_memory or forget_memory."
        ),
        asks=tool_schemas.ConfirmMemory,
        answers=tool_answers.Judged,
        run=_confirm,
        is_idempotent=True,
    ),
    Tool(
        name="undo_change",
        title="Undo a change of status",
        description=(
            "Take back the last thing that you did to a memory's status, such as forget_memory. What it says "
            "stays as it is; calling it twice does the change again."
        ),
        asks=tool_schemas.UndoChange,
        answers=tool_answers.Judged,
        run=_undo,
    ),
)
