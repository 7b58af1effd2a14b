"""Tools for corrections, which take something back."""

from memory_layer.domain.memory import Memory
from memory_layer.domain.prompt import in_one_line
from memory_layer.domain.remedies import omit
from memory_layer.errors import Invalid
from memory_layer.mcp import tool_answers, tool_schemas
from memory_layer.mcp.page_text import listed_text
from memory_layer.mcp.tool_session import Tool, ToolReply, ToolSession, card_of, named_memory
from memory_layer.mcp.written_reply import written_reply
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.review.confirm import confirm_memory
from memory_layer.usecases.write.supersede import supersede_memory
from memory_layer.usecases.write.undo import undo_last_change


def _supersede(session: ToolSession, asked: tool_schemas.SupersedeMemory) -> ToolReply:
    named = named_memory(session, asked, asked.memory_id)
    stored = supersede_memory(
        session.ports,
        session.principal,
        named.project,
        named.id,
        _successor(session, asked),
        reason=asked.reason,
    )
    if isinstance(stored, IdempotencyRecord):
        raise TypeError("a tool call has no idempotency key")
    verb = f"In the place of {named.id}: {'stored' if stored.is_new else 'now'}"
    return written_reply(
        stored.memory, stored.redacted, is_new=stored.is_new, verb=verb, proposed_for=stored.proposed_for
    )


def _successor(session: ToolSession, asked: tool_schemas.SupersedeMemory) -> dict[str, str]:
    """Successor of a memory: new words, or one that is stored. Raises: Invalid: both are given."""
    if asked.by_id is None:
        return {} if asked.content is None else {"content": asked.content, "source": "run"}
    if asked.content is not None:
        raise Invalid.at("/content", "new words or a stored memory, not both", omit("/content"), omit("/id"))
    return {"id": named_memory(session, asked, asked.by_id).id}


def _confirm(session: ToolSession, asked: tool_schemas.AboutMemory) -> ToolReply:
    named = named_memory(session, asked, asked.memory_id)
    memory = confirm_memory(session.ports, session.principal, named.project, named.id, reason=asked.reason)
    return _standing(memory, "confirmed")


def _undo(session: ToolSession, asked: tool_schemas.AboutMemory) -> ToolReply:
    named = named_memory(session, asked, asked.memory_id)
    about = session.ports, session.principal, named.project, named.id
    before = get_memory(*about)
    reply = _standing(undo_last_change(*about, reason=asked.reason), "undone")
    return ToolReply(reply.structured, f"{reply.text} {_told(before)}\n{listed_text([get_memory(*about)])}")


def _told(before: Memory) -> str:
    """Standing that an undo took back, before the words that are in force again."""
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
            "Put what is true now in the place of an agent's memory that no longer holds: the old one leaves recall "
            "and stays in the history. For what people said or approved it is a proposal: a reviewer decides."
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
            "Say that a memory which went stale, as what it is about has changed, still holds: it is recalled "
            "again. Only after you have checked, and only what an agent wrote; list_memories with status stale "
            "shows them."
        ),
        asks=tool_schemas.AboutMemory,
        answers=tool_answers.Judged,
        run=_confirm,
        is_idempotent=True,
    ),
    Tool(
        name="undo_change",
        title="Undo a change of status",
        description=(
            "Take back the last thing that you did to a memory's status, such as forget_memory; twice does it again."
        ),
        asks=tool_schemas.AboutMemory,
        answers=tool_answers.Judged,
        run=_undo,
    ),
)
