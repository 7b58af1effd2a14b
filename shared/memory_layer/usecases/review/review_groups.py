"""Groups of what waits for a person: held-back texts of one token, and doubts of one run, are one decision."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from typing import Final, Literal, get_args

from memory_layer.domain.access import Principal, agent_voice, review_viewer_of
from memory_layer.domain.doubt import DOUBTED
from memory_layer.domain.filters import Filters
from memory_layer.domain.memory import Memory, Ref, Scope, as_of_now
from memory_layer.domain.remedies import give
from memory_layer.errors import Forbidden, Invalid, MemoryLayerError
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.open_proposals import places_of
from memory_layer.usecases.review.confirm import confirm_memory
from memory_layer.usecases.review.review import AWAITING, STAGED_AWAITING, Awaiting, Outcome, decide_all

HeldBack = Literal["pending", "quarantined"]
GroupKind = Literal["pending", "quarantined", "doubted"]
ItemAct = Literal["approve", "reject", "archive"]
GroupAct = Literal["approve", "confirm", "reject", "archive"]

GROUP_MAX: Final = 100
"""Memories that one decision on a group reaches, the oldest first."""

LOOKED_THROUGH: Final = 1_000
"""Memories that wait, the oldest first, among which those of one principal under several names are looked for."""

WAITING_LONG: Final = timedelta(days=14)
COUNTED_MAX: Final = 100
"""Most that are counted of each kind that waits long."""


@dataclass(frozen=True, slots=True)
class SeenMemory:
    """Memory as a reviewer has looked at it.

    Args:
        version: the version that was looked at.
    """

    id: str
    version: int


@dataclass(frozen=True, slots=True)
class ReviewGroup:
    """Memories that wait for the same reason: held-back ones of one principal, or all that the same ones doubt alike.

    Args:
        seen: each, at the version that is shown.
        principal: whose token wrote them, whatever name they bear; of doubts, all who raised them.
        kind: why they wait.
        count: how many they are.
        runs: of doubts, the runs that raised them.
        reasons: of doubts, what is said against each of them.
    """

    principal: str
    kind: str
    count: int
    seen: tuple[SeenMemory, ...] = ()
    runs: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupTerms:
    """One decision on a group of what waits.

    Args:
        principal: as a group has it.
        seen: those that were looked at; what came since waits on, and what was changed since is not decided on. A
            proposal takes the place of those among them alone. None: all that are held back.
    """

    principal: str
    kind: GroupKind
    decision: GroupAct
    reason: str | None = None
    seen: Sequence[SeenMemory] | None = None


@dataclass(frozen=True, slots=True)
class GroupDecision:
    """Decision on one memory of a group, at the version that it had when the group was read."""

    id: str
    version: int
    decision: ItemAct
    reason: str | None
    seen_versions: Mapping[str, int] | None = None


def groups_of(
    ports: Ports, reviewer: Principal, project: str, items: Iterable[Awaiting]
) -> list[ReviewGroup]:
    """Groups of the held-back and of the doubted memories among these items, the largest first.

    A memory that others propose words for is in no group: a decision on it is one on the proposals as well.
    """
    waiting = [item for item in items if isinstance(item, Memory)]
    writers = _writers(ports, reviewer.scope(project), [one for one in waiting if _is_held(one)])
    groups: dict[_GroupKey, list[SeenMemory]] = defaultdict(list)
    for memory in waiting:
        seen = SeenMemory(memory.id, memory.version)
        if memory.id in writers:
            groups[writers[memory.id], memory.status, (), ()].append(seen)
        elif (doubters := _doubters(memory)) is not None and memory.doubted is not None:
            groups[doubters, DOUBTED, memory.doubted.runs, memory.doubted.reasons].append(seen)
    ordered = sorted(groups.items(), key=lambda one: (-len(one[1]), one[0]))
    return [ReviewGroup(*key[:2], len(seen), tuple(seen), *key[2:]) for key, seen in ordered]


_GroupKey = tuple[str, str, tuple[str, ...], tuple[str, ...]]


def _is_held(memory: Memory) -> bool:
    return memory.status in get_args(HeldBack)


def _writers(ports: Ports, scope: Scope, memories: Collection[Memory]) -> dict[str, str]:
    """Voices of the tokens that wrote memories, by id: names of clients and of end users are as their holder likes."""
    named = ports.store.history.writers(scope, [one.id for one in memories]) if memories else {}
    return {one.id: agent_voice(named.get(one.id, one.created_by)) for one in memories}


def _doubters(memory: Memory) -> str | None:
    """All who doubt an active memory, in one text; None: nobody does, or one of them proposes other words."""
    if not memory.is_active or memory.doubted is None or memory.doubted.proposals:
        return None
    return _named(_AND.join(memory.doubted.by))


_AND: Final = ", "


def _named(principals: str) -> str:
    """Voices of principals that one text names, in order."""
    return _AND.join(sorted(map(agent_voice, principals.split(_AND))))


def decide_group(
    ports: Ports, reviewer: Principal, project: str, terms: GroupTerms
) -> list[tuple[str, Outcome]]:
    """Decides on what one principal has waiting, or doubts, up to 100, as one decision.

    Raises:
        Forbidden: the caller is no reviewer.
        Invalid: an approval, or a decision on doubts, of what was not looked at; or a decision of another kind.
    """
    _require_reviewer(reviewer)
    _require_act(terms.kind, terms.decision)
    seen = terms.seen
    if seen is None and (terms.kind == DOUBTED or terms.decision == "approve"):
        raise Invalid.at("/group/seen", "such a decision is on what was looked at", give("/group/seen"))
    memories = {one.id: one for one in _members(ports, reviewer, project, terms)}
    looked_at = memories.values() if seen is None else (one for one in seen if one.id in memories)
    versions = {one.id: one.version for one in looked_at}
    if terms.decision == "confirm":
        place = ports, reviewer, project
        return [(id, _confirmed(*place, id, version, terms.reason)) for id, version in versions.items()]
    places = {id: _places(ports, one, seen) for id, one in memories.items() if terms.decision == "approve"}
    decisions = [
        GroupDecision(id, version, terms.decision, terms.reason, places.get(id))
        for id, version in versions.items()
    ]
    outcomes = decide_all(ports, reviewer, project, [(one, None) for one in decisions])
    return [(one.id, outcome) for one, outcome in zip(decisions, outcomes, strict=True)]


def _require_act(kind: GroupKind, decision: GroupAct) -> None:
    """Requires a decision that fits why the group waits: doubts are confirmed, and held-back texts approved."""
    other, fits = ("approve", "confirm") if kind == DOUBTED else ("confirm", "approve")
    if decision == other:
        ways = give("/group/decision", fits, "reject", "archive")
        raise Invalid.at("/group/decision", f"a group of {kind} memories takes no {other}", ways)


def _confirmed(
    ports: Ports, reviewer: Principal, project: str, id: str, version: int, reason: str | None
) -> Outcome:
    try:
        return confirm_memory(ports, reviewer, project, id, reason=reason, expected=version)
    except MemoryLayerError as error:
        return error


def _members(ports: Ports, reviewer: Principal, project: str, terms: GroupTerms) -> list[Memory]:
    """Members of a group that were looked at; of doubts also what was changed since, which is refused."""
    if terms.seen is None:
        return waiting_of(ports, reviewer, project, terms.principal, terms.kind)
    now, viewer = ports.clock.now(), review_viewer_of(reviewer)
    versions = {one.id: one.version for one in terms.seen}
    stored = ports.store.memories.get_many(reviewer.tenant, [Ref(project, id) for id in versions])
    visible = [as_of_now(one, now) for one in stored.values() if viewer.may_see(one.persona)]
    if terms.kind == DOUBTED:
        named = _named(terms.principal)
        return [one for one in visible if one.version != versions[one.id] or _doubters(one) == named]
    held = [one for one in visible if one.status == terms.kind]
    writers = _writers(ports, reviewer.scope(project), held)
    return [one for one in held if writers[one.id] == agent_voice(terms.principal)]


def _places(ports: Ports, proposal: Memory, seen: Sequence[SeenMemory] | None) -> Mapping[str, int]:
    """Memories that were looked at and in whose place one would go, by id, with the versions looked at."""
    proposed_for = {one.id for one in places_of(ports, proposal)}
    return {one.id: one.version for one in seen or () if one.id in proposed_for}


def waiting_of(
    ports: Ports, reviewer: Principal, project: str, principal: str | None, kind: GroupKind | None = None
) -> list[Memory]:
    """Lists what one principal has waiting, the oldest first, at most 100.

    Args:
        kind: `doubted`: what this one doubts, or several as a group names them, and no other; None: what is held back.

    Raises:
        Forbidden: the caller is no reviewer.
        Invalid: a kind without a principal.
    """
    _require_reviewer(reviewer)
    if principal is None:
        raise Invalid.at("/query/kind", "a kind is of one principal", give("/query/principal"))
    if kind == DOUBTED:
        return _doubted_by(ports, reviewer, project, principal)
    return _held_back_by(ports, reviewer, project, principal, get_args(HeldBack) if kind is None else (kind,))


def _held_back_by(
    ports: Ports, reviewer: Principal, project: str, principal: str, kinds: tuple[str, ...]
) -> list[Memory]:
    """Held-back memories of one principal: first those that bear this name, then those under others."""
    voice, scope = agent_voice(principal), reviewer.scope(project)
    found: dict[str, Memory] = {}
    for named in ((principal,), ()):
        asked = Filters(status=kinds, created_by=named)
        for memories in _pages(ports, reviewer, project, asked):
            writers = _writers(ports, scope, memories)
            found |= {one.id: one for one in memories if writers[one.id] == voice}
            if len(found) >= GROUP_MAX:
                break
    return sorted(found.values(), key=lambda one: (one.created_at, one.id))[:GROUP_MAX]


def _doubted_by(ports: Ports, reviewer: Principal, project: str, principal: str) -> list[Memory]:
    pages = _pages(ports, reviewer, project, Filters(is_doubted=True))
    found = (one for memories in pages for one in memories if _doubters(one) == _named(principal))
    return list(islice(found, GROUP_MAX))


def _pages(ports: Ports, reviewer: Principal, project: str, asked: Filters) -> Iterator[Sequence[Memory]]:
    """Pages of what waits, the oldest first, until so many were looked through."""
    scope, viewer, now = reviewer.scope(project), review_viewer_of(reviewer), ports.clock.now()
    after, looked_through = None, 0
    while looked_through < LOOKED_THROUGH:
        page = ports.store.memories.page(
            scope, asked, viewer, now=now, after=after, limit=GROUP_MAX, oldest_first=True
        )
        yield page.memories
        after, looked_through = page.next_key, looked_through + len(page.memories)
        if after is None:
            return


def _require_reviewer(reviewer: Principal) -> None:
    if not reviewer.is_reviewer:
        raise Forbidden("what waits is for reviewers; ask one, or use a token with the role reviewer")


def waiting_long(ports: Ports, principal: Principal, project: str) -> int:
    """Counts what has waited for a person for 14 days, of each kind at most 100."""
    scope, viewer, now = principal.scope(project), review_viewer_of(principal), ports.clock.now()
    before = now - WAITING_LONG
    kinds = (Filters(status=AWAITING, created_before=before), Filters(is_doubted=True, created_before=before))
    held, doubted = (
        ports.store.memories.page(
            scope, kind, viewer, now=now, after=None, limit=COUNTED_MAX, oldest_first=True
        ).memories
        for kind in kinds
    )
    staged = ports.store.learnings.staged_page(
        scope, STAGED_AWAITING, viewer, after=None, limit=COUNTED_MAX
    ).staged
    long_doubted = [memory for memory in doubted if memory.doubted and memory.doubted.since < before]
    return len(held) + len(long_doubted) + sum(item.staged_at < before for item in staged)
