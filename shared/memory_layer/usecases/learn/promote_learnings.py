"""Promotion of staged learnings to memories: validated, then merged with the memory of the same learning."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from memory_layer.domain.access import Principal
from memory_layer.domain.learning.promotion import in_other_words, memory_fields, merge_learning
from memory_layer.domain.learning.staging import (
    Learning,
    StagedLearning,
    learning_id,
    mark_promoted,
    validate_staged,
)
from memory_layer.domain.memory import Memory, Ref, Scope, to_thousandths
from memory_layer.domain.policy import Policy
from memory_layer.errors import Invalid, MemoryLayerError, VersionConflict
from memory_layer.ports.commit import Change, Commit, Vectors
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import AdmittedText
from memory_layer.usecases.ground.change_record import WRITE_ATTEMPTS
from memory_layer.usecases.ground.embed import embed_memories, stamped
from memory_layer.usecases.learn.same_learnings import same_learnings
from memory_layer.usecases.write.draft import draft_memory
from memory_layer.usecases.write.screening import suspicion_of_names

GROUP_MAX = 40
"""Learnings that one commit validates, or takes into one memory: two actions each, of at most 100."""


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """Counts of pending learnings that passed, and that did not."""

    validated: int
    rejected: int


@dataclass(frozen=True, slots=True)
class PromotionReport:
    """Counts of learnings that became memories, were merged into known ones, or were skipped.

    Args:
        promoted: how many became memories.
    """

    promoted: int
    merged: int
    skipped: int


def validate_all(ports: Ports, scope: Scope, staged: Iterable[StagedLearning]) -> ValidationReport:
    """Validates the pending learnings; one that somebody else validates meanwhile is theirs."""
    now = ports.clock.now()
    after = [validate_staged(item, now) for item in staged if item.status == "pending"]
    groups = [after[start : start + GROUP_MAX] for start in range(0, len(after), GROUP_MAX)]
    done = [item for group in _committed(ports, scope, groups) for item in group]
    rejected = sum(item.status == "rejected" for item in done)
    return ValidationReport(len(done) - rejected, rejected)


def _committed(
    ports: Ports, scope: Scope, groups: Sequence[Sequence[StagedLearning]]
) -> Iterator[Sequence[StagedLearning]]:
    """Yields the groups that were stored; a group in which somebody was faster is stored one by one."""
    errors = ports.store.writer.commit_each([Commit(scope=scope, staged=tuple(group)) for group in groups])
    _raise_unforeseen(errors)
    for group, error in zip(groups, errors, strict=True):
        if error is None:
            yield group
        elif len(group) > 1:
            yield from _committed(ports, scope, [[item] for item in group])


def promote_all(
    ports: Ports, principal: Principal, scope: Scope, staged: Iterable[StagedLearning]
) -> PromotionReport:
    """Promotes the validated learnings: the same learning of many runs is one memory, in whatever order.

    Each memory changes in one transaction with the learnings that it takes in, so that doing it again, or
    beside somebody else, counts nothing twice.
    """
    waiting = [item for item in staged if item.status == "validated"]
    asked, promotion = len(waiting), _Promotion(ports, principal, scope, ports.store.projects.policy(scope))
    for _ in range(WRITE_ATTEMPTS):
        if not waiting:
            break
        promotion.attempt(waiting)
        current = ports.store.learnings.staged(scope, [item.id for item in waiting])
        waiting = [item for item in current.values() if item.status == "validated"]
    return PromotionReport(promotion.made, promotion.merged, asked - promotion.made - promotion.merged)


def block_learning(
    ports: Ports, principal: Principal, scope: Scope, staged: StagedLearning, reason: str
) -> Change | None:
    """Change that stores a learning's memory as rejected, so that no other run brings it; None: there is one."""
    id = learning_id(staged.learning, staged.persona)
    if ports.store.memories.get(scope, id) is not None:
        return None
    now, last = ports.clock.now(), ports.store.memories.last_versions(scope, [id]).get(id, 0)
    try:
        memory = _Promotion(ports, principal, scope, ports.store.projects.policy(scope)).made_of(
            id, staged, last + 1, now
        )
    except Invalid:
        return None  # what no memory may say, no run can bring
    rejected = replace(memory, status="rejected", status_reason=reason)
    return Change(rejected, 0, "rejected", principal.name, now, reason)


