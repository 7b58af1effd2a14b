"""Audit log as a store keeps it: the events of a commit, and reads of the chain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from memory_layer.domain import audit
from memory_layer.domain.audit import AuditEvent, AuditHead, AuditLink
from memory_layer.domain.fields import canonical_json, rfc3339
from memory_layer.domain.memory import Scope
from memory_layer.ports.commit import Change, Commit, Erasure

NOBODY: Final = "memory-layer"
"""Principal of what no request asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Selection of entries. Args: since, until: inclusive; None: from the first, to the last."""

    principal: str | None = None
    about: str | None = None
    what: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    def meets(self, link: AuditLink) -> bool:
        """Tells whether an entry is asked for; one that is erased tells neither principal nor kind."""
        named = (("principal", self.principal), ("what", self.what))
        return (
            all(value is None or has_value(name, value) in (link.payload or "") for name, value in named)
            and self.about in (None, link.about)
            and (self.since is None or link.at >= rfc3339(self.since))
            and (self.until is None or link.at <= rfc3339(self.until))
        )


def has_value(name: str, value: str) -> str:
    """Text that a readable part has if a member has this value."""
    return f"{canonical_json(name)}:{canonical_json(value)}"


@dataclass(frozen=True, slots=True)
class AuditPage:
    """Page of entries, the last first. `next_before` continues it; None: this is the last page.

    A page may hold fewer than asked for, even none, and still name a next one. `damaged`: positions of the entries that
    are left out because they are not what was entered.
    """

    links: tuple[AuditLink, ...]
    next_before: int | None
    damaged: tuple[int, ...] = ()


def sound_page(links: Sequence[AuditLink], next_before: int | None) -> AuditPage:
    """Page of the links that hold, with the positions of the others."""
    damaged = tuple(link.position for link in links if link.is_damaged)
    return AuditPage(tuple(link for link in links if link.position not in damaged), next_before, damaged)


class AuditStore(Protocol):
    """Reads of the audit log; commits alone write it."""

    def page(self, scope: Scope, asked: AuditFilter, *, before: int | None, limit: int) -> AuditPage:
        """Lists entries that meet a filter, the last first. Args: before: a position; None: from the end."""

    def links(self, scope: Scope, *, after: int) -> Iterator[AuditLink]:
        """Entries behind a position as they lie, in order, those behind the head included."""

    def head(self, scope: Scope) -> AuditHead:
        """End of the chain; damage to it shows as one that fits no link."""

    def settled_head(self, scope: Scope) -> AuditHead:
        """End of the chain once no append is under way: what was appended before is read from now on."""


def change_event(commit: Commit, change: Change) -> AuditEvent:
    memory = change.memory
    is_held = change.before == 0 and memory.status == audit.QUARANTINED
    what = audit.QUARANTINED if is_held else change.verb
    return _event(commit, what, memory.id, change.by, change.before, memory.version)


def erasure_event(commit: Commit, erasure: Erasure) -> AuditEvent:
    event = _event(commit, audit.ERASED, erasure.id, None, erasure.before, erasure.before + 1)
    return replace(event, persona=erasure.persona)


def other_events(commit: Commit) -> list[AuditEvent]:
    """Events of a commit beside its erasures and changes, in their order."""
    changed = {(change.memory.id, change.by) for change in commit.changes}
    return [
        *(
            _event(commit, verdict.result, verdict.memory_id, verdict.principal)
            for verdict in commit.verdicts
            if (verdict.memory_id, verdict.principal) not in changed
        ),
        *(
            _event(commit, what, None, None, policy.version - 1, policy.version)
            for what, policy in (("settings", commit.policy), ("tuned", commit.assembly))
            if policy is not None
        ),
        *(
            _event(commit, "run", run.run_id, run.created_by, run.version - 1, run.version)
            for run in commit.runs
        ),
        *(
            _event(
                commit,
                f"learning {one.status}",
                one.id,
                one.decided_by or one.created_by,
                one.version - 1,
                one.version,
            )
            for one in commit.staged
        ),
        *(_event(commit, "learning removed", one.id, None, one.version) for one in commit.unstaged),
        *(
            replace(_event(commit, audit.RUN_ERASED, run.run_id, None, run.version), persona=run.persona)
            for run in commit.unrun
        ),
        *(_signed(commit, note) for note in commit.notes),
    ]


def events_of(commit: Commit) -> list[AuditEvent]:
    """Events of a commit, in the order of the project's log."""
    return [
        *(erasure_event(commit, erasure) for erasure in commit.erasures),
        *(change_event(commit, change) for change in commit.changes),
        *other_events(commit),
    ]


def _signed(commit: Commit, note: AuditEvent) -> AuditEvent:
    """Note with the request that it was made in."""
    if commit.signer is None or note.what in audit.ERASES_ANY:
        return note  # whoever erases what was theirs is not named
    signer = commit.signer
    return replace(note, user=signer.user, request_id=signer.request_id, traceparent=signer.traceparent)


def _event(
    commit: Commit,
    what: str,
    about: str | None,
    by: str | None,
    before: int | None = None,
    after: int | None = None,
) -> AuditEvent:
    signer = commit.signer
    return AuditEvent(
        what=what,
        principal=by or (NOBODY if signer is None else signer.principal),
        about=about,
        user=None if signer is None else signer.user,
        before=before,
        after=after,
        request_id=None if signer is None else signer.request_id,
        traceparent=None if signer is None else signer.traceparent,
    )
