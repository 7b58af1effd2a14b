"""Answers about the audit log."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from memory_layer.domain.audit import AuditLink
from memory_layer.domain.fields import instant
from memory_layer.edge.shapes.answer_fields import document
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN, Instant
from memory_layer.ports.audit import AuditPage
from memory_layer.usecases.ground.audit_log import AuditVerification


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntryAnswer:
    """Entry of the audit log.

    Args:
        position: 1 for the first of the project.
        at: time of entry.
        about: id of the memory, run or learning.
        digest: SHA-256 of the entry before and of this one; it stays when the readable part is erased.
        is_erased: its readable part went with what it was about.
        what: the verb of the change, or the kind of the decision; `refused`: it was not done.
        user: the end user for whom the principal spoke.
        before, after: versions of what it is about; 0 before: it was new.
        detail: of a refusal, what was asked for, the status and the code.
        principal: who did it.
        persona: of what is erased: the one that alone could see it.
        traceparent: trace context of the request (W3C), where it had one.
    """

    position: int
    at: datetime
    about: str | None
    digest: str
    is_erased: bool
    what: str | None = None
    principal: str | None = None
    user: str | None = None
    before: int | None = None
    after: int | None = None
    request_id: str | None = None
    detail: str | None = None
    persona: str | None = None
    traceparent: str | None = None


@dataclass(frozen=True, slots=True)
class AuditAnswer:
    """Page of the audit log, the last entry first.

    Args:
        entries: the entries of this page.
    """

    entries: Sequence[AuditEntryAnswer]
    next_cursor: str | None
    note: str | None = None


class AuditPeriod(BaseModel):
    """Period of entries, its ends inclusive."""

    model_config = REFUSE_UNKNOWN
    since: Instant | None = None
    until: Instant | None = None


def audit_json(page: AuditPage, next_cursor: str | None) -> dict[str, Any]:
    named = ", ".join(map(str, page.damaged))
    note = f"entries {named}: damaged and left out: mem audit --verify names the first" if named else None
    return document(AuditAnswer([_entry(link) for link in page.links], next_cursor, note))


def verification_json(verified: AuditVerification) -> dict[str, Any]:
    return document(verified)


def _entry(link: AuditLink) -> AuditEntryAnswer:
    """Entry of a link; a damaged readable part is not shown, and a verification names it."""
    told = {**_readable(link), "about": link.about or None}
    return AuditEntryAnswer(
        position=link.position,
        at=instant(link.at),
        digest=link.digest,
        is_erased=link.payload is None,
        **told,
    )


def _readable(link: AuditLink) -> dict[str, Any]:
    try:
        return {} if link.event is None else asdict(link.event)
    except (ValueError, TypeError):
        return {}
