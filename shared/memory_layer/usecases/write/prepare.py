"""Preparation of remember requests: each becomes a draft with a position and a context, or an error."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

from memory_layer.domain.access import Principal, viewer_of
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.errors import Conflict, MemoryLayerError
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import NewId, Ports
from memory_layer.usecases.ground.admission import (
    AdmittedText,
    admit,
    refuse_reserved_id,
    refuse_secret_names,
    refuse_store_id,
)
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answers
from memory_layer.usecases.write import turn_positions
from memory_layer.usecases.write.draft import RecordDraft, draft_memory, refuse_future
from memory_layer.usecases.write.turn_contexts import Around, stored_turns_near, with_contexts

OnDuplicate = Literal["ask", "merge", "create", "supersede"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberRequest:
    """Request to store one memory: the caller's fields, and the treatment of a near-duplicate.

    `is_verbatim` marks a turn of a conversation: kept as it was said, news or not.
    `keeps_both` marks a request with nobody to ask: a memory that differs from its twin is stored beside it.
    `redacted` lists what was taken out of the fields already.
    `describes_store` marks the record that says what a project is called, whose id is nobody else's.
    `is_said_now` marks words of somebody who is speaking; those of a file or a batch were said whenever.
    """

    fields: Mapping[str, Any]
    on_duplicate: OnDuplicate = "ask"
    is_verbatim: bool = False
    keeps_both: bool = False
    once: IdempotentRequest | None = None
    redacted: tuple[RedactionFinding, ...] = ()
    is_said_now: bool = False
    describes_store: bool = False

    def said_at(self, now: datetime) -> datetime | None:
        """Time at which it was said: the caller's, a turn's own, or now where somebody is speaking; None: unknown."""
        dated = self.fields.get("valid_from")
        if "said_at" in self.fields:
            said_at: datetime | None = self.fields["said_at"]
            return said_at
        if self.fields.get("session_id") is not None and dated is not None:
            return min(dated, now)  # type: ignore[no-any-return]
        return now if self.is_said_now and dated is None else None

    @property
    def may_be_refused(self) -> bool:
        """True if a near-duplicate matters, once there is a memory that is in use."""
        return not self.is_verbatim and self.on_duplicate != "create"

    def must_be_news(self, memory: Memory) -> bool:
        """True if a near-duplicate of the memory matters. Args: memory: made of this request."""
        return self.may_be_refused and memory.is_active


Prepared = RecordDraft | IdempotencyRecord | MemoryLayerError
"""Draft of a request's record, the answer it had before, or its error."""


def prepare_many(
    ports: Ports,
    principal: Principal,
    scope: Scope,
    batch: Sequence[RememberRequest],
    policy: Policy,
    now: datetime,
) -> list[Prepared]:
    """Prepares each request by itself, except for positions and contexts of turns, which depend on each other."""
    drafting = _drafting(ports, principal, scope, batch, policy, now)
    admitted = [
        drafting.admit(asked) for asked in batch
    ]  # all first: texts one after another are read faster
    prepared = [drafting.draft(item) if isinstance(item, _Admitted) else item for item in admitted]
    around = stored_turns_near(
        ports, scope, [item.memory for item in prepared if isinstance(item, RecordDraft)]
    )
    placed = _placed(ports, principal, scope, batch, prepared, around, now)
    drafts = iter(
        with_contexts([item for item in placed if isinstance(item, RecordDraft)], around, policy, now)
    )
    return [next(drafts) if isinstance(item, RecordDraft) else item for item in placed]


class _Admitted(NamedTuple):
    """Request that may become a record. Args: redacted: what was taken out of its fields before."""

    id: str
    redacted: tuple[RedactionFinding, ...]
    text: AdmittedText


