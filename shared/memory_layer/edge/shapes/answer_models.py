"""Answers about memories: what HTTP, the command line and MCP answer, as openapi.json describes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from memory_layer.domain.memory import Memory
from memory_layer.domain.policy import Policy
from memory_layer.domain.safety.redaction import RedactionFinding
from memory_layer.edge.shapes.answer_fields import ROUNDED, SPREAD
from memory_layer.edge.shapes.problems import Problem
from memory_layer.usecases.write.near_verdicts import SimilarMemory

MemoryAnswer, SettingsAnswer = Memory, Policy


@dataclass(frozen=True, slots=True)
class ReadMemory:
    """A memory that was read. Args: shown: how many of the last 1,000 recalls of its project showed it, if asked."""

    memory: Annotated[Memory, SPREAD]
    shown: int | None = None


@dataclass(frozen=True, slots=True)
class ReportedAnswer:
    """A record after a verdict; `note` where its recall is not known.

    Args:
        note: says that the recall of the verdict is not known.
    """

    memory: Annotated[Memory, SPREAD]
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """Result of the verdict on one reference.

    Args:
        ref, id: the number on the page, and the memory that it stands for.
        status: as HTTP would answer for this memory alone.
        outcome_score, confidence, memory_status: after the verdict.
        project: the project of the memory.
    """

    ref: int
    id: str
    project: str
    status: int
    outcome_score: float | None = None
    confidence: float | None = None
    memory_status: str | None = None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class PageOutcomeAnswer:
    """Verdicts on memories of a page, in the order of the request."""

    recall_id: str
    results: Sequence[ReferenceAnswer]


@dataclass(frozen=True, slots=True)
class WriteReceipt:
    """Receipt of a write.

    Args:
        durable: it is stored, and stays so.
        indexed: the search index has it, with its meaning. False without an embedding model; and in the cloud, whose
            index has it seconds later: until then recalls find it in the store.
        redacted: what was taken out of the text, by place and kind.
        quarantined: it waits for a person, and is not recalled until then.
        similar: known memories that are near to it and say something else; each with the point.
        proposed_for: id of the trusted memory that stays until a reviewer approves this one.
    """

    durable: bool
    indexed: bool
    redacted: Sequence[RedactionFinding]
    quarantined: bool
    similar: Sequence[SimilarMemory] = ()
    proposed_for: str | None = None


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """A record with the receipt of its writing."""

    memory: Annotated[Memory, SPREAD]
    receipt: WriteReceipt


@dataclass(frozen=True, slots=True)
class LineAnswer:
    """Result of a line; `memory_status` where the stored memory is not in use, expired or quarantined say.

    Args:
        line: its number in the request, from 1.
        status: as HTTP would answer for this line alone.
        id: id of the memory.
        receipt: what was done with what was sent.
        memory_status: the status of a memory that is not in use.
        status_reason: why it is in that status.
    """

    line: int
    status: int
    id: str | None = None
    receipt: WriteReceipt | None = None
    memory_status: str | None = None
    status_reason: str | None = None
    problem: Problem | None = None


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """Results of all lines, in order."""

    results: Sequence[LineAnswer]


@dataclass(frozen=True, slots=True)
class ScoredMemory:
    """A record with its relevance to the task.

    Args:
        score: how well it fits the task; the best is first.
    """

    memory: Annotated[Memory, SPREAD]
    score: Annotated[float, ROUNDED]


@dataclass(frozen=True, slots=True)
class KnowledgeGroups:
    """Knowledge from earlier runs, each kind best first.

    Args:
        strategies: what worked.
        antipatterns: what failed.
        estimates: how long or how much it took.
        conventions: how it is done here.
    """

    strategies: Sequence[ScoredMemory]
    antipatterns: Sequence[ScoredMemory]
    estimates: Sequence[ScoredMemory]
    conventions: Sequence[ScoredMemory]


@dataclass(frozen=True, slots=True)
class PromptAnswer:
    """Composed prompt section; `groups` comes with the format `knowledge`.

    Args:
        markdown: the section, ready for a prompt; empty: nothing is known.
        memory_set_hash: SHA-256 of the memories in it, their versions and doubts, whatever their order.
        groups: the knowledge by kind.
    """

    markdown: str
    recall_id: str
    memory_ids: Sequence[str]
    memory_set_hash: str
    degraded: bool
    note: str | None = None
    groups: KnowledgeGroups | None = None


@dataclass(frozen=True, slots=True)
class VersionAnswer:
    """State of a record after one change, with the change's verb, author, time and reason.

    Args:
        version: number of the version.
        verb: what was done.
        by: who did it.
        at: when it was done.
        reason: why, as its author said.
        memory: the record after it.
    """

    version: int
    verb: str
    by: str
    at: datetime
    reason: str | None
    memory: Memory


@dataclass(frozen=True, slots=True)
class HistoryAnswer:
    """Versions of a record, oldest first."""

    versions: Sequence[VersionAnswer]


@dataclass(frozen=True, slots=True)
class StaleMemory:
    """A stale record, since when, and who marked it so.

    Args:
        since: when it went stale; null: its history does not tell.
        staled_by: who or what marked it so.
    """

    memory: Annotated[Memory, SPREAD]
    since: datetime | None
    staled_by: str | None


@dataclass(frozen=True, slots=True)
class StaleAnswer:
    """Page of stale memories."""

    stale: Sequence[StaleMemory]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class OperationAnswer:
    """State of an operation; `result` or `problem` once it has ended.

    Args:
        kind: the work that is done.
        status: running, succeeded or failed.
        done, total: how much of how much is done.
        created_at: when it was accepted.
        result: the answer that the work would have had at once.
        problem: why it failed.
    """

    id: str
    kind: str
    status: str
    done: int
    total: int
    created_at: datetime
    result: Mapping[str, Any] | None = None
    problem: Mapping[str, Any] | None = None
