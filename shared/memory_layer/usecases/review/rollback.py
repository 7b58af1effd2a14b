"""Rollback of a principal: all that it wrote, voted and reported is taken back, with what was derived from it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Final

from memory_layer.domain.access import Principal
from memory_layer.domain.rollback.exclusions import (
    BROUGHT_BACK,
    ROLLED_BACK,
    Exclusion,
    Refusal,
    RollbackStatus,
    is_excluded,
)
from memory_layer.domain.rollback.rollback_plan import RollbackPlan, plan_rollback
from memory_layer.errors import Conflict, NotFound, VersionConflict
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import require_admin
from memory_layer.usecases.ground.note_findings import settle_findings
from memory_layer.usecases.ground.project_pages import NAMED_MAX, Progress, ignore_progress
from memory_layer.usecases.ground.rebuild_feedback import rebuild_feedback
from memory_layer.usecases.ground.rollback_ledger import (
    IN_EFFECT,
    TO_HOLD,
    RollbackEntry,
    RollbackLedger,
    exclusions_in,
)
from memory_layer.usecases.review.rollback_links import settle_links
from memory_layer.usecases.review.rollback_records import RollbackRecords
from memory_layer.usecases.review.rollback_shared import bring_back_shared, take_back_shared
from memory_layer.usecases.review.rollback_staging import close_open_events, settle_staged
from memory_layer.usecases.review.rollback_tuning import settle_tuning
from memory_layer.usecases.review.rollback_writer import RollbackWriter

ATTEMPTS: Final = 5
"""Times that it is planned anew while others write the same memories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RollbackReceipt:
    """What a rollback did, or would do.

    Args:
        id: names it, for its undo.
        principal: whose operations are taken back.
        since: from when on; null: from the first on.
        until: up to when.
        by: the admin who asked for it.
        status: planned (a dry run), begun, applied, undoing or undone.
        counts: memories taken out of use (`retired`), brought back (`restored`), changed otherwise (`changed`), and
            those of which verdicts alone changed (`judged_anew`); `tuning`: 1 where that of contexts changed; `links`:
            links between entities made or undone; `shared`: copies for the whole tenant archived or brought back.
        ids: the memories, at most 1,000.
        refused: operations of others that would have been refused without what is taken back, at most 1,000.
        unread: memories whose history cannot be read, and that stay as they are.
    """

    id: str
    principal: str
    since: datetime | None
    until: datetime
    by: str
    status: RollbackStatus
    counts: Mapping[str, int] = field(default_factory=dict)
    ids: tuple[str, ...] = ()
    refused: tuple[Refusal, ...] = ()
    unread: tuple[str, ...] = ()


def check_rollback(principal: Principal) -> None:
    """Refuses callers who are no admin. Raises: Forbidden."""
    require_admin(principal, "taking back all that a principal did")


def roll_back(
    ports: Ports,
    principal: Principal,
    project: str,
    who: str,
    *,
    id: str,
    since: datetime | None = None,
    is_dry_run: bool = False,
    tell: Progress = ignore_progress,
) -> RollbackReceipt:
    """Takes back the operations of a principal, up to now: the others' are replayed without them (SPEC 4.34).

    Repeated under the same id, after a crash, it goes on; a rollback that was begun and not finished is finished by the
    next one of the project.

    Raises:
        Forbidden: the caller is no admin.
        Conflict: the ledger of rollbacks is damaged, or this one was undone.
        VersionConflict: somebody writes the same memories all the time; repeat it.
    """
    check_rollback(principal)
    ledger = RollbackLedger(ports.blobs, principal.scope(project))
    entry = ledger.get(id) or RollbackEntry(
        id=id, exclusion=Exclusion(who, since, ports.clock.now()), by=principal.name, status="begun"
    )
    if entry.status == "applied":
        return _receipt(entry)
    if entry.status != "begun":
        raise Conflict(f"rollback {id} is {entry.status}; begin another one")
    if not is_dry_run:
        ledger.put(entry)
    return _Rollback(ports, principal, project, ledger, is_dry_run, tell).carry_out(entry)


