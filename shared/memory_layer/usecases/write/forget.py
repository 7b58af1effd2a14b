"""Archival and erasure of one memory."""

from dataclasses import replace

from memory_layer.domain.access import Principal, is_author, may_erase
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.integrity.erasure_rules import LedgerEntry
from memory_layer.domain.lifecycle import archive
from memory_layer.domain.memory import ENDED_STATUSES, Memory
from memory_layer.domain.safety.text_caches import forget_texts
from memory_layer.domain.tier_policy import forget_labels
from memory_layer.errors import Forbidden
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit_reason
from memory_layer.usecases.ground.archival_cause import ARCHIVED, is_archived_by_others_alone
from memory_layer.usecases.ground.authorship import may_erase_here
from memory_layer.usecases.ground.change_record import get_changeable, retry_on_conflict
from memory_layer.usecases.ground.erased_words import take_learning_out
from memory_layer.usecases.ground.erasure_ledger import ErasureLedger, ledger_name_of
from memory_layer.usecases.ground.export_copies import forget_copies
from memory_layer.usecases.ground.note_findings import forget_findings
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.erase_record import erase_staged, plan_erasure


def archive_memory(
    ports: Ports,
    principal: Principal,
    project: str,
    id: str,
    *,
    expected: int | None = None,
    reason: str | None = None,
) -> Memory:
    """Archives a memory: out of recall and default lists, with its history; a memory out of use stays as it is.

    A reviewer may archive a memory that another has archived; that other does not bring it back then.

    Raises:
        NotFound, Forbidden, StaleVersion: as `get_changeable`; an agent archives nothing that is trusted.
    """

    reason = admit_reason(principal, reason, ports.store.projects.policy(principal.scope(project)))

    def attempt() -> Memory:
        before, now = get_changeable(ports, principal, project, id, expected), ports.clock.now()
        if principal.is_agent and before.is_trusted:
            raise Forbidden(
                f"{id} is trusted, and a reviewer archives it; report that it failed, or propose other words"
            )
        if before.status in ENDED_STATUSES and not _bars_revival(ports, principal, before):
            return before
        after = _archived(before, reason, principal.name)
        change = Change(after, before.version, ARCHIVED, principal.name, now, reason)
        commit_change(ports, Commit(scope=before.scope, changes=(change,)), before, principal.name)
        return after

    return retry_on_conflict(attempt)


def _bars_revival(ports: Ports, principal: Principal, memory: Memory) -> bool:
    is_reviewer = principal.is_reviewer and memory.status == "archived"
    return is_reviewer and is_archived_by_others_alone(ports, memory, principal.name)


def _archived(memory: Memory, reason: str | None, name: str) -> Memory:
    """Archives a record, a second time under a new reason: an undo is of the last change that shows."""
    if memory.status != "archived":
        return archive(memory, reason or archived_by(name))
    shown = reason if reason not in (None, memory.status_reason) else archived_by(name)
    return replace(memory, status_reason=shown, version=memory.version + 1)


def archived_by(name: str) -> str:
    """Reason of an archived memory if nobody gave another."""
    return f"archived by {name}"


def _refuse_erasure(ports: Ports, principal: Principal, memory: Memory) -> None:
    """Refuses to erase what is not the caller's to erase. Raises: Forbidden"""
    if may_erase_here(ports, principal, memory):
        return
    if is_author(principal, memory) and not may_erase(principal, memory):
        raise Forbidden(
            f"{memory.id} is approved, so others rely on it; a reviewer rejects it, or an admin erases it"
        )
    raise Forbidden(f"{memory.id} was created by {memory.created_by}; only they or an admin erase it")


def erase_memory(
    ports: Ports, principal: Principal, project: str, id: str, *, expected: int | None = None
) -> None:
    """Erases a memory with its versions, its vectors, its neighbours' quotes of it and its staged learnings.

    Its words go out of the iterations of the runs that taught it. The id's last version number stays.

    Raises:
        NotFound, Forbidden, StaleVersion: as `get_changeable`; erasing what others created is an admin's.
    """

    def attempt() -> None:
        memory = get_changeable(ports, principal, project, id, expected, with_body=False)
        _refuse_erasure(ports, principal, memory)
        erase_staged(ports, memory)
        plan = plan_erasure(ports, memory, principal.name)
        entry = LedgerEntry(
            erasure_id=erasure_id,
            by=ledger_name_of(principal.name, memory.created_by),
            at=rfc3339(max(began_at, plan.newest)),
            kind="memory",
            erased={id: memory.version},
            echoes=plan.echoes,
        )
        ErasureLedger(ports.blobs, memory.scope).add(entry, began_at, 0)
        take_learning_out(ports, memory, plan.contents)
        ports.store.writer.commit(plan.commit)
        forget_findings(ports, principal, [memory])

    erasure_id, began_at = ports.new_id("ers_"), ports.clock.now()
    retry_on_conflict(attempt)
    forget_copies(ports.blobs, principal.scope(project))
    forget_texts()
    forget_labels()
    ports.store.erasures.settle()
