"""Store what was learned: one memory or a thousand, each judged alike and each in a transaction of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from memory_layer.domain.access import Principal, may_change
from memory_layer.domain.conflicts import contradiction, statement_of
from memory_layer.domain.duplicates import merge
from memory_layer.domain.memory import Memory, Scope, as_of_now
from memory_layer.domain.policy import Policy
from memory_layer.domain.redaction import Finding
from memory_layer.errors import (
    Conflict,
    ContentTaken,
    Duplicate,
    Forbidden,
    IdJustTaken,
    InFlight,
    MemoryLayerError,
    VersionConflict,
)
from memory_layer.ports import Answer, Change, Commit, NewId, Ports
from memory_layer.usecases.changing import made_hot
from memory_layer.usecases.drafting import Draft, draft_memory, screened
from memory_layer.usecases.echoes import commit_change
from memory_layer.usecases.embedding import embed_memories
from memory_layer.usecases.gate import admit, refuse_reserved_id, refuse_secret_names
from memory_layer.usecases.idempotency import Once, earlier_answer, earlier_answers
from memory_layer.usecases.novelty import Entry, Twin, Uncommitted, find_twin, refuse_recalled_text
from memory_layer.usecases.positions import Reach
from memory_layer.usecases.surroundings import announce, with_contexts

OnDuplicate = Literal["ask", "merge", "create"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One memory to store: the fields that the caller gave, and what to do about a twin.

    `is_verbatim` marks what somebody said in a conversation: kept as it was said, news or not.
    `redacted` is what was taken out of the fields already.
    """

    fields: Mapping[str, Any]
    on_duplicate: OnDuplicate = "ask"
    is_verbatim: bool = False
    once: Once | None = None
    redacted: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Stored:
    """A record as it is now, with the receipt of its writing."""

    memory: Memory
    redacted: tuple[Finding, ...] = ()
    is_new: bool = True

    @property
    def is_indexed(self) -> bool:
        """Whether it is found by meaning already; by its words it is found at once."""
        return self.memory.embedding_model is not None


Result = Stored | Answer | MemoryLayerError
"""An `Answer` is an earlier one, given again for the same idempotency key."""


def remember(ports: Ports, principal: Principal, project: str, asked: Asked) -> Stored | Answer:
    """Store one memory.

    Raises:
        Invalid, Forbidden: the fields break a rule, or claim what this caller may not claim.
        Duplicate: an active memory of the project says the same (`on_duplicate: ask`).
        RecalledText: a run or learning repeats what a recall returned.
        VersionConflict: the id is taken.
        KeyReused: the idempotency key belongs to another request.
    """
    (result,) = remember_many(ports, principal, project, [asked])
    if isinstance(result, MemoryLayerError):
        raise result
    return result


def remember_many(ports: Ports, principal: Principal, project: str, batch: Sequence[Asked]) -> list[Result]:
    """Store each, with one embedding call for all; what is wrong with one does not touch the others."""
    scope, now = principal.scope(project), ports.clock.now()
    drafting = _drafting(ports, principal, scope, batch, now)
    prepared = [drafting.prepare(asked) for asked in batch]
    plain = [item for item in prepared if isinstance(item, Draft)]
    drafts = with_contexts(ports, scope, plain, drafting.policy)
    entries = embed_memories(ports.embedder, [draft.memory for draft in drafts])
    ready = iter(zip(drafts, entries, strict=True))
    writing = _Writing(ports, principal, drafting.policy, now, len(batch))
    for asked, item in zip(batch, prepared, strict=True):
        if isinstance(item, Draft):
            draft, (memory, vectors) = next(ready)
            writing.add(asked, draft, Entry(memory, vectors))
        else:
            writing.results.append(item)
    writing.flush()
    announce(ports, (result.memory for result in writing.results if isinstance(result, Stored)))
    return writing.results


@dataclass(frozen=True, slots=True)
class _Drafting:
    """What is the same for every line of a batch, read once."""

    principal: Principal
    scope: Scope
    now: datetime
    policy: Policy
    answers: Mapping[str, Answer]
    last_versions: Mapping[str, int]
    reach: Reach
    new_id: NewId

    def prepare(self, asked: Asked) -> Draft | Answer | MemoryLayerError:
        """The record that a line makes, what was answered to it before, or what is wrong with it."""
        try:
            answer = asked.once.earlier(self.answers) if asked.once else None
            if answer is not None:
                return answer
            fields = {name: value for name, value in asked.fields.items() if name != "id"}
            id = asked.fields.get("id") or self.new_id("mem_")
            version = self.last_versions.get(id, 0) + 1
            refuse_reserved_id(id)
            refuse_secret_names({"id": id if "id" in asked.fields else None}, self.policy)
            admitted = admit(fields, self.policy)
            draft = draft_memory(
                self.principal, self.scope, admitted, self.policy, self.now, id=id, version=version
            )
            self.reach.refuse_beyond(draft.memory)
            return replace(draft, redacted=(*asked.redacted, *draft.redacted))
        except MemoryLayerError as error:
            return error


