"""Reorganisation of a playbook: the set with near-duplicates united, beside the present one, for a reviewer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import combinations
from typing import Final, Literal

from memory_layer.domain.access import Principal
from memory_layer.domain.conflicts.contradiction import contradiction, statement_of
from memory_layer.domain.conflicts.sameness import says_all
from memory_layer.domain.conflicts.united_words import united_words
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.learning import playbook
from memory_layer.domain.learning.playbook import Bullet
from memory_layer.domain.learning.self_verdicts import NO_SELF_COUNTS, SelfCounts
from memory_layer.domain.memory import Memory
from memory_layer.domain.united_memories import united_memory, with_fresh_evidence
from memory_layer.errors import Conflict, Forbidden, MemoryLayerError, NotFound
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.compose_playbook import compose_playbook, counts_of_authors
from memory_layer.usecases.recall.redact_answers import as_shown
from memory_layer.usecases.review.list_pairs import OpenPair, list_pairs
from memory_layer.usecases.review.resolve_pair import PairResolution, merge_priority, resolve_pair
from memory_layer.usecases.write.merge_memories import MERGED_MAX, merge_memories

Decision = Literal["accept", "drop"]

PAIRS_MAX: Final = 200
"""Pairs that one reorganisation is made of; the rest waits for the next one."""

_REASON: Final = "the playbook was reorganised"


@dataclass(frozen=True, slots=True, kw_only=True)
class Union:
    """Learnings that become one.

    Args:
        into: id of the one that goes on.
        others: ids of those that it supersedes.
        content: what it says then.
        pairs: ids of the pairs that this decides.
    """

    into: str
    others: tuple[str, ...]
    content: str
    pairs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reorganisation:
    """Proposed set of bullets beside the present one.

    Args:
        id: of exactly this proposal; null where nothing is to be reorganised.
        note: as `Playbook` has it.
    """

    id: str | None
    unions: tuple[Union, ...]
    present: tuple[Bullet, ...]
    proposed: tuple[Bullet, ...]
    note: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReorganisationResult:
    """Decision that was carried out.

    Args:
        done: how many unions it was carried out on.
        problems: a sentence about each union that was refused meanwhile.
    """

    done: int
    problems: tuple[str, ...]


def propose_reorganisation(ports: Ports, principal: Principal, project: str) -> Reorganisation:
    """Proposes a set in which the near-duplicates among the learnings that wait in the inbox are one bullet each.

    Nothing is changed. Learnings that contradict each other, or that are not for the same persona, stay apart.

    Raises:
        Forbidden: the caller is no reviewer.
    """
    _require_reviewer(principal)
    whole = compose_playbook(ports, principal, project)
    unions = dict(_unions(ports, principal, project))
    gone = {other for union in unions.values() for other in union[0].others}
    united = {union.into: memory for union, memory in unions.values()}
    own = counts_of_authors(ports, principal.scope(project), list(united.values()), ports.clock.now())
    proposed = (
        _as_united(one, united.get(one.id), own.get(one.id, NO_SELF_COUNTS))
        for one in whole.bullets
        if one.id not in gone
    )
    found = tuple(union for union, _ in unions.values())
    return Reorganisation(
        id=_id(found) if found else None,
        unions=found,
        present=whole.bullets,
        proposed=tuple(proposed),
        note=whole.note,
    )


def decide_reorganisation(
    ports: Ports, principal: Principal, project: str, id: str, decision: Decision
) -> ReorganisationResult:
    """Merges the learnings of each union of a proposal, or keeps all of them apart for good.

    Raises:
        Forbidden: the caller is no reviewer.
        NotFound: there is nothing to reorganise.
        Conflict: by now another set would be proposed.
    """
    proposal = propose_reorganisation(ports, principal, project)
    if proposal.id is None:
        raise NotFound(f"there is nothing to reorganise in project {project}")
    if proposal.id != id:
        raise Conflict(f"what {id} proposed has changed meanwhile; look at {proposal.id}, then decide")
    problems = [
        problem
        for union in proposal.unions
        if (problem := _carried_out(ports, principal, project, union, decision)) is not None
    ]
    return ReorganisationResult(done=len(proposal.unions) - len(problems), problems=tuple(problems))


def _require_reviewer(principal: Principal) -> None:
    if not principal.is_reviewer:
        raise Forbidden("a playbook is reorganised by a reviewer; ask one, or use a token with that role")


def _carried_out(
    ports: Ports, principal: Principal, project: str, union: Union, decision: Decision
) -> str | None:
    """Problem of a union that could not be decided; None: it is."""
    said = PairResolution(resolution="merge" if decision == "accept" else "kept_both")
    try:
        if decision == "accept":
            merge_memories(ports, principal, project, union.into, union.others, reason=_REASON)
            said = replace(said, winner=union.into)
        for pair in union.pairs:
            resolve_pair(ports, principal, project, pair, said)
    except MemoryLayerError as refused:
        return f"{union.into}: {refused.detail}"
    return None


def _id(unions: Sequence[Union]) -> str:
    said = [[union.into, *union.others, union.content] for union in unions]
    return f"reo_{sha256(canonical_json(said).encode()).hexdigest()[:32]}"


def _as_united(bullet: Bullet, united: Memory | None, own: SelfCounts) -> Bullet:
    if united is None:
        return bullet
    helpful, harmful = united.worked - own.worked, united.failed - own.failed
    return replace(bullet, content=united.content, helpful=helpful, harmful=harmful, own=own)


def _unions(ports: Ports, principal: Principal, project: str) -> Iterator[tuple[str, tuple[Union, Memory]]]:
    """Unions by the id that goes on, each with the record that it would make."""
    pairs = [one for one in _open_pairs(ports, principal, project) if _is_of_learnings(one)]
    mode = ports.store.projects.policy(principal.scope(project)).privacy_mode
    for memories in _clusters(pairs):
        into, *others = sorted(memories.values(), key=merge_priority, reverse=True)
        wording = None if _must_stay_apart((into, *others)) else united_words((into, *others), says_all)
        if wording is None:
            continue
        made = united_memory(into, with_fresh_evidence(into, others), wording, ports.clock.now())
        shown = as_shown(made, mode)
        decided = tuple(
            one.id for one in pairs if into.id in one.pair.ids and set(one.pair.ids) <= memories.keys()
        )
        ids = tuple(sorted(one.id for one in others))
        yield into.id, (Union(into=into.id, others=ids, content=shown.content, pairs=decided), shown)


def _open_pairs(ports: Ports, principal: Principal, project: str) -> list[OpenPair]:
    found: list[OpenPair] = []
    after = None
    while len(found) < PAIRS_MAX:
        page = list_pairs(ports, principal, project, "duplicate", after=after, limit=PAIRS_MAX - len(found))
        found += page.items
        after = page.next_key
        if after is None:
            break
    return found


def _is_of_learnings(one: OpenPair) -> bool:
    return all(memory.type in playbook.PLAYBOOK_TYPES for memory in one.memories)


def _must_stay_apart(memories: Sequence[Memory]) -> bool:
    return (
        len(memories) > MERGED_MAX + 1
        or len({memory.persona for memory in memories}) > 1
        or any(
            contradiction(statement_of(one), statement_of(other), cosine=1.0) is not None
            for one, other in combinations(memories, 2)
        )
    )


def _clusters(pairs: Sequence[OpenPair]) -> list[Mapping[str, Memory]]:
    """Memories that hang together by pairs with one of them, by id; a memory is in one cluster."""
    neighbours: defaultdict[str, dict[str, Memory]] = defaultdict(dict)
    known: dict[str, Memory] = {}
    for one in pairs:
        first, second = one.memories
        known |= {first.id: first, second.id: second}
        neighbours[first.id][second.id] = second
        neighbours[second.id][first.id] = first
    found: list[Mapping[str, Memory]] = []
    taken: set[str] = set()
    for memory in sorted(known.values(), key=merge_priority, reverse=True):
        near = {id: one for id, one in neighbours[memory.id].items() if id not in taken}
        if memory.id not in taken and near:
            found.append({memory.id: memory, **near})
            taken |= {memory.id, *near}
    return found
