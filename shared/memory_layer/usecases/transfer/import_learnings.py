"""Import of another store's learnings: each merged with the known one of its identity, as by a promotion."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice
from typing import TypeVar

from memory_layer.domain.access import Principal
from memory_layer.domain.learning.promotion import memory_fields, merge_learning
from memory_layer.domain.learning.staging import StagedLearning, learning_id, staged_id
from memory_layer.domain.memory import LABELS_MAX, Memory, Ref, Relation, Scope
from memory_layer.domain.policy import Policy
from memory_layer.errors import MemoryLayerError, VersionConflict
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import AdmittedText, admit, refuse_secret_names
from memory_layer.usecases.ground.change_record import WRITE_ATTEMPTS
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.project_pages import Progress
from memory_layer.usecases.transfer.foreign_file import ForeignLearning, ForeignStaged, ForeignTally
from memory_layer.usecases.write.draft import draft_memory, quarantine_orders, with_admission_status

CHUNK = 50
IMPORTED = "imported"
IMPORTED_FROM = "imported_from"
"""Relation that keeps the id which a learning had in its file."""

Item = TypeVar("Item", ForeignLearning, ForeignStaged)
Groups = Mapping[str, Sequence[ForeignLearning]]


@dataclass(frozen=True, slots=True)
class LearningImport:
    """Import of learnings, as memories or staged ones. Args: tally: counts the result of each learning."""

    ports: Ports
    principal: Principal
    scope: Scope
    policy: Policy
    now: datetime
    is_dry_run: bool
    tally: ForeignTally

    def store(self, learnings: Iterable[ForeignLearning], tell: Progress) -> None:
        """Stores learnings as memories, under the id that any run's same learning has: those of one identity pooled."""
        groups: dict[str, list[ForeignLearning]] = defaultdict(list)
        for item in self._cleaned(learnings):
            groups[learning_id(item.learning, self.principal.persona)].append(item)
        for chunk in _chunks(sorted(groups)):
            self._unite({id: groups[id] for id in chunk})
            tell(self.tally.done, self.tally.read)

    def stage(self, staged: Iterable[ForeignStaged], tell: Progress) -> None:
        """Stores learnings in the staging area, with the status that they had; rows that exist already stay."""
        rows: dict[str, StagedLearning] = {}
        for item in self._cleaned(staged):
            row = self._row(item)
            self.tally.skipped += row.id in rows
            rows.setdefault(row.id, row)
        for chunk in _chunks(rows):
            self._stage([rows[id] for id in chunk])
            tell(self.tally.done, self.tally.read)

    def _cleaned(self, items: Iterable[Item]) -> Iterator[Item]:
        """Learnings that may be stored, without their secrets."""
        for item in items:
            try:
                yield self._without_secrets(item)
            except MemoryLayerError as error:
                self.tally.refuse(item.where, error)

    def _without_secrets(self, item: Item) -> Item:
        learning = item.learning
        refuse_secret_names({"source_runs": learning.source_runs}, self.policy)
        said = {"content": learning.content, "detail": learning.detail, "note": item.file_id}
        fields = admit({**said, "reason": _reason(item)}, self.policy).fields
        clean = replace(learning, content=fields["content"], detail=fields["detail"])
        item = replace(item, learning=clean, file_id=fields["note"])
        return replace(item, rejection_reason=fields["reason"]) if isinstance(item, ForeignStaged) else item

    def _unite(self, groups: Groups) -> None:
        waiting = groups
        for _ in range(WRITE_ATTEMPTS):
            waiting = self._attempt(waiting)
            if not waiting:
                return
        for id, group in waiting.items():
            for item in group:
                self.tally.refuse(item.where, f"{id} is being changed by others; import the file again")

    def _attempt(self, groups: Groups) -> Groups:
        """Commits groups once, and returns those that a concurrent write overtook."""
        known = self.ports.store.memories.get_many(self.scope.tenant, [self._ref(id) for id in groups])
        new = [id for id in groups if self._ref(id) not in known]
        last = self.ports.store.memories.last_versions(self.scope, new) if new else {}
        drafts = [
            _Draft(group, before, self._united(id, group, before, last.get(id, 0)))
            for id, group in groups.items()
            for before in (known.get(self._ref(id)),)
        ]
        moved = [draft for draft in drafts if draft.has_moved]
        errors = self._committed(moved)
        conflicts = [isinstance(error, VersionConflict) for error in errors]
        for draft in drafts:
            self.tally.skipped += 0 if draft.has_moved else len(draft.group)
        for draft, error, is_overtaken in zip(moved, errors, conflicts, strict=True):
            if not is_overtaken:
                self._count(draft, error)
        return {
            draft.memory.id: draft.group
            for draft, is_overtaken in zip(moved, conflicts, strict=True)
            if is_overtaken
        }

    def _ref(self, id: str) -> Ref:
        return Ref(self.scope.project, id)

    def _united(
        self, id: str, group: Sequence[ForeignLearning], known: Memory | None, last_version: int
    ) -> Memory:
        memory = known or self._made_of(id, group, last_version + 1)
        for item in group[1:] if known is None else group:
            memory = merge_learning(memory, item.learning, self.now, self.policy)
        if known is None:
            dated = replace(memory, version=last_version + 1, updated_at=self._latest(group))
            return with_admission_status(dated, self.policy)
        if memory is known:
            return known
        return replace(quarantine_orders(memory, self.policy), version=known.version + 1)

    def _made_of(self, id: str, group: Sequence[ForeignLearning], version: int) -> Memory:
        """Drafts a memory of the first learning, with the age, use and confidence that it had elsewhere."""
        admitted = AdmittedText(memory_fields(group[0].learning), ())
        draft = draft_memory(
            self.principal, self.scope, admitted, self.policy, self.now, id=id, version=version
        )
        names = tuple(Relation(IMPORTED_FROM, item.file_id) for item in group)
        return replace(
            draft.memory,
            relations=names[:LABELS_MAX],
            created_at=min(self.now, *(item.created_at for item in group)),
            use_count=sum(item.use_count for item in group),
        )

    def _latest(self, group: Sequence[ForeignLearning]) -> datetime:
        """Time of the last change elsewhere, capped at now: a clock there may have been ahead."""
        return min(self.now, max(item.updated_at for item in group))

    def _committed(self, drafts: Sequence[_Draft]) -> Sequence[MemoryLayerError | None]:
        if self.is_dry_run or not drafts:
            return [None] * len(drafts)
        entries = embed_memories(self.ports.embedder, [draft.memory for draft in drafts])
        by, at = self.principal.name, self.now
        changes = [
            Change(memory, draft.before_version, IMPORTED, by, at, draft.reason, vectors=vectors)
            for draft, (memory, vectors) in zip(drafts, entries, strict=True)
        ]
        return self.ports.store.writer.commit_each(
            [Commit(scope=self.scope, changes=(change,)) for change in changes]
        )

    def _count(self, draft: _Draft, error: MemoryLayerError | None) -> None:
        if error is not None:
            for item in draft.group:
                self.tally.refuse(item.where, error)
            return
        is_new = draft.known is None
        self.tally.stored += is_new
        self.tally.quarantined += is_new and draft.memory.status == "quarantined"
        self.tally.merged += len(draft.group) - is_new

    def _row(self, item: ForeignStaged) -> StagedLearning:
        """Makes the row of a staged learning, under the id that the first of its runs would have given it."""
        run_id = item.learning.source_runs[0]
        return StagedLearning(
            id=staged_id(run_id, learning_id(item.learning, self.principal.persona)),
            run_id=run_id,
            learning=item.learning,
            status=item.status,
            rejection_reason=item.rejection_reason,
            staged_at=min(self.now, item.staged_at),
            validated_at=item.validated_at,
            decided_at=self.now if item.status == "rejected" else None,  # to be looked at a while from now on
            created_by=self.principal.name,
            persona=self.principal.persona,
        )

    def _stage(self, rows: Sequence[StagedLearning]) -> None:
        there = self.ports.store.learnings.staged(self.scope, [row.id for row in rows])
        new = [row for row in rows if row.id not in there]
        errors = (
            []
            if self.is_dry_run
            else self.ports.store.writer.commit_each([Commit(scope=self.scope, staged=(row,)) for row in new])
        )
        overtaken = sum(isinstance(error, VersionConflict) for error in errors)
        self.tally.stored += len(new) - overtaken
        self.tally.skipped += len(there) + overtaken


@dataclass(frozen=True, slots=True)
class _Draft:
    """Learnings of one identity, with the known memory, if any, and the memory that they make of it."""

    group: Sequence[ForeignLearning]
    known: Memory | None
    memory: Memory

    @property
    def has_moved(self) -> bool:
        return self.memory is not self.known

    @property
    def before_version(self) -> int:
        return self.known.version if self.known else 0

    @property
    def reason(self) -> str:
        return f"imported {', '.join(item.file_id for item in self.group)}"[:1_024]


def _reason(item: ForeignLearning | ForeignStaged) -> str | None:
    return item.rejection_reason if isinstance(item, ForeignStaged) else None


def _chunks(ids: Iterable[str]) -> Iterator[list[str]]:
    remaining = iter(ids)
    while chunk := list(islice(remaining, CHUNK)):
        yield chunk
