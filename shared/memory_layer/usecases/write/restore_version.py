"""Restoration of an earlier version of a memory, as a new version."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory_layer.domain.access import Principal, may_see_memory
from memory_layer.domain.duplicates import MERGED_IDS
from memory_layer.domain.lifecycle import default_expiry
from memory_layer.domain.memory import Memory, as_of_now
from memory_layer.domain.policy import Policy
from memory_layer.domain.portability.redacted_version import redaction_of
from memory_layer.domain.proposals import only_proposes
from memory_layer.domain.trust import in_words_of, says_otherwise
from memory_layer.domain.undo import WORDS, last_change_of_standing, restoration_obstacle
from memory_layer.errors import Conflict, Forbidden, Invalid
from memory_layer.ports.commit import Change, Commit, IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordVersion
from memory_layer.usecases.ground.admission import admit, admit_reason
from memory_layer.usecases.ground.allowances import use_of_writes
from memory_layer.usecases.ground.change_record import get_changeable, retry_on_conflict
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answer
from memory_layer.usecases.ground.queries import as_stored
from memory_layer.usecases.write import revise
from memory_layer.usecases.write.draft import (
    CALLER_SET_FIELDS,
    check_coherence,
    readmit_after_change,
)
from memory_layer.usecases.write.same_content import refuse_same_content
from memory_layer.usecases.write.screening import SCREENED_FIELDS
from memory_layer.usecases.write.undo import EXPIRED

RESTORED = "restored"


def restore_version(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    version: int,
    *,
    reason: str | None = None,
    expected: int | None = None,
    once: IdempotentRequest | None = None,
) -> revise.RevisedMemory | IdempotencyRecord:
    """Restores the words of an earlier version as a new version, through the gates that any change passes.

    A memory out of use is back in use. Owner, audience, position in a conversation, evidence and confidence stay. A
    memory that had expired gets the expiry that its type gives now.

    Raises:
        NotFound, StaleVersion: as `get_changeable`.
        Forbidden: as there; or somebody else took the memory out of use, and the caller is no reviewer.
        Invalid: there is no such version; or as `admit`.
        Conflict: the memory is superseded, the version redacted, or outcomes have refuted it.
        Duplicate: another active memory says this by now.
        TooMany: the principal has changed enough in this hour.
    """
    scope = principal.scope(project)

    reason = admit_reason(principal, reason, ports.store.projects.policy(scope))

    def attempt() -> revise.RevisedMemory | IdempotencyRecord:
        now = ports.clock.now()
        answer = earlier_answer(ports.store.requests, scope, once, now) if once else None
        return answer or _Restoring(ports, principal, project, now, reason).restore(
            id, version, expected, once
        )

    return retry_on_conflict(attempt)


@dataclass(frozen=True, slots=True)
class _Restoring:
    ports: Ports
    principal: Principal
    project: str
    now: datetime
    reason: str | None

    def restore(
        self, id: str, number: int, expected: int | None, once: IdempotentRequest | None
    ) -> revise.RevisedMemory:
        seen = get_changeable(self.ports, self.principal, self.project, id, expected)
        if only_proposes(self.principal, seen):
            raise Forbidden(
                f"{id} is trusted, and a reviewer restores it; words for its place can be proposed"
            )
        before, policy = as_stored(self.ports, seen), self.ports.store.projects.policy(seen.scope)
        versions = self.ports.store.history.of(seen.scope, id)
        then = self._named(id, versions, number)
        admitted = admit(_words(before, then), policy)
        after = self._back_in_use(revise.with_fields(before, admitted.fields), versions, policy)
        check_coherence(after)
        if after != before:
            is_back = after.is_active and not seen.is_active
            judged = CALLER_SET_FIELDS if before.is_approved else SCREENED_FIELDS
            if is_back or any(getattr(after, name) != getattr(before, name) for name in judged):
                after = readmit_after_change(self.principal, before, after, policy)
            if says_otherwise(before, after):
                after = in_words_of(then, after, by_reviewer=self.principal.is_reviewer)
            after = replace(after, version=before.version + 1, updated_at=self._updated_at(before, after))
        return self._written(before, after, number, admitted.redacted, once)

    def _named(self, id: str, versions: list[RecordVersion], number: int) -> Memory:
        """Finds a version by number. Raises: Invalid: there is none, or none that this caller may see."""
        known = {v.memory.version: v.memory for v in versions if may_see_memory(self.principal, v.memory)}
        if number not in known:
            there = f"there are {min(known)} to {max(known)}" if known else "there are none"
            raise Invalid.at("/version", f"{id} has no version {number} ({there}); see its history")
        if redaction_of(known[number]) is not None:
            raise Conflict(
                f"the words of version {number} of {id} were taken out; there is nothing to restore"
            )
        return known[number]

    def _back_in_use(self, memory: Memory, versions: list[RecordVersion], policy: Policy) -> Memory:
        """Returns a memory to use. Raises: Conflict, Forbidden: supersession, outcome or another's decision bars it."""
        if memory.status == "superseded":
            raise Conflict(
                f"{memory.id} is superseded by {memory.superseded_by}; undo that first, or restore its successor"
            )
        is_expired = memory.has_expired(self.now)
        if is_expired:
            memory = replace(memory, expires_at=default_expiry(memory.type, policy, self.now))
        if memory.status in ("archived", "rejected"):
            self._refuse_lifting(memory, versions)
            memory = replace(memory, status="active", status_reason=None)
            problem = restoration_obstacle(memory, self.now)
            if problem is not None:
                raise Conflict(problem)
        return memory

    def _refuse_lifting(self, memory: Memory, versions: list[RecordVersion]) -> None:
        at = last_change_of_standing([version.memory for version in versions])
        is_swept = at is not None and versions[at].verb == EXPIRED
        may_lift = memory.status == "archived" and revise.may_revive(self.ports, self.principal, memory)
        if not (self.principal.is_reviewer or is_swept or may_lift):
            raise Forbidden(
                f"{memory.id} is {memory.status} ({memory.status_reason}); a reviewer brings it back"
            )

    def _updated_at(self, before: Memory, after: Memory) -> datetime:
        says_else = any(getattr(before, name) != getattr(after, name) for name in WORDS)
        return self.now if says_else else before.updated_at

    def _written(
        self, before: Memory, after: Memory, number: int, redacted: Any, once: IdempotentRequest | None
    ) -> revise.RevisedMemory:
        is_news = revise.must_be_news(before, after)
        if is_news and refuse_same_content(self.ports, after, self.now):
            is_news = False
        after, vectors = revise.embedded_if_changed(self.ports, before, after)
        revised = revise.RevisedMemory(as_of_now(after, self.now), redacted)
        why = self.reason or f"version {number}"
        by = self.principal.name
        change = Change(after, before.version, RESTORED, by, self.now, why, vectors=vectors, is_news=is_news)
        answer = once.answer(revised, self.now, memory_id=before.id) if once else None
        changes = () if after == before else (change,)
        if changes or answer:
            limits = self.ports.store.projects.policy(before.scope).limits
            uses = use_of_writes(self.principal, after, limits, self.now, before) if changes else ()
            commit = Commit(scope=before.scope, changes=changes, answer=answer, uses=uses)
            revise.commit_content(self.ports, commit, before, by)
        return revised


_RESTORED_FIELDS = (*(name for name in WORDS if name != "context"), "said_at", "valid_from")


def _words(now: Memory, then: Memory) -> dict[str, Any]:
    """Fields of an earlier version to restore: no context for a turn, and the note of merged ids as it is now."""
    fields = {name: getattr(then, name) for name in _RESTORED_FIELDS}
    if now.position is None and then.position is None:
        fields["context"] = then.context
    if then.status != "superseded":  # its end was that of the supersession
        fields["valid_to"] = then.valid_to
    kept = {MERGED_IDS: now.detail[MERGED_IDS]} if MERGED_IDS in now.detail else {}
    return {**fields, "detail": {**then.detail, **kept}}
