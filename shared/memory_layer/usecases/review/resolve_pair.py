"""Resolution of a pair of memories that contradict each other or say the same."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from memory_layer.domain.access import Principal, review_viewer_of
from memory_layer.domain.audit import KEPT_BOTH
from memory_layer.domain.conflicts.pair import Pair
from memory_layer.domain.memory import REASON_MAX_CHARS, Memory, Ref
from memory_layer.domain.remedies import do, give, omit
from memory_layer.errors import Conflict, Forbidden, Invalid, NotFound, VersionConflict
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit_reason
from memory_layer.usecases.ground.audit_log import entered
from memory_layer.usecases.ground.change_record import check_seen, retry_on_conflict
from memory_layer.usecases.ground.idempotency import IdempotentRequest, answered_once
from memory_layer.usecases.review.list_pairs import pairs_still_open
from memory_layer.usecases.write.merge_memories import merge_memories
from memory_layer.usecases.write.supersede import supersede_memory

Decision = Literal["superseded", "merge", "kept_both"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PairResolution:
    """Reviewer's decision on a pair.

    Args:
        winner: the memory that goes on; `superseded` needs it, `merge` takes the one that is approved, surer or
            newer without it, `kept_both` has none.
        content: what the merged memory says; None: all that both say, unless they contradict each other.
    """

    resolution: Decision
    winner: str | None = None
    content: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ResolvedPair:
    """Pair that is decided on; `winner` None: both stay."""

    pair: Pair
    winner: str | None


def resolve_pair(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    said: PairResolution,
    *,
    expected: tuple[int, int] | None = None,
    once: IdempotentRequest | None = None,
) -> ResolvedPair | IdempotencyRecord:
    """Carries a decision out on the memories, then notes it at the pair; repeated after a crash, it completes both.

    `kept_both` holds as long as both say what they say now. `undo` brings a superseded memory back.

    Args:
        expected: the versions of both that the caller has seen, in the order of the pair's ids; None: any. A decision
            that is carried out on both already is completed all the same.

    Raises:
        Forbidden: the caller is no reviewer.
        NotFound: there is no such pair, or the caller may not see both.
        StaleVersion: one of them is at another version than the expected one.
        Invalid: no winner where one is needed, or one that is not of the pair; a content without a merge, or a merge
            without a content of two that contradict each other.
        Conflict: the pair was resolved otherwise, or a memory of it is out of use or was changed by now.
    """
    if not principal.is_reviewer:
        raise Forbidden("conflicts and duplicates are resolved by a reviewer")
    if said.content is not None and said.resolution != "merge":
        raise Invalid.at("/content", "a merge alone says something new", omit("/content"))
    scope = principal.scope(project)
    note = admit_reason(principal, said.note, ports.store.projects.policy(scope))
    work = _Work(ports, principal, project, id, replace(said, note=note), expected)
    return answered_once(
        ports.store.requests,
        ports.store.writer,
        scope,
        once,
        ports.clock.now(),
        lambda: retry_on_conflict(work.once),
        lambda done: done.pair.ids[0],
    )


@dataclass(frozen=True, slots=True)
class _Work:
    ports: Ports
    principal: Principal
    project: str
    id: str
    said: PairResolution
    expected: tuple[int, int] | None

    def once(self) -> ResolvedPair:
        pair, memories = self._found()
        winner = self._winner(memories)
        if pair.status == "resolved":
            return self._resolved_already(pair, memories, winner)
        if not self._is_carried_out(memories, winner):
            seen = dict(zip(pair.ids, self.expected or (), strict=False))
            check_seen(memories.values(), seen)
            self._refuse_obsolete(pair)
            self._demand_wording(pair)
            self._carry_out(memories, winner, seen)
        return ResolvedPair(self._noted(pair), winner)

    def _found(self) -> tuple[Pair, dict[str, Memory]]:
        """Reads the pair and its memories. Raises: NotFound"""
        scope, viewer = self.principal.scope(self.project), review_viewer_of(self.principal)
        pair = self.ports.store.pairs.get(scope, self.id)
        refs = [] if pair is None else [Ref(scope.project, id) for id in pair.ids]
        found = self.ports.store.memories.get_many(scope.tenant, refs) if refs else {}
        seen = {ref.id: memory for ref, memory in found.items() if viewer.may_see(memory.persona)}
        if pair is None or not viewer.may_see(pair.persona) or len(seen) < len(refs):
            raise NotFound(
                f"no pair {self.id} in project {self.project}; list conflicts or duplicates for its id"
            )
        return pair, seen

    def _winner(self, memories: dict[str, Memory]) -> str | None:
        """Id of the memory that goes on; None: both do. Raises: Invalid"""
        resolution, winner = self.said.resolution, self.said.winner
        if winner is not None and resolution == "kept_both":
            raise Invalid.at("/winner", "where both are kept neither wins", omit("/winner"))
        if winner is not None and winner not in memories:
            raise Invalid.at("/winner", f"{winner} is not of this pair", give("/winner", *sorted(memories)))
        if winner is None and resolution == "superseded":
            ways = do("merge them, keep both"), give("/winner", *sorted(memories))
            raise Invalid.at("/winner", "one of the two goes on", *ways)
        if winner is None and resolution == "merge":
            return _successor_among(memories) or max(memories.values(), key=merge_priority).id
        return winner

    def _resolved_already(self, pair: Pair, memories: dict[str, Memory], winner: str | None) -> ResolvedPair:
        """Answer for a pair resolved before in the same way. Raises: Conflict: it was resolved otherwise."""
        if pair.resolution == self.said.resolution and self._stands(memories, winner):
            return ResolvedPair(pair, winner)
        raise Conflict(
            f"{pair.id} was resolved by {pair.resolved_by} already: {pair.resolution}; "
            "supersede, merge or undo the memories themselves"
        )

    def _stands(self, memories: dict[str, Memory], winner: str | None) -> bool:
        return winner is None or self._is_carried_out(memories, winner)

    def _is_carried_out(self, memories: dict[str, Memory], winner: str | None) -> bool:
        """True if the loser is superseded by the winner, by a request that was cut off or by hand."""
        if winner is None:
            return False
        return all(memory.superseded_by == winner for id, memory in memories.items() if id != winner)

    def _refuse_obsolete(self, pair: Pair) -> None:
        """Refuses a pair of which a memory is out of use or was changed. Raises: Conflict"""
        scope, viewer = self.principal.scope(self.project), review_viewer_of(self.principal)
        if not pairs_still_open(self.ports, scope, [pair], viewer, self.ports.clock.now()):
            raise Conflict(
                f"one of {' and '.join(pair.ids)} is out of use or says something else by now; "
                "nothing is left to decide on"
            )

    def _demand_wording(self, pair: Pair) -> None:
        """Refuses to unite two that contradict each other in their own words. Raises: Invalid"""
        if pair.kind == "conflict" and self.said.resolution == "merge" and self.said.content is None:
            raise Invalid.at(
                "/content",
                f"{' and '.join(pair.ids)} contradict each other: one memory cannot say both",
                give("/content"),
                give("/resolution", "superseded"),
                give("/resolution", "kept_both"),
            )

    def _carry_out(self, memories: dict[str, Memory], winner: str | None, seen: Mapping[str, int]) -> None:
        if self.said.resolution == "kept_both" or winner is None:
            return
        (other,) = (id for id in memories if id != winner)
        place, note = (self.ports, self.principal, self.project), self.said.note
        if self.said.resolution == "superseded":
            expected = seen.get(other)
            supersede_memory(*place, other, {"id": winner}, reason=note, expected=expected, seen=seen)
        else:
            expected, content = seen.get(winner), self.said.content
            merge_memories(
                *place, winner, [other], content=content, reason=note, expected=expected, seen=seen
            )

    def _noted(self, pair: Pair) -> Pair:
        """Stores the pair as resolved. Raises: VersionConflict"""
        note = self.said.note
        resolved = replace(
            pair,
            status="resolved",
            resolution=self.said.resolution,
            resolved_by=self.principal.name,
            resolved_at=self.ports.clock.now(),
            reason=pair.reason if note is None else f"{pair.reason}; {note}"[:REASON_MAX_CHARS],
            version=pair.version + 1,
        )
        if self.said.resolution == "kept_both":  # the others are told by the records that they change
            with entered(self.ports, pair.scope, self.principal.name, KEPT_BOTH, about=pair.id):
                self._put(resolved)
        else:
            self._put(resolved)
        return resolved

    def _put(self, pair: Pair) -> None:
        if self.ports.store.pairs.put([pair]) != [True]:
            raise VersionConflict(f"{pair.id} was changed meanwhile; look at it again")


def _successor_among(memories: dict[str, Memory]) -> str | None:
    """Id of the memory that has superseded the other already."""
    successors = (memory.superseded_by for memory in memories.values())
    return next((id for id in successors if id in memories), None)


def merge_priority(memory: Memory) -> tuple[object, ...]:
    """Rank of a memory among those that become one: the highest goes on."""
    return memory.is_approved, memory.confidence, memory.updated_at, memory.id
