"""Store what was learned: one memory or a thousand, each judged alike and each in a transaction of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Literal

from memory_layer.domain.access import Principal, may_change
from memory_layer.domain.duplicates import merge
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.redaction import Finding
from memory_layer.errors import Duplicate, Forbidden, InFlight, MemoryLayerError
from memory_layer.ports import Answer, Change, Commit, Ports
from memory_layer.usecases.drafting import Draft, draft_memory
from memory_layer.usecases.embedding import embed_memories
from memory_layer.usecases.gate import admit
from memory_layer.usecases.idempotency import Once, earlier_answer
from memory_layer.usecases.novelty import Entry, Twin, Uncommitted, find_twin, refuse_recalled_text
from memory_layer.usecases.surroundings import announce, with_contexts

OnDuplicate = Literal["ask", "merge", "create"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One memory to store: the fields that the caller gave, and what to do about a twin.

    `is_verbatim` marks what somebody said in a conversation: kept as it was said, news or not.
    """

    fields: Mapping[str, Any]
    on_duplicate: OnDuplicate = "ask"
    is_verbatim: bool = False
    once: Once | None = None


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
    policy = ports.store.policy(scope)
    said = with_contexts(ports, scope, [asked.fields for asked in batch], principal.persona)
    prepared = [
        _prepare(ports, principal, scope, replace(asked, fields=fields), policy, now)
        for asked, fields in zip(batch, said, strict=True)
    ]
    drafts = [item for item in prepared if isinstance(item, Draft)]
    entries = iter(embed_memories(ports.embedder, [draft.memory for draft in drafts]))
    writing = _Writing(ports, principal, now, len(batch))
    for asked, item in zip(batch, prepared, strict=True):
        if isinstance(item, Draft):
            writing.add(asked, item, Entry(*next(entries)))
        else:
            writing.results.append(item)
    writing.flush()
    announce(ports, (result.memory for result in writing.results if isinstance(result, Stored)))
    return writing.results


def _prepare(
    ports: Ports, principal: Principal, scope: Scope, asked: Asked, policy: Policy, now: datetime
) -> Draft | Answer | MemoryLayerError:
    try:
        answer = earlier_answer(ports.store, scope, asked.once, now) if asked.once else None
        if answer is not None:
            return answer
        fields = dict(asked.fields)
        wanted = fields.pop("id", None)
        id = wanted or ports.new_id("mem_")
        version = ports.store.last_version(scope, id) + 1 if wanted else 1
        return draft_memory(principal, scope, admit(fields, policy), policy, now, id=id, version=version)
    except MemoryLayerError as error:
        return error


@dataclass
class _Writing:
    """A batch on its way: what was decided line by line, and the commits that wait for one flush."""

    ports: Ports
    principal: Principal
    now: datetime
    capacity: int
    results: list[Result] = field(default_factory=list)
    _waiting: list[tuple[int, Asked, Entry, Commit]] = field(default_factory=list)
    _uncommitted: Uncommitted = field(init=False)

    def __post_init__(self) -> None:
        self._uncommitted = Uncommitted(self.capacity, self.ports.embedder.dimensions)

    def add(self, asked: Asked, draft: Draft, entry: Entry) -> None:
        """Decide about one record; its place in `results` is taken from here on."""
        try:
            self.results.append(self._decide(asked, draft, entry))
        except MemoryLayerError as error:
            self.results.append(error)

    def _decide(self, asked: Asked, draft: Draft, entry: Entry) -> Stored | Answer:
        twin = self._twin(asked, entry)
        if twin is not None and asked.on_duplicate == "ask":
            raise Duplicate(twin.memory, twin.similarity)
        if not asked.is_verbatim:
            refuse_recalled_text(self.ports, entry, self.now)
        if twin is not None:
            return self._merge(asked, draft, entry, twin)
        stored = Stored(entry.memory, draft.redacted)
        change = Change(entry.memory, 0, "created", self.principal.name, self.now, vectors=entry.vectors)
        self._waiting.append((len(self.results), asked, entry, self._commit(asked, change, stored)))
        self._uncommitted.add(entry)
        return stored

    def _twin(self, asked: Asked, entry: Entry) -> Twin | None:
        if asked.is_verbatim or asked.on_duplicate == "create" or not entry.memory.is_active:
            return None
        return find_twin(self.ports, entry, self._uncommitted, self.now)

    def _merge(self, asked: Asked, draft: Draft, entry: Entry, twin: Twin) -> Stored | Answer:
        """The twin takes in what is said; one that waits in this batch has to be stored first."""
        if not may_change(self.principal, twin.memory):
            raise Forbidden(
                f"{twin.memory.id} says the same and is {twin.memory.created_by}'s: not yours to merge"
            )
        self.flush()
        united = merge(twin.memory, entry.memory, self.now)
        ((memory, vectors),) = embed_memories(self.ports.embedder, [united])
        stored = Stored(memory, draft.redacted, is_new=False)
        change = Change(memory, twin.memory.version, "merged", self.principal.name, self.now, vectors=vectors)
        self.ports.store.commit(self._commit(asked, change, stored))
        return stored

    def _commit(self, asked: Asked, change: Change, stored: Stored) -> Commit:
        answer = asked.once.answer(stored, self.now) if asked.once else None
        return Commit(scope=change.memory.scope, changes=(change,), answer=answer)

    def flush(self) -> None:
        """Make durable what waits, and put the error of each that failed in its place."""
        waiting, self._waiting = self._waiting, []
        self._uncommitted = Uncommitted(self.capacity, self.ports.embedder.dimensions)
        errors = self.ports.store.commit_each([commit for *_, commit in waiting]) if waiting else []
        for (position, asked, entry, _), error in zip(waiting, errors, strict=True):
            if error is not None:
                self.results[position] = self._failure(asked, entry, error)

    def _failure(self, asked: Asked, entry: Entry, error: MemoryLayerError) -> Result:
        """The same key may have been served while this request was on its way: then that is the answer."""
        if not isinstance(error, InFlight) or asked.once is None:
            return error
        try:
            return earlier_answer(self.ports.store, entry.memory.scope, asked.once, self.now) or error
        except MemoryLayerError as reused:
            return reused
