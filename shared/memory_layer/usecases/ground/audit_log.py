"""Audit log: its pages, the check of its chain, and the entry of what was refused."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Final

from memory_layer.domain.access import Principal, agent_voice, may_audit
from memory_layer.domain.audit import EXPORTED, REFUSED, AuditEvent, BrokenLink, ChainCheck
from memory_layer.domain.memory import Scope
from memory_layer.errors import Forbidden, MemoryLayerError, TooMany
from memory_layer.ports.audit import AuditFilter, AuditPage
from memory_layer.ports.commit import Commit, HourlyUse
from memory_layer.ports.process import Ports
from memory_layer.ports.records import NEVER_WRITTEN

NOTES_PER_HOUR: Final = 60
"""Refusals, and exports, of one voice (`agent_voice`) that the log takes in an hour: more would only fill it."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditVerification:
    """Result of a check of the chain.

    Args:
        entries: number of entries that hold, up to the first that does not.
        erased: of these, the ones without their readable part.
        head: digest of the last one; whoever keeps it elsewhere notices that a whole chain was made anew.
        broken: the first entry that does not hold.
    """

    is_valid: bool
    entries: int
    erased: int
    head: str
    broken: BrokenLink | None = None


def read_audit(
    ports: Ports, principal: Principal, project: str, asked: AuditFilter, *, before: int | None, limit: int
) -> AuditPage:
    """Lists entries, the last first. Raises: Forbidden: the caller is no reviewer of every persona."""
    require_auditor(principal, f"the audit log of project {project}")
    return ports.store.audit.page(principal.scope(project), asked, before=before, limit=limit)


def verify_audit(ports: Ports, principal: Principal, project: str) -> AuditVerification:
    """Checks the whole chain. Raises: Forbidden: the caller is no reviewer of every persona."""
    require_auditor(principal, f"the audit log of project {project}")
    return check_chain(ports, principal.scope(project))


def check_chain(ports: Ports, scope: Scope) -> AuditVerification:
    """Checks the chain of a project; a break counts that is there when all is read again.

    A store may show a part of an append that is under way, as long as its settled head is not read.
    """
    found = _read_chain(ports, scope)
    return found if found.is_valid else _read_chain(ports, scope)


def _read_chain(ports: Ports, scope: Scope) -> AuditVerification:
    """Checks the chain as it is read; entries that are written meanwhile are read as well."""
    check, log = ChainCheck(), ports.store.audit
    while True:
        read = check.read(log.links(scope, after=check.head.position))
        head = log.settled_head(scope)
        if not read or check.broken is not None or head.position <= check.head.position:
            break
    broken = check.end(head)
    return AuditVerification(
        is_valid=broken is None,
        entries=check.checked,
        erased=check.erased,
        head=check.head.digest,
        broken=broken,
    )


def broken_sentence(scope: Scope, broken: BrokenLink) -> str:
    return (
        f"entry {broken.position} of the audit log of {scope.project} is not what was written: "
        f"expected {broken.expected}, found {broken.found}"
    )


def note_refusal(
    ports: Ports, principal: Principal, project: str, detail: str, about: str | None = None
) -> None:
    """Enters a refused write, up to so many an hour of each voice; the refusal stands whatever becomes of that.

    A project that was never written to gets none: a name in a path makes no project.

    Args:
        detail: what was to be done, the status and the code, without a word of what was sent.
        about: id of the memory that was to be changed.
    """
    event = AuditEvent(what=REFUSED, principal=principal.name, about=about, detail=detail)
    _note(ports, principal.scope(project), event, f"audit:{agent_voice(principal.name)}")


def enter(
    ports: Ports, scope: Scope, by: str, what: str, *, about: str | None = None, detail: str | None = None
) -> None:
    """Enters what changes no record: a decision, an act on what is kept beside the records.

    Before it is done where it is done in any case, behind it where somebody else may have done it just now.

    Args:
        what: of `CHANGES_NO_RECORD`.
        detail: numbers and kinds, no word of what was sent.
    """
    event = AuditEvent(what=what, principal=by, about=about, detail=detail)
    ports.store.writer.commit(Commit(scope=scope, notes=(event,)))


@contextmanager
def entered(ports: Ports, scope: Scope, by: str, what: str, *, about: str) -> Iterator[None]:
    """Enters what is done inside, both at once: no crash leaves one without the other.

    On a backend whose transactions are bounded the entry follows. It is of the same things as one of `enter`.
    """
    with nullcontext() if ports.transactions is None else ports.transactions.begin():
        yield
        enter(ports, scope, by, what, about=about)


def note_export(ports: Ports, principal: Principal, project: str) -> None:
    """Enters that a caller takes out what they may see, up to so many an hour of each voice.

    What cannot be written to is read all the same.
    """
    event = AuditEvent(what=EXPORTED, principal=principal.name)
    _note(ports, principal.scope(project), event, f"audit-exports:{agent_voice(principal.name)}")


def _note(ports: Ports, scope: Scope, event: AuditEvent, key: str) -> None:
    """Enters what must not fail for the log's sake; a project that was never written to has none."""
    use = HourlyUse(key, 1, NOTES_PER_HOUR, ports.clock.now(), f"notes of {event.what} in the audit log")
    try:
        if ports.store.projects.write_versions([scope]) != (NEVER_WRITTEN,):  # the log may be behind
            ports.store.writer.commit(Commit(scope=scope, uses=(use,), notes=(event,)))
    except TooMany:
        return
    except MemoryLayerError as error:
        _log.warning("%s is not in the audit log: %s", event.what, error.detail)


def require_auditor(principal: Principal, what: str) -> None:
    """Refuses a caller who is no reviewer of every persona. Args: what: as the error names it. Raises: Forbidden."""
    if not principal.is_reviewer:
        raise Forbidden(f"{what} is for reviewers; use a token with that role")
    if not may_audit(principal):
        raise Forbidden(
            f"{what} tells of every persona and end user; use a reviewer's token that names none, and speak for nobody"
        )
