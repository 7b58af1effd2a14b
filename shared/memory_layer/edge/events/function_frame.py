"""Frame of functions that no caller waits for: results are logged, and a failure is raised without its text."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from time import perf_counter
from typing import Any

from memory_layer.edge.events.observability import Observability

Work = Callable[[Mapping[str, Any], Observability], Any]
"""Turns an event into Lambda's result."""


class WorkFailed(Exception):
    """Failure of the work: Lambda tries again, then hands the event to the failure destination; the log has its
    place."""


def rehearse(watch: Observability, rehearsed: Callable[[], object]) -> None:
    """Does beforehand what a first event would wait for. Args: rehearsed: what fails is logged."""
    try:
        rehearsed()
    except Exception as error:  # whatever it is: a sandbox that does not start answers nobody
        watch.failed(error)


class EventFunction:
    """Lambda handler around a piece of work.

    Args:
        function: its name in the manifest.
        work: may see an event more than once.
        timer: seconds from anywhere, only differences count.
        traced: as `Observability` takes it.
    """

    def __init__(
        self,
        function: str,
        work: Work,
        *,
        timer: Callable[[], float] = perf_counter,
        traced: Sequence[str] = ("botocore",),
    ) -> None:
        self._function = function
        self._work = work
        self._timer = timer
        self._traced = traced

    @cached_property
    def _watch(self) -> Observability:
        return Observability(self._function, traced=self._traced)

    def warm_up(self, rehearsed: Callable[[], object]) -> None:
        """Prepares all that a first event would wait for, before there is one.

        Args:
            rehearsed: what fails is logged; an event will meet it again.
        """
        rehearse(self._watch, rehearsed)

    def __call__(self, event: Mapping[str, Any], context: Any) -> Any:
        started = self._timer()
        with self._watch.invocation(lambda_request_id=context.aws_request_id):
            try:
                with self._watch.span("work"):
                    result = self._work(event, self._watch)
            except Exception as error:
                self._watch.failed(error)
                # Lambda prints what is raised: the message of the cause may quote what was stored.
                raise WorkFailed(f"{self._function}: {type(error).__name__}; see the log") from None
            self._watch.tell("done", duration_ms=round(1_000 * (self._timer() - started), 1))
        return result
