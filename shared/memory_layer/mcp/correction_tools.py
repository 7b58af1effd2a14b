"""Tools for corrections, which take something back."""

from memory_layer.domain.memory import Memory
from memory_layer.mcp import tool_schemas
from memory_layer.mcp.tool_session import Tool, ToolReply, ToolSession, card_of, project_of
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.review.confirm import confirm_memory
from memory_layer.usecases.write.undo import undo_last_change


def _confirm(session: ToolSession, asked: tool_schemas.ConfirmMemory) -> ToolReply:
    memory = confirm_memory(
        session.ports, session.principal, project_of(session, asked), asked.memory_id, reason=asked.reason
    )
    return _standing(memory, "confirmed")


def _undo(session: ToolSession, asked: tool_schemas.UndoChange) -> ToolReply:
    memory = undo_last_change(
        session.ports, session.principal, project_of(session, asked), asked.memory_id, reason=asked.reason
    )
    return _standing(memory, "undone")


def _standing(memory: Memory | IdempotencyRecord, verb: str) -> ToolReply:
    if isinstance(memory, IdempotencyRecord):
        raise TypeError("a tool call has no idempotency key")
    why = f" ({memory.status_reason})" if memory.status_reason else ""
    text = f"{verb.capitalize()}: {memory.id} is {memory.status}{why}."
    return ToolReply(tool_schemas.Judged(memory=card_of(memory)), text)


CORRECTION_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="confirm_memory",
        title="Confirm a stale memory",
        description=(
            "Say that a memory which went stale, because what it is about has changed, still holds: it is "
            "recalled again. Only after you have checked, and only what an agent wrote; list_memories with "
            "status stale shows them. What no longer holds: update_memory or forget_memory."
        ),
        asks=tool_schemas.ConfirmMemory,
        answers=tool_schemas.Judged,
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
        answers=tool_schemas.Judged,
        run=_undo,
    ),
)
