"""Tools that write: add, update, forget."""

from dataclasses import asdict

from memory_layer.edge.shapes.requests import given_fields
from memory_layer.mcp import tool_answers, tool_schemas
from memory_layer.mcp.tool_session import Tool, ToolReply, ToolSession, card_of, named_memory, project_of
from memory_layer.mcp.written_reply import written_reply
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.usecases.write.forget import archive_memory
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember
from memory_layer.usecases.write.revise import revise


def _added_reply(stored: StoredMemory, verb: str) -> ToolReply:
    """Reply to a new memory, with those near to it."""
    reply = written_reply(
        stored.memory, stored.redacted, is_new=stored.is_new, verb=verb, proposed_for=stored.proposed_for
    )
    similar = [tool_answers.Similar.model_validate(asdict(one)) for one in stored.similar]
    near = [
        f"{one.id} is near to it and stays ({one.differs_in}); if yours corrects it, call supersede_memory with "
        f"memory_id {one.id} and by_id {stored.memory.id}."
        for one in similar
    ]
    structured = reply.structured.model_copy(update={"similar": similar})
    return ToolReply(structured, " ".join([reply.text, *near]))


def _add(session: ToolSession, asked: tool_schemas.AddMemory) -> ToolReply:
    fields = {**given_fields(asked, "project", "on_duplicate", "run_id"), "source": asked.source}
    if asked.run_id is not None:
        fields["source_run_id"] = asked.run_id
    wish = RememberRequest(fields=fields, on_duplicate=asked.on_duplicate, is_said_now=True)
    stored = remember(session.ports, session.principal, project_of(session, asked), wish)
    if isinstance(stored, IdempotencyRecord):
        raise TypeError("a tool call has no idempotency key")
    verb = "Stored" if stored.is_new else "Merged into"
    verb = f"In the place of {stored.memory.supersedes}: stored" if stored.memory.supersedes else verb
    return _added_reply(stored, verb)


def _update(session: ToolSession, asked: tool_schemas.UpdateMemory) -> ToolReply:
    changes = {
        name: value
        for name, value in given_fields(asked, "project", "memory_id", "if_version").items()
        if value is not None
    }
    named = named_memory(session, asked, asked.memory_id)
    revised = revise(
        session.ports,
        session.principal,
        named.project,
        named.id,
        changes,
        expected=asked.if_version,
    )
    return written_reply(
        revised.memory, revised.redacted, is_new=False, verb="Updated", proposed_for=revised.proposed_for
    )


def _forget(session: ToolSession, asked: tool_schemas.AboutMemory) -> ToolReply:
    named = named_memory(session, asked, asked.memory_id)
    memory = archive_memory(session.ports, session.principal, named.project, named.id, reason=asked.reason)
    return ToolReply(
        tool_answers.Judged(memory=card_of(memory)),
        f"{memory.id} is archived: no longer recalled, kept with its history.",
    )


ADD = Tool(
    name="add_memory",
    title="Add a memory",
    description=(
        "Store one thing worth knowing next time: a trap, a convention, a decision with its reason, a fix that "
        "worked, a command. No secrets or personal data, nothing that the code says, no progress, no guesses, "
        "nothing that search_memory returned. If it is known you get the twin's id: report an outcome on that one. "
        "If one says otherwise you get its words: decide, and supersede it if yours is true."
    ),
    asks=tool_schemas.AddMemory,
    answers=tool_answers.Written,
    run=_add,
)
WRITING_TOOLS: tuple[Tool, ...] = (
    Tool(
        name="update_memory",
        title="Correct a memory",
        description=(
            "Change what an agent's memory says, if it is wrong or incomplete. Fields that you omit stay. For "
            "what people said or approved it is a proposal: a reviewer decides."
        ),
        asks=tool_schemas.UpdateMemory,
        answers=tool_answers.Written,
        run=_update,
        is_destructive=True,
        is_idempotent=True,
    ),
    Tool(
        name="forget_memory",
        title="Forget a memory",
        description=(
            "Archive an agent's memory that is no longer true: not recalled any more, kept with its history. If "
            "it misled you only once, report_outcome failed instead."
        ),
        asks=tool_schemas.AboutMemory,
        answers=tool_answers.Judged,
        run=_forget,
        is_destructive=True,
        is_idempotent=True,
    ),
)