def undo_rollback(
    ports: Ports, principal: Principal, project: str, id: str, *, tell: Progress = ignore_progress
) -> RollbackReceipt:
    """Brings back what a rollback took; what others did since stays. Done again it goes on, or changes nothing.

    Raises:
        Forbidden: the caller is no admin.
        NotFound: there is no such rollback.
        Conflict, VersionConflict: as `roll_back`.
    """
    check_rollback(principal)
    ledger = RollbackLedger(ports.blobs, principal.scope(project))
    entry = _found(ledger, project, id)
    if entry.status == "undone":
        return _receipt(entry)
    entry = replace(entry, status="undoing")
    ledger.put(entry)
    return _Rollback(ports, principal, project, ledger, False, tell).carry_out(entry)


def get_rollback(ports: Ports, principal: Principal, project: str, id: str) -> RollbackReceipt:
    """Receipt of a rollback. Raises: Forbidden, NotFound."""
    check_rollback(principal)
    return _receipt(_found(RollbackLedger(ports.blobs, principal.scope(project)), project, id))


def _found(ledger: RollbackLedger, project: str, id: str) -> RollbackEntry:
    entry = ledger.get(id)
    if entry is None:
        raise NotFound(f"no rollback {id} in project {project}; its id is in the answer that it was given")
    return entry


