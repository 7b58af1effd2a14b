"""Plan of a rollback: what becomes of each memory and of each verdict, from two replays."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from memory_layer.domain.memory import ENDED_STATUSES, Memory
from memory_layer.domain.rollback.carry_over import GOVERNED, differing, with_governed
from memory_layer.domain.rollback.exclusions import Exclusion, Refusal
from memory_layer.domain.rollback.recorded import (
    RecordedVerdict,
    Records,
    ReplayedVerdict,
    VerdictKey,
    key_of,
)
from memory_layer.domain.rollback.replay import Replayed, replay

TAKEN_BACK: Final = "taken back with all that its author wrote"
"""Status reason of a memory that would not be there."""


PlannedKind = Literal["retired", "changed", "restored", "judged_anew"]


@dataclass(frozen=True, slots=True)
class PlannedChange:
    """Memory before and after, and its verdicts in force after. Args: after: None: only verdicts change."""

    before: Memory
    after: Memory | None
    verdicts: Sequence[ReplayedVerdict] | None = None

    @property
    def kind(self) -> PlannedKind:
        if self.after is None:
            return "judged_anew"
        was_out = self.before.status_reason == TAKEN_BACK
        if was_out != (self.after.status_reason == TAKEN_BACK):
            return "restored" if was_out else "retired"
        return "changed"


@dataclass(frozen=True, slots=True)
class RollbackPlan:
    """Changes that bring a project from one set of exclusions to another. Args: refused: see `Refusal`."""

    changes: tuple[PlannedChange, ...]
    refused: tuple[Refusal, ...]


def plan_rollback(
    records: Records,
    current: Mapping[str, Memory],
    in_force: Mapping[str, Sequence[RecordedVerdict]],
    were: Collection[Exclusion],
    shall: Collection[Exclusion],
) -> RollbackPlan:
    """Plans the changes between two sets of exclusions; done again after a part of them it plans the rest.

    Args:
        current: the memories as they are stored now.
        in_force: their verdicts in force.
        were: exclusions that have taken effect.
        shall: exclusions that shall have.
    """
    then, now = replay(records, were), replay(records, shall)
    changes = [
        PlannedChange(memory, after, verdicts)
        for id, memory in current.items()
        for after, verdicts in [(_target(memory, then, now), _verdicts(id, in_force.get(id, ()), then, now))]
        if after is not None or verdicts is not None
    ]
    known = set(then.refused)
    return RollbackPlan(tuple(changes), tuple(one for one in now.refused if one not in known))


def _target(memory: Memory, then: Replayed, now: Replayed) -> Memory | None:
    was, shall = then.states.get(memory.id), now.states.get(memory.id)
    if shall is None:
        return _retired(memory) if was is not None else None
    if was is None:
        changed: Mapping[str, Any] = {name: getattr(shall, name) for name in GOVERNED}
    else:
        changed = differing(was, shall)
    after = with_governed(memory, changed)
    return None if after == memory else replace(after, version=memory.version + 1)


def _retired(memory: Memory) -> Memory | None:
    """Memory out of use because it would not be there; what it was superseded by is no longer its correction."""
    if memory.status_reason == TAKEN_BACK and memory.status in ENDED_STATUSES:
        return None
    out = {"status": "archived", "status_reason": TAKEN_BACK, "superseded_by": None, "doubted": None}
    return replace(memory, version=memory.version + 1, **out)  # type: ignore[arg-type]


def _verdicts(
    id: str, in_force: Sequence[RecordedVerdict], then: Replayed, now: Replayed
) -> Sequence[ReplayedVerdict] | None:
    """Verdicts that shall be in force; None: those that are. On what would not be there none is."""
    was, shall = then.verdicts.get(id, ()), now.verdicts.get(id, ()) if id in now.states else ()
    return None if _moves(shall) in (_moves(was), _moves(in_force)) else shall


def _moves(verdicts: Sequence[RecordedVerdict]) -> dict[VerdictKey, tuple[float, float]]:
    return {key_of(one): (one.score_moved, one.confidence_moved) for one in verdicts}


@dataclass(frozen=True, slots=True)
class VerdictChange:
    """Verdict to write. Args: old: the one in force that it replaces; new: None: nothing takes its place."""

    old: RecordedVerdict | None
    new: ReplayedVerdict | None


def verdict_changes(
    in_force: Sequence[RecordedVerdict], shall: Sequence[ReplayedVerdict]
) -> Iterator[VerdictChange]:
    """Verdicts to take out of force, to put into force, and to put in place of the same one that moved otherwise."""
    wanted, standing = {key_of(one): one for one in shall}, {key_of(one): one for one in in_force}
    for key, old in standing.items():
        new = wanted.get(key)
        if new is None or _moves([old]) != _moves([new]):
            yield VerdictChange(old, new)
    yield from (VerdictChange(None, one) for key, one in wanted.items() if key not in standing)