def memory_of(
    ports: Ports, principal: Principal, scope: Scope, staged: StagedLearning, now: datetime
) -> Memory:
    """Drafts the memory that a staged learning would become; nothing is stored.

    Raises:
        Invalid: what no memory may say.
    """
    promotion = _Promotion(ports, principal, scope, ports.store.projects.policy(scope))
    return promotion.made_of(learning_id(staged.learning, staged.persona), staged, 1, now)


@dataclass
class _Promotion:
    """Promotion of learnings in one project, with its counts so far. Args: embedded: vectors by content hash."""

    ports: Ports
    principal: Principal
    scope: Scope
    policy: Policy
    made: int = 0
    merged: int = 0
    embedded: dict[str, Vectors] = field(default_factory=dict)

    def attempt(self, staged: Sequence[StagedLearning]) -> None:
        """Commits each learning to its memory, unless a faster writer of the same is in the way."""
        now, groups = self.ports.clock.now(), _by_memory(staged)
        known = self._known(groups)
        groups = self._pooled(groups, known, now)
        known = self._known(groups)
        gone = [id for id in groups if Ref(self.scope.project, id) not in known]
        last = self.ports.store.memories.last_versions(self.scope, gone) if gone else {}
        drafts = [
            self._drafted(id, group, known.get(Ref(self.scope.project, id)), last.get(id, 0), now)
            for id, group in groups.items()
        ]
        ready = self._with_vectors(drafts)
        errors = self.ports.store.writer.commit_each(
            [self._commit(draft, vectors, now) for draft, vectors in ready]
        )
        for (draft, _), error in zip(ready, errors, strict=True):
            if error is None:
                self.made += draft.is_new
                self.merged += len(draft.group) - draft.is_new
        _raise_unforeseen(errors)

    def _known(self, ids: Iterable[str]) -> Mapping[Ref, Memory]:
        return self.ports.store.memories.get_many(
            self.scope.tenant, [Ref(self.scope.project, id) for id in ids]
        )

    def _pooled(
        self, groups: dict[str, list[StagedLearning]], known: Mapping[Ref, Memory], now: datetime
    ) -> dict[str, list[StagedLearning]]:
        """Groups in which learnings in other words than those of a known one, or of each other, stand together."""
        new = (id for id in groups if Ref(self.scope.project, id) not in known)
        said = (
            self.made_of(id, groups[id][0], 1, now) for id in new if groups[id][0].learning.type == "learning"
        )
        unsuspected = [memory for memory in said if memory.status != "quarantined"]
        if not unsuspected:
            return groups
        entries = embed_memories(self.ports.embedder, unsuspected)
        self.embedded |= {memory.content_hash: vectors for memory, vectors in entries if vectors is not None}
        same = same_learnings(self.ports, self.scope, entries, now)
        pooled = {id: group for id, group in groups.items() if id not in same}
        for id, twin in same.items():
            own = [replace(item, learning=in_other_words(item.learning)) for item in groups[id]]
            pooled[twin] = [*pooled.get(twin, ()), *own][:GROUP_MAX]
        return pooled

    def _drafted(
        self, id: str, group: Sequence[StagedLearning], known: Memory | None, last_version: int, now: datetime
    ) -> _Draft:
        group = [replace(item, learning=_without_orders(item.learning)) for item in group]
        first, *others = group
        memory = known or self.made_of(id, first, last_version + 1, now)
        for item in others if known is None else group:
            memory = merge_learning(memory, item.learning, now, self.policy)
        before = known.version if known else 0
        moved = known is None or replace(memory, version=known.version) != known
        settled = replace(memory, version=(before or last_version) + 1) if moved else memory
        return _Draft(before, settled, tuple(group), moved)

    def made_of(self, id: str, staged: StagedLearning, version: int, now: datetime) -> Memory:
        """Drafts the memory of a learning, created by the run's reporter, with the confidence that the run gave it."""
        fields = memory_fields(staged.learning)
        confidence = fields.pop("confidence")
        draft = draft_memory(
            self.principal, self.scope, AdmittedText(fields, ()), self.policy, now, id=id, version=version
        )
        return replace(
            draft.memory,
            confidence=to_thousandths(confidence),
            success_rate=fields["success_rate"],
            created_by=staged.created_by,
            persona=staged.persona,
        )

    def _with_vectors(self, drafts: Sequence[_Draft]) -> list[tuple[_Draft, Vectors | None]]:
        asked = [draft.memory for draft in drafts if draft.has_moved and not self._is_embedded(draft)]
        embedded = iter(embed_memories(self.ports.embedder, asked))
        return [self._with_own_vectors(draft, embedded) for draft in drafts]

    def _is_embedded(self, draft: _Draft) -> bool:
        return draft.memory.context is None and draft.memory.content_hash in self.embedded

    def _with_own_vectors(
        self, draft: _Draft, embedded: Iterator[tuple[Memory, Vectors | None]]
    ) -> tuple[_Draft, Vectors | None]:
        if not draft.has_moved:
            return draft, None
        if self._is_embedded(draft):
            memory = stamped(draft.memory, self.ports.embedder.model)
            return replace(draft, memory=memory), self.embedded[memory.content_hash]
        memory, vectors = next(embedded)
        return replace(draft, memory=memory), vectors

    def _commit(self, draft: _Draft, vectors: Vectors | None, now: datetime) -> Commit:
        by = self.principal.name
        runs = ", ".join(dict.fromkeys(item.run_id for item in draft.group))
        change = Change(
            draft.memory, draft.before, "promoted", by, now, f"learned from {runs}"[:1_024], vectors=vectors
        )
        staged = tuple(
            mark_promoted(
                item, draft.memory.id, is_merged=not (draft.is_new and position == 0), by=by, at=now
            )
            for position, item in enumerate(draft.group)
        )
        return Commit(scope=self.scope, changes=(change,) if draft.has_moved else (), staged=staged)


