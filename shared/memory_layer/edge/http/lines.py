"""Bodies of many lines: each line is read on its own, so that a broken one fails alone."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from pydantic import BaseModel, ValidationError

from memory_layer.domain.integrity.digests import request_fingerprint
from memory_layer.domain.memory import Scope
from memory_layer.edge.shapes.answers import stored_answer, to_text
from memory_layer.edge.shapes.problems import problem, violations_of
from memory_layer.edge.shapes.requests import given_fields
from memory_layer.errors import Invalid, Malformed, MemoryLayerError, TooLarge
from memory_layer.ports.commit import IdempotencyRecord
from memory_layer.ports.process import Ports
from memory_layer.usecases.ground.idempotency import IdempotentRequest, earlier_answers, storage_key
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import Result

MAX_LINES = 1_000
LINE_VIOLATIONS_MAX = 10
"""Most violations listed for one line: a thousand lines may each have hundreds."""

Line = RememberRequest | MemoryLayerError


@dataclass(frozen=True, slots=True)
class PostedLines:
    """Body of lines as it arrived, with all that an answer to it has to name."""

    path: str
    request_id: str
    body: str
    key: str | None
    principal: str

    @property
    def fingerprint(self) -> str:
        """Hash of the whole body: the same key with one line more is another request."""
        return request_fingerprint("POST", self.path, self.body.encode())


def read_lines(posted: PostedLines, model: type[BaseModel], *, wraps_turns: bool = False) -> list[Line]:
    """Parses each line into its request, or the error in it.

    Args:
        wraps_turns: `{"turns": […]}` is another way to send many.

    Raises:
        Malformed: there is nothing, or an array that is no JSON.
        Invalid: turns where none are stored, or no list of them.
        TooLarge: more than 1,000 lines.
    """
    items = list(islice(_items(posted.body.strip(_JSON_BLANKS), wraps_turns), MAX_LINES + 1))
    if not items:
        raise Malformed("there is nothing in the body; send one JSON object a line, or an array of them")
    if len(items) > MAX_LINES:
        raise TooLarge(f"more than {MAX_LINES:,} lines; send at most {MAX_LINES:,} at once")
    keys = _Keys(posted)
    return [_read(keys, number, item, model) for number, item in enumerate(items, 1)]


def valid_lines(lines: Sequence[Line | None]) -> list[RememberRequest]:
    return [line for line in lines if isinstance(line, RememberRequest)]


def line_results(
    posted: PostedLines, lines: Sequence[Line], results: Sequence[Result]
) -> list[dict[str, Any]]:
    """Result of each line, by number. Args: results: of the good lines, in order."""
    remaining = iter(results)
    return [
        line_result(posted, number, next(remaining) if isinstance(line, RememberRequest) else line)
        for number, line in enumerate(lines, 1)
    ]


def refuse_reused_key(ports: Ports, scope: Scope, posted: PostedLines, lines: Sequence[Line]) -> None:
    """Refuses a body under the key of another body, with all its lines: a request's key covers every line.

    Raises:
        KeyReused
    """
    asked = [line.once for line in valid_lines(lines) if line.once and line.once.named == posted.key]
    answers = earlier_answers(ports.store.requests, scope, asked, ports.clock.now())
    for once in asked:
        if once.key in answers:
            once.refuse_other(answers[once.key])


_JSON_BLANKS = " \t\r\n"


def _items(text: str, wraps_turns: bool) -> Iterator[Any]:
    """Lines of an array, of `{"turns": […]}`, of NDJSON, or one object alone; a broken line is an error."""
    whole = _parsed(text) if text[:1] in ("[", "{") else None
    if isinstance(whole, list):
        yield from whole
    elif isinstance(whole, dict):
        yield from _wrapped(whole, wraps_turns) if "turns" in whole else [whole]
    elif text.startswith("["):
        raise Malformed(f"the array is no JSON: {whole}")
    else:
        # a line ends at \n alone (NDJSON): what else str.splitlines() takes for an end may stand in a JSON text
        yield from (_parsed(line) for line in text.split("\n") if line.strip(_JSON_BLANKS))


def _wrapped(whole: dict[str, Any], wraps_turns: bool) -> list[Any]:
    if not wraps_turns:
        raise Invalid.at(
            "/turns", "turns are stored at /v1/projects/PROJECT/sessions/SESSION/turns; send memories here"
        )
    if not isinstance(whole["turns"], list):
        raise Invalid.at("/turns", "a list is wanted, also of one")
    beside = sorted(set(whole) - {"turns"})
    if beside:
        raise Invalid.at(f"/{beside[0]}", "nothing stands beside `turns`; say it in each turn")
    return list(whole["turns"])


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        return Malformed(f"this line is no JSON: {error}")


@dataclass(frozen=True, slots=True)
class _Keys:
    """Idempotency key of each line: its own, else the request's with the number of the line."""

    posted: PostedLines
    fingerprint: str = field(init=False)

    def __post_init__(self) -> None:
        whole = self.posted.fingerprint if self.posted.key else ""
        object.__setattr__(self, "fingerprint", whole)

    def once(self, number: int, item: Any, own: str | None) -> IdempotentRequest | None:
        principal = self.posted.principal
        if own is not None:
            fingerprint = request_fingerprint("POST", self.posted.path, to_text(item).encode())
            return IdempotentRequest(storage_key(principal, "line", own), own, fingerprint, stored_answer)
        if self.posted.key is None:
            return None
        key = storage_key(principal, f"line {number}", self.posted.key)
        return IdempotentRequest(key, self.posted.key, self.fingerprint, stored_answer)


def _read(keys: _Keys, number: int, item: Any, model: type[BaseModel]) -> Line:
    if isinstance(item, MemoryLayerError):
        return item
    try:
        body = model.model_validate(item)
    except ValidationError as error:
        return invalid_line(error)
    except RecursionError:
        return Malformed("this line is nested too deeply")
    return RememberRequest(
        fields=given_fields(body, "on_duplicate", "idempotency_key"),
        on_duplicate=getattr(body, "on_duplicate", "ask"),
        once=keys.once(number, item, getattr(body, "idempotency_key", None)),
    )


def invalid_line(error: ValidationError) -> Invalid:
    """Error with the first rules that a line breaks, and the number of all."""
    broken = error.errors(include_url=False, include_input=False)[:LINE_VIOLATIONS_MAX]
    found = violations_of({**part, "loc": ("body", *part["loc"])} for part in broken)
    return Invalid.each(found, error.error_count())


def line_result(posted: PostedLines, number: int, result: Result) -> dict[str, Any]:
    """Result of one line: status and id, or its problem."""
    if isinstance(result, MemoryLayerError):
        found = problem(result, instance=posted.path, request_id=posted.request_id)
        return {"line": number, "status": found["status"], "problem": found}
    status, body = (
        (result.status, result.body) if isinstance(result, IdempotencyRecord) else stored_answer(result)
    )
    written = json.loads(body)
    line_answer = {"line": number, "status": status, "id": written["id"], **_inactive_status(written)}
    return (
        line_answer
        if isinstance(result, IdempotencyRecord)
        else {**line_answer, "receipt": written["receipt"]}
    )


def _inactive_status(written: Mapping[str, Any]) -> dict[str, Any]:
    """Status and reason of a memory that no recall shows as written, expired say; like the answer to a single write."""
    if written["active"]:
        return {}
    return {"memory_status": written["status"], "status_reason": written["status_reason"]}
