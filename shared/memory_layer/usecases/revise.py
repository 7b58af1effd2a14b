"""Change what a memory says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.classification import first_sentence
from memory_layer.domain.lifecycle import EXPIRED_REASON, set_active
from memory_layer.domain.memory import Memory, content_hash, exact
from memory_layer.domain.redaction import Finding
from memory_layer.errors import Conflict, Forbidden
from memory_layer.ports import Change, Commit, Ports, Vectors
from memory_layer.usecases.changing import get_changeable, until_written
from memory_layer.usecases.drafting import (
    JUDGED_FIELDS,
    SOURCE_CONFIDENCE,
    admission,
    check_claims,
)
from memory_layer.usecases.embedding import embed_memories
from memory_layer.usecases.forget import archived_by
from memory_layer.usecases.gate import admit


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
        Invalid: as `admit`.
        Conflict: `active` was set on a record that is neither active nor inactive.
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
    before, now = get_changeable(ports, principal, project, id, expected), ports.clock.now()
    policy = ports.store.policy(before.scope)
    admitted = admit({name: value for name, value in said.items() if name != "active"}, policy)
    check_claims(principal, admitted.fields, before.source)
    if not principal.is_reviewer and (admitted.fields.get("confidence") or 0.0) > before.confidence:
        raise Forbidden(f"{id} has confidence {before.confidence}; only a reviewer raises it")
    after = _with_said(before, admitted.fields)
    if before.status == "archived" and _may_revive(principal, before, revives):
        after = _revived(after, now)
    if "active" in said:
        after = _toggled(after, bool(said["active"]))
    is_back = after.is_active and not before.is_active
    if is_back or any(getattr(after, name) != getattr(before, name) for name in JUDGED_FIELDS):
        after = _judged_again(
            principal,
            after,
            *admission({name: getattr(after, name) for name in JUDGED_FIELDS}, after.source, policy),
        )
    if after == before:
        return Revised(before, admitted.redacted)
    says_something_new = any(getattr(after, name) != getattr(before, name) for name in admitted.fields)
    after = replace(
        after, version=before.version + 1, updated_at=now if says_something_new else before.updated_at
    )
    after, vectors = _embedded_if_changed(ports, before, after)
    change = Change(after, before.version, "updated", principal.name, now, vectors=vectors)
    ports.store.commit(Commit(scope=before.scope, changes=(change,)))
    return Revised(after, admitted.redacted)


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
    """What a reviewer has archived comes back by a reviewer only."""
    if memory.status_reason == EXPIRED_REASON:
        return True
    return revives and (principal.is_reviewer or memory.status_reason == archived_by(principal.name))


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


def _toggled(memory: Memory, active: bool) -> Memory:
    toggled, problem = set_active(memory, active)
    if problem is not None:
        raise Conflict(problem)
    return replace(toggled, version=memory.version)


def _embedded_if_changed(ports: Ports, before: Memory, after: Memory) -> tuple[Memory, Vectors | None]:
    if (after.content, after.context) == (before.content, before.context):
        return after, None
    ((embedded, vectors),) = embed_memories(ports.embedder, [after])
    return embedded, vectors
