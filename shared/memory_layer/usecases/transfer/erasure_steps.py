"""Steps of an erasure: chunk after chunk, each in the ledger before it is carried out."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Final

from memory_layer.domain.access import SHARED_PROJECT, Principal, erases_for_a_person
from memory_layer.domain.audit import PERSON_ERASED, PROJECT_ERASED, AuditEvent
from memory_layer.domain.fields import rfc3339
from memory_layer.domain.integrity.erasure_rules import ErasureRule, LedgerEntry
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.safety.text_caches import forget_texts
from memory_layer.domain.tier_policy import forget_labels
from memory_layer.errors import MemoryLayerError, VersionConflict
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.authorship import erasable_here
from memory_layer.usecases.ground.change_record import retry_on_conflict
from memory_layer.usecases.ground.erased_words import take_entity_out, take_learning_out
from memory_layer.usecases.ground.erasure_ledger import ErasureLedger, ledger_name_of, merge_highest
from memory_layer.usecases.ground.export_copies import forget_copies
from memory_layer.usecases.ground.note_findings import forget_author, forget_findings
from memory_layer.usecases.ground.project_pages import Progress
from memory_layer.usecases.ground.rebuild_feedback import rebuild_feedback
from memory_layer.usecases.ground.rollback_ledger import RollbackLedger
from memory_layer.usecases.ground.run_history import RunHistories
from memory_layer.usecases.ground.stored_state import kept_records
from memory_layer.usecases.review.apply_memory import shared_id
from memory_layer.usecases.transfer.erased_staging import (
    Place,
    staged_learnings,
    staged_naming,
    unstage,
    walked,
)
from memory_layer.usecases.transfer.snapshot_files import SnapshotFiles
from memory_layer.usecases.write.erase_record import RecordErasure, erase_staged, plan_erasure

CHUNK_RECORDS: Final = 100
"""Records erased between two entries of the ledger."""

PAGE: Final = 200


@dataclass(slots=True)
class ErasureSteps:
    """State of an erasure. `entries` are in the ledger, or (of a dry run) would be."""

    ports: Ports
    principal: Principal
    scope: Scope
    rule: ErasureRule
    id: str
    began_at: datetime
    is_dry_run: bool
    entries: list[LedgerEntry] = field(default_factory=list)
    sessions: set[str] = field(default_factory=set)
    beside: Counter[str] = field(default_factory=Counter)
    left: set[Ref] = field(default_factory=set)
    is_settled: bool = True

    @property
    def kept(self) -> int:
        """Number of records that the caller may not erase, each counted once, however often the project is read."""
        return len(self.left)

    def run(self, tell: Progress) -> None:
        ledger = ErasureLedger(self.ports.blobs, self.scope)
        if not self.is_dry_run:
            self.entries = ledger.of(self.id, self.began_at)
        for memories in self._chunks():
            self._take(ledger, memories)
            tell(self._records, self._records)
        self._erase_beside()
        if not self.is_dry_run:
            self._erase_shared()
            self._erase_rollbacks()
            forget_copies(self.ports.blobs, self.scope)
            self.ports.contexts.forget_all()  # served no more, but the words are still stored
            forget_texts()
            forget_labels()
            self.is_settled = self.ports.store.erasures.settle(rewrites=True)

    def stores(self) -> Counter[str]:
        """Numbers erased, by store; a record that two entries name after a crash counts once."""
        traces = {id: found for entry in self.entries for id, found in entry.traces.items()}
        counts = Counter({"records": self._records}) + self.beside
        for found in traces.values():
            counts.update(found)
        return counts

    @property
    def _records(self) -> int:
        return len({id for entry in self.entries for id in entry.erased})

    def _chunks(self) -> Iterator[list[Memory]]:
        waiting: list[Memory] = []
        for page in kept_records(self.ports.store.integrity, self.scope, with_history=False):
            found = [kept.memory for kept in page if kept.is_there and kept.memory is not None]
            waiting += self._to_erase(found)
            while len(waiting) >= CHUNK_RECORDS:
                yield waiting[:CHUNK_RECORDS]
                waiting = waiting[CHUNK_RECORDS:]
        if waiting:
            yield waiting

    def _to_erase(self, found: Sequence[Memory]) -> list[Memory]:
        met = [one for one in found if self.rule.meets(one) or self._met_before(one)]
        own = erasable_here(self.ports, self.principal, met)
        self.left |= {one.ref for one in met} - {one.ref for one in own}
        return own

    def _met_before(self, memory: Memory) -> bool:
        """True if a kept earlier version names the entity; earlier owners do not count: an admin has changed them."""
        if self.rule.entity is None:
            return False
        history = self.ports.store.history.of(self.scope, memory.id) if memory.version > 1 else ()
        return any(self.rule.meets(version.memory) for version in history)

    def _take(self, ledger: ErasureLedger, memories: Sequence[Memory]) -> None:
        self.sessions.update(memory.session_id for memory in memories if memory.session_id is not None)
        traces = self.ports.store.erasures.traces(self.scope, [memory.id for memory in memories])
        entry = LedgerEntry(
            erasure_id=self.id,
            by=ledger_name_of(self.principal.name, self.rule.created_by),
            at=rfc3339(self.ports.clock.now()),
            kind=self.rule.kind,
            erased={memory.id: memory.version for memory in memories},
            traces=traces,
        )
        if self.is_dry_run:
            self.entries.append(entry)
            return
        plans = [plan_erasure(self.ports, memory, self.principal.name) for memory in memories]
        echoes: dict[str, int] = {}
        for plan in plans:
            merge_highest(echoes, plan.echoes)
        newest = max(self.ports.clock.now(), *(plan.newest for plan in plans))
        self._note(ledger, replace(entry, echoes=echoes, at=rfc3339(newest)))
        for memory, error in zip(memories, self._attempt(memories, plans), strict=True):
            if error is not None:
                self._erase_later(ledger, memory.id)

    def _note(self, ledger: ErasureLedger, entry: LedgerEntry) -> None:
        ledger.add(entry, self.began_at, len(self.entries))
        self.entries.append(entry)

    def _attempt(
        self, memories: Sequence[Memory], plans: Sequence[RecordErasure]
    ) -> list[MemoryLayerError | None]:
        for memory, plan in zip(memories, plans, strict=True):
            erase_staged(self.ports, memory)
            self._take_out_of_runs(memory, plan)
        errors = self.ports.store.writer.commit_each([plan.commit for plan in plans])
        for error in errors:
            if error is not None and not isinstance(error, VersionConflict):
                raise error
        forget_findings(self.ports, self.principal, memories)
        return errors

    def _take_out_of_runs(self, memory: Memory, plan: RecordErasure) -> None:
        """Takes the words of a record out of the runs that taught it; with the project all runs go whole."""
        if self.rule.kind != "project":
            take_learning_out(self.ports, memory, plan.contents)

    def _erase_later(self, ledger: ErasureLedger, id: str) -> None:
        """Erases a record anew that was written meanwhile, by others or (beside an erased turn) by this erasure."""

        def attempt() -> None:
            memory = self._stored(self.scope, id)
            if memory is None or not self._to_erase([memory]):
                return
            plan = plan_erasure(self.ports, memory, self.principal.name)
            newer, at = {id: memory.version}, rfc3339(max(self.ports.clock.now(), plan.newest))
            self._note(ledger, replace(self.entries[-1], at=at, erased=newer, echoes=plan.echoes, traces={}))
            self._take_out_of_runs(memory, plan)
            self.ports.store.writer.commit(plan.commit)
            forget_findings(self.ports, self.principal, [memory])

        retry_on_conflict(attempt)

    def _stored(self, scope: Scope, id: str) -> Memory | None:
        """Reads a record without its body, which need not be readable to be erased."""
        ref = Ref(scope.project, id)
        return self.ports.store.memories.get_many(scope.tenant, [ref], with_bodies=False).get(ref)

    def _erase_shared(self) -> None:
        """Erases the copies shared with the whole tenant, which only an admin may erase.

        They are found by the ids in the ledger, so that a second run finds those that the first had left.
        """
        scope = self.principal.scope(SHARED_PROJECT)
        ledger = ErasureLedger(self.ports.blobs, scope)
        noted = len(ledger.of(self.id, self.began_at))
        for entry in [] if self.scope == scope else list(self.entries):
            refs = [Ref(SHARED_PROJECT, shared_id(self.scope.project, id)) for id in entry.erased]
            for ref in self.ports.store.memories.get_many(self.scope.tenant, refs, with_bodies=False):
                if self.principal.is_admin:
                    retry_on_conflict(partial(self._erase_copy, ledger, noted, scope, ref.id))
                    noted += 1
                else:
                    self.left.add(ref)

    def _erase_copy(self, ledger: ErasureLedger, number: int, scope: Scope, id: str) -> None:
        memory = self._stored(scope, id)
        if memory is None:
            return
        plan = plan_erasure(self.ports, memory, self.principal.name)
        at = rfc3339(max(self.ports.clock.now(), plan.newest))
        entry = replace(self.entries[-1], at=at, erased={id: memory.version}, echoes=plan.echoes, traces={})
        ledger.add(entry, self.began_at, number)
        self.ports.store.writer.commit(plan.commit)
        self.beside["shared_copies"] += 1

    def _erase_beside(self) -> None:
        """Erases everything beside records: of the person, or of the whole project."""
        store, name = self.ports.store, self.rule.created_by
        if not self.is_dry_run:
            forgotten = store.events.forget(self.scope, urn=self.rule.entity, created_by=name)
            self.beside["entity_events"] += forgotten
            self.beside["answers"] += store.erasures.forget_answers(self.scope)
        if self.rule.entity is not None:
            named = take_entity_out(self.ports, self.scope, self.rule.entity, is_dry_run=self.is_dry_run)
            self.beside["histories"] += named
            staged = staged_naming(self.ports, self.scope, self.rule.entity)
            self.beside["staged"] += len(staged)
            unstage(self.ports, self.scope, [] if self.is_dry_run else staged)
        if self.rule.kind == "entity":
            return
        everything = self.rule.kind == "project"
        reporter = (
            name if self.principal.user is None else None
        )  # for an end user a service reports in its own name
        runs = [run for run in walked(self._runs) if everything or run.created_by == reporter]
        staged = [
            row
            for row in staged_learnings(self.ports, self.scope)
            if everything or row.created_by == reporter
        ]
        self.beside += Counter({"runs": len(runs), "staged": len(staged)})
        if self.is_dry_run:
            self.beside["histories"] += sum(run.history is not None for run in runs)
            return
        self._erase_histories(runs)
        unstage(self.ports, self.scope, staged)
        for error in store.writer.commit_each([Commit(scope=self.scope, unrun=(run,)) for run in runs]):
            if error is not None:
                raise error
        if reporter is not None:
            self.beside["feedback"] += rebuild_feedback(self.ports, self.scope, {reporter}, ())
        if erases_for_a_person(self.principal):
            self._enter(PROJECT_ERASED if everything else PERSON_ERASED)
            if name is not None:
                forget_author(self.ports, self.scope, name)
        self.beside["receipts"] += store.erasures.forget_receipts(self.scope, name)
        self.beside["notes"] += 0 if name is None else store.erasures.forget_notes(self.scope, name)
        self.beside["sessions"] += store.erasures.forget_sessions(self.scope, sorted(self.sessions))
        if everything:
            self._erase_project()

    def _erase_histories(self, runs: Sequence[RunRecord]) -> None:
        """Erases the iterations of runs before their records, by which a second run finds what a crash has left."""
        histories = RunHistories(self.ports.blobs, self.scope)
        self.beside["histories"] += sum(histories.forget(run.run_id) for run in runs)

    def _enter(self, what: str) -> None:
        """Enters in the audit log that all readable parts before, or those of a person, are gone."""
        by = ledger_name_of(self.principal.name, self.rule.created_by)
        note, name = AuditEvent(what=what, principal=by), self.rule.created_by
        self.ports.store.writer.commit(Commit(scope=self.scope, notes=(note,), forgets=name))

    def _erase_project(self) -> None:
        files = SnapshotFiles(self.ports.blobs, self.scope)
        ids = [*(snapshot.id for snapshot in files.all()), *files.unfinished()]
        for id in ids:
            files.delete(id)
        self.beside["snapshots"] += len(ids)
        self.beside["histories"] += RunHistories(self.ports.blobs, self.scope).forget_all()
        self.beside.update(self.ports.store.erasures.forget_project(self.scope))

    def _erase_rollbacks(self) -> None:
        """Takes what is erased out of the receipts of rollbacks; with the project all of them go."""
        ledger = RollbackLedger(self.ports.blobs, self.scope)
        if self.rule.kind == "project":
            self.beside["rollbacks"] += ledger.forget()
            return
        erased = {id for entry in self.entries for id in entry.erased}
        self.beside["rollbacks"] += ledger.forget_memories(erased, self.rule.created_by)

    def _runs(self, after: Place | None) -> tuple[Sequence[RunRecord], Place | None]:
        page = self.ports.store.learnings.runs(self.scope, after=after, limit=PAGE)
        return page.runs, page.next_key
