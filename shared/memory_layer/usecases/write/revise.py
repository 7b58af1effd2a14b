"""Changes of a memory's fields."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from memory_layer.domain.access import Principal
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.lifecycle import StatusChange, activate, deactivate
from memory_layer.domain.memory import Memory, as_of_now, content_hash, to_thousandths
from memory_layer.domain.proposals import only_proposes
from memory_layer.domain.remedies import omit
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.domain.text.classification import first_sentence
from memory_layer.domain.text.line_order import unnumbered
from memory_layer.domain.time.resolve_times import said_at_of_change, with_times
from memory_layer.domain.time.staleness import apply_event, newest_by_reporter, newest_event_about, vouched_at
from memory_layer.domain.trust import SPOKEN
from memory_layer.errors import CREDIT_TWIN, Conflict, ContentTaken, Duplicate, Forbidden
from memory_layer.ports.commit import Change, Commit, Vectors
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit, refuse_store_id
from memory_layer.usecases.ground.allowances import use_of_writes
from memory_layer.usecases.ground.archival_cause import as_before_expiry, is_archived_by_own_hand
from memory_layer.usecases.ground.change_record import get_changeable, require_changeable, retry_on_conflict
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.queries import as_stored
from memory_layer.usecases.write import draft
from memory_layer.usecases.write.commit_change import commit_change, without_foreign_quotes
from memory_layer.usecases.write.propose import propose_change
from memory_layer.usecases.write.same_content import refuse_same_content
from memory_layer.usecases.write.screening import SCREENED_FIELDS
from memory_layer.usecases.write.turn_positions import PositionLimit, refuse_taken_position

EVENTS_PER_THING: Final = 200
"""Events read since the memory was last confirmed; a later one of them would say the same."""


def marked_by_recent_events(ports: Ports, memory: Memory) -> Memory:
    """Marks a record by the events since it was last said or vouched for, in the same version."""
    if not (memory.is_active and memory.entities):
        return memory
    since = (rfc3339(vouched_at(memory)), "")
    events = [
        event
        for urn in memory.entities
        for event in ports.store.events.of(memory.scope, urn, after=since, limit=EVENTS_PER_THING).events
    ]
    last = newest_event_about(memory, newest_by_reporter(events))
    if last is None:
        return memory
    return replace(apply_event(memory, last).memory, version=memory.version)


@dataclass(frozen=True, slots=True)
class RevisedMemory:
    """Record as it is now, with what was redacted out of the change; or the proposal of it, and for which memory."""

    memory: Memory
    redacted: tuple[RedactionFinding, ...] = ()
    proposed_for: str | None = None


def revise(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    said: Mapping[str, Any],
    *,
    expected: int | None = None,
    revives: bool = False,
    describes_store: bool = False,
) -> RevisedMemory:
    """Changes the given fields and nothing else; `active` toggles between active and inactive.

    Other words for a memory of which the caller may only propose a change are stored beside it.

    Args:
        revives: brings an archived record back, and lets it say what another record says. A new expiry brings back
            a record that had merely expired in any case.
        describes_store: the record says what the project is called; no other caller writes its words.

    Raises:
        NotFound, Forbidden, StaleVersion: as `get_changeable`.
        Invalid: as `admit` and `check_coherence`, for the fields after the change.
        Conflict: `active` was set on a record that is neither active nor inactive, or that somebody else took out;
            or another turn has the position that this one would get.
        Duplicate: another active memory has the very content that this one would get.
    """
    if not describes_store and not SPOKEN.isdisjoint(said):
        refuse_store_id(id)
    return retry_on_conflict(lambda: _revise(ports, principal, project, id, said, expected, revives))


def _revise(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    said: Mapping[str, Any],
    expected: int | None,
    revives: bool,
) -> RevisedMemory:
    seen, now = get_changeable(ports, principal, project, id, expected, proposes=True), ports.clock.now()
    if only_proposes(principal, seen) and not SPOKEN.isdisjoint(said):
        made = propose_change(ports, principal, seen, said, now)
        return RevisedMemory(made.memory, made.redacted, made.proposed_for)
    _refuse_agents_labels(ports, principal, seen)
    before, policy = as_stored(ports, seen), ports.store.projects.policy(seen.scope)
    named = draft.without_figures(principal, said)
    admitted = admit({name: value for name, value in named.items() if name != "active"}, policy)
    if revives or "active" in said or "expires_at" in admitted.fields:
        before = as_before_expiry(ports, before, now)
    _check(principal, before, admitted.fields)
    after = with_fields(before, _with_time_of_saying(before, admitted.fields, now))
    if not _PLACE.isdisjoint(admitted.fields):
        PositionLimit(ports.store.sessions, before.scope).refuse_beyond(after)
    if "context" not in admitted.fields:
        after = without_foreign_quotes(ports, before, after)
    if revives and before.status == "archived" and may_revive(ports, principal, before):
        after = _revived(after, now)
    if "active" in said:
        after = _toggled(principal, after, bool(said["active"]), now)
    is_back = as_of_now(after, now).is_active and not seen.is_active
    if is_back or _differ(before, after, draft.CALLER_SET_FIELDS if before.is_approved else SCREENED_FIELDS):
        after = draft.readmit_after_change(principal, before, after, policy)
    if after == before:
        return RevisedMemory(seen, admitted.redacted)
    says_something_new = _differ(unnumbered(before), unnumbered(after), admitted.fields)
    after = replace(
        after, version=seen.version + 1, updated_at=now if says_something_new else before.updated_at
    )
    if is_back:
        after = marked_by_recent_events(ports, after)
    refuse_taken_position(ports, principal, after, before=seen)
    is_news = not revives and must_be_news(before, after)
    if is_news and refuse_same_content(ports, after, now):
        is_news = False
    after, vectors = embedded_if_changed(ports, before, after)
    change = Change(after, seen.version, "updated", principal.name, now, vectors=vectors, is_news=is_news)
    uses = use_of_writes(principal, after, policy.limits, now, before)
    commit_content(ports, Commit(scope=before.scope, changes=(change,), uses=uses), before, change.by)
    return RevisedMemory(as_of_now(after, now), admitted.redacted)


def _refuse_agents_labels(ports: Ports, principal: Principal, memory: Memory) -> None:
    """Refuses an agent's labels and switches on a trusted memory: they would pass for a person's. Raises: Forbidden"""
    require_changeable(ports, principal, memory)
    if principal.is_agent and memory.is_trusted:
        raise Forbidden(
            f"{memory.id} is trusted, and a reviewer changes it; other words for it can be proposed"
        )


def _differ(before: Memory, after: Memory, names: Iterable[str]) -> bool:
    return any(getattr(after, name) != getattr(before, name) for name in names)


def must_be_news(before: Memory, after: Memory) -> bool:
    """True if the new content must be unlike every other's; a turn may say what another one says."""
    return after.is_active and after.content != before.content and after.position is None


