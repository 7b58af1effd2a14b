"""Storage of new memories: one or a thousand, each judged alike and each in a transaction of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.domain.duplicates import merge_duplicates
from memory_layer.domain.lifecycle import supersede
from memory_layer.domain.memory import as_of_now
from memory_layer.domain.policy import Policy
from memory_layer.domain.proposals import only_proposes
from memory_layer.domain.remedies import give
from memory_layer.domain.trust import vouches_less
from memory_layer.errors import (
    Conflict,
    ContentTaken,
    Forbidden,
    IdJustTaken,
    InFlight,
    MemoryLayerError,
    NearContentTaken,
    VersionConflict,
)
from memory_layer.ports.commit import Change, Commit, IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.allowances import use_of_writes
from memory_layer.usecases.ground.authorship import may_change_here
from memory_layer.usecases.ground.change_record import made_hot
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.idempotency import earlier_answer
from memory_layer.usecases.ground.open_proposals import with_open_proposals
from memory_layer.usecases.write import near_duplicates, near_verdicts
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.draft import RecordDraft, readmit_after_merge, says_more, with_evidence_of
from memory_layer.usecases.write.open_contradictions import StoredBeside, open_contradictions
from memory_layer.usecases.write.overtaken_lines import resting_on_nothing
from memory_layer.usecases.write.prepare import OnDuplicate as OnDuplicate
from memory_layer.usecases.write.prepare import RememberRequest as Asked
from memory_layer.usecases.write.prepare import prepare_many
from memory_layer.usecases.write.propose import propose_line
from memory_layer.usecases.write.recalled_text import refuse_recalled_text
from memory_layer.usecases.write.turn_contexts import publish_extended_sessions
from memory_layer.usecases.write.unseen_contents import Unseen, policy_and_unseen, read_unseen
from memory_layer.usecases.write.write_line import StoredMemory as StoredMemory
from memory_layer.usecases.write.write_line import WriteLine

Decided = StoredMemory | IdempotencyRecord
Result = Decided | MemoryLayerError
"""Result of a request; an `IdempotencyRecord` is an earlier answer, given again for the same idempotency key."""


def remember(ports: Ports, principal: Principal, project: str, asked: Asked) -> Decided:
    """Stores one memory.

    Raises:
        Invalid, Forbidden: the fields break a rule, or claim what this caller may not claim.
        Duplicate: an active memory of the project says the same (`on_duplicate: ask`).
        Contradicts: one says otherwise of the same thing (`ask`, `merge`). What is near and differs is stored.
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
    policy, unseen = policy_and_unseen(ports, scope, reads_unseen=any(one.may_be_refused for one in batch))
    prepared = prepare_many(ports, principal, scope, batch, policy, now)
    drafted = [item.memory for item in prepared if isinstance(item, RecordDraft)]
    entries = iter(embed_memories(ports.embedder, drafted))
    lines = [
        WriteLine(position, asked, item, near_duplicates.PendingRecord(*next(entries)))
        for position, (asked, item) in enumerate(zip(batch, prepared, strict=True))
        if isinstance(item, RecordDraft)
    ]
    results: list[Result] = [_UNDECIDED if isinstance(item, RecordDraft) else item for item in prepared]
    _Writing(ports, principal, policy, now, results).write(lines, unseen)
    publish_extended_sessions(ports, (one.memory for one in results if isinstance(one, StoredMemory)))
    return results


_UNDECIDED: Final = MemoryLayerError("not decided yet")  # none of these is left once a batch is written


