"""Erasure of all records of a person, about an entity or of a project, with a receipt; snapshots obey it too."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from memory_layer.domain.access import SHARED_PROJECT, Principal
from memory_layer.domain.integrity.erasure_rules import ErasedBy, ErasureRule
from memory_layer.errors import Forbidden
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.project_pages import Progress, ignore_progress
from memory_layer.usecases.transfer.erasure_steps import ErasureSteps


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureReceipt:
    """Receipt of an erasure: what it removed, by store.

    Args:
        stores: e.g. {"records": 3, "versions": 7, "receipts": 2}; for a dry run, the numbers that it would remove
            of records, of rows under their ids, of runs and of staged learnings.
        kept: number of records that the rule meets and that the caller may not erase.
        is_settled: the storage's own logs are free of it too; False: erase again in a moment.
        id: id of the receipt.
        by: who asked for it.
        at: when it was done.
        kind: the rule by which it was erased.
    """

    id: str
    by: str
    at: datetime
    kind: ErasedBy
    is_dry_run: bool
    stores: Mapping[str, int]
    kept: int = 0
    is_settled: bool = True


def check_erasure(principal: Principal, project: str, rule: ErasureRule) -> None:
    """Refuses an erasure that the caller may not ask for.

    Raises:
        Forbidden: the records are not the caller's own, and the caller is no admin.
    """
    if principal.is_admin:
        return
    if rule.created_by != principal.author:
        raise Forbidden(f"you erase what you created ({principal.author}); all else is an admin's")
    if project == SHARED_PROJECT:
        raise Forbidden("what a whole tenant shares is erased by an admin")


def erase(
    ports: Ports,
    principal: Principal,
    project: str,
    rule: ErasureRule,
    *,
    id: str,
    began_at: datetime,
    is_dry_run: bool = False,
    tell: Progress = ignore_progress,
) -> ErasureReceipt:
    """Erases the records that the rule meets, with their quotes in neighbours, runs, staged learnings and receipts.

    Each chunk of ids is in the ledger before it is erased. Repeated under the same id, after a crash, an erasure goes
    on, and its receipt counts every record once.

    Args:
        id: of this erasure.
        began_at: time at which it was requested.

    Raises:
        Forbidden: as `check_erasure`.
        VersionConflict: somebody writes the same record all the time; repeat it.
    """
    check_erasure(principal, project, rule)
    work = ErasureSteps(ports, principal, principal.scope(project), rule, id, began_at, is_dry_run)
    work.run(tell)
    return ErasureReceipt(
        id=id,
        by=principal.name,
        at=began_at,
        kind=rule.kind,
        is_dry_run=is_dry_run,
        stores=dict(work.stores()),
        kept=work.kept,
        is_settled=work.is_settled,
    )
