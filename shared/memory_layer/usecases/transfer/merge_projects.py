"""Merge of another project's records into this one; the other project stays as it is."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from memory_layer.domain.access import Principal
from memory_layer.domain.duplicates import MERGED_IDS, merge_duplicates
from memory_layer.domain.memory import LABELS_MAX, Memory, Ref, Scope, embedding_text_hash
from memory_layer.domain.policy import Policy
from memory_layer.errors import ContentTaken, Invalid, MemoryLayerError, VersionConflict
from memory_layer.ports.commit import Change, Commit, Vectors
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.change_record import require_admin, retry_on_conflict
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.project_pages import NAMED_MAX, Progress, ignore_progress, whole_pages
from memory_layer.usecases.transfer import insert_records
from memory_layer.usecases.transfer.admit_record import admit_record
from memory_layer.usecases.transfer.all_or_nothing import all_or_nothing
from memory_layer.usecases.transfer.content_lookup import (
    ContentLookup,
    content_digest,
    is_in_use,
    was_taken_out,
)
from memory_layer.usecases.transfer.cycle_check import cycle_closing_records, supersession_links
from memory_layer.usecases.write.commit_change import commit_change

COPIED, MERGED = "copied", "merged"
Fate = Literal["copied", "merged", "known", "refused"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeReport:
    """Counts of the other project's records by result.

    `known`: the id is stored here, or its evidence is. `differing_ids` are known ids under which the two projects say
    different things: this project's record stays. `refused_ids`: ids, each with the reason why it may not come in.
    Both name 1,000 at most.
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
    tell: Progress = ignore_progress,
) -> MergeReport:
    """Merges by id first, where this project's record stays, then by content, uniting evidence; copies the rest.

    All or nothing. A copy keeps its id, version, times and counts; its history begins here. A second merge adds what
    is new since. Content that this project has rejected, archived or superseded comes in archived, under whatever
    id; a copy whose successor was united with a record of this project names that record.

    Args:
        other: the project that is read, of the same tenant.
        is_dry_run: report what would happen, and write nothing.

    Raises:
        Forbidden: the caller is no admin.
        Invalid: the other project is the same one.
    """
    check_merge(principal, project, other)
    work = partial(_merged, principal, project, other, is_dry_run, tell)
    return work(ports) if is_dry_run else all_or_nothing(ports, work)


def _merged(
    principal: Principal, project: str, other: str, is_dry_run: bool, tell: Progress, ports: Ports
) -> MergeReport:
    scope = principal.scope(project)
    merging = _Merging(
        ports, scope, principal.scope(other), principal.name, ports.store.projects.policy(scope), is_dry_run
    )
    for page in whole_pages(ports.store.memories, merging.source, insert_records.CHUNK_RECORDS):
        merging.take(page)
        tell(merging.fates.total(), merging.fates.total())
    merging.take_superseded()
    return merging.report()


def check_merge(principal: Principal, project: str, other: str) -> None:
    """Refuses a merge that may not begin.

    Raises:
        Forbidden, Invalid: as `merge_project`.
    """
    require_admin(principal, f"a merge into project {project}")
    if other == project:
        raise Invalid.at("/from", f"{project} cannot be merged into itself; name another project")


