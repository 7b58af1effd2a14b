"""Records that a rollback reads: all that its principals touched, and all that is linked with it."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from memory_layer.domain.duplicates import merged_ids
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import Learning
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.proposals import targets
from memory_layer.domain.rollback.exclusions import Exclusion, is_excluded
from memory_layer.domain.rollback.recorded import Records
from memory_layer.errors import BodyFrozen, StoreUnavailable
from memory_layer.ports.commit import Verdict
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordVersion
from memory_layer.usecases.ground.project_pages import Progress, record_pages


@dataclass(slots=True)
class RollbackRecords:
    """Histories and verdicts of the memories that count, read as they are needed.

    Args:
        unread: ids of those that cannot be read.
        excluded_runs: ids of the runs that the principals reported.
    """

    ports: Ports
    scope: Scope
    exclusions: Collection[Exclusion]
    histories: dict[str, list[RecordVersion]] = field(default_factory=dict)
    verdicts: dict[str, list[Verdict]] = field(default_factory=dict)
    runs: dict[str, RunRecord] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    excluded_runs: set[str] = field(default_factory=set)
    learned: dict[tuple[str, str], Learning] = field(default_factory=dict)

    def gather(self, tell: Progress) -> None:
        """Reads what the principals touched, then what is linked with it, to the last link."""
        self._read_runs()
        looked_at = 0
        for page in record_pages(self.ports.store.memories, self.scope):
            for memory in page:
                self._keep_if_touched(memory.id)
            looked_at += len(page)
            tell(looked_at, looked_at)
        linked = self._links(self.histories)
        while linked:
            self._read_all(linked)
            linked = self._links(linked & self.histories.keys())

    def as_records(self) -> Records:
        return Records(
            histories=self.histories,
            verdicts=self.verdicts,
            runs=self.runs,
            learned=self.learned,
            policy=self.ports.store.projects.policy(self.scope),
        )

    def current(self) -> dict[str, Memory]:
        """The memories as they are stored now."""
        refs = [Ref(self.scope.project, id) for id in self.histories]
        found = self.ports.store.memories.get_many(self.scope.tenant, refs)
        self.unread += [ref.id for ref in refs if ref not in found and ref.id not in self.unread]
        return {ref.id: memory for ref, memory in found.items()}

    def in_force(self) -> dict[str, list[Verdict]]:
        """Verdicts in force, by memory."""
        return {
            id: [one for one in said if one.replaced_by is None] for id, said in self.verdicts.items() if said
        }

    def _read_runs(self) -> None:
        after: tuple[str, str] | None = None
        while True:
            page = self.ports.store.learnings.runs(self.scope, after=after, limit=200)
            self.runs |= {run.run_id: run for run in page.runs}
            self._note_learned([run for run in page.runs if self._taught(run)])
            if page.next_key is None:
                return
            after = page.next_key

    def _note_learned(self, runs: Sequence[RunRecord]) -> None:
        """Notes the runs of the principals, and what each taught, as long as that is kept."""
        self.excluded_runs |= {run.run_id for run in runs}
        for run in runs:
            staged = self.ports.store.learnings.staged(self.scope, run.staged_ids).values()
            self.learned |= {(one.memory_id, one.run_id): one.learning for one in staged if one.memory_id}

    def _taught(self, run: RunRecord) -> bool:
        return is_excluded(self.exclusions, run.created_by, run.received_at)

    def _keep_if_touched(self, id: str) -> None:
        history, said = self._read(id)
        if any(self._counts(one) for one in history) or any(self._excludes(one) for one in said):
            self.histories[id], self.verdicts[id] = history, said

    def _counts(self, version: RecordVersion) -> bool:
        is_taught = not self.excluded_runs.isdisjoint(version.memory.source_runs)
        _, says, by = (version.reason or "").rpartition(", says ")
        is_told = bool(says) and any(one.names(by) for one in self.exclusions)
        return is_taught or is_told or is_excluded(self.exclusions, version.by, version.at)

    def _excludes(self, verdict: Verdict) -> bool:
        return is_excluded(self.exclusions, verdict.principal, verdict.at)

    def _read_all(self, ids: Iterable[str]) -> None:
        for id in ids:
            self.histories[id], self.verdicts[id] = self._read(id)
            if not self.histories[id]:  # erased, or in another project
                del self.histories[id], self.verdicts[id]

    def _read(self, id: str) -> tuple[list[RecordVersion], list[Verdict]]:
        try:
            history = self.ports.store.history.of(self.scope, id)
            return history, self.ports.store.history.verdicts(self.scope, id, in_force=False)
        except (BodyFrozen, StoreUnavailable):
            self.unread.append(id)
            return [], []

    def _links(self, ids: Iterable[str]) -> set[str]:
        named = {link for id in ids for link in _links_of(self.histories[id])}
        return named - self.histories.keys() - set(self.unread)


def _links_of(history: Sequence[RecordVersion]) -> Iterator[str]:
    for version in history:
        memory = version.memory
        yield from (one for one in (memory.superseded_by, memory.supersedes) if one is not None)
        yield from merged_ids(memory)
        yield from memory.doubted.proposals if memory.doubted else ()
        yield from targets(memory)
