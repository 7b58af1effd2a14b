"""Proposals that wait, and the memories whose places they would take by now."""

from collections.abc import Collection, Mapping

from memory_layer.domain.memory import ENDED_STATUSES, Memory, Ref
from memory_layer.domain.proposals import handed_on, targets
from memory_layer.ports.process import Ports

CHAIN_MAX = 64
"""Successors that are followed from the memory that a proposal names: an approval makes at most one of each."""


def open_proposals(ports: Ports, memory: Memory) -> dict[str, Memory]:
    """Reads what is proposed for a memory's place and in use, by id, in the order of its doubt."""
    ids = memory.doubted.proposals if memory.doubted else ()
    found = _read(ports, memory, ids)
    return {id: found[id] for id in ids if id in found and found[id].status not in ENDED_STATUSES}


def places_of(ports: Ports, proposal: Memory) -> list[Memory]:
    """Reads the memories that a proposal names; in the place of each superseded one stands its last successor."""
    read: dict[str, Memory] = {}
    wanted = targets(proposal)
    for _ in range(CHAIN_MAX):
        wanted = [id for id in dict.fromkeys(wanted) if id not in read and id != proposal.id]
        if not wanted:
            break
        found = _read(ports, proposal, wanted)
        read |= found
        wanted = [one.superseded_by for one in found.values() if one.superseded_by is not None]
    return [one for one in read.values() if one.superseded_by is None]


def with_open_proposals(ports: Ports, old: Memory, new: Memory) -> Memory:
    """Successor of a memory, doubted by what else is proposed for its place; in the same version."""
    return handed_on(old, new, [id for id in open_proposals(ports, old) if id != new.id])


def _read(ports: Ports, memory: Memory, ids: Collection[str]) -> Mapping[str, Memory]:
    if not ids:
        return {}
    records = ports.store.memories.get_many(memory.tenant, {Ref(memory.project, id) for id in ids})
    return {one.id: one for one in records.values()}
