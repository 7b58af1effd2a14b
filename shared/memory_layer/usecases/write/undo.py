"""Undo of the last change of a memory's status or approval."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise
from typing import get_args

from memory_layer.domain.access import Principal
from memory_layer.domain.duplicates import merged_ids
from memory_layer.domain.lifecycle import retire_merged, supersede
from memory_layer.domain.memory import ENDED_STATUSES, Memory, OutcomeResult, as_of_now
from memory_layer.domain.proposals import OVERRULED, REFUSED, is_open, with_proposal_again, without_proposals
from memory_layer.domain.undo import last_change_of_standing, undone
from memory_layer.errors import Conflict, Duplicate, Forbidden, NotFound
from memory_layer.ports.commit import Change, Commit, IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordVersion
from memory_layer.usecases.ground import change_record
from memory_layer.usecases.ground.admission import admit_reason
from memory_layer.usecases.ground.allowances import use_of_writes
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answer
from memory_layer.usecases.ground.open_proposals import places_of, with_open_proposals
from memory_layer.usecases.ground.queries import as_stored
from memory_layer.usecases.write.commit_change import commit_changes
from memory_layer.usecases.write.draft import readmit_on_return
from memory_layer.usecases.write.same_content import refuse_same_content

EXPIRED, STALED = "expired", "staled"
"""Verbs of the sweeps for changes that time and the world have made."""

CONSOLIDATING = "sweep consolidate"
"""Author of supersessions by precedence alone: everybody who may change the memory may undo them."""

_REFUSALS = (REFUSED, "approved", "confirmed")
"""Verbs of the changes of a memory that end its doubt with the rejection of a proposal."""

UNDONE = "undone"
LINK_UNDONE = "supersession undone"
REFUSAL_UNDONE = "refusal undone"


def undo_last_change(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    *,
    back_to: int | None = None,
    reason: str | None = None,
    expected: int | None = None,
    once: IdempotentRequest | None = None,
) -> Memory | IdempotencyRecord:
    """Takes back the last change of status or approval; an undo of an undo does it again.

    Words and outcomes of a memory stay. A superseded memory is back in force, and its successor does not name it any
    more; the successor stays as it is, for it says something of its own, and is archived if that is wrong. Fields
    that a merge has brought to the other memory stay there. A proposal whose rejection is taken back waits again for
    the place of the memory that it was proposed for: the doubt about that one is back. What waited for the place of
    the successor waits for that of the memory that is back; what an approval rejected waits again with its end.

    Args:
        back_to: the version whose status and approval come back, with all that changed them since taken back as one;
            None: the one before the last change.

    Raises:
        NotFound, StaleVersion: as `get_changeable`; or there is no such version.
        Forbidden: as there; or the change is somebody else's decision, and the caller is no reviewer.
        Conflict: there is nothing to undo, or an obstacle that the error names.
        TooMany: the principal has changed enough in this hour.
    """
    scope = principal.scope(project)
    reason = admit_reason(principal, reason, ports.store.projects.policy(scope))

    def attempt() -> Memory | IdempotencyRecord:
        now = ports.clock.now()
        answer = earlier_answer(ports.store.requests, scope, once, now) if once else None
        return answer or _Undo(ports, principal, project, now, reason, back_to).take_back(id, expected, once)

    return change_record.retry_on_conflict(attempt)


@dataclass(frozen=True, slots=True)
class _Undo:
    ports: Ports
    principal: Principal
    project: str
    now: datetime
    reason: str | None
    back_to: int | None

    def take_back(self, id: str, expected: int | None, once: IdempotentRequest | None) -> Memory:
        seen = change_record.get_changeable(self.ports, self.principal, self.project, id)
        change_record.check_version(seen, expected)
        stored = as_stored(self.ports, seen)
        before, last = self._last_change(stored, self.ports.store.history.of(seen.scope, id))
        back, problem = undone(stored, before, last.memory, self.now)
        if problem is not None:
            raise Conflict(problem)
        policy = self.ports.store.projects.policy(stored.scope)
        back = readmit_on_return(self.principal, back, policy)
        if back.is_active:
            self._refuse_twin(stored, back)
        why = self.reason or f"undid version {last.memory.version}: {last.verb} by {last.by}"[:1_024]
        changes = [self._change(back, stored.version, UNDONE, why)]
        befores = [stored]
        for successor, after in self._successors(stored, before, back, last):
            changes.append(self._change(after, successor.version, LINK_UNDONE, why))
            befores.append(successor)
        for target, after in (*self._doubted_again(stored, last), *self._waiting_again(before, last)):
            changes.append(self._change(after, target.version, REFUSAL_UNDONE, why))
            befores.append(target)
        shown = as_of_now(back, self.now)
        answer = once.answer(shown, self.now, memory_id=id) if once else None
        uses = use_of_writes(self.principal, back, policy.limits, self.now, stored)
        commit = Commit(scope=stored.scope, changes=tuple(changes), answer=answer, uses=uses)
        commit_changes(self.ports, commit, befores, self.principal.name)
        return shown

    def _refuse_twin(self, stored: Memory, back: Memory) -> None:
        """Refuses a return beside a memory with the same content, unless it is the successor of a merge.

        Both ends of a merge may say the same until an earlier version of the other is restored.

        Raises:
            Conflict
        """
        try:
            refuse_same_content(self.ports, back, self.now)
        except Duplicate as error:
            if error.twin.id == stored.superseded_by:
                return
            raise Conflict(
                f"{error.twin.id} says the very same; put that out of use first, or leave this as it is"
            ) from error

    def _change(self, memory: Memory, before: int, verb: str, why: str) -> Change:
        return Change(memory, before, verb, self.principal.name, self.now, why)

    def _last_change(self, stored: Memory, versions: Sequence[RecordVersion]) -> tuple[Memory, RecordVersion]:
        """The record before what is to be undone of its standing, and the version that the last change of it made.

        Raises:
            Conflict, Forbidden, NotFound
        """
        at = last_change_of_standing([version.memory for version in versions])
        if at is None:
            of = f"; to take back the correction, undo {stored.supersedes}" if stored.supersedes else ""
            raise Conflict(f"nothing has changed the status of {stored.id} since it was written{of}")
        before = at - 1 if self.back_to is None else self._place_of(self.back_to, stored, versions)
        if before >= at:
            raise Conflict(f"nothing has changed the status of {stored.id} since version {self.back_to}")
        for version in versions[before + 1 : at + 1]:
            self._refuse_others_decision(stored, version)
        return versions[before].memory, versions[at]

    def _place_of(self, version: int, stored: Memory, versions: Sequence[RecordVersion]) -> int:
        """Index of a version among all. Raises: NotFound"""
        found = (at for at, one in enumerate(versions) if one.memory.version == version)
        place = next(found, None)
        if place is None:
            raise NotFound(f"{stored.id} has no version {version}; read its history for those it has")
        return place

    def _refuse_others_decision(self, stored: Memory, last: RecordVersion) -> None:
        """Refuses an undo of another's decision, and of one's own verdict; expiry and precedence are nobody's."""
        is_own = last.by == self.principal.name and last.verb not in get_args(OutcomeResult)
        if is_own or last.verb == EXPIRED or last.by == CONSOLIDATING or self.principal.is_reviewer:
            return
        advice = "confirm it instead" if last.verb == STALED else "a reviewer undoes that"
        raise Forbidden(f"{stored.id} was {last.verb} by {last.by}; {advice}")

    def _successors(
        self, stored: Memory, before: Memory, back: Memory, last: RecordVersion
    ) -> list[tuple[Memory, Memory]]:
        """Successors whose link is cut or made again, before and after. Raises: Conflict, Forbidden."""
        if stored.superseded_by is not None:
            successor = self.ports.store.memories.get(stored.scope, stored.superseded_by)
            return [] if successor is None else self._let_go(stored, change_record.made_hot(successor), last)
        if before.superseded_by is not None:
            return self._linked_again(stored, before.superseded_by, back)
        return []

    def _doubted_again(self, stored: Memory, last: RecordVersion) -> Iterator[tuple[Memory, Memory]]:
        """Memories in force whose doubt ended with the rejection of a proposal, before and after it is renewed."""
        if stored.status != "rejected":
            return
        for found in places_of(self.ports, stored):
            if found.status in ENDED_STATUSES or is_open(found, stored.id):
                continue
            refused = self._before_refusal(found.id, stored, last)
            if refused is not None:
                target = change_record.made_hot(found)
                yield target, with_proposal_again(target, refused, stored.id)

    def _before_refusal(self, id: str, proposal: Memory, last: RecordVersion) -> Memory | None:
        """Memory as it was before the rejection of a proposal ended a doubt about it; None: that ended none."""
        for earlier, later in pairwise(self.ports.store.history.of(proposal.scope, id)):
            is_refusal = later.verb in _REFUSALS and later.at == last.at
            if is_refusal and later.memory.id == earlier.memory.id and is_open(earlier.memory, proposal.id):
                return earlier.memory
        return None

    def _waiting_again(self, before: Memory, last: RecordVersion) -> Iterator[tuple[Memory, Memory]]:
        """Proposals that the approval which is taken back has rejected, before and after they wait again."""
        ids = before.doubted.proposals if before.doubted and last.verb == "approved" else ()
        for id in ids:
            *_, earlier, rejected = self.ports.store.history.of(before.scope, id)
            now = self.ports.store.memories.get(before.scope, id)
            if now is not None and rejected.verb == OVERRULED and rejected.at == last.at:
                back, problem = undone(now, earlier.memory, rejected.memory, self.now)
                if problem is None:
                    yield now, back

    def _let_go(self, stored: Memory, successor: Memory, last: RecordVersion) -> list[tuple[Memory, Memory]]:
        if successor.supersedes != stored.id:
            return []
        if last.by != CONSOLIDATING:
            change_record.require_changeable(self.ports, self.principal, successor)
        own = without_proposals(successor, stored.doubted.proposals if stored.doubted else ())
        return [(successor, replace(own, supersedes=None, version=successor.version + 1))]

    def _linked_again(self, stored: Memory, id: str, back: Memory) -> list[tuple[Memory, Memory]]:
        found = self.ports.store.memories.get(stored.scope, id)
        successor = None if found is None else change_record.made_hot(found)
        if successor is None:
            raise Conflict(f"{id}, which superseded {stored.id}, is gone; supersede it anew")
        change_record.require_changeable(self.ports, self.principal, successor)
        if stored.id in merged_ids(successor):
            problem = retire_merged(stored, successor, self.now).problem
            after = successor
        else:
            _, linked, problem = supersede(stored, successor, self.now, back.status_reason)
            after = with_open_proposals(self.ports, stored, linked)
        if problem is not None:
            raise Conflict(problem)
        return [] if after is successor else [(successor, after)]
