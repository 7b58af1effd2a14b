"""Change what a memory says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.classification import first_sentence
from memory_layer.domain.lifecycle import (
    EXPIRED_REASON,
    Transition,
    activate,
    deactivate,
    deactivated_by,
    was_inactive,
)
from memory_layer.domain.memory import Memory, as_of_now, content_hash, exact
from memory_layer.domain.redaction import Finding
from memory_layer.errors import Conflict, Forbidden
from memory_layer.ports import Change, Commit, Ports, Vectors
from memory_layer.usecases.changing import get_changeable, until_written
from memory_layer.usecases.drafting import (
    JUDGED_FIELDS,
    SOURCE_CONFIDENCE,
    admission,
    check_claims,
    check_coherence,
)
from memory_layer.usecases.embedding import embed_memories
from memory_layer.usecases.forget import archived_by
from memory_layer.usecases.gate import admit
from memory_layer.usecases.read import as_stored


@dataclass(frozen=True, slots=True)
class Revised:
    """The record as it is now, and what was redacted out of the change."""

    memory: Memory
    redacted: tuple[Finding, ...] = ()


def revise(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    said: Mapping[str, Any],
    *,
    expected: int | None = None,
    revives: bool = False,
) -> Revised:
    """Change the given fields and nothing else; `active` toggles between active and inactive.

    Args:
        revives: brings an archived record back. A new expiry brings back what had merely expired in any case.

    Raises:
        NotFound, Forbidden, StaleVersion: as `get_changeable`.
        Invalid: as `admit` and `check_coherence`, of the fields as they are together then.
        Conflict: `active` was set on a record that is neither active nor inactive, or that somebody else took out.
    """
    return until_written(lambda: _revise(ports, principal, project, id, said, expected, revives))


def _revise(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    said: Mapping[str, Any],
    expected: int | None,
    revives: bool,
) -> Revised:
    seen, now = get_changeable(ports, principal, project, id, expected), ports.clock.now()
    before, policy = as_stored(ports, seen), ports.store.policy(seen.scope)
    admitted = admit({name: value for name, value in said.items() if name != "active"}, policy)
    _check(principal, before, admitted.fields)
    after = _with_said(before, admitted.fields)
    if before.status == "archived" and _may_revive(principal, before, revives):
        after = _revived(after, now)
    if "active" in said:
        after = _toggled(principal, after, bool(said["active"]), now)
    is_back = as_of_now(after, now).is_active and not seen.is_active
    if is_back or any(getattr(after, name) != getattr(before, name) for name in JUDGED_FIELDS):
        after = _judged_again(
            principal,
            after,
            *admission({name: getattr(after, name) for name in JUDGED_FIELDS}, after.source, policy),
        )
    if after == before:
        return Revised(seen, admitted.redacted)
    says_something_new = any(getattr(after, name) != getattr(before, name) for name in admitted.fields)
    after = replace(
        after, version=seen.version + 1, updated_at=now if says_something_new else before.updated_at
    )
    after, vectors = _embedded_if_changed(ports, before, after)
    change = Change(after, seen.version, "updated", principal.name, now, vectors=vectors)
    ports.store.commit(Commit(scope=before.scope, changes=(change,)))
    return Revised(as_of_now(after, now), admitted.redacted)


_PLACED = frozenset({"session_id", "position", "valid_from", "valid_to"})


def _check(principal: Principal, before: Memory, fields: Mapping[str, Any]) -> None:
    """Raises: Forbidden, Invalid: what is said claims too much, or does not fit what was said before."""
    check_claims(principal, fields, before.source)
    if not principal.is_reviewer and (fields.get("confidence") or 0.0) > before.confidence:
        raise Forbidden(f"{before.id} has confidence {before.confidence}; only a reviewer raises it")
    if not _PLACED.isdisjoint(fields):
        check_coherence(_with_said(before, fields))


_SCORES = frozenset({"relevance_score", "confidence", "success_rate"})


def _with_said(memory: Memory, fields: Mapping[str, Any]) -> Memory:
    exacted: dict[str, Any] = {
        name: exact(value) if name in _SCORES and value is not None else value
        for name, value in fields.items()
    }
    after = replace(memory, **exacted)
    if after.content == memory.content:
        return after
    summary = after.summary
    if "summary" not in fields and memory.summary == first_sentence(memory.content):
        summary = first_sentence(after.content)
    return replace(after, summary=summary, content_hash=content_hash(after.content))


def _may_revive(principal: Principal, memory: Memory, revives: bool) -> bool:
    """What a reviewer, or an outcome, has taken out of use comes back by a reviewer only."""
    if memory.status_reason == EXPIRED_REASON:
        return True
    own = archived_by(principal.name)
    by_own_hand = (own, was_inactive(own, deactivated_by(principal.name)))
    return revives and (principal.is_reviewer or memory.status_reason in by_own_hand)


def _revived(memory: Memory, now: datetime) -> Memory:
    return memory if memory.has_expired(now) else replace(memory, status="active", status_reason=None)


def _judged_again(principal: Principal, memory: Memory, status: str, reason: str | None) -> Memory:
    """New words were neither approved nor screened: an agent's approval lapses, the admission runs again."""
    if principal.is_reviewer:
        return memory
    confidence = min(memory.confidence, SOURCE_CONFIDENCE[memory.source])
    memory = replace(memory, approved_by=None, approved_at=None, confidence=confidence)
    if memory.is_active and status != "active":
        return replace(memory, status=status, status_reason=reason)  # type: ignore[arg-type]
    return memory


def _toggled(principal: Principal, memory: Memory, active: bool, now: datetime) -> Memory:
    held = as_of_now(memory, now)
    toggled, problem = activate(held, principal) if active else Transition(deactivate(held, principal))
    if problem is not None:
        raise Conflict(problem)
    return memory if toggled is held else replace(toggled, version=memory.version)


def _embedded_if_changed(ports: Ports, before: Memory, after: Memory) -> tuple[Memory, Vectors | None]:
    if (after.content, after.context) == (before.content, before.context):
        return after, None
    ((embedded, vectors),) = embed_memories(ports.embedder, [after])
    return embedded, vectors
