"""Proposals: words for a trusted memory's place, kept beside it until a reviewer decides (SPEC 4.11)."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final

from memory_layer.domain.access import SHARED_PROJECT, Principal, agent_voice, may_change
from memory_layer.domain.doubt import add_doubt, merge_doubts
from memory_layer.domain.memory import DOUBT_ENTRIES_MAX, LABELS_MAX, Doubt, Memory, Relation

PROPOSED_FOR: Final = "proposed_for"
"""Relation type: from a proposal to the memory whose place it would take; the doubt about that one names it back."""

REFUSED: Final = "proposal refused"
"""Verb of the change that ends a doubt with the rejection of its proposal."""

OVERRULED: Final = "overruled"
"""Verb of the change that rejects a proposal because a reviewer has vouched for the memory that it was for."""

PROPOSALS_OF_ONE: Final = 4
"""Open proposals of one principal about one memory: with more it would leave no room to others."""


def only_proposes(principal: Principal, memory: Memory) -> bool:
    """Tells whether a caller's change is a proposal: an agent's of a trusted memory, an author's of an approved one."""
    if principal.is_reviewer or not memory.is_trusted or memory.project == SHARED_PROJECT:
        return False
    return principal.is_agent or (memory.is_approved and may_change(principal, memory))


def proposed(
    old: Memory, words: Memory, by: str, at: datetime, others: Iterable[Memory] = ()
) -> tuple[Memory, Memory] | str:
    """Doubted memory and linked proposal, one version on each; or, in words, why there can be none.

    Args:
        words: a new memory at its first version, or a stored one.
        others: proposals about the same memory.
    """
    own = [one.id for one in others if one.is_active and agent_voice(one.created_by) == agent_voice(by)]
    if len(own) >= PROPOSALS_OF_ONE and words.id not in own:
        return f"{by} has proposed {', '.join(own)} for {old.id} already; supersede or archive one of these"
    link = Relation(PROPOSED_FOR, old.id)
    if link not in words.relations and len(words.relations) >= LABELS_MAX:
        return f"{words.id} has {LABELS_MAX} relations already; take one out, then propose it"
    doubted = add_doubt(old, by=by, reason=f"{by} proposes {words.id} instead", at=at, proposal=words.id)
    if not is_open(doubted, words.id):
        return f"{old.id} has {DOUBT_ENTRIES_MAX} proposals already; a reviewer decides about those first"
    linked = words if link in words.relations else replace(words, relations=(*words.relations, link))
    return replace(doubted, version=old.version + 1), linked


def targets(words: Memory) -> list[str]:
    """Ids of memories whose place a memory would take, as it says itself; the doubts about these are the authority."""
    return [link.target for link in words.relations if link.type == PROPOSED_FOR]


def is_open(old: Memory, proposal: str) -> bool:
    """Tells whether a proposal waits for a decision about a memory."""
    return old.doubted is not None and proposal in old.doubted.proposals


def with_proposal_again(old: Memory, before: Memory, proposal: str) -> Memory:
    """Memory that a rejected proposal doubts as it did before, one version on; other doubts since then stay.

    Args:
        before: the memory before that rejection.
    """
    assert before.doubted is not None
    reasons = tuple(
        reason for reason in before.doubted.reasons if reason.endswith(f" proposes {proposal} instead")
    )
    renewed = replace(before.doubted, reasons=reasons, proposals=(proposal,))
    return replace(old, doubted=merge_doubts(renewed, old.doubted), version=old.version + 1)


def without_proposal(old: Memory, proposal: str) -> Memory:
    """Memory without a proposal that was rejected, one version on; with the last reason the doubt ends."""
    return replace(without_proposals(old, [proposal]), version=old.version + 1)


def without_proposals(old: Memory, gone: Collection[str]) -> Memory:
    """Memory without the proposals that are gone, in the same version; with the last reason the doubt ends."""
    if old.doubted is None or set(gone).isdisjoint(old.doubted.proposals):
        return old
    told = tuple(f" proposes {one} instead" for one in gone)
    reasons = tuple(reason for reason in old.doubted.reasons if not reason.endswith(told))
    proposals = tuple(one for one in old.doubted.proposals if one not in gone)
    doubt = replace(old.doubted, reasons=reasons, proposals=proposals)
    return replace(old, doubted=doubt if reasons or proposals else None)


def without_links(memory: Memory, is_gone: Callable[[str], bool]) -> Memory:
    """Memory that is proposed for nothing that is gone; in the same version."""
    links = tuple(link for link in memory.relations if link.type != PROPOSED_FOR or not is_gone(link.target))
    return memory if links == memory.relations else replace(memory, relations=links)


def handed_on(old: Memory, new: Memory, waiting: Collection[str]) -> Memory:
    """Successor of a memory, doubted by those who propose other words for its place, in the same version.

    Args:
        waiting: ids of the proposals for the old one's place that go on with the successor.
    """
    if old.doubted is None or not waiting:
        return new
    said = {f" proposes {id} instead" for id in waiting}
    told = {one: one.removesuffix(end) for one in old.doubted.reasons for end in said if one.endswith(end)}
    doubt = Doubt(
        since=old.doubted.since,
        by=tuple(dict.fromkeys(told.values())),
        reasons=tuple(told),
        proposals=tuple(id for id in old.doubted.proposals if id in waiting),
    )
    return replace(new, doubted=merge_doubts(new.doubted, doubt))
