"""Estimate of how well a memory serves a caller, with its uncertainty, and the evidence that it rests on."""

from dataclasses import dataclass

from memory_layer.domain.access import Principal, agent_voice
from memory_layer.domain.learning.implicit_feedback import FeedbackEntry, name_of
from memory_layer.domain.learning.pooled_feedback import PooledFeedback, Reader, pool
from memory_layer.domain.memory import Memory, TaskType
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.queries import get_memory
from memory_layer.usecases.recall.explore_hits import pooled_for


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeEstimate:
    """Estimate of a memory's outcome.

    Args:
        memory: with the scores that citations moved.
        weak: evidence of runs that cited nothing, which only exploring lists read.
        by_task_type: the same for one kind of task each.
        exploration: the project's setting.
    """

    memory: Memory
    weak: PooledFeedback
    by_task_type: dict[TaskType, PooledFeedback]
    exploration: float

    @property
    def interval(self) -> tuple[float, float]:
        """Range in which the chance that it serves lies with 90 %, by the normal approximation of the posterior."""
        counts = self.weak.counts
        half = 1.645 * counts.deviation
        return max(0.0, counts.mean - half), min(1.0, counts.mean + half)


def estimate_outcome(
    ports: Ports, principal: Principal, project: str, id: str, task_type: TaskType | None = None
) -> OutcomeEstimate:
    """Estimates how well a memory serves this caller.

    Args:
        task_type: kind of task that it is asked for; None: all kinds alike.

    Raises:
        NotFound: as `get_memory`.
    """
    memory = get_memory(ports, principal, project, id, with_body=False)
    now, scope = ports.clock.now(), principal.scope(project)
    reader = Reader(agent_voice(principal.name), task_type, now)
    row = ports.store.learnings.feedback(scope, [name_of(memory.ref)]).get(name_of(memory.ref))
    entries: tuple[FeedbackEntry, ...] = () if row is None else row.entries
    kinds = sorted({entry.task_type for entry in entries})
    return OutcomeEstimate(
        memory=memory,
        weak=pooled_for(ports, scope, memory, reader),
        by_task_type={kind: pool(row, Reader(reader.voice, kind, now)) for kind in kinds},
        exploration=ports.store.projects.policy(scope).exploration,
    )