@dataclass(frozen=True, slots=True)
class _Rollback:
    ports: Ports
    principal: Principal
    project: str
    ledger: RollbackLedger
    is_dry_run: bool
    tell: Progress

    def carry_out(self, entry: RollbackEntry) -> RollbackReceipt:
        entries = [*(one for one in self.ledger.all() if one.id != entry.id), entry]
        counts: Counter[str] = Counter()
        ids: dict[str, None] = {}
        for _ in range(ATTEMPTS):
            records, plan = self._planned(entries)
            counts, ids = counts + _counts(plan), ids | dict.fromkeys(one.before.id for one in plan.changes)
            if self.is_dry_run or self._written(entry, records, plan):
                self._settle_findings(records, entries)
                counts["tuning"] += self._is_retuned(entry, entries)
                counts["links"] += self._settled_links(entry, entries)
                counts["shared"] += self._settled_shared(entry, plan, ids)
                return self._ended(entry, entries, counts, list(ids), plan, records.unread)
        raise VersionConflict(f"others write the same memories all the time; repeat rollback {entry.id}")

    def _planned(self, entries: Sequence[RollbackEntry]) -> tuple[RollbackRecords, RollbackPlan]:
        every = [entry.exclusion for entry in entries if entry.status != "undone"]
        records = RollbackRecords(self.ports, self.principal.scope(self.project), every)
        records.gather(self.tell)
        were, shall = exclusions_in(entries, IN_EFFECT), exclusions_in(entries, TO_HOLD)
        return records, plan_rollback(
            records.as_records(), records.current(), records.in_force(), were, shall
        )

    def _written(self, entry: RollbackEntry, records: RollbackRecords, plan: RollbackPlan) -> bool:
        verb = BROUGHT_BACK if entry.status == "undoing" else ROLLED_BACK
        writer = RollbackWriter(self.ports, records, self.principal.name, verb, entry.id)
        written = [writer.write(change) for change in plan.changes]
        runs = [
            run for run in records.runs.values() if entry.exclusion.covers(run.created_by, run.received_at)
        ]
        is_undo = entry.status == "undoing"
        if not is_undo:
            close_open_events(self.ports, records.scope, entry.exclusion)
        scope, by = records.scope, self.principal.name
        self._rebuild_feedback(records, entry)
        return settle_staged(self.ports, scope, runs, by, entry.id, is_undo=is_undo) and all(written)

    def _rebuild_feedback(self, records: RollbackRecords, entry: RollbackEntry) -> None:
        """Makes the feedback of all reporters that are named what those runs make that are not taken back."""
        exclusions = [
            one for one in records.exclusions if entry.status != "undoing" or one != entry.exclusion
        ]
        runs = records.runs.values()
        named = {run.created_by for run in runs if entry.exclusion.names(run.created_by)}
        left = [run for run in runs if not is_excluded(exclusions, run.created_by, run.received_at)]
        rebuild_feedback(self.ports, records.scope, named, left)

    def _settle_findings(self, records: RollbackRecords, entries: Sequence[RollbackEntry]) -> None:
        """Has the records of authors say what is found of the memories as they are without what is taken back."""
        if not self.is_dry_run:
            shall = exclusions_in(entries, TO_HOLD)
            settle_findings(
                self.ports,
                records.scope,
                [*records.histories],
                lambda memory: is_excluded(shall, memory.created_by, memory.created_at),
                lambda reset: is_excluded(shall, reset.by or "", reset.at),
            )

    def _is_retuned(self, entry: RollbackEntry, entries: Sequence[RollbackEntry]) -> bool:
        verb = BROUGHT_BACK if entry.status == "undoing" else ROLLED_BACK
        return settle_tuning(
            self.ports,
            self.principal.scope(self.project),
            exclusions_in(entries, IN_EFFECT),
            exclusions_in(entries, TO_HOLD),
            self.principal.name,
            f"{verb}: {entry.id}",
            is_dry_run=self.is_dry_run,
        )

    def _settled_links(self, entry: RollbackEntry, entries: Sequence[RollbackEntry]) -> int:
        were, shall = exclusions_in(entries, IN_EFFECT), exclusions_in(entries, TO_HOLD)
        scope, by = self.principal.scope(self.project), self.principal.name
        return settle_links(self.ports, scope, were, shall, entry.id, by, is_dry_run=self.is_dry_run)

    def _settled_shared(self, entry: RollbackEntry, plan: RollbackPlan, ids: Iterable[str]) -> int:
        ports, principal, project = self.ports, self.principal, self.project
        if entry.status == "undoing":
            noted = (entry.receipt or {}).get("ids", ())
            return bring_back_shared(ports, principal, project, (*ids, *noted), entry.id)
        return take_back_shared(
            *(ports, principal, project, plan.refused, entry.id), is_dry_run=self.is_dry_run
        )

    def _ended(
        self,
        entry: RollbackEntry,
        entries: Sequence[RollbackEntry],
        counts: Counter[str],
        ids: Sequence[str],
        plan: RollbackPlan,
        unread: Sequence[str],
    ) -> RollbackReceipt:
        done = _ended(entry)
        receipt = replace(
            _receipt(replace(done, receipt=None)),
            status="planned" if self.is_dry_run else done.status,
            counts=dict(+counts),
            ids=tuple(ids[:NAMED_MAX]),
            refused=plan.refused[:NAMED_MAX],
            unread=tuple(unread[:NAMED_MAX]),
        )
        if not self.is_dry_run:
            for other in entries:
                self.ledger.put(_ended(other) if other.id != entry.id else _with_receipt(done, receipt))
        return receipt


def _ended(entry: RollbackEntry) -> RollbackEntry:
    ended: dict[RollbackStatus, RollbackStatus] = {"begun": "applied", "undoing": "undone"}
    return replace(entry, status=ended.get(entry.status, entry.status))


def _counts(plan: RollbackPlan) -> Counter[str]:
    return Counter(change.kind for change in plan.changes)


def _with_receipt(entry: RollbackEntry, receipt: RollbackReceipt) -> RollbackEntry:
    told = {"counts": dict(receipt.counts), "ids": list(receipt.ids), "unread": list(receipt.unread)}
    return replace(entry, receipt={**told, "refused": [asdict(one) for one in receipt.refused]})


def _receipt(entry: RollbackEntry) -> RollbackReceipt:
    told = entry.receipt or {}
    return RollbackReceipt(
        id=entry.id,
        principal=entry.exclusion.principal,
        since=entry.exclusion.since,
        until=entry.exclusion.until,
        by=entry.by,
        status=entry.status,
        counts=told.get("counts", {}),
        ids=tuple(told.get("ids", ())),
        refused=tuple(Refusal(**one) for one in told.get("refused", ())),
        unread=tuple(told.get("unread", ())),
    )
