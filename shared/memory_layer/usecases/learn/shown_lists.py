"""Lists that a run was shown: those that it names, and those that named it; with the versions shown."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import chain
from typing import Final

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.learning.implicit_feedback import name_of
from memory_layer.domain.learning.run import Run, ShownList, ShownMemory
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.ports.process import Ports
from memory_layer.ports.receipts import RecallReceipt
from memory_layer.usecases.ground.own_receipts import is_own_receipt, own_receipt, source_receipts

LISTS_MAX: Final = 64
LIST_MAX: Final = 50
"""Most lists of a run, and most memories of one list, that are kept with it."""

SOURCES_MAX: Final = 5
"""Most memories from which another one was written that share its credit: the first shown."""


def shown_lists(ports: Ports, principal: Principal, project: str, run: Run) -> tuple[ShownList, ...]:
    """Lists that a run was shown, the first first, of memories that this caller may see.

    Recalls count that were this caller's own: a run's id may be known to others, who could recall under it what they
    like, and so may the ids of recalls, of which an admin may name any. Receipts that are unknown or older than 30 days
    are left out.
    """
    scope = principal.scope(project)
    named = [own_receipt(ports, principal, scope, id) for id in dict.fromkeys(run.recall_ids)]
    naming = [
        receipt
        for receipt in ports.store.receipts.of_run(scope, run.run_id)
        if is_own_receipt(principal, receipt)
    ]
    receipts = {receipt.recall_id: receipt for receipt in chain(named, naming) if receipt is not None}
    in_order = sorted(receipts.values(), key=lambda one: (one.at, one.recall_id))[:LISTS_MAX]
    refs = chain.from_iterable(receipt.refs[:LIST_MAX] for receipt in in_order)
    seen = _seen(ports, principal, refs)
    sources = _sources(ports, principal, [one for one in seen.values() if one.project == project])
    lists = (_shown(ports, scope, receipt, seen, sources) for receipt in in_order)
    return tuple(shown for shown in lists if shown.memories)


def _seen(ports: Ports, principal: Principal, refs: Iterable[Ref]) -> Mapping[Ref, Memory]:
    """Memories among these that are still there, and that the caller may see."""
    wanted = set(refs)
    found = ports.store.memories.get_many(principal.tenant, wanted, with_bodies=False) if wanted else {}
    viewer = viewer_of(principal)
    return {ref: memory for ref, memory in found.items() if viewer.may_see(memory.persona)}


def _shown(
    ports: Ports,
    scope: Scope,
    receipt: RecallReceipt,
    seen: Mapping[Ref, Memory],
    sources: Mapping[Ref, tuple[str, ...]],
) -> ShownList:
    present = [seen[ref] for ref in receipt.refs[:LIST_MAX] if ref in seen]
    versions = _versions(ports, scope, present, receipt.at)
    memories = tuple(
        ShownMemory(memory.project, memory.id, versions.get(memory.ref, memory.version)) for memory in present
    )
    of_these = {name_of(one.ref): sources[one.ref] for one in present if one.ref in sources}
    return ShownList(receipt.recall_id, receipt.at, memories, of_these)


def _versions(ports: Ports, scope: Scope, memories: Sequence[Memory], at: datetime) -> dict[Ref, int]:
    """Versions of that time; where history cannot be read, the caller falls back on the present one."""
    by_project: defaultdict[str, list[str]] = defaultdict(list)
    for memory in memories:
        if memory.updated_at > at or memory.version > 1:
            by_project[memory.project].append(memory.id)
    found: dict[Ref, int] = {}
    for project, ids in by_project.items():
        then = ports.store.history.at(Scope(scope.tenant, project), ids, at)
        found |= {memory.ref: memory.version for memory in then.values()}
    return found


def _sources(ports: Ports, principal: Principal, memories: Iterable[Memory]) -> dict[Ref, tuple[str, ...]]:
    """Names of the memories after whose recall each of these was written, as far as the caller may see them."""
    after = {ref: receipt.refs[:SOURCES_MAX] for ref, receipt in source_receipts(ports, memories).items()}
    seen = _seen(ports, principal, chain.from_iterable(after.values()))
    return {
        ref: tuple(name_of(source) for source in sources if source != ref and source in seen)
        for ref, sources in after.items()
    }
