"""Pruning: archival of memories that have not proven themselves; an archived memory can be brought back."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from memory_layer.domain.access import Principal, Viewer, viewer_of
from memory_layer.domain.lifecycle import archive
from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.prune_rule import PruneRule, prune_reason
from memory_layer.domain.remedies import give
from memory_layer.errors import Forbidden, Invalid, MemoryLayerError, VersionConflict
from memory_layer.ports.commit import Change, Commit
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import retry_on_conflict
from memory_layer.usecases.ground.project_pages import NAMED_MAX, Progress, ignore_progress, record_pages
from memory_layer.usecases.write.commit_change import commit_change

VERB = "pruned"


@dataclass(frozen=True, slots=True, kw_only=True)
class PruneReport:
    """Numbers of memories that the rule met and archived, and the first 1,000 of their ids.

    Args:
        matched: memories that the rule met.
        archived: of these, those that were archived.
    """

    is_dry_run: bool
    matched: int
    archived: int
    ids: tuple[str, ...]


def prune(
    ports: Ports,
    principal: Principal,
    project: str,
    rule: PruneRule,
    *,
    is_dry_run: bool = False,
    tell: Progress = ignore_progress,
) -> PruneReport:
    """Archives every memory that meets all conditions of the rule, among those that the caller may see.

    Raises:
        Forbidden: the caller is no reviewer.
        Invalid: the rule has no condition, and would meet everything.
    """
    check_prune(principal, project, rule)
    scope = principal.scope(project)
    pruning = _Pruning(ports, scope, viewer_of(principal), principal.name, rule, is_dry_run)
    for page in record_pages(ports.store.memories, scope):
        pruning.take(page)
        tell(pruning.seen, pruning.seen)
    return PruneReport(
        is_dry_run=is_dry_run, matched=pruning.matched, archived=pruning.archived, ids=tuple(pruning.ids)
    )


def check_prune(principal: Principal, project: str, rule: PruneRule) -> None:
    """Refuses a pruning that may not begin.

    Raises:
        Forbidden, Invalid: as `prune`.
    """
    if not principal.is_reviewer:
        raise Forbidden(f"pruning project {project} is a reviewer's; ask one")
    if rule.asks_nothing:
        conditions = ("/min_confidence", "/min_success_rate", "/older_than_days")
        raise Invalid.at("", "nothing says what to prune", *map(give, conditions), give("/unused", "true"))


@dataclass
class _Pruning:
    """Archives, page by page, the records that the rule meets."""

    ports: Ports
    scope: Scope
    viewer: Viewer
    by: str
    rule: PruneRule
    is_dry_run: bool
    seen: int = 0
    matched: int = 0
    archived: int = 0
    ids: list[str] = field(default_factory=list)

    def take(self, memories: Sequence[Memory]) -> None:
        self.seen += len(memories)
        met = [memory for memory in memories if self._change(memory) is not None]
        self.matched += len(met)
        done = [memory.id for memory in met] if self.is_dry_run else self._archive_each(met)
        self.ids += done[: NAMED_MAX - len(self.ids)]
        self.archived += 0 if self.is_dry_run else len(done)

    def _change(self, memory: Memory) -> Change | None:
        now = self.ports.clock.now()
        reason = prune_reason(memory, self.rule, now)
        if reason is None or not self.viewer.may_see(memory.persona):
            return None
        return Change(archive(memory, reason), memory.version, VERB, self.by, now, reason)

    def _archive_each(self, memories: Sequence[Memory]) -> list[str]:
        """Archives memories and returns their ids; a memory that somebody changed meanwhile is judged again."""
        plain = [memory for memory in memories if memory.position is None]
        changes = [change for memory in plain if (change := self._change(memory)) is not None]
        errors = self.ports.store.writer.commit_each(
            [Commit(scope=self.scope, changes=(change,)) for change in changes]
        )
        overtaken = {
            change.memory.id
            for change, error in zip(changes, errors, strict=True)
            if error is not None and _is_overtaken(error)
        }
        again = [memory.id for memory in memories if memory.position is not None or memory.id in overtaken]
        done = {id for id in again if retry_on_conflict(partial(self._archive_one, id))}
        return [memory.id for memory in memories if memory.id not in again or memory.id in done]

    def _archive_one(self, id: str) -> bool:
        """Archives a turn, or a record that was changed meanwhile; its words leave its neighbours' contexts."""
        memory = self.ports.store.memories.get(self.scope, id)
        change = None if memory is None else self._change(memory)
        if memory is None or change is None:
            return False
        commit_change(self.ports, Commit(scope=self.scope, changes=(change,)), memory, self.by)
        return True


def _is_overtaken(error: MemoryLayerError) -> bool:
    """True for an error because of a concurrent write. Raises: MemoryLayerError: any other error."""
    if not isinstance(error, VersionConflict):
        raise error
    return True
