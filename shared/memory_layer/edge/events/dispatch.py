"""Dispatch of bus events: the work for each kind."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from memory_layer.edge.events.traced_work import within_trace
from memory_layer.edge.operations.runner import run_operation
from memory_layer.edge.shapes.answers import receipts_before_the_index
from memory_layer.ports.event_kinds import MEMORIES_WARMED, OPERATION_ACCEPTED, SESSION_EXTENDED
from memory_layer.ports.process import Ports
from memory_layer.usecases.recall.warm_up import on_memories_warmed
from memory_layer.usecases.write.turn_contexts import on_session_extended


def carry_out(ports: Ports, kind: str, detail: Mapping[str, Any]) -> None:
    """Does the work that an event asks for; a second time changes nothing.

    Raises:
        LookupError: there is no such work.
    """
    if kind not in WORK:
        raise LookupError(f"no work for events of kind {kind!r}; there is: {', '.join(sorted(WORK))}")
    with receipts_before_the_index(ports.indexes_later):
        within_trace(kind, WORK[kind])(ports, detail)


WORK: Final[Mapping[str, Callable[[Ports, Mapping[str, Any]], None]]] = {
    SESSION_EXTENDED: on_session_extended,
    MEMORIES_WARMED: on_memories_warmed,
    OPERATION_ACCEPTED: run_operation,
}
