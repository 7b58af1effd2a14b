"""Merge of memories that say the same into one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations

from memory_layer.domain.access import Principal
from memory_layer.domain.conflicts.contradiction import contradiction, statement_of
from memory_layer.domain.conflicts.point_of_difference import point_of_difference
from memory_layer.domain.conflicts.sameness import says_all
from memory_layer.domain.conflicts.united_words import united_words, with_words_of
from memory_layer.domain.lifecycle import retire_merged
from memory_layer.domain.memory import CONTENT_MAX_BYTES, Memory, Ref
from memory_layer.domain.outcome import settle_status
from memory_layer.domain.proposals import only_proposes
from memory_layer.domain.remedies import do, give
from memory_layer.domain.time.resolve_times import said_at_of_change, with_times
from memory_layer.domain.united_memories import in_lowest_standing, united_memory, with_fresh_evidence
from memory_layer.errors import Conflict, Forbidden, Invalid, NotFound
from memory_layer.ports.commit import Change, Commit, IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import AdmittedText, admit, without_order
from memory_layer.usecases.ground.allowances import use_of_writes
from memory_layer.usecases.ground.change_record import (
    check_seen,
    get_changeable,
    made_hot,
    require_changeable,
    retry_on_conflict,
)
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answer
from memory_layer.usecases.ground.queries import may_read
from memory_layer.usecases.write.commit_change import commit_changes
from memory_layer.usecases.write.draft import readmit_after_merge
from memory_layer.usecases.write.propose import propose
from memory_layer.usecases.write.same_content import refuse_same_content
from memory_layer.usecases.write.write_line import StoredMemory

MERGED_MAX = 20
"""Memories merged at a time: with their target they fit into one transaction (100 actions, 3 a record)."""

RETRACTIONS_PER_MERGE = 10
"""Neighbour turns whose contexts change in the same transaction, beside twenty records; others change just before."""


def merge_memories(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    others: Sequence[str],
    *,
    content: str | None = None,
    reason: str | None = None,
    expected: int | None = None,
    seen: Mapping[str, int] | None = None,
    once: IdempotentRequest | None = None,
) -> StoredMemory | IdempotencyRecord:
    """Merges memories into `id` in one transaction: it says all that they say, and supersedes the others.

    Of contents of which one says all that one stays, else the longest with the sentences of the others that it does
    not say. As with `on_duplicate: merge`: tags, entities, relations and runs united, evidence summed (once, however
    often a memory is merged and brought back), confidence that of the least believed whose words it has.

    Args:
        others: ids, 1 to MERGED_MAX; the same twice counts once.
        content: what is said instead; None: see above.
        expected: the version of `id` that the caller has seen.
        seen: versions of the others that the caller has seen, by id.

    Raises:
        NotFound, Forbidden, StaleVersion: as `get_changeable`, for any of them.
        Invalid: `id` is among the others, or without a content two contradict each other or together they say more
            than one holds.
        Duplicate: another memory has the very content that is given.
        Conflict: a memory is out of use, `id` is not active, their personas differ, or the merged memory would not
            be active.
    """
    scope = principal.scope(project)
    admitted = admit({"reason": reason, "content": content}, ports.store.projects.policy(scope))
    if id in others:
        raise Invalid.at("/ids", f"{id} cannot be merged into itself; name others")
    wanted = list(dict.fromkeys(others))

    def attempt() -> StoredMemory | IdempotencyRecord:
        now = ports.clock.now()
        answer = earlier_answer(ports.store.requests, scope, once, now) if once else None
        return answer or _Merging(ports, principal, project, now, admitted, seen).unite(
            id, wanted, expected, once
        )

    return retry_on_conflict(attempt)


@dataclass(frozen=True, slots=True)
class _Merging:
    ports: Ports
    principal: Principal
    project: str
    now: datetime
    said: AdmittedText
    seen: Mapping[str, int] | None

    @property
    def reason(self) -> str | None:
        return without_order(self.principal, self.said.fields["reason"])

    def unite(
        self, id: str, wanted: Sequence[str], expected: int | None, once: IdempotentRequest | None
    ) -> StoredMemory:
        into = get_changeable(self.ports, self.principal, self.project, id, expected, proposes=True)
        others = self._changeable(wanted)
        check_seen(others, self.seen)
        if any(only_proposes(self.principal, memory) for memory in (into, *others)):
            return self._proposed([into, *others], once)
        retired = [self._retired(other, into) for other in others]
        united = self._united(into, others)
        ((memory, vectors),) = embed_memories(self.ports.embedder, [united])
        named = f"with {', '.join(_with_point(other, into) for other in others)}"[:1_024]
        by, why = self.principal.name, self.reason or named
        changes = (
            Change(memory, into.version, "merged", by, self.now, why, vectors=vectors),
            *(
                Change(after, before.version, "superseded", by, self.now, after.status_reason)
                for before, after in zip(others, retired, strict=True)
            ),
        )
        stored = StoredMemory(memory, self.said.redacted, is_new=False)
        answer = once.answer(stored, self.now, memory_id=id) if once else None
        limits = self.ports.store.projects.policy(into.scope).limits
        uses = use_of_writes(self.principal, memory, limits, self.now, into)
        commit = Commit(scope=into.scope, changes=changes, answer=answer, uses=uses)
        commit_changes(self.ports, commit, [into, *others], by, together=RETRACTIONS_PER_MERGE)
        return stored

    def _proposed(self, memories: Sequence[Memory], once: IdempotentRequest | None) -> StoredMemory:
        """Proposes one memory in a trusted one's place. Raises: Forbidden: there are more of either."""
        trusted = [memory for memory in memories if only_proposes(self.principal, memory)]
        own = [memory for memory in memories if memory not in trusted]
        if len(trusted) != 1 or len(own) != 1:
            raise Forbidden(f"{trusted[0].id} is trusted; one memory at a time is proposed in its place")
        made = StoredMemory(own[0], is_new=False)
        return propose(
            self.ports, self.principal, trusted[0], made, None, self.now, reason=self.reason, once=once
        )

    def _changeable(self, ids: Sequence[str]) -> list[Memory]:
        """Reads memories in one round trip. Raises: NotFound, Forbidden."""
        scope = self.principal.scope(self.project)
        found = self.ports.store.memories.get_many(scope.tenant, [Ref(scope.project, id) for id in ids])
        by_id = {ref.id: made_hot(one) for ref, one in found.items() if may_read(self.principal, one)}
        missing = [id for id in ids if id not in by_id]
        if missing:
            raise NotFound(f"no memory {missing[0]} in project {self.project}; list or recall to find its id")
        for memory in by_id.values():
            if not only_proposes(self.principal, memory):
                require_changeable(self.ports, self.principal, memory)
        return [by_id[id] for id in ids]

    def _retired(self, other: Memory, into: Memory) -> Memory:
        """Supersedes a memory by the merged one. Raises: Conflict"""
        if other.persona != into.persona:
            raise Conflict(
                f"{other.id} is for {_audience(other)}, {into.id} for {_audience(into)}; only what the same may see "
                "is merged"
            )
        after, problem = retire_merged(other, into, self.now, self.reason)
        if problem is not None:
            raise Conflict(problem)
        return after

    def _united(self, into: Memory, others: Sequence[Memory]) -> Memory:
        """Merges the others into a memory. Raises: Conflict: the result would not be active."""
        fresh = with_fresh_evidence(into, others)
        united = united_memory(into, fresh, self._wording(into, fresh), self.now)
        policy = self.ports.store.projects.policy(into.scope)
        united = in_lowest_standing(united, (into, *others))
        united = settle_status(readmit_after_merge(self.principal, into, united, policy))
        if not united.is_active:
            raise Conflict(
                f"what they make together would be {united.status} ({united.status_reason}), so nothing was changed"
            )
        return replace(united, version=into.version + 1)

    def _wording(self, into: Memory, others: Sequence[Memory]) -> Memory:
        """Record whose words the merged one has. Raises: Invalid: they are too long; Duplicate."""
        content = self.said.fields["content"]
        if content is None:
            _refuse_contradiction((into, *others))
            wording = united_words((into, *others), says_all)
            if wording is None:
                raise _too_long([into.id, *(other.id for other in others)])
            return wording
        wording = with_words_of((into, *others), content)
        if wording.content_hash not in {memory.content_hash for memory in (into, *others)}:
            refuse_same_content(self.ports, wording, self.now)
        return with_times(replace(wording, said_at=said_at_of_change(into, content, self.now)))


def _refuse_contradiction(memories: Sequence[Memory]) -> None:
    """Refuses to put sentences that contradict each other under each other. Raises: Invalid"""
    for one, other in combinations(memories, 2):
        found = contradiction(statement_of(one), statement_of(other), cosine=1.0)
        if found is not None:
            raise Invalid.at(
                "/ids",
                f"{one.id} and {other.id} contradict each other ({found.kind}), so nothing was changed",
                give("/content"),
                do("supersede those that no longer hold"),
            )


def _too_long(ids: Sequence[str]) -> Invalid:
    return Invalid.at(
        "/ids",
        f"{' and '.join(ids)} together say more than the {CONTENT_MAX_BYTES:,} bytes that fit, so nothing was changed",
        give("/content"),
        do("supersede those that no longer hold"),
    )


def _with_point(other: Memory, into: Memory) -> str:
    """Id of a merged memory, with the kind of point in which it differs; no history quotes another memory."""
    point = point_of_difference(other.content, into.content)
    is_said = point is None or says_all(other.content, into.content)
    return other.id if is_said or point is None else f"{other.id} (which differs in a {point.kind})"


def _audience(memory: Memory) -> str:
    return "everyone" if memory.persona is None else f"persona {memory.persona}"
