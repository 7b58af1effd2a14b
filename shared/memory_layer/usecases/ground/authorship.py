"""Authorship where names meet: an end user, and the token of an agent that is called so and has a persona of its name.

Both write under that persona and that name, which tell nobody apart; the history has whose token wrote (SPEC 4.4).
"""

from collections.abc import Sequence

from memory_layer.domain.access import Principal, agent_voice, may_change, may_erase
from memory_layer.domain.memory import Memory, Ref
from memory_layer.ports.process import Ports


def may_change_here(ports: Ports, principal: Principal, memory: Memory) -> bool:
    """Tells whether a caller may change a memory, and it is none of somebody else's who is called alike."""
    return may_change(principal, memory) and not of_namesakes(ports, principal, [memory])


def may_erase_here(ports: Ports, principal: Principal, memory: Memory) -> bool:
    """Tells whether a caller may erase a memory, and it is none of somebody else's who is called alike."""
    return may_erase(principal, memory) and not of_namesakes(ports, principal, [memory])


def of_namesakes(ports: Ports, principal: Principal, memories: Sequence[Memory]) -> set[Ref]:
    """Memories of one project, read together, of another who is called as the caller: a user, or the token itself."""
    if not principal.is_agent or principal.name == principal.user:
        return set()
    met = [one for one in memories if one.persona == one.created_by == principal.author]
    writers = ports.store.history.writers(met[0].scope, [one.id for one in met]) if met else {}
    own_token = agent_voice(principal.author)
    return {
        one.ref
        for one in met
        if (agent_voice(writers.get(one.id, one.created_by)) == own_token) == (principal.user is not None)
    }
