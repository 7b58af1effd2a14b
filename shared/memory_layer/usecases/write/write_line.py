"""Line of a batch on its way into the store, and the record as it is then."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from memory_layer.domain.memory import Memory, Ref
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.domain.text.named_sections import stand_apart
from memory_layer.domain.trust import vouches_less
from memory_layer.usecases.write.draft import RecordDraft
from memory_layer.usecases.write.near_duplicates import PendingRecord
from memory_layer.usecases.write.near_verdicts import SimilarMemory
from memory_layer.usecases.write.prepare import RememberRequest


@dataclass(frozen=True, slots=True)
class WriteLine:
    """Request that became a draft, with its place among the results and the record that is to be stored.

    Args:
        taken: near records for which the store refused it so far; it is compared with them before it is sent again.
    """

    position: int
    asked: RememberRequest
    draft: RecordDraft
    entry: PendingRecord
    taken: list[Ref] = field(default_factory=list, compare=False)

    @property
    def memory(self) -> Memory:
        return self.entry.memory

    @property
    def must_be_news(self) -> bool:
        return self.asked.must_be_news(self.memory)

    def meets(self, id: str) -> bool:
        """Notes a record for which the store refused the line. Returns: False: it was compared with that one before."""
        ref = Ref(self.memory.project, id)
        is_new = ref not in self.taken
        self.taken.append(ref)
        return is_new

    def may_repeat(self, known: Memory) -> bool:
        """Tests if the line may say the very same as a record: one that is vouched for less, or that stands apart."""
        return vouches_less(known, self.memory) or stand_apart(known, self.memory)


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """Record as it is now, with the receipt of its writing.

    Args:
        similar: near to it, and saying something else.
        proposed_for: id of the memory in whose place it waits for a reviewer.
    """

    memory: Memory
    redacted: tuple[RedactionFinding, ...] = ()
    is_new: bool = True
    similar: tuple[SimilarMemory, ...] = ()
    proposed_for: str | None = None

    def unquoted(self) -> StoredMemory:
        """The same without words of other memories, for an answer that is kept."""
        return replace(self, similar=tuple(one.unquoted() for one in self.similar))

    @property
    def is_indexed(self) -> bool:
        """True once the record has vectors, and is found by meaning; by its words it is found at once."""
        return self.memory.embedding_model is not None
