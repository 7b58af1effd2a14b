"""Import of an exported project: whole or not at all, records as they were."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from typing import Literal

from memory_layer.domain.access import Principal
from memory_layer.domain.fields import canonical_json, memory_to_json
from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import Invalid, MemoryLayerError, VersionConflict
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.ports.records import MemoryStore
from memory_layer.usecases.ground.change_record import WRITE_ATTEMPTS, require_admin
from memory_layer.usecases.ground.erasure_ledger import ErasedVersions, ErasureLedger
from memory_layer.usecases.ground.project_pages import NAMED_MAX, Progress, ignore_progress
from memory_layer.usecases.transfer import insert_records
from memory_layer.usecases.transfer.all_or_nothing import all_or_nothing
from memory_layer.usecases.transfer.cycle_check import cycle_closing_records
from memory_layer.usecases.transfer.validate_import import ValidatedRecords, check_lines
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.turn_contexts import stored_turns_near
from memory_layer.usecases.write.turn_positions import TurnPositions

VERB = "imported"
OnExisting = Literal["skip", "replace"]
Fate = Literal["imported", "replaced", "skipped", "unchanged", "erased"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """Counts of a file's records by result.

    Args:
        unchanged: records stored just so already, where others are replaced.
        erased: records left out, since they were erased here after they were exported.
        shared_positions: turns imported at a position that another turn of their conversation holds; position, time
            and id still order both. `shared_position_ids` names the first 1,000.
        imported: records that are new here.
        replaced: records that took the place of what was here.
        redacted_ids: ids of those that had something taken out of their text, the first 1,000.
        shared_position_ids: ids of the turns that share a position, the first 1,000.
    """

    is_dry_run: bool
    records: int
    imported: int
    replaced: int
    skipped: int
    unchanged: int
    erased: int
    redacted: int
    redacted_ids: tuple[str, ...]
    shared_positions: int
    shared_position_ids: tuple[str, ...]


def import_lines(
    ports: Ports,
    principal: Principal,
    project: str,
    lines: Iterable[str],
    *,
    is_dry_run: bool = False,
    on_existing: OnExisting = "skip",
    allow_unsealed: bool = False,
    tell: Progress = ignore_progress,
) -> ImportReport:
    """Checks all lines of an export, then writes them, all or nothing.

    Every record keeps its id, version, times and counts; its history begins with this import.

    Args:
        is_dry_run: report what would happen, and write nothing.
        on_existing: treatment of an id that is stored already: keep its record, or replace it by the line, one version
            on from the higher of the two.
        allow_unsealed: accept lines without a manifest.

    Raises:
        Forbidden: the caller is no admin.
        Invalid: as `check_lines`.
    """
    checked = check_import(
        ports, principal, project, lines, allow_unsealed=allow_unsealed, on_existing=on_existing
    )
    try:
        return write_import(
            ports, principal, project, checked, is_dry_run=is_dry_run, on_existing=on_existing, tell=tell
        )
    finally:
        checked.close()


def check_import(
    ports: Ports,
    principal: Principal,
    project: str,
    lines: Iterable[str],
    *,
    allow_unsealed: bool,
    on_existing: OnExisting = "skip",
) -> ValidatedRecords:
    """Checks all lines of an import, and returns the records to write: its first half.

    Raises:
        Forbidden, Invalid: as `import_lines`.
    """
    require_admin(principal, f"an import into project {project}")
    scope = principal.scope(project)
    policy, is_screened = ports.store.projects.policy(scope), principal.is_screened
    checked = check_lines(lines, scope, policy, allow_unsealed=allow_unsealed, is_screened=is_screened)
    try:
        _refuse_rings(ports.store.memories, scope, checked, on_existing)
    except BaseException:
        checked.close()
        raise
    return checked


def _refuse_rings(
    memories: MemoryStore, scope: Scope, checked: ValidatedRecords, on_existing: OnExisting
) -> None:
    """Refuses lines that close a cycle of supersessions with stored records.

    Raises:
        Invalid: a line's supersession closes a cycle.
    """
    replaced = checked.lines if on_existing == "replace" else ()
    closing = cycle_closing_records(memories, scope, checked.corrections, replaced)
    for id, pairs in sorted(closing.items(), key=lambda one: checked.lines[one[0]]):
        old, new = pairs[0]
        place = f"/lines/{checked.lines[id]}/{'superseded_by' if old == id else 'supersedes'}"
        raise Invalid.at(
            place,
            f"line {checked.lines[id]}: {old} superseded by {new} closes a ring of corrections with records that are "
            "there; nothing was imported",
        )


def write_import(
    ports: Ports,
    principal: Principal,
    project: str,
    checked: ValidatedRecords,
    *,
    is_dry_run: bool,
    on_existing: OnExisting,
    tell: Progress,
) -> ImportReport:
    """Writes the checked records of an import, all or nothing: its second half; a repetition changes nothing.

    Raises:
        Conflict: the ledger of erasures is damaged.
    """
    by = principal.name
    work = partial(_written, principal.scope(project), by, checked, is_dry_run, on_existing, tell)
    return work(ports) if is_dry_run else all_or_nothing(ports, work)


def _written(
    scope: Scope,
    by: str,
    checked: ValidatedRecords,
    is_dry_run: bool,
    on_existing: OnExisting,
    tell: Progress,
    ports: Ports,
) -> ImportReport:
    gone = ErasureLedger(ports.blobs, scope).gone()
    places = TurnPositions((), ports.clock.now())
    writing = _Writing(ports, scope, by, is_dry_run, on_existing, gone, places)
    fates = Counter[Fate]()
    memories = checked.memories()
    while chunk := list(islice(memories, insert_records.CHUNK_RECORDS)):
        fates.update(writing.take(chunk))
        tell(fates.total(), checked.records)
    return ImportReport(
        is_dry_run=is_dry_run,
        records=checked.records,
        imported=fates["imported"],
        replaced=fates["replaced"],
        skipped=fates["skipped"],
        unchanged=fates["unchanged"],
        erased=fates["erased"],
        redacted=checked.redacted,
        redacted_ids=tuple(checked.redacted_ids),
        shared_positions=len(writing.not_alone),
        shared_position_ids=tuple(islice(writing.not_alone, NAMED_MAX)),
    )


@dataclass(frozen=True, slots=True)
class _Writing:
    """Writes the records of an import, a chunk at a time."""

    ports: Ports
    scope: Scope
    by: str
    is_dry_run: bool
    on_existing: OnExisting
    gone: ErasedVersions
    places: TurnPositions
    not_alone: dict[str, None] = field(default_factory=dict)

    def take(self, memories: Sequence[Memory]) -> list[Fate]:
        """Writes records and returns the result of each; a record that others wrote in between is decided on again.

        Raises:
            MemoryLayerError: the store refuses a record.
        """
        fates: dict[str, Fate] = {memory.id: "erased" for memory in memories if self.gone.has(memory)}
        waiting = [self.gone.without_echoes(memory) for memory in memories if memory.id not in fates]
        for _ in range(WRITE_ATTEMPTS):
            waiting = self._attempt(waiting, fates)
            if not waiting:
                return list(fates.values())
        raise VersionConflict(f"{waiting[0].id} is written by others all the time; import the file again")

    def _attempt(self, memories: Sequence[Memory], fates: dict[str, Fate]) -> list[Memory]:
        """Writes records once, and returns those that a concurrent write overtook."""
        there = insert_records.stored_under_ids(
            self.ports.store.memories, self.scope, [memory.id for memory in memories]
        )
        decided = {memory.id: self._decide(memory, there) for memory in memories}
        fates |= {id: fate for id, (fate, _) in decided.items()}
        placements = [placement for _, placement in decided.values() if placement is not None]
        self._place([placement.memory for placement in placements])
        if self.is_dry_run:
            return []
        overtaken = self._write(insert_records.with_vectors(self.ports, placements), there)
        return [memory for memory in memories if memory.id in overtaken]

    def _place(self, memories: Sequence[Memory]) -> None:
        """Notes the turns that share a position: an import does not refuse them for it."""
        for turns in stored_turns_near(self.ports, self.scope, memories).values():
            self.places.add(turns)
        self.not_alone.update(
            (memory.id, None) for memory in memories if self.places.take(memory) is not None
        )

    def _decide(
        self, memory: Memory, there: insert_records.StoredUnderIds
    ) -> tuple[Fate, insert_records.RecordInsert | None]:
        stored = there.records.get(memory.id)
        if stored is None:
            return "imported", insert_records.RecordInsert(
                memory=replace(memory, version=there.version_for(memory))
            )
        if self.on_existing == "skip":
            return "skipped", None
        if _portable_text(stored) == _portable_text(memory):
            return "unchanged", None
        newer = replace(memory, version=max(stored.version, memory.version) + 1)
        return "replaced", insert_records.RecordInsert(memory=newer, before=stored.version)

    def _write(
        self, placements: Sequence[insert_records.RecordInsert], there: insert_records.StoredUnderIds
    ) -> set[str]:
        """Writes inserts, and returns the ids that a concurrent write overtook."""
        turns = [one for one in placements if _is_turn(there.records.get(one.memory.id))]
        plain = [one for one in placements if not _is_turn(there.records.get(one.memory.id))]
        errors = insert_records.insert_each(self.ports, self.scope, plain, VERB, self.by)
        outcomes = (*zip(plain, errors, strict=True), *self._written_turns(turns, there))
        return {placement.memory.id for placement, error in outcomes if _is_overtaken(error)}

    def _written_turns(
        self, placements: Sequence[insert_records.RecordInsert], there: insert_records.StoredUnderIds
    ) -> Iterator[tuple[insert_records.RecordInsert, MemoryLayerError | None]]:
        """Writes turns one by one: words that they no longer say leave their neighbours' contexts."""
        for placement in placements:
            change = insert_records.insert_change(placement, VERB, self.by, self.ports.clock.now())
            commit = Commit(scope=self.scope, changes=(change,))
            try:
                commit_change(self.ports, commit, there.records[placement.memory.id], self.by)
            except VersionConflict as error:
                yield placement, error


def _is_turn(stored: Memory | None) -> bool:
    return stored is not None and stored.position is not None


def _is_overtaken(error: MemoryLayerError | None) -> bool:
    """True for an error because of a concurrent write. Raises: MemoryLayerError: any other error."""
    if error is not None and not isinstance(error, VersionConflict):
        raise error
    return error is not None


_LOCAL_FIELDS = ("version", "embedding_model", "embedding_text_hash", "access_count", "last_accessed_at")
"""Fields that depend on the project of a record: they make no difference between two that say the same."""


def _portable_text(memory: Memory) -> str:
    fields = memory_to_json(memory).items()
    return canonical_json({name: value for name, value in fields if name not in _LOCAL_FIELDS})
