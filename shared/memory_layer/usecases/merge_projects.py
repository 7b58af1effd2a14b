"""Bring what another project knows into this one; the other one is left as it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Literal

from memory_layer.domain.access import Principal
from memory_layer.domain.duplicates import MERGED_IDS, merge
from memory_layer.domain.memory import LABELS_MAX, Memory, Scope, embedding_text_hash
from memory_layer.domain.policy import Policy
from memory_layer.errors import ContentTaken, Forbidden, Invalid, MemoryLayerError, VersionConflict
from memory_layer.ports import Change, Commit, Ports, Vectors
from memory_layer.usecases.admitted_record import admit_record
from memory_layer.usecases.changing import until_written
from memory_layer.usecases.echoes import commit_change
from memory_layer.usecases.embedding import embed_memories
from memory_layer.usecases.every_record import every_record, record_pages
from memory_layer.usecases.placing import (
    CHUNK_RECORDS,
    Occupied,
    Placement,
    occupied,
    place_each,
    with_vectors,
)
from memory_layer.usecases.progress import NAMED_MAX, Progress, untold

COPIED, MERGED = "copied", "merged"
Fate = Literal["copied", "merged", "known", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """What became of the other project's records.

    `known`: its id is there, or its evidence is. `differing_ids` are known ids under which the two projects say
    different things: this project's stays. `refused`: ids, with what this project does not let in. Both name 1,000
    at most.
    """

    is_dry_run: bool
    records: int
    copied: int
    merged: int
    known: int
    redacted: int
    refused: int
    differing_ids: tuple[str, ...]
    refused_ids: tuple[tuple[str, str], ...]


def merge_project(
    ports: Ports,
    principal: Principal,
    project: str,
    other: str,
    *,
    is_dry_run: bool = False,
    tell: Progress = untold,
) -> Merged:
    """By id first, where this project's record stays; then by content, where the evidence is united; copy the rest.

    A copy keeps its id, version, times and counts; its history begins here. A second merge adds what is new since.

    Args:
        other: the project that is read, of the same tenant.
        is_dry_run: say what would happen, and write nothing.

    Raises:
        Forbidden: the caller is no admin.
        Invalid: it is the same project.
    """
    check_merge(principal, project, other)
    scope = principal.scope(project)
    merging = _Merging(
        ports, scope, principal.scope(other), principal.name, ports.store.policy(scope), is_dry_run
    )
    for page in record_pages(ports.store, merging.source, CHUNK_RECORDS):
        merging.take(page)
        tell(merging.fates.total(), merging.fates.total())
    return merging.report()


def check_merge(principal: Principal, project: str, other: str) -> None:
    """Whether there is anything to begin.

    Raises:
        Forbidden, Invalid: as `merge_project`.
    """
    if not principal.is_admin:
        raise Forbidden(f"a merge into project {project} is an admin's; ask one")
    if other == project:
        raise Invalid.at("/from", f"{project} cannot be merged into itself; name another project")


@dataclass
class _Merging:
    """Takes records in, a chunk at a time, and counts."""

    ports: Ports
    scope: Scope
    source: Scope
    by: str
    policy: Policy
    is_dry_run: bool
    fates: Counter[Fate] = field(default_factory=Counter)
    redacted: int = 0
    differing_ids: list[str] = field(default_factory=list)
    refused_ids: list[tuple[str, str]] = field(default_factory=list)
    _in_use: dict[bytes, str] | None = None  # who says what

    def report(self) -> Merged:
        return Merged(
            is_dry_run=self.is_dry_run,
            records=self.fates.total(),
            copied=self.fates["copied"],
            merged=self.fates["merged"],
            known=self.fates["known"],
            redacted=self.redacted,
            refused=self.fates["refused"],
            differing_ids=tuple(self.differing_ids),
            refused_ids=tuple(self.refused_ids),
        )

    def take(self, memories: Sequence[Memory]) -> None:
        there = occupied(self.ports.store, self.scope, [memory.id for memory in memories])
        moved = [one for memory in memories if (one := self._moved(memory, there)) is not None]
        twins = {memory.id: twin_id for memory in moved if (twin_id := self._twin_of(memory)) is not None}
        self._copy([memory for memory in moved if memory.id not in twins])
        for memory in moved:
            if memory.id in twins:
                self.fates[self._unite(twins[memory.id], memory)] += 1

    def _moved(self, memory: Memory, there: Occupied) -> Memory | None:
        """The record as this project would have it; or None, and it is counted."""
        stored = there.records.get(memory.id)
        if stored is not None:
            self.fates["known"] += 1
            if stored.content_hash != memory.content_hash and len(self.differing_ids) < NAMED_MAX:
                self.differing_ids.append(memory.id)
            return None
        moved = replace(memory, project=self.scope.project, version=there.version_for(memory))
        try:
            admitted, found = admit_record(moved, self.policy)
        except Invalid as error:
            self.fates["refused"] += 1
            if len(self.refused_ids) < NAMED_MAX:
                self.refused_ids.append((memory.id, error.detail))
            return None
        self.redacted += bool(found)
        return admitted

    def _twin_of(self, memory: Memory) -> str | None:
        """Which record says the same to the same persona; from now on it is this one, if there was none."""
        if not self._is_in_use(memory):
            return None
        twin_id = self._said_already().setdefault(_says(memory), memory.id)
        return None if twin_id == memory.id else twin_id

    def _said_already(self) -> dict[bytes, str]:
        """What this project's records in use say, and at which id: read once, or every record were a question."""
        if self._in_use is None:
            records = every_record(self.ports.store, self.scope)
            self._in_use = {_says(memory): memory.id for memory in records if self._is_in_use(memory)}
        return self._in_use

    def _is_in_use(self, memory: Memory) -> bool:
        return memory.is_active and not memory.has_expired(self.ports.clock.now())

    def _copy(self, memories: Sequence[Memory]) -> None:
        if self.is_dry_run:
            self.fates["copied"] += len(memories)
            return
        origin = f"copied from project {self.source.project}"
        placements = [
            Placement(memory=memory, reason=origin, is_news=self._is_in_use(memory)) for memory in memories
        ]
        placements = with_vectors(self.ports, self._with_known_vectors(placements))
        errors = place_each(self.ports, self.scope, placements, COPIED, self.by)
        for placement, error in zip(placements, errors, strict=True):
            self.fates[self._fate(placement.memory, error)] += 1

    def _with_known_vectors(self, placements: Sequence[Placement]) -> list[Placement]:
        """Those of the other project, where they are of the same model and of the same text."""
        current = self.ports.embedder.model
        ids = [one.memory.id for one in placements if one.memory.embedding_model == current]
        known = self.ports.store.vectors(self.source, ids) if ids else {}
        return [replace(one, vectors=_still_good(one.memory, known)) for one in placements]

    def _fate(self, memory: Memory, error: MemoryLayerError | None) -> Fate:
        """What became of a copy that was tried. Raises: MemoryLayerError: the store did not take it."""
        if error is None:
            return "copied"
        if isinstance(error, ContentTaken):  # somebody stored the same meanwhile
            return self._unite(error.id, memory)
        if isinstance(error, VersionConflict):  # or another one under this id
            return "known"
        raise error

    def _unite(self, twin_id: str, memory: Memory) -> Fate:
        """The evidence of both at the record that says the same, once."""
        if self.is_dry_run:
            twin = self.ports.store.get(self.scope, twin_id)
            return "known" if twin is not None and self._has_taken_in(twin, memory.id) else "merged"
        return until_written(lambda: self._united(twin_id, memory))

    def _united(self, twin_id: str, memory: Memory) -> Fate:
        twin, now = self.ports.store.get(self.scope, twin_id), self.ports.clock.now()
        if twin is None or not self._is_in_use(twin) or _says(twin) != _says(memory):
            return self._copied_after_all(memory)
        if self._has_taken_in(twin, memory.id):
            return "known"
        united, vectors = self._embedded(twin, merge(twin, memory, now))
        change = Change(united, twin.version, MERGED, self.by, now, self._origin(memory.id), vectors=vectors)
        commit_change(self.ports, Commit(scope=self.scope, changes=(change,)), twin, self.by)
        return "merged"

    def _copied_after_all(self, memory: Memory) -> Fate:
        (placement,) = with_vectors(self.ports, [Placement(memory=memory)])
        (error,) = place_each(self.ports, self.scope, [placement], COPIED, self.by)
        return self._fate(memory, error)

    def _embedded(self, twin: Memory, united: Memory) -> tuple[Memory, Vectors | None]:
        """The content is the same; where the context is too, the vectors that are stored stay."""
        if united.context != twin.context:
            ((embedded, vectors),) = embed_memories(self.ports.embedder, [united])
            return embedded, vectors
        stamps = {name: getattr(twin, name) for name in ("embedding_model", "embedding_text_hash")}
        return replace(united, **stamps), None

    def _has_taken_in(self, twin: Memory, id: str) -> bool:
        """By its history: another project may have had another record under this id, and ids fall off a full list."""
        ids = twin.detail.get(MERGED_IDS) or ()
        if id not in ids and len(ids) < LABELS_MAX:
            return False
        origin = self._origin(id)
        return any(version.reason == origin for version in self.ports.store.history(self.scope, twin.id))

    def _origin(self, id: str) -> str:
        return f"united with {id} of project {self.source.project}"


def _still_good(memory: Memory, known: dict[str, Vectors]) -> Vectors | None:
    """Unless redaction has changed the text."""
    is_same = memory.embedding_text_hash == embedding_text_hash(memory.content, memory.context)
    return known.get(memory.id) if is_same else None


def _says(memory: Memory) -> bytes:
    """Sixteen bytes for content and persona: one is kept for each record in use."""
    return sha256(f"{memory.content_hash}\0{memory.persona or ''}".encode()).digest()[:16]
