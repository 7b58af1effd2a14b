"""Import of memories of another tool's file: through the same gate as every write, and once, however often repeated."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any

from memory_layer.domain.access import Principal
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.memory import Memory, Ref, Scope
from memory_layer.domain.policy import Policy
from memory_layer.domain.text.classification import first_sentence
from memory_layer.domain.text.heading_places import places_of, with_place
from memory_layer.domain.text.line_order import is_file, without_number
from memory_layer.domain.text.named_sections import REPEATED_STEP
from memory_layer.errors import ContentTaken, Duplicate, IdTaken, MemoryLayerError, RecalledText
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.admission import admit
from memory_layer.usecases.ground.embed import embed_memories
from memory_layer.usecases.transfer.followed_file import (
    IMPORTED,
    Asked,
    FollowedFile,
    is_others_claim,
    repeated_step_id,
    was_retired_by_its_file,
)
from memory_layer.usecases.transfer.foreign_file import (
    ForeignMemory,
    ForeignTally,
    HeldPart,
    RedactedPart,
)
from memory_layer.usecases.transfer.repeated_steps import as_repeated_step
from memory_layer.usecases.write.draft import RecordDraft
from memory_layer.usecases.write.near_duplicates import (
    PendingBatch,
    PendingRecord,
    StoredNear,
    find_twin,
    search_near,
)
from memory_layer.usecases.write.near_verdicts import near_error
from memory_layer.usecases.write.prepare import RememberRequest, prepare_many
from memory_layer.usecases.write.recalled_text import refuse_recalled_text
from memory_layer.usecases.write.remember import Result, StoredMemory, remember_many
from memory_layer.usecases.write.screening import suspicion_of_fields


@dataclass(frozen=True, slots=True)
class MemoryImport:
    """Import of memories through the duplicate gate.

    Args:
        tally: counts the result of each.
        file: they are lines of; None: of one that is not followed.
        gone: memories of the file that it says no more, by id: a line that has such a twin is its new wording.
        reworded: such lines, with that memory.
        steps: places of lines that are items of numbered lists.
    """

    ports: Ports
    principal: Principal
    scope: Scope
    policy: Policy
    now: datetime
    is_dry_run: bool
    tally: ForeignTally
    file: FollowedFile | None = None
    gone: dict[str, Memory] = field(default_factory=dict)
    reworded: list[tuple[Asked, Memory]] = field(default_factory=list)
    steps: set[str] = field(default_factory=set)

    def store(self, memories: Sequence[ForeignMemory]) -> None:
        """Stores the memories that are new, and counts the others."""
        self.store_new(self.admitted(memories))

    def move(self, where: str, do: Callable[[], object]) -> None:
        """Puts a stored memory elsewhere, and counts it."""
        try:
            if not self.is_dry_run:
                do()
            self.tally.moved += 1
        except MemoryLayerError as error:
            self.tally.refuse(where, error)

    def store_new(self, asked: Sequence[Asked]) -> None:
        """Stores what is asked for, unless the project knows it; a step of a second procedure is news of that one."""
        new, repeated = self._unknown(asked), list[Asked]()
        results = self._tried(new) if self.is_dry_run else self._remembered(new)
        for (where, item), result in zip(new, results, strict=True):
            own = self.as_repeated_step((where, item), result)
            if own is None:
                self._count(where, item, result)
            else:
                repeated.append(own)
        if repeated:
            self.store_new(repeated)

    def as_repeated_step(self, one: Asked, result: object) -> Asked | None:
        """Request of a step that was refused for what its file says under another heading; None: of any other line."""
        if self.file is None or one[0] not in self.steps or not isinstance(result, Duplicate):
            return None
        return None if self._is_gone(result.twin) else as_repeated_step(one, result.twin, self.file.name)

    def admitted(self, memories: Sequence[ForeignMemory]) -> list[Asked]:
        """Requests of memories, the first of each id."""
        self.steps.update(memory.where for memory in memories if memory.is_step)
        return self._first_of_each(list(self._admitted(memories)))

    def _admitted(self, memories: Sequence[ForeignMemory]) -> Iterator[Asked]:
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
                said_at = fields.get("said_at")
                if said_at is not None and said_at > self.now:  # a heading may date what is planned
                    fields["said_at"] = None
                yield (
                    memory.where,
                    RememberRequest(fields=fields, redacted=admitted.redacted, keeps_both=True),
                )

    def _id(self, fields: Mapping[str, Any], *again: int) -> str:
        persona = fields.get("persona", self.principal.persona)
        said = canonical_json([persona, fields["content"], fields.get("context"), *again])
        return f"{IMPORTED}{sha256(said.encode()).hexdigest()[:32]}"

    def _first_of_each(self, asked: Sequence[Asked]) -> list[Asked]:
        """Keeps the first request of each id, and names the others with its place."""
        first: dict[str, str] = {}
        kept = []
        for where, item in asked:
            id = item.fields["id"]
            if id in first:
                self.tally.skip(where, f"says the same as {first[id]}")
            else:
                first[id] = where
                kept.append((where, item))
        return kept

    def _unknown(self, asked: Sequence[Asked]) -> list[Asked]:
        """Keeps the requests whose words the project does not have, or lost by an edit of their file."""
        known, file = self.known([item.fields["id"] for _, item in asked]), self.file
        unknown = []
        for where, item in asked:
            id, memory = self._not_taken(item.fields, known.get(item.fields["id"]))
            if file is not None and memory is not None and was_retired_by_its_file(memory):
                id, memory = self.free_id(item.fields), None
            if memory is None:
                unknown.append((where, replace(item, fields={**item.fields, "id": id})))
            elif file is not None and memory.is_active:
                self.move(where, partial(file.adopt, memory, item.fields.get("context")))
            else:
                state = "" if memory.is_active else f", and is {memory.status}"
                self.tally.skip(where, f"{memory.id} has said this since an earlier import{state}")
        return unknown

    def _not_taken(self, fields: Mapping[str, Any], memory: Memory | None) -> tuple[str, Memory | None]:
        """First id of a line that nobody else took, with the memory that an import made under it.

        Args:
            memory: the one under the first of its ids.
        """
        id: str = fields["id"]
        again = 0
        while memory is not None and self._is_taken(memory, fields):
            again += 1
            id = self._id(fields, again)
            memory = self.known([id]).get(id)
        return id, memory

    def _is_taken(self, memory: Memory, fields: Mapping[str, Any]) -> bool:
        """Tells if somebody else wrote under an id of a line what nobody vouches for.

        A line that waits for a reviewer, which nobody vouches for yet, may be another admin's that says just the same.
        """
        is_persons = not self.principal.is_agent and fields.get("source", "human") == "human"
        is_other = is_persons or not _says_just(memory, fields)
        return is_other and is_others_claim(self.principal, memory)

    def known(self, ids: Collection[str]) -> dict[str, Memory]:
        """Memories that have these ids, of every status."""
        refs = {Ref(self.scope.project, id) for id in ids}
        found = self.ports.store.memories.get_many(self.scope.tenant, refs, with_bodies=False)
        return {ref.id: memory for ref, memory in found.items()}

    def free_id(self, fields: Mapping[str, Any]) -> str:
        """Id of a line; if a memory that its file retired has that, the next one that is free."""
        id: str = fields["id"]
        is_repeated, again = id.startswith(REPEATED_STEP), 0
        while self.known([id]):
            again += 1
            id = self._id(fields, again)
            id = repeated_step_id(self.file.name, id) if is_repeated and self.file is not None else id
        return id

    def _remembered(self, asked: Sequence[Asked]) -> list[Result]:
        return remember_many(self.ports, self.principal, self.scope.project, [item for _, item in asked])

    def _count(self, where: str, item: RememberRequest, result: Result) -> None:
        if isinstance(result, StoredMemory):
            self.tally.stored += 1
            self._tell_of(where, item, result.memory)
            self.tally.expired += result.memory.has_expired(self.now)
        elif isinstance(result, Duplicate) and self._is_gone(result.twin):
            self.reworded.append(((where, item), self.gone.pop(result.twin.id)))
        elif isinstance(result, Duplicate):
            self._skip_twin(where, item, result)
        elif isinstance(result, ContentTaken | IdTaken | RecalledText):
            self.tally.skip(where, str(result))
        else:
            self.tally.refuse(where, result)

    def _is_gone(self, memory: Memory) -> bool:
        """Tests if the file says a memory no more, and no other file does."""
        return memory.id in self.gone and self.file is not None and not self.file.is_said_elsewhere(memory)

    def _tell_of(self, where: str, item: RememberRequest, memory: Memory) -> None:
        """Names a new memory that waits for a reviewer, or out of which something was taken."""
        self.tally.quarantined += memory.status == "quarantined"
        if memory.status in ("quarantined", "pending"):
            self.tally.held.append(HeldPart(where, memory.id, memory.status_reason or memory.status))
        if item.redacted:
            kinds = tuple(dict.fromkeys(finding.kind for finding in item.redacted))
            self.tally.redacted.append(RedactedPart(where, kinds))

    def _skip_twin(self, where: str, item: RememberRequest, twin: Duplicate) -> None:
        """Names a line that is known; what another file says in the same words is noted as this one's too."""
        known, file, place = twin.twin, self.file, item.fields.get("context")
        is_of_file = any(map(is_file, known.tags)) and known.content == item.fields["content"]
        if file is None or not is_of_file:
            self.tally.skip(where, says_the_same(twin))
        elif file.name not in known.tags or with_place(known.context, place) != known.context:
            self.move(where, partial(file.adopt, known, place))
        elif place in places_of(known.context):
            self.tally.unchanged += 1
        else:
            self.tally.skip(where, says_the_same(twin))

    def _tried(self, asked: Sequence[Asked]) -> list[Result]:
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
        if twin is not None and twin.is_same:
            return near_error(self.ports, self.principal, entry.memory, twin, self.policy)
        try:
            refuse_recalled_text(self.ports, entry, self.now)
        except MemoryLayerError as error:
            return error
        if draft.displaced is not None:
            return draft.displaced
        earlier.add(entry)
        return StoredMemory(entry.memory)


def _says_just(memory: Memory, fields: Mapping[str, Any]) -> bool:
    """Tests if a memory says a line, and nothing beside it that would be taken for the line's once it is approved."""
    content, detail = fields["content"], without_number(fields.get("detail") or {})
    summary, entities = fields.get("summary") or first_sentence(content), fields.get("entities") or ()
    line = (content, fields.get("context"), summary, detail, tuple(entities))
    said = memory.content, memory.context, memory.summary, without_number(memory.detail), memory.entities
    return said == line


def says_the_same(twin: Duplicate) -> str:
    """Reason for which a line with a twin is not stored."""
    return f"{twin.twin.id} says this already (similarity {twin.similarity:.3f})"
