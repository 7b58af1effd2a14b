"""Content that another record has already: which records stand in the way of a text, and the refusal of it."""

from datetime import datetime

from memory_layer.domain.memory import Memory
from memory_layer.domain.text.named_sections import stand_apart
from memory_layer.domain.trust import vouches_less
from memory_layer.errors import CREDIT_TWIN, Duplicate
from memory_layer.ports.process import Ports


def is_rival(candidate: Memory, memory: Memory, now: datetime) -> bool:
    """Tells whether a known record is in force for the persona of a new one, and not itself or what it corrects.

    Lines of two releases of a changelog, of two days, and steps of two procedures are no rivals, though they say the
    same: each tells what its own one brought, or needs.
    """
    return (
        candidate.is_active
        and candidate.persona == memory.persona
        and candidate.id not in (memory.id, memory.supersedes)
        and not candidate.has_expired(now)
        and not stand_apart(candidate, memory)
    )


def refuse_same_content(ports: Ports, memory: Memory, now: datetime) -> bool:
    """Refuses a record whose content another one has already.

    Returns:
        True if only records that are vouched for less have it: it stands beside them.

    Raises:
        Duplicate: another active record of its persona has the very same content.
    """
    same = ports.store.memories.same_content(memory.scope, memory.content_hash)
    rivals = [candidate for candidate in same if is_rival(candidate, memory, now)]
    for candidate in rivals:
        if not vouches_less(candidate, memory):
            raise Duplicate(candidate, 1.0, remedies=(CREDIT_TWIN,))
    return bool(rivals)
