"""Runner of accepted operations, which records their progress and their end."""

import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from memory_layer.edge.http.principals import principal_of, speaking_for
from memory_layer.edge.operations import data_jobs, rollback_jobs, snapshot_jobs
from memory_layer.edge.operations.batch_jobs import MEMORIES_BATCH, TURNS, store_lines
from memory_layer.edge.operations.erasure_jobs import ERASE, run_erasure
from memory_layer.edge.operations.jobs import Job, is_unavailable, kept_result, problem_of
from memory_layer.edge.shapes.problems import problem_document
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.process import Ports
from memory_layer.ports.records import Operation
from memory_layer.usecases.ground.signed_ports import signed_ports

Runner = Callable[[Ports, Job], Mapping[str, Any]]
"""Does the work and returns its result as JSON; a second run, after a crash, does nothing twice."""

RUNNERS: Final[Mapping[str, Runner]] = {
    MEMORIES_BATCH: store_lines,
    TURNS: store_lines,
    data_jobs.EXPORT: data_jobs.run_export,
    data_jobs.IMPORT: data_jobs.run_import,
    data_jobs.FOREIGN_IMPORT: data_jobs.run_foreign_import,
    data_jobs.MERGE_PROJECT: data_jobs.run_merge,
    data_jobs.PRUNE: data_jobs.run_prune,
    snapshot_jobs.VERIFY: snapshot_jobs.run_verify,
    snapshot_jobs.SNAPSHOT: snapshot_jobs.run_snapshot,
    snapshot_jobs.RESTORE: snapshot_jobs.run_restore,
    ERASE: run_erasure,
    rollback_jobs.ROLLBACK: rollback_jobs.run_rollback,
    rollback_jobs.ROLLBACK_UNDO: rollback_jobs.run_rollback_undo,
}
"""By kind of operation."""

NOTED_EVERY = timedelta(seconds=1)
"""Least time between two records of an operation's progress."""

_log = logging.getLogger(__name__)


PAUSES_S: Final = (1.0, 5.0, 25.0)
"""Between attempts while a part that is needed is down; then the operation fails, and its key takes it up again."""


class OperationStopped(BaseException):
    """Request to a running operation to end where it is; no handler of errors takes it for one."""


def _goes_on() -> bool:
    return False


def run_operation(
    ports: Ports,
    detail: Mapping[str, Any],
    *,
    sleep: Callable[[float], object] = time.sleep,
    is_stopping: Callable[[], bool] = _goes_on,
) -> None:
    """Carries out an accepted operation; one that the process stops stays accepted, for the next process.

    Args:
        detail: that of `OPERATION_ACCEPTED`.
        is_stopping: True once the process ends; asked wherever progress is told.
    """
    operation = ports.store.requests.operation(detail["tenant"], detail["operation_id"])
    if operation is None or operation.status != "running" or operation.input is None:
        return
    try:
        ended = _run_with_retries(ports, _Note(ports, operation, is_stopping), operation.input, sleep)
    except OperationStopped:
        _log.info("operation %s waits for the next start", operation.id)
        return
    ports.store.requests.put_operation(ended)
    if not is_unavailable(ended.problem):
        ports.blobs.delete(operation.input)


def _run_with_retries(ports: Ports, note: "_Note", blob: str, sleep: Callable[[float], object]) -> Operation:
    for pause_s in PAUSES_S:
        ended = _run_once(ports, note, blob)
        if not is_unavailable(ended.problem):
            return ended
        sleep(pause_s)
    return _run_once(ports, note, blob)


def _run_once(ports: Ports, note: "_Note", blob: str) -> Operation:
    note.begin()
    operation = note.operation
    try:
        kept = json.loads(ports.blobs.get(blob) or b"{}")
        job = _job(note, kept)
        return note.succeeded(RUNNERS[operation.kind](signed_ports(ports, job.principal), job))
    except MemoryLayerError as error:
        found = problem_of(operation, error)
    except Exception:
        _log.exception("operation %s failed", operation.id)
        found = _our_mistake(operation)
    return replace(note.operation, status="failed", problem=found)


def _our_mistake(operation: Operation) -> dict[str, Any]:
    advice = f"look for operation {operation.id} in the server's log; what was stored before stays stored"
    place = f"/v1/operations/{operation.id}"
    return problem_document(500, "internal", "Our mistake", advice, instance=place, request_id=operation.id)


def _job(note: "_Note", kept: Mapping[str, Any]) -> Job:
    principal = speaking_for(principal_of(kept["claims"], are_ours=True), kept.get("user"))
    return Job(note.operation, principal, kept["project"], kept["arguments"], note.tell, note.succeeded)


class _Note:
    """Progress of the operation, written down now and then."""

    def __init__(self, ports: Ports, operation: Operation, is_stopping: Callable[[], bool]) -> None:
        self.operation = operation
        self._accepted = operation
        self._ports = ports
        self._is_stopping = is_stopping
        self._noted_at = ports.clock.now()

    def begin(self) -> None:
        """Begins an attempt. Raises: OperationStopped: the process ends."""
        self._go_on()
        self.operation = self._accepted

    def _go_on(self) -> None:
        if self._is_stopping():
            raise OperationStopped

    def succeeded(self, result: Mapping[str, Any]) -> Operation:
        """The operation as it ends with a result."""
        kept = kept_result(self._ports, self.operation, result)
        return replace(self.operation, status="succeeded", result=kept)

    def tell(self, done: int, total: int) -> None:
        """Notes the progress. Raises: OperationStopped: the process ends; a transaction is rolled back."""
        self._go_on()
        self.operation = replace(self.operation, done=done, total=max(done, total))
        now = self._ports.clock.now()
        if now - self._noted_at >= NOTED_EVERY:
            self._noted_at = now
            self._ports.store.requests.put_operation(self.operation)
