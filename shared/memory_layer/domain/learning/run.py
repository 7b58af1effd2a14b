"""Run of an agent's loop: the report of an orchestrator, and the record that is stored."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from typing import Annotated, Any, ClassVar, Final, Literal, NamedTuple

from annotated_types import Ge, Le, MaxLen, MinLen

from memory_layer.domain.access import Principal, agent_voice
from memory_layer.domain.fields import canonical_json
from memory_layer.domain.memory import OutcomeResult, TaskType

RunStatus = Literal["completed", "failed", "crashed"]
RunMode = Literal["auto", "staged"]

ITERATIONS_MAX = 10_000
LINES_MAX = 1_000
LINE_MAX_CHARS = 8_192
MEMORIES_USED_MAX = 500
RECALLS_MAX = 64
DURATION_MAX_MS = 604_800_000
"""A week; the longest duration of one iteration."""

Lines = Annotated[tuple[Annotated[str, MaxLen(LINE_MAX_CHARS)], ...], MaxLen(LINES_MAX)]
RunId = Annotated[str, MinLen(1), MaxLen(256)]
_CONFIG: Mapping[str, object] = {"extra": "forbid", "allow_inf_nan": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """Result of an iteration: progress and errors.

    Args:
        progress_made: whether the iteration came closer to the objective.
        errors: what went wrong, a message each.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = _CONFIG  # read at the edge only

    progress_made: bool = False
    errors: Lines = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """One turn of the loop.

    Args:
        number: its place in the run.
        status: how it ended.
        duration: milliseconds.
        analysis: what came of it.
        learnings: what was learned, in words.
        files_modified: paths.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = _CONFIG

    number: Annotated[int, Ge(0), Le(2**31 - 1)]
    status: RunStatus
    duration: Annotated[float, Ge(0.0), Le(DURATION_MAX_MS)] = 0.0
    analysis: Analysis = field(default_factory=Analysis)
    learnings: Lines = ()
    files_modified: Lines = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run that has ended, as its orchestrator reports it.

    Args:
        run_id: its id: the same twice is one run.
        objective: what it was to do.
        status: how it ended.
        current_iteration: how far it came.
        iterations: its turns, in order.
        memories_used: ids of memories that it cites: they get its verdict.
        recall_ids: recalls, prompts and contexts of its reporter's that it was shown; those that named its `run_id`
            count by themselves.
        verdict: of the whole; omitted: worked if it was completed, else failed.

    Source: Loop Learning, loop history; SPEC 6.2.
    """

    __pydantic_config__: ClassVar[Mapping[str, object]] = _CONFIG

    run_id: RunId
    objective: Annotated[str, MaxLen(LINE_MAX_CHARS)]
    status: RunStatus
    current_iteration: Annotated[int, Ge(0), Le(ITERATIONS_MAX)] | None = None
    iterations: Annotated[tuple[Iteration, ...], MaxLen(ITERATIONS_MAX)]
    memories_used: Annotated[
        tuple[Annotated[str, MinLen(1), MaxLen(128)], ...], MaxLen(MEMORIES_USED_MAX)
    ] = ()
    recall_ids: Annotated[tuple[Annotated[str, MinLen(1), MaxLen(128)], ...], MaxLen(RECALLS_MAX)] = ()
    verdict: OutcomeResult | None = None

    @property
    def outcome(self) -> OutcomeResult:
        """Outcome of the run by its own account: its verdict, else the one that its status implies."""
        return self.verdict or ("worked" if self.status == "completed" else "failed")


class ShownMemory(NamedTuple):
    """Memory that a run was shown. Args: version: as it was then."""

    project: str
    id: str
    version: int


@dataclass(frozen=True, slots=True)
class ShownList:
    """List that a run was shown. Args: sources: `project/id` of memories from which one of them was written, by its."""

    recall_id: str
    at: datetime
    memories: tuple[ShownMemory, ...]
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


_RUN_ID_CHARS: Final = 256
_MARK_CHARS: Final = 12
_MARKED: Final = re.compile(rf"~([0-9a-f]{{{_MARK_CHARS}}})\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """Stored record of a run: enough to recognise it, to resume after a crash, and to report its result.

    `staged_ids` are the learnings extracted from it, `result` the counts once all is done (None: not yet), and beside
    them under `failed_by` the kind of the tools' failure that ended it. `shown` are the lists that it had, `history`
    is the SHA-256 of its iterations, which lie beside it (None: it is older than this field), `words` the terms that it
    is searched by.
    """

    run_id: str
    fingerprint: str
    objective: str
    status: RunStatus
    outcome: OutcomeResult
    task_type: TaskType
    iterations: int
    mode: RunMode
    memories_used: tuple[str, ...]
    staged_ids: tuple[str, ...]
    created_by: str
    persona: str | None
    received_at: datetime
    finished_at: datetime | None = None
    result: Mapping[str, Any] | None = None
    version: int = 1
    is_vouched: bool = False
    shown: tuple[ShownList, ...] = ()
    history: str | None = None
    words: tuple[str, ...] = ()

    @property
    def failed_by(self) -> str | None:
        """Kind of the tools' failure that ended the run; None: none did."""
        return (self.result or {}).get("failed_by")

    @property
    def verdict(self) -> OutcomeResult | None:
        """Verdict of the run on the memories that it used; None: it crashed, or its tools failed (SPEC 4.18, 4.19)."""
        blames_nothing = self.status == "crashed" or (self.outcome == "failed" and self.failed_by is not None)
        return None if blames_nothing else self.outcome


def may_be_told_apart(known: RunRecord, by: Principal) -> bool:
    """Tells whether a report under a known id may be of another run: an agent alone stands behind the known one."""
    return not known.is_vouched and agent_voice(known.created_by) != agent_voice(by.name)


def run_id_of_reporter(run_id: str, by: Principal) -> str:
    """Id of a run under its reporter's name, the same each time it is reported."""
    return f"{run_id[: _RUN_ID_CHARS - _MARK_CHARS - 1]}~{_mark_of(by)}"


def is_of_other_reporter(run_id: str, by: Principal) -> bool:
    """Tells whether an id reads like that of a run under another reporter's name: no agent takes it beforehand."""
    found = _MARKED.search(run_id)
    return by.is_agent and found is not None and found[1] != _mark_of(by)


def _mark_of(by: Principal) -> str:
    return sha256(canonical_json([agent_voice(by.name), by.persona]).encode()).hexdigest()[:_MARK_CHARS]