def commit_content(ports: Ports, commit: Commit, before: Memory, by: str) -> None:
    """Commits changed content. Raises: Duplicate: somebody has just stored the same."""
    try:
        commit_change(ports, commit, before, by)
    except ContentTaken as taken:
        twin = ports.store.memories.get(before.scope, taken.id)
        if twin is None:
            raise
        raise Duplicate(twin, 1.0, remedies=(CREDIT_TWIN,)) from taken


_PLACE = frozenset({"session_id", "position"})
_PLACED = frozenset({*_PLACE, "valid_from", "valid_to"})


def _check(principal: Principal, before: Memory, fields: Mapping[str, Any]) -> None:
    """Checks a change. Raises: Forbidden, Invalid: its fields claim too much, or do not fit the record's others."""
    draft.check_claims(principal, fields, before.source)
    if fields.get("created_by", before.created_by) != before.created_by and not principal.is_admin:
        raise Forbidden(
            f"{before.id} is {before.created_by}'s, which an admin alone changes", omit("/created_by")
        )
    if not principal.is_reviewer and (fields.get("confidence") or 0.0) > before.confidence:
        raise Forbidden(f"{before.id} has confidence {before.confidence}; only a reviewer raises it")
    if not _PLACED.isdisjoint(fields):
        draft.check_coherence(with_fields(before, fields))


_SCORES = frozenset({"relevance_score", "confidence", "success_rate"})


def with_fields(memory: Memory, fields: Mapping[str, Any]) -> Memory:
    """Returns the record with these fields; its summary, its hash and its times follow its content."""
    exacted: dict[str, Any] = {
        name: to_thousandths(value) if name in _SCORES and value is not None else value
        for name, value in fields.items()
    }
    if "relevance_score" in exacted:
        exacted["relevance_set"] = None
    after = with_times(replace(memory, **exacted))
    if after.content == memory.content:
        return after
    summary = after.summary
    if "summary" not in fields and memory.summary == first_sentence(memory.content):
        summary = first_sentence(after.content)
    return replace(after, summary=summary, content_hash=content_hash(after.content))


def _with_time_of_saying(before: Memory, fields: Mapping[str, Any], now: datetime) -> Mapping[str, Any]:
    """Fields of a change with the time at which its words were said, where the caller names none. Raises: Invalid."""
    if "said_at" in fields:
        if fields["said_at"] != before.said_at:
            draft.refuse_future(fields["said_at"], now)
        return fields
    if fields.get("content", before.content) == before.content:
        return fields
    return {**fields, "said_at": said_at_of_change(before, fields["content"], now)}


def may_revive(ports: Ports, principal: Principal, memory: Memory) -> bool:
    """True for a reviewer, and for the caller who alone archived the memory; nobody else brings it back."""
    return principal.is_reviewer or is_archived_by_own_hand(ports, memory, principal.name)


def _revived(memory: Memory, now: datetime) -> Memory:
    return memory if memory.has_expired(now) else replace(memory, status="active", status_reason=None)


def _toggled(principal: Principal, memory: Memory, active: bool, now: datetime) -> Memory:
    held = as_of_now(memory, now)
    toggled, problem = activate(held, principal) if active else StatusChange(deactivate(held, principal))
    if problem is not None:
        raise Conflict(problem)
    return memory if toggled is held else replace(toggled, version=memory.version)


def embedded_if_changed(ports: Ports, before: Memory, after: Memory) -> tuple[Memory, Vectors | None]:
    """Embeds the record again if its text changed; vectors None: the stored ones still fit."""
    if (after.content, after.context) == (before.content, before.context):
        return after, None
    ((embedded, vectors),) = embed_memories(ports.embedder, [after])
    return embedded, vectors
