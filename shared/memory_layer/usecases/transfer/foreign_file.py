"""Contents of a file that another tool wrote, and the tally of their import."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from memory_layer.domain.learning.staging import Learning, StagedStatus


@dataclass(frozen=True, slots=True)
class ForeignRefusal:
    """Part that is not stored: its line or JSON pointer in the file, and the reason in words.

    Args:
        problem: the reason in words.
    """

    where: str
    problem: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Line that is not stored as a memory of its own: its place in the file, and the reason in words.

    Args:
        reason: why it is not stored by itself, in words.
    """

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class HeldPart:
    """Part that is stored, and waits for a reviewer: its place in the file, its memory's id, and the reason in words.

    Args:
        id: of the memory.
        reason: why it waits, in words.
    """

    where: str
    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class RedactedPart:
    """Part out of which something was taken before it was stored: its place in the file, and the kinds of it.

    Args:
        kinds: of what was taken out, each once.
    """

    where: str
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ChangedLine:
    """Line whose earlier wording is superseded: its place in the file, the id of the new wording and of the old one.

    Args:
        id: id of the new wording.
        supersedes: id of the old wording.
    """

    where: str
    id: str
    supersedes: str


@dataclass(frozen=True, slots=True)
class ForeignMemory:
    """Memory to store, with its place in the file.

    Args:
        fields: those that a caller may set.
        is_step: an item of a numbered list.
    """

    where: str
    fields: Mapping[str, Any]
    is_step: bool = False


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
    """Contents of a file; `refused`: parts that make no memory; `left_out`: lines that say nothing.

    `name` is the tag of its memories, by which a later import of the file finds them again; None: it is not followed.
    `is_whole`: it comes in whole or not at all, as a file with a name does.
    """

    name: str | None = None
    memories: tuple[ForeignMemory, ...] = ()
    learnings: tuple[ForeignLearning, ...] = ()
    staged: tuple[ForeignStaged, ...] = ()
    refused: tuple[ForeignRefusal, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    is_whole: bool = False

    @property
    def is_one_batch(self) -> bool:
        """Tells whether its parts are there together or not at all."""
        return self.is_whole or self.name is not None

    @property
    def size(self) -> int:
        return len(self.memories) + len(self.learnings) + len(self.staged) + len(self.refused)


@dataclass(slots=True, kw_only=True)
class ForeignTally:
    """Result of an import of another tool's file: counts of its parts, and every line that is not stored.

    Args:
        read: parts that say something.
        refused: parts that are wrong, or may not be stored.
        stored: new memories.
        quarantined: of these, those that wait for review.
        expired: of these, those that are over.
        merged: learnings that were united with known ones.
        skipped: parts that are known already; `left_out` names each.
        changed: parts that superseded the memory of the line's earlier wording.
        changed_lines: each of these, with the ids of both wordings.
        moved: memories that stand under another heading, or in this file too, now.
        unchanged: memories that the file says as before.
        gone: ids of memories that the file says no more.
        pruned: how many of these were archived.
        kept: of these, those that were not, though it was asked for: approved, pinned, or said by another file.
        left_out: every line that is not stored as a memory of its own, with the reason.
        held: new memories that wait for a reviewer, each with the reason.
        redacted: new memories out of which secrets were taken, each with their kinds.
    """

    is_dry_run: bool
    read: int
    refused: list[ForeignRefusal]
    stored: int = 0
    quarantined: int = 0
    expired: int = 0
    merged: int = 0
    skipped: int = 0
    changed: int = 0
    changed_lines: list[ChangedLine] = field(default_factory=list)
    moved: int = 0
    unchanged: int = 0
    gone: list[str] = field(default_factory=list)
    pruned: int = 0
    kept: list[str] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    held: list[HeldPart] = field(default_factory=list)
    redacted: list[RedactedPart] = field(default_factory=list)

    def refuse(self, where: str, problem: object) -> None:
        self.refused.append(ForeignRefusal(where, str(problem)))

    def change(self, line: ChangedLine) -> None:
        """Counts a line whose new wording superseded the earlier one."""
        self.changed += 1
        self.changed_lines.append(line)

    def skip(self, where: str, reason: str) -> None:
        """Counts a part that is known already."""
        self.skipped += 1
        self.left_out.append(LeftOut(where, reason))

    @property
    def done(self) -> int:
        known = self.merged + self.skipped + self.changed + self.moved + self.unchanged
        return self.stored + known + len(self.refused)