@dataclass(frozen=True, slots=True)
class _Drafting:
    """State that is the same for every request of a batch, read once."""

    principal: Principal
    scope: Scope
    now: datetime
    policy: Policy
    answers: Mapping[str, IdempotencyRecord]
    last_versions: Mapping[str, int]
    reach: turn_positions.PositionLimit
    new_id: NewId

    def admit(self, asked: RememberRequest) -> _Admitted | IdempotencyRecord | MemoryLayerError:
        try:
            answer = asked.once.earlier(self.answers) if asked.once else None
            if answer is not None:
                return answer
            fields = {name: value for name, value in asked.fields.items() if name != "id"}
            fields["said_at"] = asked.said_at(self.now)
            id = asked.fields.get("id") or self.new_id("mem_")
            refuse_reserved_id(id)
            if not asked.describes_store:
                refuse_store_id(id)
            if "id" in asked.fields:
                refuse_secret_names({"id": id}, self.policy)
            return _Admitted(id, asked.redacted, admit(fields, self.policy))
        except MemoryLayerError as error:
            return error

    def draft(self, admitted: _Admitted) -> RecordDraft | MemoryLayerError:
        id, version = admitted.id, self.last_versions.get(admitted.id, 0) + 1
        try:
            draft = draft_memory(
                self.principal, self.scope, admitted.text, self.policy, self.now, id=id, version=version
            )
            refuse_future(draft.memory.said_at, self.now)
            self.reach.refuse_beyond(draft.memory)
        except MemoryLayerError as error:
            return error
        return replace(draft, redacted=(*admitted.redacted, *draft.redacted)) if admitted.redacted else draft


def _drafting(
    ports: Ports,
    principal: Principal,
    scope: Scope,
    batch: Sequence[RememberRequest],
    policy: Policy,
    now: datetime,
) -> _Drafting:
    wanted = [asked.fields["id"] for asked in batch if asked.fields.get("id")]
    return _Drafting(
        principal,
        scope,
        now,
        policy,
        answers=earlier_answers(ports.store.requests, scope, [asked.once for asked in batch], now),
        last_versions=ports.store.memories.last_versions(scope, wanted) if wanted else {},
        reach=turn_positions.PositionLimit(ports.store.sessions, scope),
        new_id=ports.new_id,
    )


def _placed(
    ports: Ports,
    principal: Principal,
    scope: Scope,
    batch: Sequence[RememberRequest],
    prepared: Sequence[Prepared],
    around: Around,
    now: datetime,
) -> list[Prepared]:
    """Gives each position to the first turn that asks for it, unless a stored turn has it."""
    places = turn_positions.TurnPositions((turn for turns in around.values() for turn in turns), now)
    viewer, coming = (
        viewer_of(principal),
        {item.memory.id for item in prepared if isinstance(item, RecordDraft)},
    )
    taken: dict[int, Conflict] = {}
    for number, item in enumerate(prepared):
        if isinstance(item, RecordDraft) and (holder := places.take(item.memory)) is not None:
            is_ours = holder.id in coming
            by = "another turn of this request" if is_ours else turn_positions.holder_name_for(viewer, holder)
            otherwise = (
                turn_positions.ADVICE_TO_FOLLOW
                if batch[number].is_verbatim
                else turn_positions.ADVICE_TO_NAME_ANOTHER
            )
            taken[number] = turn_positions.position_conflict(item.memory.position, by, otherwise)
    # after the positions: their holder may be this very request, sent twice at once
    answers = earlier_answers(ports.store.requests, scope, [batch[number].once for number in taken], now)
    return [
        _without_place(batch[number], item, taken[number], answers)
        if isinstance(item, RecordDraft) and number in taken
        else item
        for number, item in enumerate(prepared)
    ]


def _without_place(
    asked: RememberRequest, draft: RecordDraft, taken: Conflict, answers: Mapping[str, IdempotencyRecord]
) -> Prepared:
    """Outcome of a draft whose position is taken: an earlier answer, a merge into a twin at most, or the conflict."""
    try:
        answer = asked.once.earlier(answers) if asked.once else None
    except MemoryLayerError as error:
        return error
    return answer or (replace(draft, displaced=taken) if asked.must_be_news(draft.memory) else taken)