@dataclass
class _Merging:
    """Merges records, a chunk at a time, and counts them."""

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
    _known_content: ContentLookup = field(init=False)
    _superseded: list[str] = field(default_factory=list)
    _united_with: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._known_content = ContentLookup(self.ports, self.scope)

    def report(self) -> MergeReport:
        return MergeReport(
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
        """Merges records; superseded ones wait for `take_superseded`, until their successors have their ids here."""
        self._superseded += [memory.id for memory in memories if memory.superseded_by is not None]
        self._take([memory for memory in memories if memory.superseded_by is None])

    def take_superseded(self) -> None:
        for start in range(0, len(self._superseded), insert_records.CHUNK_RECORDS):
            ids = self._superseded[start : start + insert_records.CHUNK_RECORDS]
            refs = [Ref(self.source.project, id) for id in ids]
            self._take(list(self.ports.store.memories.get_many(self.source.tenant, refs).values()))

    def _take(self, memories: Sequence[Memory]) -> None:
        there = insert_records.stored_under_ids(
            self.ports.store.memories, self.scope, [memory.id for memory in memories]
        )
        moved = [one for memory in memories if (one := self._moved(memory, there)) is not None]
        moved = self._without_rings(moved)
        twins = {memory.id: twin_id for memory in moved if (twin_id := self._twin_of(memory)) is not None}
        self._copy([memory for memory in moved if memory.id not in twins])
        for memory in moved:
            if memory.id in twins:
                self.fates[self._unite(twins[memory.id], memory)] += 1

    def _moved(self, memory: Memory, there: insert_records.StoredUnderIds) -> Memory | None:
        """Record as this project would store it; or None, if it is known or refused, and counted so."""
        stored = there.records.get(memory.id)
        if stored is not None:
            self.fates["known"] += 1
            if stored.content_hash != memory.content_hash and len(self.differing_ids) < NAMED_MAX:
                self.differing_ids.append(memory.id)
            return None
        moved = replace(
            memory,
            project=self.scope.project,
            version=there.version_for(memory),
            superseded_by=self._united_with.get(memory.superseded_by or "", memory.superseded_by),
        )
        try:
            admitted, found = admit_record(moved, self.policy)
        except Invalid as error:
            self._refuse(memory.id, error.detail)
            return None
        self.redacted += bool(found)
        return self._at_rest(admitted)

    def _refuse(self, id: str, why: str) -> None:
        self.fates["refused"] += 1
        if len(self.refused_ids) < NAMED_MAX:
            self.refused_ids.append((id, why))

    def _without_rings(self, memories: Sequence[Memory]) -> list[Memory]:
        """Refuses records that close a cycle of supersessions with those stored here, and returns the others."""
        coming = {memory.id: pairs for memory in memories if (pairs := supersession_links(memory))}
        closing = cycle_closing_records(self.ports.store.memories, self.scope, coming) if coming else {}
        for id in closing:
            self._refuse(id, "closes a ring of corrections with records that are here")
        return [memory for memory in memories if memory.id not in closing]

    def _at_rest(self, memory: Memory) -> Memory:
        """Archives the record if its content was taken out of use here, and no record in use says it."""
        ended_id = self._known_content.ended_twin_of(memory) if self._is_in_use(memory) else None
        return memory if ended_id is None else _out_of_use(memory, ended_id)

    def _twin_of(self, memory: Memory) -> str | None:
        return self._known_content.twin_of(memory) if self._is_in_use(memory) else None

    def _is_in_use(self, memory: Memory) -> bool:
        return is_in_use(memory, self.ports.clock.now())

    def _copy(self, memories: Sequence[Memory]) -> None:
        if self.is_dry_run:
            self.fates["copied"] += len(memories)
            return
        origin = f"copied from project {self.source.project}"
        placements = [
            insert_records.RecordInsert(memory=memory, reason=origin, is_news=self._is_in_use(memory))
            for memory in memories
        ]
        placements = insert_records.with_vectors(self.ports, self._with_known_vectors(placements))
        errors = insert_records.insert_each(self.ports, self.scope, placements, COPIED, self.by)
        for placement, error in zip(placements, errors, strict=True):
            self.fates[self._fate(placement.memory, error)] += 1

    def _with_known_vectors(
        self, placements: Sequence[insert_records.RecordInsert]
    ) -> list[insert_records.RecordInsert]:
        """Gives inserts the vectors of the other project, where model and text are the same."""
        current = self.ports.embedder.model
        ids = [one.memory.id for one in placements if one.memory.embedding_model == current]
        known = self.ports.store.memories.vectors(self.source, ids) if ids else {}
        return [replace(one, vectors=_still_good(one.memory, known)) for one in placements]

    def _fate(self, memory: Memory, error: MemoryLayerError | None) -> Fate:
        """Result of a copy. Raises: MemoryLayerError: the store refused it."""
        if error is None:
            return "copied"
        if isinstance(error, ContentTaken):  # somebody stored the same meanwhile
            return self._unite(error.id, memory)
        if isinstance(error, VersionConflict):  # or another record under this id
            return "known"
        raise error

    def _unite(self, twin_id: str, memory: Memory) -> Fate:
        """Adds a record's evidence, once, to the record here that says the same."""
        if self.is_dry_run:
            twin = self.ports.store.memories.get(self.scope, twin_id)
            self._united_with[memory.id] = twin_id
            return "known" if twin is not None and self._has_taken_in(twin, memory.id) else "merged"
        return retry_on_conflict(lambda: self._united(twin_id, memory))

    def _united(self, twin_id: str, memory: Memory) -> Fate:
        twin, now = self.ports.store.memories.get(self.scope, twin_id), self.ports.clock.now()
        if twin is None or not self._is_in_use(twin) or content_digest(twin) != content_digest(memory):
            is_same = twin is not None and content_digest(twin) == content_digest(memory)
            has_ended = twin is not None and is_same and was_taken_out(twin, now)
            return self._copied_after_all(_out_of_use(memory, twin_id) if has_ended else memory)
        self._united_with[memory.id] = twin_id
        if self._has_taken_in(twin, memory.id):
            return "known"
        united, vectors = self._embedded(twin, merge_duplicates(twin, memory, now))
        change = Change(united, twin.version, MERGED, self.by, now, self._origin(memory.id), vectors=vectors)
        commit_change(self.ports, Commit(scope=self.scope, changes=(change,)), twin, self.by)
        return "merged"

    def _copied_after_all(self, memory: Memory) -> Fate:
        (placement,) = insert_records.with_vectors(self.ports, [insert_records.RecordInsert(memory=memory)])
        (error,) = insert_records.insert_each(self.ports, self.scope, [placement], COPIED, self.by)
        return self._fate(memory, error)

    def _embedded(self, twin: Memory, united: Memory) -> tuple[Memory, Vectors | None]:
        """Embeds a merged record if its context changed; otherwise the stored vectors stay."""
        if united.context != twin.context:
            ((embedded, vectors),) = embed_memories(self.ports.embedder, [united])
            return embedded, vectors
        stamps = {name: getattr(twin, name) for name in ("embedding_model", "embedding_text_hash")}
        return replace(united, **stamps), None

    def _has_taken_in(self, twin: Memory, id: str) -> bool:
        """True if its history has the merge: ids alone are not unique across projects, and fall off a full list."""
        ids = twin.detail.get(MERGED_IDS) or ()
        if id not in ids and len(ids) < LABELS_MAX:
            return False
        origin = self._origin(id)
        return any(version.reason == origin for version in self.ports.store.history.of(self.scope, twin.id))

    def _origin(self, id: str) -> str:
        return f"united with {id} of project {self.source.project}"


def _still_good(memory: Memory, known: dict[str, Vectors]) -> Vectors | None:
    """Known vectors of a record, unless redaction has changed its text."""
    is_same = memory.embedding_text_hash == embedding_text_hash(memory.content, memory.context)
    return known.get(memory.id) if is_same else None


def _out_of_use(memory: Memory, ended_id: str) -> Memory:
    reason = f"{ended_id} says the same, and was taken out of use here"
    return replace(memory, status="archived", status_reason=reason)
