"""Writing of a rollback's plan, a memory at a time, by commits like any other."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from memory_layer.domain.memory import Memory, Scope
from memory_layer.domain.rollback.recorded import ReplayedVerdict, key_of
from memory_layer.domain.rollback.rollback_plan import PlannedChange, VerdictChange, verdict_changes
from memory_layer.errors import VersionConflict
from memory_layer.ports.commit import Change, Commit, Vectors, Verdict
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import made_hot
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.review.rollback_records import RollbackRecords
from memory_layer.usecases.write.commit_change import commit_change

VERDICTS_PER_COMMIT: Final = 20
"""Verdicts written in one transaction, two actions each, beside the memory and its neighbours' contexts."""

Rewritten = tuple[Verdict, str | None]
"""Verdict to write, and the id of the one that it replaces."""


@dataclass(frozen=True, slots=True)
class RollbackWriter:
    """Writer of one rollback. Args: id: of the rollback, which the history of each memory names."""

    ports: Ports
    records: RollbackRecords
    by: str
    verb: str
    id: str

    def write(self, change: PlannedChange) -> bool:
        """Writes what becomes of a memory; tells if it is written: nobody else has written it meanwhile."""
        rewritten = [*self._rewritten(change)]
        try:
            for start in range(VERDICTS_PER_COMMIT, len(rewritten), VERDICTS_PER_COMMIT):
                part = rewritten[start : start + VERDICTS_PER_COMMIT]
                self.ports.store.writer.commit(_verdict_commit(change.before.scope, part))
            self._commit(change, _verdict_commit(change.before.scope, rewritten[:VERDICTS_PER_COMMIT]))
        except VersionConflict:
            return False
        return True

    def _commit(self, change: PlannedChange, commit: Commit) -> None:
        before, now = change.before, self.ports.clock.now()
        if change.after is None:
            self.ports.store.writer.commit(commit)
            return
        after, vectors = self._embedded(before, change.after)
        written = Change(after, before.version, self.verb, self.by, now, self.id, vectors=vectors)
        commit_change(self.ports, replace(commit, changes=(written,)), before, self.by)

    def _embedded(self, before: Memory, after: Memory) -> tuple[Memory, Vectors | None]:
        if (after.content, after.context) == (before.content, before.context):
            return after, None
        ((embedded, vectors),) = embed_memories(self.ports.embedder, [made_hot(after)])
        return embedded, vectors

    def _rewritten(self, change: PlannedChange) -> Iterator[Rewritten]:
        if change.verdicts is None:
            return
        said = self.records.verdicts.get(change.before.id, ())
        standing = [one for one in said if one.replaced_by is None]
        for one in verdict_changes(standing, change.verdicts):
            yield self._verdict(one, said)

    def _verdict(self, change: VerdictChange, said: Sequence[Verdict]) -> Rewritten:
        key = key_of(change.new or change.old)  # type: ignore[arg-type]
        recorded = next(one for one in said if key_of(one) == key)
        id = self.ports.new_id("out_")
        old = next((one.id for one in said if one.replaced_by is None and key_of(one) == key), None)
        return _copy(recorded, id, change.new), old


def _copy(recorded: Verdict, id: str, moved: ReplayedVerdict | None) -> Verdict:
    """Verdict said again; with nothing in its place, one that was never in force."""
    if moved is None:
        return replace(recorded, id=id, replaced_by=id)
    score, confidence = moved.score_moved, moved.confidence_moved
    return replace(recorded, id=id, replaced_by=None, score_moved=score, confidence_moved=confidence)


def _verdict_commit(scope: Scope, rewritten: Sequence[Rewritten]) -> Commit:
    replaces = tuple((old, verdict.id) for verdict, old in rewritten if old is not None)
    return Commit(scope=scope, verdicts=tuple(verdict for verdict, _ in rewritten), replaces=replaces)
