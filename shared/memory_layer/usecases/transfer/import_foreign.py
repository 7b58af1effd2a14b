"""Import of another tool's file: through the same gate as every write, and once, however often repeated."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import islice
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.memory import Ref, Scope
from memory_layer.domain.policy import Policy
from memory_layer.errors import ContentTaken, Duplicate, IdTaken, MemoryLayerError
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit, refuse_secret_names
from memory_layer.usecases.ground.change_record import require_admin
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.ground.project_pages import Progress, ignore_progress
from memory_layer.usecases.transfer.foreign_file import ForeignFile, ForeignMemory, ForeignTally
from memory_layer.usecases.transfer.import_learnings import LearningImport
from memory_layer.usecases.write.draft import RecordDraft, suspicion_of_fields
from memory_layer.usecases.write.near_duplicates import (
    PendingBatch,
    PendingRecord,
    StoredNear,
    can_coexist,
    duplicate_error,
    find_twin,
    search_near,
)
from memory_layer.usecases.write.prepare import RememberRequest, prepare_many
from memory_layer.usecases.write.recalled_text import refuse_recalled_text
from memory_layer.usecases.write.remember import Result, StoredMemory, remember_many

CHUNK = 100
"""Memories embedded and compared at once."""

IMPORTED = "imp_"


def import_foreign(
    ports: Ports,
    principal: Principal,
    project: str,
    file: ForeignFile,
    *,
    is_dry_run: bool = False,
    tell: Progress = ignore_progress,
) -> ForeignTally:
    """Stores the contents of a file, part by part; an error in one part does not touch the others.

    Memories that the project knows already are skipped: by their id, which is made of their content, so that a second
    import stores nothing, not even memories archived since; and by the duplicate gate. Learnings are merged with
    known ones of the same identity.

    Args:
        is_dry_run: count, and store nothing; near twins further apart in the file than `CHUNK` are not seen.

    Raises:
        Forbidden: the caller is no admin.
    """
    require_admin(principal, f"an import into project {project}")
    scope, tally = principal.scope(project), ForeignTally(file.size, list(file.refused))
    policy = ports.store.projects.policy(scope)
    refuse_secret_names({"project": project}, policy)
    memories = _MemoryImport(ports, principal, scope, policy, ports.clock.now(), is_dry_run, tally)
    learnings = LearningImport(ports, principal, scope, policy, ports.clock.now(), is_dry_run, tally)
    tell(tally.done, tally.read)
    for chunk in _chunks(file.memories):
        memories.store(chunk)
        tell(tally.done, tally.read)
    learnings.store(file.learnings, tell)
    learnings.stage(file.staged, tell)
    return tally


def _chunks(memories: Sequence[ForeignMemory]) -> Iterator[list[ForeignMemory]]:
    remaining = iter(memories)
    while chunk := list(islice(remaining, CHUNK)):
        yield chunk


@dataclass(frozen=True, slots=True)
class _MemoryImport:
    ports: Ports
    principal: Principal
    scope: Scope
    policy: Policy
    now: datetime
    is_dry_run: bool
    tally: ForeignTally

    def store(self, memories: Sequence[ForeignMemory]) -> None:
        """Stores the memories that are new, and counts the others."""
        asked = self._unknown(list(self._admitted(memories)))
        results = self._tried(asked) if self.is_dry_run else self._remembered(asked)
        for (where, _), result in zip(asked, results, strict=True):
            self._count(where, result)

    def _admitted(self, memories: Sequence[ForeignMemory]) -> Iterator[tuple[str, RememberRequest]]:
        """Makes requests of memories, without secrets, under an id that the same words always have."""
        for memory in memories:
            try:
                admitted = admit(memory.fields, self.policy)
            except MemoryLayerError as error:
                self.tally.refuse(memory.where, error)
            else:
                fields = {"id": self._id(admitted.fields), **admitted.fields}
                if suspicion_of_fields(fields) is not None:  # nobody has weighed every line of the file
                    fields["source"] = "learning"
                yield (
                    memory.where,
                    RememberRequest(fields=fields, redacted=admitted.redacted, keeps_both=True),
                )

    def _id(self, fields: dict[str, Any]) -> str:
        persona = fields.get("persona", self.principal.persona)
        said = canonical_json([persona, fields["content"], fields.get("context")])
        return f"{IMPORTED}{sha256(said.encode()).hexdigest()[:32]}"

    def _unknown(self, asked: Sequence[tuple[str, RememberRequest]]) -> list[tuple[str, RememberRequest]]:
        """Keeps the first request of each id that the project does not have."""
        refs = {Ref(self.scope.project, item.fields["id"]) for _, item in asked}
        known = self.ports.store.memories.get_many(self.scope.tenant, refs, with_bodies=False)
        seen = {ref.id for ref in known}
        unknown = []
        for where, item in asked:
            if item.fields["id"] in seen:
                self.tally.skipped += 1
            else:
                unknown.append((where, item))
                seen.add(item.fields["id"])
        return unknown

    def _remembered(self, asked: Sequence[tuple[str, RememberRequest]]) -> list[Result]:
        return remember_many(self.ports, self.principal, self.scope.project, [item for _, item in asked])

    def _count(self, where: str, result: Result) -> None:
        if isinstance(result, StoredMemory):
            self.tally.stored += 1
            self.tally.quarantined += result.memory.status == "quarantined"
            self.tally.expired += result.memory.has_expired(self.now)
        elif isinstance(result, Duplicate) and result.says_otherwise is not None:
            self.tally.refuse(where, _told(result))
        elif isinstance(result, Duplicate | ContentTaken | IdTaken):
            self.tally.skipped += 1
        else:
            self.tally.refuse(where, result)

    def _tried(self, asked: Sequence[tuple[str, RememberRequest]]) -> list[Result]:
        """Results that `remember_many` would give, for a dry run."""
        batch = [item for _, item in asked]
        prepared = prepare_many(self.ports, self.principal, self.scope, batch, self.policy, self.now)
        good = [item.memory for item in prepared if isinstance(item, RecordDraft)]
        pending = [PendingRecord(*entry) for entry in embed_memories(self.ports.embedder, good)]
        entries = iter(zip(pending, search_near(self.ports, pending, self.now), strict=True))
        earlier = PendingBatch(len(good), self.ports.embedder.dimensions)
        return [
            self._judged(item, *next(entries), earlier) if isinstance(item, RecordDraft) else item
            for item in prepared
        ]

    def _judged(
        self, draft: RecordDraft, entry: PendingRecord, near: StoredNear, earlier: PendingBatch
    ) -> Result:
        twin = find_twin(self.ports, entry, earlier, self.now, near) if entry.memory.is_active else None
        if twin is not None and not can_coexist(twin, entry.memory):
            return duplicate_error(self.principal, entry.memory, twin, self.policy)
        try:
            refuse_recalled_text(self.ports, entry, self.now)
        except MemoryLayerError as error:
            return error
        if draft.displaced is not None:
            return draft.displaced
        earlier.add(entry)
        return StoredMemory(entry.memory)


def _told(otherwise: Duplicate) -> str:
    """Refusal without the words of the other memory: the report of an import outlasts them."""
    id = otherwise.twin.id
    return f"{id} is much like this and says otherwise; supersede {id} by this if it no longer holds"
