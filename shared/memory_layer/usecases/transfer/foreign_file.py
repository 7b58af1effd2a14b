"""What a file that another tool wrote holds, once it was read; and what became of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_layer.domain.learning.staging import Learning, StagedStatus


@dataclass(frozen=True, slots=True)
class ForeignRefusal:
    """A part that is not stored: its line or JSON pointer in the file, and why, in words."""

    where: str
    problem: str


@dataclass(frozen=True, slots=True)
class ForeignMemory:
    """A memory to be, and where it stands in the file. Args: fields: what a caller may say of a memory."""

    where: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignLearning:
    """A learning with the name, the age and the use that it had elsewhere."""

    where: str
    file_id: str
    learning: Learning
    created_at: datetime
    updated_at: datetime
    use_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignStaged:
    """A learning on its way elsewhere, as far as it had come."""

    where: str
    file_id: str
    learning: Learning
    status: StagedStatus
    rejection_reason: str | None
    staged_at: datetime
    validated_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignFile:
    """Everything in a file; `refused` is what no memory can be made of."""

    memories: tuple[ForeignMemory, ...] = ()
    learnings: tuple[ForeignLearning, ...] = ()
    staged: tuple[ForeignStaged, ...] = ()
    refused: tuple[ForeignRefusal, ...] = ()

    @property
    def size(self) -> int:
        return len(self.memories) + len(self.learnings) + len(self.staged) + len(self.refused)


@dataclass(slots=True)
class ForeignTally:
    """What became of the parts of a file; `quarantined` and `expired`, over when it came, count among `stored`."""

    read: int
    refused: list[ForeignRefusal]
    stored: int = 0
    quarantined: int = 0
    expired: int = 0
    merged: int = 0
    skipped: int = 0

    def refuse(self, where: str, problem: object) -> None:
        self.refused.append(ForeignRefusal(where, str(problem)))

    @property
    def done(self) -> int:
        return self.stored + self.merged + self.skipped + len(self.refused)
