"""Operations as they are on record, in order: versions of memories, verdicts, runs."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from typing import Final, NamedTuple, Protocol, get_args

from memory_layer.domain.doubt import DOUBTED
from memory_layer.domain.learning.run import RunRecord
from memory_layer.domain.learning.staging import Learning
from memory_layer.domain.memory import Memory, OutcomeResult
from memory_layer.domain.policy import Policy
from memory_layer.domain.time.staleness import STALED
from memory_layer.domain.verdict_bounds import Speaker

SWEEPS: Final = "sweep "
"""Beginning of the names under which sweeps change memories."""


class RecordedChange(Protocol):
    """Version of a memory, with who made it, when and how."""

    @property
    def memory(self) -> Memory: ...
    @property
    def verb(self) -> str: ...
    @property
    def by(self) -> str: ...
    @property
    def at(self) -> datetime: ...
    @property
    def reason(self) -> str | None: ...


class RecordedVerdict(Protocol):
    """Verdict on record, in force or not."""

    @property
    def result(self) -> OutcomeResult: ...
    @property
    def principal(self) -> str: ...
    @property
    def at(self) -> datetime: ...
    @property
    def run_id(self) -> str | None: ...
    @property
    def score_moved(self) -> float: ...
    @property
    def confidence_moved(self) -> float: ...
    @property
    def speaker(self) -> Speaker | None: ...


VerdictKey = tuple[str, datetime, str | None, str]


def key_of(verdict: RecordedVerdict) -> VerdictKey:
    """Identity of what was said: copies that a rollback has written are the same verdict."""
    return verdict.principal, verdict.at, verdict.run_id, verdict.result


@dataclass(frozen=True, slots=True)
class ReplayedVerdict:
    """Verdict in force after a replay, with how far it moved the memory in it."""

    result: OutcomeResult
    principal: str
    at: datetime
    run_id: str | None
    speaker: Speaker
    score_moved: float
    confidence_moved: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """What is on record of some memories.

    Args:
        histories, verdicts: by memory.
        runs: by id.
        learned: what a run taught a memory, by the ids of both.
    """

    histories: Mapping[str, Sequence[RecordedChange]]
    verdicts: Mapping[str, Sequence[RecordedVerdict]] = field(default_factory=dict)
    runs: Mapping[str, RunRecord] = field(default_factory=dict)
    learned: Mapping[tuple[str, str], Learning] = field(default_factory=dict)
    policy: Policy = field(default_factory=Policy)


class RecordedOperation(NamedTuple):
    """One operation on one memory: a version, a verdict, or a verdict that made a version."""

    at: datetime
    id: str
    change: RecordedChange | None
    verdict: ReplayedVerdict | None

    @property
    def by(self) -> str:
        return self.change.by if self.change else self._said.principal

    @property
    def verb(self) -> str:
        return self.change.verb if self.change else self._said.result

    @property
    def version(self) -> int | None:
        return self.change.memory.version if self.change else None

    @property
    def _said(self) -> ReplayedVerdict:
        assert self.verdict is not None
        return self.verdict


def operations_of(records: Records) -> list[RecordedOperation]:
    """All operations, oldest first; of those at one moment first what began a memory, then merges, then by version."""
    found = [
        (operation.at, place > 0, operation.verb != "merged", place, id, operation)
        for id, history in records.histories.items()
        for place, operation in enumerate(_of_memory(id, history, records.verdicts.get(id, ())))
    ]
    return [operation for *_, operation in sorted(found, key=lambda one: one[:-1])]


def _of_memory(
    id: str, history: Sequence[RecordedChange], verdicts: Sequence[RecordedVerdict]
) -> Iterator[RecordedOperation]:
    """Operations on one memory in order: its versions, and between them the verdicts that made none."""
    said: dict[tuple[str, datetime, str], ReplayedVerdict] = {
        (v.principal, v.at, v.result): v for v in _each_once(verdicts)
    }
    waiting = sorted(said.values(), key=lambda verdict: verdict.at)
    times = accumulate((change.at for change in history), max)  # a clock may have been set back
    made = {(change.by, change.at, change.verb) for change in history}
    silent = [verdict for verdict in waiting if (verdict.principal, verdict.at, verdict.result) not in made]
    for at, change in zip(times, history, strict=True):
        while silent and silent[0].at < at:
            yield RecordedOperation(silent[0].at, id, None, silent.pop(0))
        is_verdict = change.verb in get_args(OutcomeResult)
        yield RecordedOperation(
            at, id, change, said.get((change.by, change.at, change.verb)) if is_verdict else None
        )
    yield from (RecordedOperation(verdict.at, id, None, verdict) for verdict in silent)


def _each_once(verdicts: Iterable[RecordedVerdict]) -> list[ReplayedVerdict]:
    first: dict[VerdictKey, RecordedVerdict] = {}
    for verdict in verdicts:
        first.setdefault(key_of(verdict), verdict)
    return [_replayed(verdict) for verdict in first.values()]


def _replayed(verdict: RecordedVerdict) -> ReplayedVerdict:
    return ReplayedVerdict(
        result=verdict.result,
        principal=verdict.principal,
        at=verdict.at,
        run_id=verdict.run_id,
        speaker=verdict.speaker or ("person" if "@" in verdict.principal else "agent"),
        score_moved=verdict.score_moved,
        confidence_moved=verdict.confidence_moved,
    )


def merged_at_once(records: Records) -> Mapping[tuple[str, datetime, str], list[str]]:
    """Ids of the memories that each merge retired, by the id of the one that took them in, the time and the author."""
    found: dict[tuple[str, datetime, str], list[str]] = defaultdict(list)
    for id, history in records.histories.items():
        for change in history:
            if change.verb == "superseded" and change.memory.superseded_by is not None:
                found[change.memory.superseded_by, change.at, change.by].append(id)
    return found


def speaker_of(operation: RecordedOperation) -> str:
    """Author of an operation; of a mark that a sweep made for an event that of the event, whom its reason names."""
    reason = (operation.change.reason if operation.change else None) or ""
    is_told = operation.by.startswith(SWEEPS) and operation.verb in (STALED, DOUBTED)
    return reason.rpartition(", says ")[2] if is_told else operation.by