def _drafting(
    ports: Ports, principal: Principal, scope: Scope, batch: Sequence[Asked], now: datetime
) -> _Drafting:
    wanted = [asked.fields["id"] for asked in batch if asked.fields.get("id")]
    return _Drafting(
        principal,
        scope,
        now,
        policy=ports.store.policy(scope),
        answers=earlier_answers(ports.store, scope, [asked.once for asked in batch], now),
        last_versions=ports.store.last_versions(scope, wanted) if wanted else {},
        reach=Reach(ports.store, scope),
        new_id=ports.new_id,
    )


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A line that is decided and not yet stored, and its place among the results."""

    position: int
    asked: Asked
    draft: Draft
    entry: Entry
    commit: Commit


@dataclass
class _Writing:
    """A batch on its way: what was decided line by line, and the commits that wait for one flush."""

    ports: Ports
    principal: Principal
    policy: Policy
    now: datetime
    capacity: int
    results: list[Result] = field(default_factory=list)
    _waiting: list[_Waiting] = field(default_factory=list)
    _uncommitted: Uncommitted = field(init=False)

    def __post_init__(self) -> None:
        self._uncommitted = Uncommitted(self.capacity, self.ports.embedder.dimensions)

    def add(self, asked: Asked, draft: Draft, entry: Entry) -> None:
        """Decide about one record; its place in `results` is taken from here on."""
        try:
            self.results.append(self._decide(asked, draft, entry))
        except Conflict as error:
            self.results.append(self._answer_or(error, asked, entry.memory.scope))
        except MemoryLayerError as error:
            self.results.append(error)

    def _answer_or(self, error: Conflict, asked: Asked, scope: Scope) -> Answer | MemoryLayerError:
        """What stands in the way may be this very request, sent twice at once: then its answer is there."""
        if asked.once is None:
            return error
        try:
            return earlier_answer(self.ports.store, scope, asked.once, self.now) or error
        except MemoryLayerError as found:
            return found

    def _decide(self, asked: Asked, draft: Draft, entry: Entry) -> Stored | Answer:
        twin = self._twin(asked, entry)
        says_otherwise = None if twin is None else _contradicts(twin, entry.memory)
        if twin is not None and (asked.on_duplicate == "ask" or says_otherwise):
            raise Duplicate(twin.memory, twin.similarity, says_otherwise)
        if not asked.is_verbatim:
            refuse_recalled_text(self.ports, entry, self.now)
        if twin is not None:
            return self._merge(asked, draft, entry, twin)
        stored = Stored(as_of_now(entry.memory, self.now), draft.redacted)
        change = Change(
            entry.memory,
            0,
            "created",
            self.principal.name,
            self.now,
            vectors=entry.vectors,
            is_news=_must_be_news(asked, entry),
        )
        commit = self._commit(asked, change, stored)
        self._waiting.append(_Waiting(len(self.results), asked, draft, entry, commit))
        self._uncommitted.add(entry)
        return stored

    def _twin(self, asked: Asked, entry: Entry) -> Twin | None:
        if not _must_be_news(asked, entry):
            return None
        return find_twin(self.ports, entry, self._uncommitted, self.now)

    def _merge(self, asked: Asked, draft: Draft, entry: Entry, twin: Twin) -> Stored | Answer:
        """The twin takes in what is said; one that waits in this batch has to be stored first."""
        if not may_change(self.principal, twin.memory):
            raise Forbidden(
                f"{twin.memory.id} says the same and is {twin.memory.created_by}'s: not yours to merge"
            )
        self.flush()
        united = merge(made_hot(twin.memory), entry.memory, self.now)
        united = screened(self.principal, twin.memory, united, self.policy)
        ((memory, vectors),) = embed_memories(self.ports.embedder, [united])
        stored = Stored(memory, draft.redacted, is_new=False)
        change = Change(memory, twin.memory.version, "merged", self.principal.name, self.now, vectors=vectors)
        commit_change(self.ports, self._commit(asked, change, stored), twin.memory, self.principal.name)
        return stored

    def _commit(self, asked: Asked, change: Change, stored: Stored) -> Commit:
        answer = (
            asked.once.answer(stored, self.now, memory_id=change.memory.id)
            if asked.once is not None
            else None
        )
        return Commit(scope=change.memory.scope, changes=(change,), answer=answer)

    def flush(self) -> None:
        """Make durable what waits, and put the error of each that failed in its place."""
        waiting, self._waiting = self._waiting, []
        self._uncommitted = Uncommitted(self.capacity, self.ports.embedder.dimensions)
        errors = self.ports.store.commit_each([item.commit for item in waiting]) if waiting else []
        for item, error in zip(waiting, errors, strict=True):
            if error is not None:
                self.results[item.position] = self._overtaken(item, error)

    def _overtaken(self, item: _Waiting, error: MemoryLayerError) -> Result:
        """Somebody may have sent the same key, or the same content, while this request was on its way."""
        scope = item.entry.memory.scope
        try:
            if isinstance(error, ContentTaken):
                return self._after(item, Twin(self._stored_twin(scope, error), 1.0))
        except Conflict as found:
            return self._answer_or(found, item.asked, scope)
        except MemoryLayerError as found:
            return found
        if isinstance(error, VersionConflict):  # all that a new record can collide with is its id
            return IdJustTaken(item.entry.memory.id)
        return self._answer_or(error, item.asked, scope) if isinstance(error, InFlight) else error

    def _after(self, item: _Waiting, twin: Twin) -> Stored | Answer:
        if item.asked.on_duplicate == "ask":
            raise Duplicate(twin.memory, twin.similarity)
        return self._merge(item.asked, item.draft, item.entry, twin)

    def _stored_twin(self, scope: Scope, taken: ContentTaken) -> Memory:
        memory = self.ports.store.get(scope, taken.id)
        if memory is None:
            raise taken
        return memory


def _must_be_news(asked: Asked, entry: Entry) -> bool:
    return not asked.is_verbatim and asked.on_duplicate != "create" and entry.memory.is_active


def _contradicts(twin: Twin, memory: Memory) -> str | None:
    """How, if it does: another number or a `not` makes two texts hardly less alike."""
    found = contradiction(statement_of(twin.memory), statement_of(memory), cosine=twin.similarity)
    return None if found is None else found.reason
