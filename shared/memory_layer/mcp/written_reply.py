"""Reply to a tool call that stored or changed a memory."""

from collections.abc import Sequence

from memory_layer.domain.dated_words import dates_note
from memory_layer.domain.memory import Memory, Status
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.mcp import tool_answers
from memory_layer.mcp.tool_session import ToolReply, card_of

_WAITING = "a person has to approve it before it is recalled"
_WAY_BACK: dict[Status, str] = {"pending": _WAITING, "quarantined": _WAITING}


def written_reply(
    memory: Memory,
    redacted: Sequence[RedactionFinding],
    *,
    is_new: bool,
    verb: str,
    proposed_for: str | None = None,
) -> ToolReply:
    """Replies with the record and what became of it; a proposal is told as one, whatever the verb."""
    if proposed_for is not None:
        verb = f"Proposed for {proposed_for}, which stays until a reviewer decides:"
    kinds = sorted({finding.kind for finding in redacted})
    sentences = [f"{verb} {memory.id} ({memory.category}, {memory.type}), now {memory.status}."]
    if memory.status_reason:
        sentences.append(
            f"Why: {memory.status_reason}; {_WAY_BACK.get(memory.status, 'it is not recalled')}."
        )
    if (dated := dates_note(memory.times)) is not None:
        sentences.append(f"Its days: {dated}.")
    if kinds:
        sentences.append(f"Secrets were taken out: {', '.join(kinds)}. Never send them again.")
    return ToolReply(
        tool_answers.Written(
            memory=card_of(memory), redacted=kinds, is_new=is_new, proposed_for=proposed_for
        ),
        " ".join(sentences),
    )
