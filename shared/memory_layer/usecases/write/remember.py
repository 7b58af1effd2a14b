"""Storage of new memories: one or a thousand, each judged alike and each in a transaction of its own."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory_layer.domain.access import Principal, may_change
from memory_layer.domain.duplicates import merge_duplicates
from memory_layer.domain.lifecycle import supersede
from memory_layer.domain.memory import Memory, Scope, as_of_now
from memory_layer.domain.policy import Policy
from memory_layer.domain.remedies import give
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.errors import (
    Conflict,
    ContentTaken,
    Forbidden,
    IdJustTaken,
    InFlight,
    MemoryLayerError,
    VersionConflict,
)
from memory_layer.ports.commit import Change, Commit, IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import made_hot
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.idempotency import earlier_answer
from memory_layer.usecases.write import near_duplicates
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.draft import RecordDraft, readmit_after_merge
from memory_layer.usecases.write.prepare import OnDuplicate as OnDuplicate
from memory_layer.usecases.write.prepare import RememberRequest as Asked
from memory_layer.usecases.write.prepare import prepare_many
from memory_layer.usecases.write.turn_contexts import publish_extended_sessions


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """Record as it is now, with the receipt of its writing."""

    memory: Memory
    redacted: tuple[RedactionFinding, ...] = ()
    is_new: bool = True

    @property
    def is_indexed(self) -> bool:
        """True once the record has vectors, and is found by meaning; by its words it is found at once."""
        return self.memory.embedding_model is not None


Result = StoredMemory | IdempotencyRecord | MemoryLayerError
"""Result of a request; an `IdempotencyRecord` is an earlier answer, given again for the same idempotency key."""


def remember(
    ports: Ports, principal: Principal, project: str, asked: Asked
) -> StoredMemory | IdempotencyRecord:
    """Stores one memory.

    Raises:
        Invalid, Forbidden: the fields break a rule, or claim what this caller may not claim.
        Duplicate: an active memory of the project says the same (`on_duplicate: ask`), or almost the same but for a
            number, name, negation or opposite (`merge_duplicates` as well).
        RecalledText: a run or learning repeats what a recall returned.
        VersionConflict: the id is taken.
        KeyReused: the idempotency key belongs to another request.
    """
    (result,) = remember_many(ports, principal, project, [asked])
    if isinstance(result, MemoryLayerError):
        raise result
    return result


def remember_many(ports: Ports, principal: Principal, project: str, batch: Sequence[Asked]) -> list[Result]:
    """Stores each request, with one embedding call for all; an error in one does not touch the others."""
    scope, now = principal.scope(project), ports.clock.now()
    policy = ports.store.policy(scope)
    prepared = prepare_many(ports, principal, scope, batch, policy, now)
    drafted = [item.memory for item in prepared if isinstance(item, RecordDraft)]
    entries = iter(embed_memories(ports.embedder, drafted))
    writing = _Writing(ports, principal, policy, now, len(batch))
    for asked, item in zip(batch, prepared, strict=True):
        if isinstance(item, RecordDraft):
            writing.add(asked, item, near_duplicates.PendingRecord(*next(entries)))
        else:
            writing.results.append(item)
    writing.flush()
    publish_extended_sessions(
        ports, (result.memory for result in writing.results if isinstance(result, StoredMemory))
    )
    return writing.results


@dataclass(frozen=True, slots=True)
class _Waiting:
    """Request that is decided and not yet stored, with its place among the results."""

    position: int
    asked: Asked
    draft: RecordDraft
    entry: near_duplicates.PendingRecord
    commit: Commit


@dataclass
class _Writing:
    """State of a batch: the results of its requests in order, and the commits that wait for one flush."""

    ports: Ports
    principal: Principal
    policy: Policy
    now: datetime
    capacity: int
    results: list[Result] = field(default_factory=list)
    _waiting: list[_Waiting] = field(default_factory=list)
    _uncommitted: near_duplicates.PendingBatch = field(init=False)

    def __post_init__(self) -> None:
        self._uncommitted = near_duplicates.PendingBatch(self.capacity, self.ports.embedder.dimensions)

    def add(self, asked: Asked, draft: RecordDraft, entry: near_duplicates.PendingRecord) -> None:
        """Decides about one record, and takes its place in `results`."""
        try:
            self.results.append(self._decide(asked, draft, entry))
        except Conflict as error:
            self.results.append(self._answer_or(error, asked, entry.memory.scope))
        except MemoryLayerError as error:
            self.results.append(error)

    def _answer_or(self, error: Conflict, asked: Asked, scope: Scope) -> IdempotencyRecord | MemoryLayerError:
        """Answer of this very request, if it was sent twice at once and stands in its own way; otherwise the error."""
        if asked.once is None:
            return error
        try:
            return earlier_answer(self.ports.store, scope, asked.once, self.now) or error
        except MemoryLayerError as found:
            return found

    def _decide(
        self, asked: Asked, draft: RecordDraft, entry: near_duplicates.PendingRecord
    ) -> StoredMemory | IdempotencyRecord:
        twin = self._twin(asked, entry)
        if twin is not None:
            self._refuse_unasked(asked, entry.memory, twin)
        if not asked.is_verbatim:
            near_duplicates.refuse_recalled_text(self.ports, entry, self.now)
        if twin is not None:
            return self._united(asked, draft, entry, twin)
        if draft.displaced is not None:
            raise draft.displaced
        stored = StoredMemory(as_of_now(entry.memory, self.now), draft.redacted)
        change = Change(
            entry.memory,
            0,
            "created",
            self.principal.name,
            self.now,
            vectors=entry.vectors,
            is_news=asked.must_be_news(entry.memory),
        )
        commit = self._commit(asked, change, stored)
        self._waiting.append(_Waiting(len(self.results), asked, draft, entry, commit))
        self._uncommitted.add(entry)
        return stored

    def _twin(
        self, asked: Asked, entry: near_duplicates.PendingRecord
    ) -> near_duplicates.NearDuplicate | None:
        if not asked.must_be_news(entry.memory):
            return None
        twin = near_duplicates.find_twin(self.ports, entry, self._uncommitted, self.now)
        return (
            None
            if twin is not None and asked.keeps_both and near_duplicates.can_coexist(twin, entry.memory)
            else twin
        )

    def _refuse_unasked(self, asked: Asked, memory: Memory, twin: near_duplicates.NearDuplicate) -> None:
        """Refuses a twin with `ask`, and a merge with one that says otherwise. Raises: Duplicate"""
        says_otherwise = (
            twin.differs_in is not None or near_duplicates.twin_contradiction(twin, memory) is not None
        )
        if asked.on_duplicate == "ask" or (asked.on_duplicate == "merge" and says_otherwise):
            raise near_duplicates.duplicate_error(self.principal, memory, twin, self.policy)

    def _united(
        self,
        asked: Asked,
        draft: RecordDraft,
        entry: near_duplicates.PendingRecord,
        twin: near_duplicates.NearDuplicate,
    ) -> StoredMemory | IdempotencyRecord:
        unite = self._supersede if asked.on_duplicate == "supersede" else self._merge
        return unite(asked, draft, entry, twin)

    def _supersede(
        self,
        asked: Asked,
        draft: RecordDraft,
        entry: near_duplicates.PendingRecord,
        twin: near_duplicates.NearDuplicate,
    ) -> StoredMemory | IdempotencyRecord:
        """Supersedes the twin by the new record; a twin that waits in this batch is stored first."""
        if not may_change(self.principal, twin.memory):
            raise Forbidden(
                f"{twin.memory.id} is {twin.memory.created_by}'s: not yours to supersede; both may stay",
                give("/on_duplicate", "create"),
            )
        if draft.displaced is not None:
            raise draft.displaced
        self.flush()
        retired, installed, problem = supersede(made_hot(twin.memory), entry.memory, self.now)
        if problem is not None:
            raise Conflict(problem)
        installed = replace(installed, version=entry.memory.version)
        stored, by = StoredMemory(as_of_now(installed, self.now), draft.redacted), self.principal.name
        retiring = Change(retired, twin.memory.version, "superseded", by, self.now)
        installing = Change(installed, 0, "supersedes", by, self.now, vectors=entry.vectors)
        commit = replace(self._commit(asked, installing, stored), changes=(retiring, installing))
        commit_change(self.ports, commit, twin.memory, by)
        return stored

    def _merge(
        self,
        asked: Asked,
        draft: RecordDraft,
        entry: near_duplicates.PendingRecord,
        twin: near_duplicates.NearDuplicate,
    ) -> StoredMemory | IdempotencyRecord:
        """Merges the new record into the twin; a twin that waits in this batch is stored first."""
        if not may_change(self.principal, twin.memory):
            raise Forbidden(
                f"{twin.memory.id} says the same and is {twin.memory.created_by}'s: not yours to merge"
            )
        self.flush()
        united = merge_duplicates(made_hot(twin.memory), entry.memory, self.now)
        united = readmit_after_merge(self.principal, twin.memory, united, self.policy)
        ((memory, vectors),) = embed_memories(self.ports.embedder, [united])
        stored = StoredMemory(memory, draft.redacted, is_new=False)
        change = Change(memory, twin.memory.version, "merged", self.principal.name, self.now, vectors=vectors)
        commit_change(self.ports, self._commit(asked, change, stored), twin.memory, self.principal.name)
        return stored

    def _commit(self, asked: Asked, change: Change, stored: StoredMemory) -> Commit:
        answer = (
            asked.once.answer(stored, self.now, memory_id=change.memory.id)
            if asked.once is not None
            else None
        )
        return Commit(scope=change.memory.scope, changes=(change,), answer=answer)

    def flush(self) -> None:
        """Commits the waiting records, and puts the error of each that failed in its place."""
        waiting, self._waiting = self._waiting, []
        self._uncommitted = near_duplicates.PendingBatch(self.capacity, self.ports.embedder.dimensions)
        errors = self.ports.store.commit_each([item.commit for item in waiting]) if waiting else []
        for item, error in zip(waiting, errors, strict=True):
            if error is not None:
                self.results[item.position] = self._overtaken(item, error)

    def _overtaken(self, item: _Waiting, error: MemoryLayerError) -> Result:
        """Result of a commit that failed, perhaps because the same key or content was stored meanwhile."""
        scope = item.entry.memory.scope
        try:
            if isinstance(error, ContentTaken):
                return self._after(item, near_duplicates.NearDuplicate(self._stored_twin(scope, error), 1.0))
        except Conflict as found:
            return self._answer_or(found, item.asked, scope)
        except MemoryLayerError as found:
            return found
        if isinstance(error, VersionConflict):  # all that a new record can collide with is its id
            return IdJustTaken(item.entry.memory.id)
        return self._answer_or(error, item.asked, scope) if isinstance(error, InFlight) else error

    def _after(self, item: _Waiting, twin: near_duplicates.NearDuplicate) -> StoredMemory | IdempotencyRecord:
        self._refuse_unasked(item.asked, item.entry.memory, twin)
        return self._united(item.asked, item.draft, item.entry, twin)

    def _stored_twin(self, scope: Scope, taken: ContentTaken) -> Memory:
        memory = self.ports.store.get(scope, taken.id)
        if memory is None:
            raise taken
        return memory
