"""Verification of everything that a project stores, with a report of broken parts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from memory_layer.domain.access import Principal
from memory_layer.domain.integrity.digests import manifest_digest, manifest_line
from memory_layer.domain.integrity.verification import BrokenPart, StoredRecord, broken_parts
from memory_layer.domain.memory import Scope
from memory_layer.errors import DamagedSettings, StoreUnavailable
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.audit_log import broken_sentence, check_chain
from memory_layer.usecases.ground.change_record import require_admin
from memory_layer.usecases.ground.project_pages import Progress, ignore_progress
from memory_layer.usecases.ground.stored_state import (
    id_in,
    kept_records,
    newest_lines,
    sort_key_of,
    version_in,
)
from memory_layer.usecases.transfer.snapshot_files import DamagedSnapshot, SnapshotFiles
from memory_layer.usecases.transfer.sorted_lines import SortedLines

BROKEN_MAX = 10_000
"""Broken parts named at most; more are counted."""

LOOKED_FOR_TOGETHER = 200


@dataclass(frozen=True, slots=True)
class VerificationReport:
    """Findings of a verification.

    Args:
        checked: number of records that were read.
        unsealed: number of ids, and of rows beside records, older than digests: damage to those may not show.
        broken: by id; `broken_count` may be more than are named.
        manifest: SHA-256 of the project: over (id, version, digest) of each record, in order.
        compared_with: id of the snapshot whose records all had to be there still; None: there is none.
        broken_count: number of the broken parts.
    """

    is_valid: bool
    checked: int
    unsealed: int
    broken: tuple[BrokenPart, ...]
    broken_count: int
    manifest: str
    compared_with: str | None


def verify(
    ports: Ports, principal: Principal, project: str, *, tell: Progress = ignore_progress
) -> VerificationReport:
    """Checks every record and all rows beside it, page by page; concurrent writes may be missed.

    Records of the last snapshot have to be there still, at that version or a later one, or to have been erased: so a
    record that no list knows any more is noticed.

    Raises:
        Forbidden: the caller is no admin.
        StoreUnavailable: the store cannot be read, and for another reason than damage that it reports.
    """
    require_admin(principal, f"verifying project {project}")
    scope = principal.scope(project)
    with closing(SortedLines()) as lines:
        reading = _Reading(ports, scope, lines)
        damage = ports.store.integrity.damage()
        reading.note(BrokenPart("", None, "file", what) for what in damage)
        reading.look_at_settings()
        try:
            reading.read_all(tell)
            reading.look_beside()
        except StoreUnavailable as error:
            if not damage:
                raise
            reading.note([BrokenPart("", None, "file", f"not everything could be read: {error.detail}")])
        compared_with = reading.look_for_lost()
        return reading.result(compared_with)


@dataclass(slots=True)
class _Reading:
    """State of a verification: its findings so far."""

    ports: Ports
    scope: Scope
    lines: SortedLines
    broken: dict[BrokenPart, None] = field(default_factory=dict)
    broken_count: int = 0
    unsealed: int = 0

    def note(self, found: Iterable[BrokenPart]) -> None:
        for one in found:
            if one not in self.broken:
                self.broken_count += 1
                if len(self.broken) < BROKEN_MAX:
                    self.broken[one] = None

    def look_at_settings(self) -> None:
        try:
            self.ports.store.projects.policy(self.scope)
        except DamagedSettings as error:
            self.note([BrokenPart("", None, "settings", error.detail)])

    def read_all(self, tell: Progress) -> None:
        done = 0
        for page in kept_records(self.ports.store.integrity, self.scope, with_history=True):
            self.look_at(page)
            done += len(page)
            tell(done, done)

    def look_beside(self) -> None:
        for beside in self.ports.store.integrity.beside(self.scope):
            if beside.broken is None:
                self.unsealed += 1
            else:
                self.note([beside.broken])
        broken = check_chain(self.ports, self.scope).broken
        if broken is not None:
            self.note([BrokenPart("", None, "audit", broken_sentence(self.scope, broken))])

    def look_at(self, page: Sequence[StoredRecord]) -> None:
        found = self._broken(page)
        self.note(self._still_broken(found) if found else ())
        for kept in page:
            self.unsealed += kept.is_unsealed + kept.unsealed_beside
            if kept.is_there:
                version = kept.memory.version if kept.memory else 0
                digest = kept.seal.found if kept.seal else "unreadable"
                self.lines.add(manifest_line(kept.id, version, digest))

    def _still_broken(self, found: Mapping[str, list[BrokenPart]]) -> Iterator[BrokenPart]:
        """Broken parts that are so when read again, too: a write may come between the reads of record and history."""
        again = {kept.id: kept for kept in self.ports.store.integrity.kept_under(self.scope, found)}
        now = self._broken(list(again.values()))
        for id, broken in found.items():
            kept = again.get(id)
            is_known = kept is not None and (kept.is_there or kept.versions or kept.erased_at)
            yield from (one for one in broken if not is_known or one in now.get(id, ()))

    def _broken(self, page: Sequence[StoredRecord]) -> dict[str, list[BrokenPart]]:
        """Broken parts by id, without sound ids."""
        model, dimensions = self.ports.embedder.model, self.ports.embedder.dimensions
        found = {kept.id: list(broken_parts(kept, model=model, dimensions=dimensions)) for kept in page}
        for flaw in self.ports.store.integrity.body_flaws(self.scope, page):
            found[flaw.id].append(flaw)
        return {id: broken for id, broken in found.items() if broken}

    def look_for_lost(self) -> str | None:
        """Compares with the newest sound snapshot, and returns its id; damaged ones are reported, and passed over."""
        files = SnapshotFiles(self.ports.blobs, self.scope)
        for snapshot in files.all():
            try:
                files.check(snapshot)
            except DamagedSnapshot as error:
                self.note([BrokenPart("", None, "file", f"snapshot {snapshot.id} is damaged: {error}")])
                continue
            self._look_for(files.lines(snapshot, snapshot.lists), snapshot.id)
            return snapshot.id
        return None

    def _look_for(self, known: Iterable[str], snapshot_id: str) -> None:
        lost: dict[str, int] = {}
        for id, version in _not_found(known, newest_lines(self.lines)):
            lost[id] = version
            if len(lost) == LOOKED_FOR_TOGETHER:
                self._name(lost, snapshot_id)
                lost = {}
        self._name(lost, snapshot_id)

    def _name(self, lost: dict[str, int], snapshot_id: str) -> None:
        """Notes lost records. Args: lost: snapshot's versions by id, of ids that no list has or has at an older one."""
        for kept in self.ports.store.integrity.kept_under(self.scope, lost) if lost else ():
            version = lost[kept.id]
            if kept.is_there:
                self.note(self._broken([kept]).get(kept.id, ()))
            if kept.memory is not None and kept.memory.version < version:
                what = f"is older than in snapshot {snapshot_id}, which has version {version}"
                self.note([BrokenPart(kept.id, kept.memory.version, "record", what)])
            elif not kept.is_there and (kept.erased_at or 0) <= version:
                what = f"is gone, though nobody erased it: snapshot {snapshot_id} has it"
                self.note([BrokenPart(kept.id, version, "record", what)])

    def result(self, compared_with: str | None) -> VerificationReport:
        return VerificationReport(
            is_valid=self.broken_count == 0,
            checked=sum(1 for _ in newest_lines(self.lines)),
            unsealed=self.unsealed,
            broken=tuple(sorted(self.broken, key=lambda one: (one.id, one.version or 0))),
            broken_count=self.broken_count,
            manifest=manifest_digest(newest_lines(self.lines)),
            compared_with=compared_with,
        )


def _not_found(known: Iterable[str], present: Iterator[str]) -> Iterator[tuple[str, int]]:
    """Known records that are not present, or in an older version. Args: known, present: sorted by id."""
    here = next(present, None)
    for line in known:
        while here is not None and sort_key_of(here) < sort_key_of(line):
            here = next(present, None)
        if here is None or sort_key_of(here) != sort_key_of(line) or version_in(here) < version_in(line):
            yield id_in(line), version_in(line)