@dataclass(frozen=True, slots=True)
class _Draft:
    """Draft of a memory, and the learnings that it takes in."""

    before: int
    memory: Memory
    group: tuple[StagedLearning, ...]
    has_moved: bool

    @property
    def is_new(self) -> bool:
        return self.before == 0


def _by_memory(staged: Iterable[StagedLearning]) -> dict[str, list[StagedLearning]]:
    """Groups learnings by the id of their memory, at most `GROUP_MAX` at once."""
    groups: dict[str, list[StagedLearning]] = defaultdict(list)
    for item in sorted(staged, key=lambda item: item.id):
        group = groups[learning_id(item.learning, item.persona)]
        if len(group) < GROUP_MAX:
            group.append(item)
    return groups


def _without_orders(learning: Learning) -> Learning:
    """Learning without examples that are sentences or orders: examples are the one text added to a known memory."""
    examples = learning.detail.get("examples", ())
    harmless = [path for path in examples if not _BLANK.search(path) and suspicion_of_names([path]) is None]
    if len(harmless) == len(examples):
        return learning
    return replace(learning, detail={**learning.detail, "examples": harmless})


_BLANK = re.compile(r"\s")


def _raise_unforeseen(errors: Sequence[MemoryLayerError | None]) -> None:
    """Raises the first error that is no version conflict: a faster writer is no error here."""
    for error in errors:
        if error is not None and not isinstance(error, VersionConflict):
            raise error
