"""Operations that reach a server by its socket, each counted and logged as a request for it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from memory_layer.edge.shapes.problems import status_of
from memory_layer.errors import MemoryLayerError
from memory_layer.local.request_counts import RECALL, AnsweredRequest, RequestCounts
from memory_layer.ports.counting import Answer, CodedAnswer

DONE, NOTHING_LEFT, FAILED = 200, 204, 500


@dataclass(frozen=True, slots=True)
class CountedOperations:
    """Operations of one server's callers: the port ports.counting.Counting.

    Args:
        new_id: makes request ids.
        method_of: tells the method of an operation over HTTP.
    """

    counts: RequestCounts
    new_id: Callable[[str], str]
    method_of: Callable[[str], str]

    def __call__(self, operation: str, work: Callable[[], Answer]) -> Answer:
        started = perf_counter()
        try:
            answer = work()
        except Exception as error:
            self._note(operation, status_of_error(error), started)
            raise
        self._note(operation, _status(answer), started, _summary(operation, answer))
        return answer

    def _note(
        self, operation: str, status: int, started: float, summary: Mapping[str, object] | None = None
    ) -> None:
        self.counts.note(
            AnsweredRequest(
                request_id=self.new_id("req_"),
                method=self.method_of(operation),
                operation=operation,
                status=status,
                seconds=perf_counter() - started,
                summary=summary or {},
            )
        )


def status_of_error(error: Exception) -> int:
    """Status with which HTTP answers an error."""
    return status_of(error) if isinstance(error, MemoryLayerError) else FAILED


def _status(answer: object) -> int:
    if isinstance(answer, CodedAnswer):
        return answer.status
    return NOTHING_LEFT if answer is None else DONE


def _summary(operation: str, answer: Any) -> dict[str, object]:
    """What is counted of a recall beside its status, whether it is a document or a use case's result."""
    if operation != RECALL:
        return {}
    read = answer.get if isinstance(answer, Mapping) else lambda name: getattr(answer, name)
    return {name: read(name) for name in ("degraded", "abstained")}
