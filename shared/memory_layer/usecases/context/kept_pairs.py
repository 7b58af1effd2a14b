"""Assembly that honours decisions: two memories that a person has kept both of are no conflict of a page."""

from collections.abc import Sequence
from dataclasses import replace

from memory_layer.domain.conflicts.pair import pair_ids
from memory_layer.domain.conflicts.pair_verdict import is_kept_both
from memory_layer.domain.context.fragments import (
    AssembledContext,
    AssemblyRequest,
    FragmentConflict,
    Offer,
    TokenCounter,
)
from memory_layer.domain.memory import Scope
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.process import Ports

ROUNDS_MAX = 3
"""Most assemblies: without a conflict others may come on the page, and conflict in their turn."""


def assemble_with_decisions(
    ports: Ports, scope: Scope, offers: Sequence[Offer], asked: AssemblyRequest, count: TokenCounter
) -> AssembledContext:
    """Assembles a page, and again without the conflicts that are decided; decisions are read for conflicts alone."""
    from memory_layer.domain.context.assembly import assemble  # late: it loads numpy

    assembled = assemble(offers, asked, count)
    for _ in range(ROUNDS_MAX - 1):
        kept = _kept(ports, scope, offers, assembled.conflicts) - asked.kept_pairs
        if not kept:
            break
        asked = replace(asked, kept_pairs=asked.kept_pairs | kept)
        assembled = assemble(offers, asked, count)
    return assembled


def _kept(
    ports: Ports, scope: Scope, offers: Sequence[Offer], conflicts: Sequence[FragmentConflict]
) -> frozenset[frozenset[str]]:
    if not conflicts:
        return frozenset()
    memories = {offer.memory.id: offer.memory for offer in offers if offer.memory.scope == scope}
    found = [sorted(each.ids) for each in conflicts if all(id in memories for id in each.ids)]
    if not found:
        return frozenset()
    try:
        decided = ports.store.pairs.get_many(
            scope, [id for one, other in found for id in pair_ids(one, other)]
        )
    except MemoryLayerError:  # a page with a conflict that is decided is better than none
        return frozenset()
    return frozenset(
        frozenset((one, other))
        for one, other in found
        if is_kept_both(
            map(decided.get, pair_ids(one, other)), (memories[one].content_hash, memories[other].content_hash)
        )
    )
