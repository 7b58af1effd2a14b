"""Authorship where names meet: an end user, and the token of an agent that is called so and has a persona of its name.

Both write under that persona and that name, which tell nobody apart; the history has whose token wrote (SPEC 4.4).
"""

from collections.abc import Sequence

from memory_layer.domain.access import Principal, agent_voice, may_change, may_erase
from memory_layer.domain.memory import Memory, Ref
from memory_layer.ports.process import Ports


def may_change_here(ports: Ports, principal: Principal, memory: Memory) -> bool:
    """Tells whether a caller may change a memory, and it is none of somebody else's who is called alike."""
    return bool(changeable_here(ports, principal, [memory]))


def may_erase_here(ports: Ports, principal: Principal, memory: Memory) -> bool:
    """Tells whether a caller may erase a memory, and it is none of somebody else's who is called alike."""
    return bool(erasable_here(ports, principal, [memory]))


def changeable_here(ports: Ports, principal: Principal, memories: Sequence[Memory]) -> list[Memory]:
    """Memories of one project that a caller may change: a reviewer in their own right all, others no namesake's."""
    own = [one for one in memories if may_change(principal, one)]
    theirs = set[Ref]() if principal.is_reviewer else _of_namesakes(ports, principal, own)
    return [one for one in own if one.ref not in theirs]


def erasable_here(ports: Ports, principal: Principal, memories: Sequence[Memory]) -> list[Memory]:
    """Memories of one project that a caller may erase: an admin in their own right all, others no namesake's."""
    own = [one for one in memories if may_erase(principal, one)]
    theirs = set[Ref]() if principal.is_admin else _of_namesakes(ports, principal, own)
    return [one for one in own if one.ref not in theirs]


def _of_namesakes(ports: Ports, principal: Principal, memories: Sequence[Memory]) -> set[Ref]:
    """Memories, read together, of another who is called as the caller: of the token, or of the user spoken for.

    Whatever kind of token speaks for a user, a person's or a reviewer's too, the user wrote nothing of what the token
    of that name did.
    """
    speaks_for_another = principal.user is not None and principal.user != principal.name
    if not (speaks_for_another or (principal.user is None and principal.is_agent)):
        return set()
    met = [one for one in memories if one.persona == one.created_by == principal.author]
    writers = ports.store.history.writers(met[0].scope, [one.id for one in met]) if met else {}
    own_token = agent_voice(principal.author)
    return {
        one.ref
        for one in met
        if (agent_voice(writers.get(one.id, one.created_by)) == own_token) == speaks_for_another
    }
