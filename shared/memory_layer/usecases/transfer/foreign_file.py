"""Contents of a file that another tool wrote, and the tally of their import."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory_layer.domain.learning.staging import Learning, StagedStatus


@dataclass(frozen=True, slots=True)
class ForeignRefusal:
    """Part that is not stored: its line or JSON pointer in the file, and the reason in words."""

    where: str
    problem: str


@dataclass(frozen=True, slots=True)
class ForeignMemory:
    """Memory to store, with its place in the file. Args: fields: those that a caller may set."""

    where: str
    fields: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignLearning:
    """Learning with the id, the age and the use that it had elsewhere."""

    where: str
    file_id: str
    learning: Learning
    created_at: datetime
    updated_at: datetime
    use_count: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignStaged:
    """Staged learning with the status that it had elsewhere."""

    where: str
    file_id: str
    learning: Learning
    status: StagedStatus
    rejection_reason: str | None
    staged_at: datetime
    validated_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignFile:
    """Contents of a file; `refused`: parts that make no memory."""

    memories: tuple[ForeignMemory, ...] = ()
    learnings: tuple[ForeignLearning, ...] = ()
    staged: tuple[ForeignStaged, ...] = ()
    refused: tuple[ForeignRefusal, ...] = ()

    @property
    def size(self) -> int:
        return len(self.memories) + len(self.learnings) + len(self.staged) + len(self.refused)


@dataclass(slots=True)
class ForeignTally:
    """Counts of a file's parts by result; `quarantined` and `expired` (before the import) count among `stored`."""

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
