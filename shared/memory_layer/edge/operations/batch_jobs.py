"""Batches stored in the background: their lines are kept, redacted, until they are written."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from memory_layer.domain.access import Principal
from memory_layer.domain.policy import Policy
from memory_layer.domain.safety.redaction import RedactionFinding, redact_json
from memory_layer.edge.http.lines import (
    Line,
    PostedLines,
    invalid_line,
    line_result,
    read_lines,
    refuse_reused_key,
    valid_lines,
)
from memory_layer.edge.operations.jobs import Job, Work, accept, known_operation, ticket
from memory_layer.edge.shapes.answers import stored_answer
from memory_layer.edge.shapes.problems import problem
from memory_layer.edge.shapes.requests import BatchLine, Turn, given_fields
from memory_layer.errors import MemoryLayerError
from memory_layer.ports.process import Ports
from memory_layer.ports.records import Operation
from memory_layer.usecases.ground.admission import admit
from memory_layer.usecases.ground.idempotency import IdempotentRequest
from memory_layer.usecases.write.add_turns import requests_with_positions
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember_many

MEMORIES_BATCH: Final = "memories:batch"
TURNS: Final = "turns"

CHUNK_LINES = 100
"""Lines stored between two updates of the operation's progress."""


def accept_batch(ports: Ports, principal: Principal, project: str, posted: PostedLines) -> Operation:
    """Keeps a batch as an operation; the same key is the same operation.

    Raises:
        Malformed, TooLarge: as `read_lines`; what is wrong with one line is told in the result.
        KeyReused: the key came with another body.
    """

    def read(keyed: PostedLines) -> list[Line]:
        lines = read_lines(keyed, BatchLine)
        refuse_reused_key(ports, principal.scope(project), keyed, lines)
        return lines

    return _accept(ports, principal, project, posted, MEMORIES_BATCH, read)


def accept_turns(
    ports: Ports, principal: Principal, project: str, session_id: str, posted: PostedLines
) -> Operation:
    """Keeps the turns of a conversation as an operation; they have their places from now on.

    Raises:
        Malformed, TooLarge, KeyReused: as `accept_batch`.
        Invalid: the conversation's name looks like a secret.
    """

    def placed(keyed: PostedLines) -> list[Line]:
        lines = read_lines(keyed, Turn, wraps_turns=True)
        refuse_reused_key(ports, principal.scope(project), keyed, lines)
        memories = iter(requests_with_positions(ports, principal, project, session_id, valid_lines(lines)))
        return [next(memories) if isinstance(line, RememberRequest) else line for line in lines]

    return _accept(ports, principal, project, posted, TURNS, placed)


def _accept(
    ports: Ports,
    principal: Principal,
    project: str,
    posted: PostedLines,
    kind: str,
    lines_of: Callable[[PostedLines], list[Line]],
) -> Operation:
    place = ticket(ports.new_id, posted.principal, posted.path, posted.fingerprint, posted.key)
    known = known_operation(ports, principal, place)
    if known is not None:
        return known
    posted = replace(posted, key=posted.key or place.id)
    lines, policy = lines_of(posted), ports.store.projects.policy(principal.scope(project))
    arguments = {
        "posted": asdict(replace(posted, body="", key=None)),
        "lines": [_kept(posted, line, policy) for line in lines],
    }
    work = Work(kind=kind, project=project, arguments=arguments, total=len(lines))
    return accept(ports, principal, place, work)


def store_lines(ports: Ports, job: Job) -> dict[str, Any]:
    """Stores the lines that `accept_batch` or `accept_turns` kept; a second time stores nothing twice."""
    posted, kept = PostedLines(**job.arguments["posted"]), job.arguments["lines"]
    line_answers: list[dict[str, Any]] = []
    for start in range(0, len(kept), CHUNK_LINES):
        chunk = kept[start : start + CHUNK_LINES]
        lines = [_restored_line(job.operation, line) for line in chunk]
        results = iter(remember_many(ports, job.principal, job.project, valid_lines(lines)))
        line_answers += _chunk_results(posted, start + 1, chunk, lines, results)
        job.tell(start + len(chunk), len(kept))
    return {"results": line_answers}


def _chunk_results(
    posted: PostedLines,
    first: int,
    chunk: Sequence[Mapping[str, Any]],
    lines: Sequence[Line | None],
    results: Iterator[Any],
) -> Iterator[dict[str, Any]]:
    for number, (kept, line) in enumerate(zip(chunk, lines, strict=True), first):
        if line is None:
            yield {"line": number, "status": kept["problem"]["status"], "problem": kept["problem"]}
        else:
            result = next(results) if isinstance(line, RememberRequest) else line
            answer = line_result(posted, number, _storable(result))
            yield (
                {**answer, "problem": _storable_problem(answer["problem"])} if "problem" in answer else answer
            )


def _kept(posted: PostedLines, line: Line, policy: Policy) -> dict[str, Any]:
    """Line as it may lie on a disk: its secrets taken out, or only its problem."""
    if isinstance(line, RememberRequest):
        try:
            admitted = admit(line.fields, policy)
        except MemoryLayerError as error:
            line = error
        else:
            return {
                "fields": to_jsonable_python(admitted.fields),
                "on_duplicate": line.on_duplicate,
                "is_verbatim": line.is_verbatim,
                "once": [line.once.key, line.once.fingerprint] if line.once else None,
                "redacted": [asdict(finding) for finding in admitted.redacted],
            }
    return {"problem": _storable_problem(problem(line, instance=posted.path, request_id=posted.request_id))}


def _storable(result: Any) -> Any:
    """Result without words of near memories: they may be erased before it."""
    return result.unquoted() if isinstance(result, StoredMemory) else result


def _storable_problem(found: dict[str, Any]) -> Any:
    """Problem as it may lie on a disk: without secrets, nor words of another memory, which may be erased."""
    clean: dict[str, Any] = redact_json(found, "secrets")[0]
    for known in (clean[name] for name in ("duplicate_of", "contradicts") if name in clean):
        known.pop("content", None)
        quoted = known.pop("differs_in", None)
        clean["detail"] = clean["detail"].replace(f" ({quoted})", "") if quoted else clean["detail"]
    return clean


def _restored_line(operation: Operation, line: Mapping[str, Any]) -> Line | None:
    """Request of a kept line, or its error; None where its problem is kept instead."""
    if "problem" in line:
        return None
    try:
        return _remember_request(operation, line)
    except ValidationError as error:
        return invalid_line(error)


def _remember_request(operation: Operation, line: Mapping[str, Any]) -> RememberRequest:
    key, fingerprint = line["once"]
    return RememberRequest(
        fields=given_fields(BatchLine.model_validate(line["fields"])),
        on_duplicate=line["on_duplicate"],
        is_verbatim=line.get("is_verbatim", False),  # what was accepted before turns were, says nothing of it
        once=IdempotentRequest(key, operation.id, fingerprint, stored_answer),
        redacted=tuple(RedactionFinding(**finding) for finding in line["redacted"]),
    )