class _Writing:
    """State of a batch: the results of its requests, one for each, and the commits that wait for one flush."""

    def __init__(
        self, ports: Ports, principal: Principal, policy: Policy, now: datetime, results: list[Result]
    ) -> None:
        self.ports = ports
        self.principal = principal
        self.policy = policy
        self.now = now
        self.results = results
        self._near: dict[int, near_duplicates.StoredNear] = {}
        self._noted_near: dict[int, Sequence[near_verdicts.NearDuplicate]] = {}
        self._waiting: list[tuple[WriteLine, Commit]] = []
        self._uncommitted = self._nothing_pending()

    def write(self, lines: Sequence[WriteLine], unseen: Unseen | None) -> None:
        """Decides about each line and stores it, with one search for what all of them may repeat."""
        news = {line.position: line.entry for line in lines if line.must_be_news}
        found = near_duplicates.search_known(self.ports, list(news.values()), self.now, unseen)
        self._near = dict(zip(news, found, strict=True))
        for line in lines:
            self.results[line.position] = self._result(line, self._decide)
        self._flush()
        for line in resting_on_nothing(lines, self.results):
            self.results[line.position] = self._result(line, self._decide)
        self._flush()

    def _result(self, line: WriteLine, decide: Callable[[WriteLine], Decided]) -> Result:
        try:
            return decide(line)
        except Conflict as error:
            return self._answer_or(error, line)
        except MemoryLayerError as error:
            return error

    def _answer_or(self, error: Conflict, line: WriteLine) -> IdempotencyRecord | MemoryLayerError:
        """Answer of this very request, if it was sent twice at once and stands in its own way; otherwise the error."""
        if (once := line.asked.once) is None:
            return error
        try:
            return earlier_answer(self.ports.store.requests, line.memory.scope, once, self.now) or error
        except MemoryLayerError as found:
            return found

    def _decide(self, line: WriteLine) -> Decided:
        found = self._stored_near(line) if line.must_be_news else near_duplicates.NOTHING_NEAR
        near = self._near_to(line, found)
        twin = self._twin(line, near)
        if twin is not None:
            self._refuse_unasked(line, twin)
        if not line.asked.is_verbatim:
            refuse_recalled_text(self.ports, line.entry, self.now)
        if twin is not None:
            return self._united(line, twin)
        if line.draft.displaced is not None:
            raise line.draft.displaced
        self._noted_near[line.position] = near
        return self._put_off(line, found)

    def _stored_near(self, line: WriteLine) -> near_duplicates.StoredNear:
        """Near records from the search for all lines; searched again if records were committed since."""
        found = self._near.pop(line.position, None)
        unseen = None if found else read_unseen(self.ports, line.memory.scope, line.taken)
        return found or near_duplicates.search_known(self.ports, [line.entry], self.now, unseen)[0]

    def _near_to(
        self, line: WriteLine, found: near_duplicates.StoredNear
    ) -> Sequence[near_verdicts.NearDuplicate]:
        if not line.must_be_news:
            return ()
        return near_duplicates.find_near(self.ports, line.entry, self._uncommitted, self.now, found)

    def _twin(
        self, line: WriteLine, near: Sequence[near_verdicts.NearDuplicate]
    ) -> near_verdicts.NearDuplicate | None:
        """Near memory that keeps this one from being stored beside it, if any does."""
        twin = next((one for one in near if not vouches_less(one.memory, line.memory)), None)
        if twin is None or twin.is_same:
            return twin
        if twin.says_otherwise is not None:
            return None if line.asked.keeps_both else twin
        return twin if twin.is_covered and line.asked.on_duplicate == "merge" else None

    def _refuse_unasked(self, line: WriteLine, twin: near_verdicts.NearDuplicate) -> None:
        """Refuses a twin with `ask`, and a merge with one that says otherwise. Raises: Duplicate, Contradicts"""
        if line.asked.on_duplicate in (("ask",) if twin.says_otherwise is None else ("ask", "merge")):
            raise near_verdicts.near_error(self.ports, self.principal, line.memory, twin, self.policy)

    def _put_off(self, line: WriteLine, found: near_duplicates.StoredNear) -> StoredMemory:
        """Lets a record wait for the flush; it may stand beside all that it was compared with, named here or not."""
        similar = near_verdicts.similar_to(line.memory, self._noted_near[line.position], self.policy)
        stored = StoredMemory(as_of_now(line.memory, self.now), line.draft.redacted, similar=similar)
        noted = (near.memory.id for near in self._noted_near[line.position])
        compared = (ref.id for ref in found.measured(line.memory.scope.project))
        beside = tuple(dict.fromkeys((*noted, *compared)))
        change = replace(self._creation(line), news_since=found.seen, beside=beside)
        self._waiting.append((line, self._commit(line, change, stored)))
        self._uncommitted.add(line.entry)
        return stored

    def _creation(self, line: WriteLine) -> Change:
        by, vectors = self.principal.name, line.entry.vectors
        return Change(line.memory, 0, "created", by, self.now, vectors=vectors, is_news=line.must_be_news)

    def _united(self, line: WriteLine, twin: near_verdicts.NearDuplicate) -> Decided:
        """Supersedes or merges with a twin; one that waits in this batch is stored first."""
        self._flush()
        try:
            return (self._supersede if line.asked.on_duplicate == "supersede" else self._merge)(line, twin)
        finally:
            self._near.clear()

    def _supersede(self, line: WriteLine, twin: near_verdicts.NearDuplicate) -> Decided:
        """Supersedes the twin by the new record, or proposes to."""
        if only_proposes(self.principal, twin.memory):
            return propose_line(self.ports, self.principal, line, twin.memory, self.now)
        if not may_change_here(self.ports, self.principal, twin.memory):
            raise Forbidden(
                f"{twin.memory.id} is {twin.memory.created_by}'s: not yours to supersede; both may stay",
                give("/on_duplicate", "create"),
            )
        if line.draft.displaced is not None:
            raise line.draft.displaced
        old, fresh = made_hot(twin.memory), replace(line.memory, version=0)
        retired, installed, problem = supersede(old, fresh, self.now)
        if problem is not None:
            raise Conflict(problem)
        installed = with_open_proposals(self.ports, old, installed)
        stored, by = StoredMemory(as_of_now(installed, self.now), line.draft.redacted), self.principal.name
        retiring = Change(retired, twin.memory.version, "superseded", by, self.now)
        installing = Change(installed, 0, "supersedes", by, self.now, vectors=line.entry.vectors)
        commit = replace(self._commit(line, installing, stored), changes=(retiring, installing))
        commit_change(self.ports, commit, twin.memory, by)
        return stored

    def _merge(self, line: WriteLine, twin: near_verdicts.NearDuplicate) -> Decided:
        """Merges the new record into the twin."""
        if not may_change_here(self.ports, self.principal, twin.memory):
            raise Forbidden(
                f"{twin.memory.id} says the same and is {twin.memory.created_by}'s: not yours to merge"
            )
        known = made_hot(twin.memory)
        wording = None if twin.is_same and twin.is_covered else known if twin.is_same else line.memory
        united = merge_duplicates(known, line.memory, self.now, wording)
        if only_proposes(self.principal, known):
            if says_more(known, united):
                return propose_line(self.ports, self.principal, line, known, self.now)
            united = with_evidence_of(united, known)
        united = readmit_after_merge(self.principal, twin.memory, united, self.policy)
        ((memory, vectors),) = embed_memories(self.ports.embedder, [united])
        stored = StoredMemory(memory, line.draft.redacted, is_new=False)
        change = Change(memory, twin.memory.version, "merged", self.principal.name, self.now, vectors=vectors)
        commit_change(self.ports, self._commit(line, change, stored), twin.memory, self.principal.name)
        return stored

    def _commit(self, line: WriteLine, change: Change, stored: StoredMemory) -> Commit:
        once, id = line.asked.once, change.memory.id
        answer = once.answer(stored.unquoted(), self.now, memory_id=id) if once is not None else None
        uses = use_of_writes(self.principal, change.memory, self.policy.limits, self.now)
        return Commit(scope=change.memory.scope, changes=(change,), answer=answer, uses=uses)

    def _flush(self) -> None:
        """Commits the waiting records, until none waits; the error of each that failed takes its place."""
        while self._waiting:
            waiting, self._waiting = self._waiting, []
            self._uncommitted = self._nothing_pending()
            self._near.clear()
            stored: list[StoredBeside] = []
            errors = self.ports.store.writer.commit_each([commit for _, commit in waiting])
            for (line, _), error in zip(waiting, errors, strict=True):
                if error is not None:
                    self.results[line.position] = self._overtaken(line, error)
                else:
                    stored.append((line.memory, self._noted_near[line.position]))
            open_contradictions(self.ports, stored, self.now)

    def _nothing_pending(self) -> near_duplicates.PendingBatch:
        return near_duplicates.PendingBatch(len(self.results), self.ports.embedder.dimensions)

    def _overtaken(self, line: WriteLine, error: MemoryLayerError) -> Result:
        """Result of a commit that failed, perhaps because the same key or content was stored meanwhile."""
        if isinstance(error, NearContentTaken) and line.meets(error.id):
            return self._result(line, self._decide)
        if isinstance(error, ContentTaken):
            return self._result(line, partial(self._after, taken=error))
        if isinstance(error, VersionConflict):  # all that a new record can collide with is its id
            return IdJustTaken(line.memory.id)
        return self._answer_or(error, line) if isinstance(error, InFlight) else error

    def _after(self, line: WriteLine, taken: ContentTaken) -> Decided:
        memory = self.ports.store.memories.get(line.memory.scope, taken.id)
        if memory is None:
            raise taken
        if line.may_repeat(memory):
            return self._beside(line)
        twin = near_verdicts.NearDuplicate(memory, 1.0, is_covered=True)
        self._refuse_unasked(line, twin)
        return self._united(line, twin)

    def _beside(self, line: WriteLine) -> StoredMemory:
        """Stores a record beside one that says the very same, and is in no way of it."""
        stored = StoredMemory(as_of_now(line.memory, self.now), line.draft.redacted)
        change = replace(self._creation(line), is_news=False)
        self.ports.store.writer.commit(self._commit(line, change, stored))
        return stored
