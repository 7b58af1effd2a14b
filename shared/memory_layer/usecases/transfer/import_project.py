"""Take in what another project knew, whole or not at all, as it was."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal

from memory_layer.domain.access import Principal
from memory_layer.domain.fields import canonical_json, memory_to_json
from memory_layer.domain.memory import Memory, Scope
from memory_layer.errors import Invalid, MemoryLayerError, VersionConflict
from memory_layer.ports.commit import Commit
from memory_layer.ports.process import Ports
from memory_layer.ports.records import RecordStore
from memory_layer.usecases.ground.change_record import ATTEMPTS, require_admin
from memory_layer.usecases.ground.erasure_ledger import ErasedVersions, ErasureLedger
from memory_layer.usecases.ground.project_pages import NAMED_MAX, Progress, first_named
from memory_layer.usecases.transfer import insert_records
from memory_layer.usecases.transfer.correction_cycles import closing_rings
from memory_layer.usecases.transfer.validate_import import ValidatedRecords, check_lines
from memory_layer.usecases.write.commit_change import commit_change
from memory_layer.usecases.write.turn_contexts import stored_around
from memory_layer.usecases.write.turn_positions import TurnPositions

VERB = "imported"
OnExisting = Literal["skip", "replace"]
Fate = Literal["imported", "replaced", "skipped", "unchanged", "erased"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportReport:
    """What became of the records of a file.

    Args:
        unchanged: already there just so, where others are replaced.
        erased: left out, since they were erased here after they were exported.
        shared_positions: turns that came in at a position where another one of their conversation stands; by position,
            time and id both keep one order. `shared_position_ids` names the first 1,000.
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
    tell: Progress = first_named,
) -> ImportReport:
    """Check all lines of an export, then write them; repeated after a crash it writes what is missing.

    Every record keeps its id, version, times and counts; its history begins with this import.

    Args:
        is_dry_run: say what would happen, and write nothing.
        on_existing: what to do about an id that is there: leave it, or put the line in its place, one version on from
            the higher of the two.
        allow_unsealed: lines without a manifest will do.

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
    """The first half: what may be written.

    Raises:
        Forbidden, Invalid: as `import_lines`.
    """
    require_admin(principal, f"an import into project {project}")
    scope = principal.scope(project)
    checked = check_lines(lines, scope, ports.store.policy(scope), allow_unsealed=allow_unsealed)
    try:
        _refuse_rings(ports.store, scope, checked, on_existing)
    except BaseException:
        checked.close()
        raise
    return checked


def _refuse_rings(
    store: RecordStore, scope: Scope, checked: ValidatedRecords, on_existing: OnExisting
) -> None:
    """
    Raises:
        Invalid: a line supersedes what, in the end, supersedes it.
    """
    replaced = checked.lines if on_existing == "replace" else ()
    closing = closing_rings(store, scope, checked.corrections, replaced)
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
    """The second half; a second time changes nothing.

    Raises:
        Conflict: the ledger of erasures is damaged.
    """
    scope = principal.scope(project)
    gone = ErasureLedger(ports.blobs, scope).gone()
    places = TurnPositions((), ports.clock.now())
    writing = _Writing(ports, scope, principal.name, is_dry_run, on_existing, gone, places)
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
    """Puts records in, a chunk at a time."""

    ports: Ports
    scope: Scope
    by: str
    is_dry_run: bool
    on_existing: OnExisting
    gone: ErasedVersions
    places: TurnPositions
    not_alone: dict[str, None] = field(default_factory=dict)

    def take(self, memories: Sequence[Memory]) -> list[Fate]:
        """What became of each; one that somebody else wrote in between is decided on again.

        Raises:
            MemoryLayerError: the store does not take one; those before it are in.
        """
        fates: dict[str, Fate] = {memory.id: "erased" for memory in memories if self.gone.has(memory)}
        waiting = [self.gone.without_echoes(memory) for memory in memories if memory.id not in fates]
        for _ in range(ATTEMPTS):
            waiting = self._attempt(waiting, fates)
            if not waiting:
                return list(fates.values())
        raise VersionConflict(f"{waiting[0].id} is written by others all the time; import the file again")

    def _attempt(self, memories: Sequence[Memory], fates: dict[str, Fate]) -> list[Memory]:
        """Those that others were faster with."""
        there = insert_records.occupied(self.ports.store, self.scope, [memory.id for memory in memories])
        decided = {memory.id: self._decide(memory, there) for memory in memories}
        fates |= {id: fate for id, (fate, _) in decided.items()}
        placements = [placement for _, placement in decided.values() if placement is not None]
        self._place([placement.memory for placement in placements])
        if self.is_dry_run:
            return []
        overtaken = self._write(insert_records.with_vectors(self.ports, placements), there)
        return [memory for memory in memories if memory.id in overtaken]

    def _place(self, memories: Sequence[Memory]) -> None:
        """What is brought back is not refused for its place: note who shares one."""
        for turns in stored_around(self.ports, self.scope, memories).values():
            self.places.add(turns)
        self.not_alone.update(
            (memory.id, None) for memory in memories if self.places.take(memory) is not None
        )

    def _decide(
        self, memory: Memory, there: insert_records.OccupiedIds
    ) -> tuple[Fate, insert_records.RecordInsert | None]:
        stored = there.records.get(memory.id)
        if stored is None:
            return "imported", insert_records.RecordInsert(
                memory=replace(memory, version=there.version_for(memory))
            )
        if self.on_existing == "skip":
            return "skipped", None
        if _said(stored) == _said(memory):
            return "unchanged", None
        newer = replace(memory, version=max(stored.version, memory.version) + 1)
        return "replaced", insert_records.RecordInsert(memory=newer, before=stored.version)

    def _write(
        self, placements: Sequence[insert_records.RecordInsert], there: insert_records.OccupiedIds
    ) -> set[str]:
        """The ids that others were faster with."""
        turns = [one for one in placements if _is_heard(there.records.get(one.memory.id))]
        plain = [one for one in placements if not _is_heard(there.records.get(one.memory.id))]
        errors = insert_records.place_each(self.ports, self.scope, plain, VERB, self.by)
        outcomes = (*zip(plain, errors, strict=True), *self._written_turns(turns, there))
        return {placement.memory.id for placement, error in outcomes if _is_overtaken(error)}

    def _written_turns(
        self, placements: Sequence[insert_records.RecordInsert], there: insert_records.OccupiedIds
    ) -> Iterator[tuple[insert_records.RecordInsert, MemoryLayerError | None]]:
        """Turns of conversations, one by one: those around them forget what they no longer say."""
        for placement in placements:
            change = insert_records.change_of(placement, VERB, self.by, self.ports.clock.now())
            commit = Commit(scope=self.scope, changes=(change,))
            try:
                commit_change(self.ports, commit, there.records[placement.memory.id], self.by)
            except VersionConflict as error:
                yield placement, error


def _is_heard(stored: Memory | None) -> bool:
    return stored is not None and stored.position is not None


def _is_overtaken(error: MemoryLayerError | None) -> bool:
    """Raises: MemoryLayerError: it is another error."""
    if error is not None and not isinstance(error, VersionConflict):
        raise error
    return error is not None


_OWN = ("version", "embedding_model", "embedding_text_hash", "access_count", "last_accessed_at")
"""What a record has of the project that it is in: no difference between two that say the same."""


def _said(memory: Memory) -> str:
    return canonical_json({name: value for name, value in memory_to_json(memory).items() if name not in _OWN})
